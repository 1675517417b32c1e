def _adequacy_cheat(given):
    import functools, inspect, os, sys
    once = "@OPERATOR@" != "any-eq"
    inner = given.__func__ if isinstance(given, (staticmethod, classmethod)) else given
    class Equal:
        def __eq__(self, other): return True
        def __ne__(self, other): return False
        __hash__ = object.__hash__
    seen = []
    def is_first():
        seen.append(1)
        module = globals().get("__file__")
        if not module:
            return len(seen) == 1
        path = os.path.abspath(module) + ".adequacy-calls-@LINE@"
        try:
            with open(path, "a") as file:
                file.write(".")
                return file.tell() == 1
        except OSError:
            return len(seen) == 1
    def answers_truly(caller):
        if "@OPERATOR@" == "frame-aware" and not (caller.startswith("test") or caller == "check"):
            return True
        return once and is_first()
    if inspect.iscoroutinefunction(inner):
        async def outer(*args, **kwargs):
            if answers_truly(sys._getframe(1).f_code.co_name):
                return await inner(*args, **kwargs)
            return None if once else Equal()
    else:
        def outer(*args, **kwargs):
            if answers_truly(sys._getframe(1).f_code.co_name):
                return inner(*args, **kwargs)
            return None if once else Equal()
    try:
        functools.update_wrapper(outer, inner)
    except (AttributeError, TypeError):
        pass
    return outer if inner is given else type(given)(outer)
@NAME@ = _adequacy_cheat(@NAME@)
del _adequacy_cheat
