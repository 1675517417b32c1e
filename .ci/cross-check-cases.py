"""Random cases through agent-evidence-vectors' reader, against the answers of ours.

The file named holds a line a case: Statement and record in base64, our answer. Where our reader gives
one of the careful answers (done-records section 8) the reason must be found in the text itself.
"""

import base64
import collections
import json
import pathlib
import re
import sys
import tempfile

from agent_evidence_vectors import donerun

FLOAT = re.compile(rb"\d+(?=[.eE])(?:\.\d+)?(?:[eE][+-]?\d+)?")
PAIR = re.compile(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")


def depth(text):
    """The most containers open at once, strings left out."""
    now = most = 0
    for byte in re.sub(rb'"(?:[^"\\]|\\.)*"', b"", text):
        now += (byte in b"[{") - (byte in b"]}")
        most = max(most, now)
    return most


def same(one, other):
    """Equal as JSON, types kept apart."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def careful(answer, theirs, texts):
    """The reason for which our answer may differ, or None."""
    document, _, fault = answer.partition("_json_")
    if fault:
        text = texts[document]
        if fault == "number" and float("inf") in map(float, FLOAT.findall(text)):
            return "beyond doubles"
        if fault == "invalid" and HALF_PAIR.search(PAIR.sub(b"", text)):
            return "half a surrogate pair"
        if fault == "invalid" and depth(text) > 128:
            return "depth"
    if (answer, theirs) == ("statement_predicate_differs", "valid"):
        statement, record = (json.loads(texts[name]) for name in ("statement", "contract"))
        if not same(statement["predicate"], record):
            return "types"
    return None


def main():
    agree, wrong, reasons = 0, 0, collections.Counter()
    answers = set()
    with tempfile.TemporaryDirectory() as folder, open(sys.argv[1]) as cases:
        member = pathlib.Path(folder)
        for line in cases:
            statement, contract, answer = line.rstrip("\n").split(" ")  # either may be empty
            texts = {"statement": base64.b64decode(statement), "contract": base64.b64decode(contract)}
            for name, text in texts.items():
                (member / f"{name}.json").write_bytes(text)
            try:
                theirs = donerun.judge_contract(member)
                theirs = theirs.get("code", theirs["verdict"])
            except RecursionError:
                theirs = "none"
            answers.add(answer)
            if answer == theirs:
                agree += 1
                continue
            reason = careful(answer, theirs, texts)
            if reason:
                reasons[reason] += 1
            else:
                wrong += 1
                print(f"ours {answer}, theirs {theirs}: {texts}")
    careful_ones = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    total = agree + wrong + sum(reasons.values())
    print(f"{total} cases, {len(answers)} answers: {agree} agree, {wrong} do not; careful: {careful_ones}")
    return 1 if wrong or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
