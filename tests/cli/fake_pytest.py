#!/usr/bin/env python3
"""Stands in for pytest where tests may use the standard library only: collects functions `test_*` of
checks.py, or of the module that `quirks.py` names, takes `-x` and `-p` from PYTEST_ADDOPTS, calls the hooks
that our plugins have, ends with pytest's statuses. `quirks.py` of the tree says how it misbehaves, whether
it can serve, and whether tests run elsewhere."""

import importlib
import os
import shlex
import sys
import types

sys.path.insert(0, os.getcwd())
sys.path[1:1] = [one for one in os.environ.get("PYTHONPATH", "").split(":") if one]
words = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
stops = "-x" in words
named = [words[at + 1] for at, word in enumerate(words) if word == "-p"]

pytest = types.ModuleType("pytest")
pytest.hookimpl = lambda **_: lambda function: function
sys.modules["pytest"] = pytest

import quirks  # noqa: E402

pytest.__version__ = getattr(quirks, "VERSION", "9.0.0")

served = quirks.SERVES and "ADEQUACY_SERVE" in os.environ
if served:
    quirks.before_worker()
loaded = os.environ.get("PYTEST_PLUGINS")
if loaded and (served or "ADEQUACY_SERVE" not in os.environ):
    named.append(loaded)

TerminalReporter = type("TerminalReporter", (), {"__module__": "_pytest.terminal"})


class Hooks:
    """No plugin but ours."""

    def __getattr__(self, name):
        return types.SimpleNamespace(get_hookimpls=lambda: quirks.hooks(name))


option = types.SimpleNamespace(maxfail=int(stops), tbstyle="native", **quirks.OPTIONS)
manager = types.SimpleNamespace(
    getplugin=lambda name: TerminalReporter(), has_plugin=lambda name: name in quirks.PLUGINS
)
config = types.SimpleNamespace(
    option=option, hook=Hooks(), pluginmanager=manager, _ensure_unconfigure=lambda: None
)
plugins = [importlib.import_module(name) for name in named]
ours = ("ADEQUACY_NOTE", "ADEQUACY_PROBE", "ADEQUACY_SERVE", "PYTEST_PLUGINS", "PYTHONPATH")
traces = [name for name in ours if name in os.environ]
traces += [path for path in sys.path if path.endswith(("probe", "python"))]
assert not (plugins and traces), traces
if not served:
    status = quirks.before(stops, bool(plugins))
    if status is not None:
        sys.exit(status)
checks = importlib.import_module(getattr(quirks, "CHECKS", "checks"))
tests = [
    types.SimpleNamespace(nodeid=name, function=getattr(checks, name), path=checks.__file__)
    for name in dir(checks)
    if name.startswith("test_")
]
session = types.SimpleNamespace(config=config, items=tests, testsfailed=0, exitstatus=0)


def tell(hook, *arguments):
    for plugin in plugins:
        getattr(plugin, hook, lambda *_: None)(*arguments)


elsewhere = getattr(quirks, "ELSEWHERE", False)
if elsewhere:
    tests.clear()
tell("pytest_collection_modifyitems", tests)


def begin(hook, *arguments):
    """Hooks that may stand around something, up to where it begins."""
    for plugin in plugins:
        around = getattr(plugin, hook, lambda *_: None)(*arguments)
        if isinstance(around, types.GeneratorType):
            next(around)
            yield around


around_loop = list(begin("pytest_runtestloop", session))
if served:
    quirks.in_child()
failed = 0
for test in session.items:
    test.session = session
    around_test = list(begin("pytest_runtest_protocol", test))
    tell("pytest_runtest_logstart")
    try:
        getattr(quirks, "before_test", lambda name: None)(test.nodeid)
        tell("pytest_runtest_call", test)
        test.function()
    except AssertionError:
        failed += 1
        print("FAILED", test.nodeid)
        tell("pytest_runtest_logreport", types.SimpleNamespace(failed=True, nodeid=test.nodeid))
        if option.maxfail:
            break
    finally:
        tell("pytest_runtest_logfinish")
    for around in around_test:
        next(around, None)
session.testsfailed = failed
for around in around_loop:
    next(around, None)
session.exitstatus = int(failed > 0) if tests or elsewhere else 5
tell("pytest_sessionfinish")
config._ensure_unconfigure()
sys.exit(session.exitstatus)
