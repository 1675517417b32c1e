"""Values of class bodies, defaults and annotations; the lowest level is used by nobody."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Level(Enum):
    LOW = 1
    HIGH = 10


@dataclass
class Options:
    retries: int = 3


def scaled(value, by=4):
    return value * by


def lucky(value: Literal[7]):
    return value
