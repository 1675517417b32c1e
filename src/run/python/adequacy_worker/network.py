"""What of a network of its own a child may leave to the next: connections that it closed, which the kernel
remembers for a minute.

Their ports are none that the next child could want: the kernel chose them, and chooses others for whoever
asks for any. Only who asks for a port by its number may be refused one for them, and is seen.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Tuple

# Where the kernel lists connections.
LISTS = "/proc/net/"

# The state of a connection that is closed and remembered, as the kernel lists it.
TIME_WAIT = "06"

Ports = Tuple[int, int]


def chosen_by_kernel() -> Ports:
    """The least and the greatest port that the kernel gives to who asks for any; no port where it does not say."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
            least, greatest = file.read().split()
    except OSError:
        return 1, 0
    return int(least), int(greatest)


def parted(lines: List[str], ports: Ports) -> Tuple[List[str], int]:
    """The lines of such a list that may not stay, and the number of those that may."""
    rest = [line for line in lines if not may_stay(line, ports)]
    return rest, len(lines) - len(rest)


def may_stay(line: str, ports: Ports) -> bool:
    words = line.split()
    ends = [int(end.rpartition(":")[2], 16) for end in words[1:3]]
    return words[3] == TIME_WAIT and all(ports[0] <= port <= ports[1] for port in ends)


def by_number(address: Any) -> bool:
    """Whether an address to bind to names a port, rather than any."""
    return not isinstance(address, (str, bytes)) and not (
        isinstance(address, tuple) and len(address) > 1 and address[1] == 0
    )


def watch(seen: Callable[[], None]) -> None:
    """Calls `seen`, from now on, before whatever is bound to a port by its number."""

    def audit(event: str, arguments: Any) -> None:
        if event == "socket.bind" and by_number(arguments[1]):
            seen()

    sys.addaudithook(audit)
