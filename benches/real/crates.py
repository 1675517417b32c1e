"""The real crates: pinned, from the crate registry, with their own tests, and one of ours; ready to be built
offline."""

import json
import re
import shutil
import subprocess

from projects import PLACE
from tools import ROOT, fail, say

CRATES = {
    "heck": ("0.5.0", "2304e00983f87ffb38b55b444b5e3b60a884b5d30c0fca7d82fe33449bbe55ea"),
    "roman": ("0.1.6", "d2c543f0c827ae24df93159810fd4bce2d0abe3785bb4c4d68fae3c467d58d9b"),
    "semver": ("1.0.26", "56e6fa9c48d24d85fb3de5ad847117517440f6beceb7798af16b4a87d616b8d0"),
    "bytesize": ("2.0.1", "a3c8f83209414aacf0eeae3cf730b18d6981697fba62f200fcfb92b9f082acba"),
    "percent-encoding": ("2.3.1", "e3148f5046208a5d56bcfc03053e3ca6334e51da8dfb19b6cdc8b306fae3283e"),
    "form_urlencoded": ("1.2.1", "e13624c2627564efccf4934284bdd98cbaa14e79b0b5a141218e507b3a823456"),
}
TREES = {
    "heck": ["heck"],
    "roman": ["roman"],
    "semver": ["semver"],
    "bytesize": ["bytesize"],
    "workspace": ["percent-encoding", "form_urlencoded"],
    "mutators": [],  # the package of this project
}
OURS = "mutators"
BENCH_ONLY = ("divan",)
RUST = PLACE / "rust"


def run(argv, **options):
    """A command that must succeed: its output."""
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, argv))} ended with exit {done.returncode}:\n{done.stderr}")
    return done.stdout


def sources():
    """The unpacked crates, fetched if they are not there; cargo checks them against the registry."""
    place = RUST / "fetch"
    vendored = place / "vendor"
    if not vendored.is_dir():
        (place / "src").mkdir(parents=True, exist_ok=True)
        (place / "src/lib.rs").touch()
        wanted = "".join(f'{name} = "={version}"\n' for name, (version, _) in CRATES.items())
        (place / "Cargo.toml").write_text(
            f'[workspace]\n[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{wanted}')
        say("fetching the crates")
        run(["cargo", "vendor", "vendor"], cwd=place)
    for name, (version, digest) in CRATES.items():
        known = json.loads((vendored / name / ".cargo-checksum.json").read_text())["package"]
        if known != digest:
            fail(f"{name} {version} has another digest than the pinned one; remove {place}")
    return vendored


def tree(name):
    """What is mutated: the crates of `name`, ready to be built offline."""
    place = RUST / name
    if place.is_dir():
        return place
    if name == OURS:
        return own(place)
    unpacked, crates = sources(), TREES[name]
    for crate in crates:
        copy(unpacked / crate, place / crate if len(crates) > 1 else place)
    if len(crates) > 1:
        members = ", ".join(f'"{crate}"' for crate in crates)
        patches = "".join(f'{crate} = {{ path = "{crate}" }}\n' for crate in crates)
        (place / "Cargo.toml").write_text(
            f'[workspace]\nmembers = [{members}]\nresolver = "2"\n\n[patch.crates-io]\n{patches}')
    else:
        with open(place / "Cargo.toml", "a") as manifest:
            manifest.write("\n[workspace]\n")
    run(["cargo", "fetch"], cwd=place)
    return place


def own(place):
    """The package of that name in this project, in a workspace of its own; without the tests that read what lies
    beside it or the standard library of Python."""
    shutil.copytree(ROOT / OURS, place / OURS)
    for test in ("compile.py", "docs.rs", "standard_library.rs"):
        (place / OURS / "tests" / test).unlink()
    parts = re.split(r"^(?=\[)", (ROOT / "Cargo.toml").read_text(), flags=re.MULTILINE)
    shared = "".join(part for part in parts if part.startswith("[workspace."))
    (place / "Cargo.toml").write_text(f'[workspace]\nmembers = ["{OURS}"]\nresolver = "3"\n\n{shared}')
    shutil.copyfile(ROOT / "Cargo.lock", place / "Cargo.lock")
    run(["cargo", "fetch"], cwd=place)
    return place


def copy(crate, place):
    """A crate without its benches and what only they need."""
    left_out = shutil.ignore_patterns(".cargo-checksum.json", "Cargo.toml.orig", "Cargo.lock", "benches")
    shutil.copytree(crate, place, ignore=left_out)
    manifest = place / "Cargo.toml"
    parts = re.split(r"^(?=\[)", manifest.read_text(), flags=re.MULTILINE)
    dropped = ("[[bench]]", *(f"[dev-dependencies.{name}]" for name in BENCH_ONLY))
    manifest.write_text("".join(part for part in parts if not part.startswith(dropped)))
