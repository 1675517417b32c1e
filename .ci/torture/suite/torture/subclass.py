"""A class is registered by the one that it extends; the default is used by nobody."""


class Plugin:
    registry = {}

    def __init_subclass__(cls, weight=1):
        Plugin.registry[cls.__name__] = weight * 2


class Heavy(Plugin, weight=5):
    pass
