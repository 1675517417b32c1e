"""Tells whether anything but pytest itself stands between a failing test and the exit status.

Loaded with `-p` into two runs of the unmutated tree that decide nothing else. It writes one JSON object
to the file that ADEQUACY_PROBE names; with ADEQUACY_PROBE_FAIL every test fails. It removes its own
traces from the environment before a test could see them.
"""

import json
import os
import sys

import pytest
from adequacy_traces import leave_path

REPORT = os.environ.pop("ADEQUACY_PROBE", "")
FAIL = bool(os.environ.pop("ADEQUACY_PROBE_FAIL", ""))

# Hooks through which a plugin or a conftest can make another status of a run in which a test failed,
# or go on differently after that test.
HOOKS = (
    "pytest_cmdline_main",
    "pytest_collection",
    "pytest_exception_interact",
    "pytest_keyboard_interrupt",
    "pytest_runtest_logreport",
    "pytest_runtest_protocol",
    "pytest_runtestloop",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_unconfigure",
)

# Plugins whose hooks of these names are known to leave the status of a failed run alone.
HARMLESS = {
    "_hypothesis_pytestplugin",
    "anyio.pytest_plugin",
    "pytest_asyncio.plugin",
    "pytest_mock.plugin",
    "pytest_timeout",
    "xdist.looponfail",
    "xdist.plugin",
}

# Options under which a run goes on in another way after a failing test, or does not run tests.
OPTIONS = (
    "collectonly",
    "continue_on_collection_errors",
    "setuponly",
    "setupplan",
    "stepwise",
    "stepwise_skip",
    "trace",
    "usepdb",
)


def module_of(plugin):
    """The module a plugin is, or is an object of."""
    return getattr(plugin, "__name__", None) or type(plugin).__module__


def is_known(name):
    """Whether a plugin's module is pytest's own, or known to do no harm here."""
    return name == __name__ or name.split(".")[0] == "_pytest" or name in HARMLESS


def foreign_hooks(config):
    """The hooks that could matter, with whose they are."""
    found = []
    for hook in HOOKS:
        for implementation in getattr(config.hook, hook).get_hookimpls():
            name = module_of(implementation.plugin)
            if not is_known(name):
                found.append("`{}` of `{}`".format(hook, name))
    return sorted(set(found))


def findings(session):
    """What the Rust side wants to know."""
    option = session.config.option
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    return {
        "major": int(pytest.__version__.split(".")[0]),
        "maxfail": int(getattr(option, "maxfail", 0) or 0),
        "traceback": str(getattr(option, "tbstyle", "no")),
        "summary": type(terminal).__module__ == "_pytest.terminal"
        and not getattr(option, "no_summary", False),
        "options": [name for name in OPTIONS if getattr(option, name, False)],
        "hooks": foreign_hooks(session.config),
        "tests": len(session.items),
    }


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """All conftests are loaded and all tests collected by now."""
    with open(REPORT, "w", encoding="utf-8") as file:
        json.dump(findings(session), file)


def pytest_runtest_call(item):
    """Fails in the test's place where that is asked."""
    if FAIL:
        raise AssertionError("asked to fail: {}".format(item.nodeid))


leave_path(os.path.dirname(os.path.abspath(__file__)))
