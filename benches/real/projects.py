"""The real projects: source distributions of others, with their own tests, and how they are run."""

import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from tools import PYTEST, TARGET, environment, fail, say, sha256  # noqa: E402

PLACE = TARGET / "real"

FREEZEGUN = ("freezegun==1.5.5", "python-dateutil==4.0.0", "tzdata==2026.6")

# `pythonpath` stands in for an installation: an installed copy would be the one that is tested, and
# no mutant would ever be loaded.
PROJECTS = {
    "cachetools": {
        "version": "8.0.2",
        "sha256": "30ac523adfc118b51d2b2e7bad8a0ddb31370dfe2700c7f10ca224f36ccf81e0",
        "include": "src/",
        "arguments": ("-o", "pythonpath=src"),
    },
    "itsdangerous": {
        "version": "2.2.0",
        "sha256": "e0050c0b7da1eea53ffaf149c0cfbb5c6e2e2b69c4bef22c81fa6eb73e5f6173",
        "include": "src/",
        "arguments": ("-o", "pythonpath=src"),
    },
    "inflection": {
        "version": "0.5.1",
        "sha256": "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417",
        "include": "inflection/",
        "arguments": (),
    },
    "boltons": {
        "version": "26.2.0",
        "sha256": "d39cfd15c1a1c3bd4d705c82252fa9edb8e4f5e8cc039f8e39afac7b1b47e92c",
        "include": "boltons/mathutils.py",
        "arguments": (),
    },
    "humanize": {
        "version": "4.17.0",
        "sha256": "1d6a36c453dbfbb3f0b34601d2e0b4ce5d48d780305cd45714843f0068fde6ac",
        "include": "src/",
        # Its benchmarks need another plugin.
        "arguments": ("-o", "pythonpath=src", "--ignore=tests/test_benchmarks.py"),
    },
    "python-slugify": {
        "version": "9.2.0",
        # The name of its archive.
        "stem": "python_slugify",
        "sha256": "cee32948083476013804de1667724fb1362dacb71e47b1d5d92adf8db6ee3298",
        "include": "slugify/",
        "arguments": (),
    },
}

# The same tests, but for those that are functions, by the other runner.
PROJECTS["python-slugify-unittest"] = {
    **PROJECTS["python-slugify"],
    "of": "python-slugify",
    "runner": ("unittest", "discover", "-q"),
}


def project(name):
    """What is known of a project."""
    if name not in PROJECTS:
        fail(f"no project `{name}`; there are {', '.join(PROJECTS)}")
    return PROJECTS[name]


def python():
    """The interpreter all of their tests run in."""
    return environment("real", PYTEST + FREEZEGUN + ("text-unidecode==1.3",))


def command(name):
    """The acceptance command."""
    known = project(name)
    return [str(python()), "-m", *known.get("runner", ("pytest", "-q")), *known["arguments"]]


def tree(name):
    """The unpacked sources, fetched if they are not there."""
    known = project(name)
    stem = f"{known.get('stem', name)}-{known['version']}"
    archive, place = PLACE / f"{stem}.tar.gz", PLACE / stem
    if not archive.is_file():
        fetch(known.get("of", name), known)
    if sha256(archive) != known["sha256"]:
        fail(f"{archive} has another digest than the pinned one; remove it and fetch again")
    if not place.is_dir():
        with tarfile.open(archive) as packed:
            packed.extractall(PLACE, filter="data")
    return place


def fetch(name, known):
    """Downloads the pinned archive; pip checks the digest before anything of it is run."""
    PLACE.mkdir(parents=True, exist_ok=True)
    wanted = PLACE / f"{name}.txt"
    wanted.write_text(f"{name}=={known['version']} --hash=sha256:{known['sha256']}\n")
    say(f"fetching {name} {known['version']}")
    pip = [python(), "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
           "--no-binary", name, "--dest", PLACE, "--requirement", wanted]
    if subprocess.run(pip, check=False).returncode != 0:
        fail(f"{name} {known['version']} was not fetched")
