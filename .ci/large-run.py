"""A run directory of many files, made of one of a single file: large-run.py FROM TO TIMES."""
import hashlib
import json
import pathlib
import shutil
import sys

source, target, times = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
run = json.loads((source / "run.json").read_text())
rows = [json.loads(line) for line in (source / "mutants.jsonl").read_text().splitlines()]
header, *lines = [json.loads(line) for line in (source / "outcomes.jsonl").read_text().splitlines()]
(name, digest), = run["sources"].items()
compact = {"separators": (",", ":"), "ensure_ascii": False}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def jsonl(values):
    return "".join(json.dumps(value, **compact) + "\n" for value in values)


def id_in(at, old):
    return f"{at:04x}{old[4:]}"


def scaled(value):
    if isinstance(value, dict):
        return {key: scaled(member) for key, member in value.items()}
    return value * times if isinstance(value, int) else value


paths = [f"package_{at:03}/{name}" for at in range(times)]
plan, decided = [], [header]
for at, path in enumerate(paths):
    plan += [{**row, "id": id_in(at, row["id"]), "path": path} for row in rows]
    decided += [{**line, "id": id_in(at, line["id"])} for line in lines]
killed = {line["id"]: line["outcome"] == "killed" for line in decided[1:]}
vector = [killed[row["id"]] for row in plan if row["id"] in killed]
run["sources"] = {path: digest for path in paths}
run["files"] = {path: len(rows) for path in paths}
run["totals"] = scaled(run["totals"])
for what in ("verdicts", "survivors"):
    run["executors"][what] = scaled(run["executors"][what])
run["totals"]["kill_vector_sha256"] = sha256(json.dumps(vector, **compact))
run["plan_sha256"] = sha256(jsonl(plan))
key = [run["tool"], run["task_sha256"], run["tree_sha256"], run["plan_sha256"]]
header["run"] = sha256(json.dumps(key, **compact))
target.mkdir(parents=True)
shutil.copytree(source / "sources", target / "sources")
(target / "mutants.jsonl").write_text(jsonl(plan))
(target / "outcomes.jsonl").write_text(jsonl(decided))
(target / "run.json").write_text(json.dumps(run))
