"""What a worker of each tier does before it serves, for whatever runner it is the process of."""

from __future__ import annotations

import gc
import os
from typing import List, Optional

from . import census, hazards
from .serve import Server
from .swap import Refused


def serve_warm(server: Server, root: str, found: List[str], places: List[str]) -> None:
    """For a process that has only started: a child imports what is on disk. `found` is what stands against
    it already.
    """
    loaded = census.loaded()

    def begin(files: List[str]) -> None:
        for file in files:
            if os.path.realpath(os.path.join(root, file)) in loaded:
                raise Refused("it was loaded before the worker was")

    server.serve(found + list(hazards.of_process()), places, begin)


def serve_hot(
    server: Server,
    root: str,
    watch: census.Watch,
    found: List[str],
    places: List[str],
    first: Optional[census.Census] = None,
) -> census.Census:
    """For a process that has loaded all tests: a child puts changed functions in place. `first` is the
    census of before the first test, where some ran; gives the one that is taken.
    """
    # While it is seen what that runs.
    gc.unfreeze()
    gc.collect()
    lost = watch.stop()
    taken = census.Census(root, watch, first)
    found = ([lost] if lost else []) + found + list(hazards.of_process())
    server.serve(found, places, taken.put_in_place)
    return taken
