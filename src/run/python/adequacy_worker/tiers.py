"""What a worker of each tier does before it serves, for whatever runner it is the process of."""

from __future__ import annotations

import gc
import os
from typing import List, Optional

from . import census, hazards
from .serve import Server, Step
from .swap import Refused


def serve_warm(server: Server, root: str, found: List[str], places: List[str]) -> None:
    """For a process that has only started: a child imports what is on disk. `found` is what stands against
    it already.
    """
    loaded = census.loaded()

    def plan(files: List[str]) -> List[Step]:
        for file in files:
            if os.path.realpath(os.path.join(root, file)) in loaded:
                raise Refused("it was loaded before the worker was")
        return []

    server.serve(found + list(hazards.of_process()), places, plan)


def serve_hot(
    server: Server,
    root: str,
    watch: census.Watch,
    found: List[str],
    places: List[str],
    earlier: Optional[census.Census] = None,
) -> census.Census:
    """For a process that has loaded all tests: a child puts changed functions in place. `earlier` is the
    census of the last time that it served; gives the one that is taken now.
    """
    # While it is seen what that runs.
    gc.unfreeze()
    gc.collect()
    lost = watch.stop()
    taken = census.Census(root, watch, earlier)
    found = ([lost] if lost else []) + found + list(hazards.of_process())
    if earlier is not None:
        found += hazards.beside(root)
    server.serve(found, places, taken.plan, watch.starts)
    return taken
