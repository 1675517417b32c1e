"""Says of each mutant whether it compiles, and whether its code equals another's.

Reads on stdin, for each file, one JSON line {"path", "source", "mutants": [[start, end, text, undone]]}
with bytes in base64; writes one JSON line a file, a verdict a mutant: 0 counts, 1 compiles to the
original's code, [n] to that of mutant n of the same file, a string is the compiler's refusal. A
file that does not compile as it is gets that refusal alone, for all its mutants. A mutant that is
"undone", a piece of an earlier text, need only parse, and is compared by its syntax without
docstrings and positions. Codes and syntaxes are kept as digests: a large file has many mutants.
Runs on Python 3.6 and newer, isolated (-I), and imports nothing of the tree.
"""
import __future__
import ast
import base64
import dis
import hashlib
import json
import sys
import warnings

REFUSALS = (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError, SystemError)
FUTURE = 0
for feature in __future__.all_feature_names:
    FUTURE |= getattr(__future__, feature).compiler_flag


def build(source, path, flags=0):
    return compile(source, path, "exec", flags=flags, dont_inherit=True)


def line_table(code):
    if hasattr(code, "co_lines"):
        return tuple(code.co_lines())
    return tuple(dis.findlinestarts(code))


def shape(value):
    """What can be told apart at run time: everything but columns."""
    if hasattr(value, "co_code"):
        return (
            value.co_name, getattr(value, "co_qualname", ""), value.co_flags, value.co_argcount,
            getattr(value, "co_posonlyargcount", 0), value.co_kwonlyargcount, value.co_code,
            value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars,
            getattr(value, "co_exceptiontable", b""), value.co_firstlineno, line_table(value),
            tuple(shape(item) for item in value.co_consts),
        )
    if isinstance(value, tuple):
        return ("tuple",) + tuple(shape(item) for item in value)
    if isinstance(value, frozenset):
        return ("frozenset",) + tuple(sorted((shape(item) for item in value), key=repr))
    return (type(value).__name__, repr(value))


def digest(value):
    """Equal for equal values: these are tuples of text, bytes and numbers, so their words tell them apart."""
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).digest()


class File:
    """A source whose mutants are compiled a top-level statement at a time, where that is exact."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.parts = []
        self.codes = {}
        self.trees = None
        self.statements, self.docstrings = [], 0
        self.flags = build(source, path).co_flags & FUTURE
        try:
            self.parts = self.split()
        except REFUSALS:
            pass

    def split(self):
        """Parts of whole lines that hold top-level statements; none where that is unsure: where each
        begins and ends, its first line, and the places of its first statement and the next part's."""
        source = self.source
        cookie = source[:200].lower()
        if b"coding" in cookie or b"\r" in source.replace(b"\r\n", b"") or b"\f" in source:
            return []
        starts = [0]
        for line in source.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        parts = []
        for place, node in enumerate(ast.parse(source, self.path).body[1:], 1):
            if not hasattr(node, "end_lineno"):
                return []
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            begin, end = starts[first - 1], min(starts[node.end_lineno], len(source))
            if parts and begin < parts[-1][1]:
                parts[-1][1], parts[-1][4] = end, place + 1
            else:
                parts.append([begin, end, first, place, place + 1])
        return [tuple(part) for part in parts]

    def least(self, start, end, text):
        """The same edit without what stays: what it does to the file decides, not how it is written."""
        source, same = self.source, 0
        fewer = min(end - start, len(text))
        while same < fewer and source[start + same] == text[same]:
            same += 1
        start, text, same, fewer = start + same, text[same:], 0, fewer - same
        while same < fewer and source[end - 1 - same] == text[-1 - same]:
            same += 1
        return start, end - same, text[:len(text) - same]

    def part(self, start, end, text):
        """The part that an edit stays in, and by how many lines it moves the parts behind it."""
        for part in self.parts:
            whole_lines = end == part[1] and text.endswith(b"\n")
            if part[0] <= start and (end < part[1] or whole_lines):
                moved = text.count(b"\n") - self.source.count(b"\n", start, end)
                return part, moved if part != self.parts[-1] else 0
        return self.whole()

    def whole(self):
        return (0, len(self.source), 1), 0

    def seen(self, where):
        """The codes met there; none when the text of that part does not compile away from its file."""
        if where not in self.codes:
            (begin, _, *_), moved = where
            try:
                original = self.code(where, begin, begin, b"")
                # What moves lines with code is never the original.
                self.codes[where] = {} if moved else {original: 1}
            except REFUSALS:
                self.codes[where] = None
        return self.codes[where]

    def code(self, where, start, end, text):
        (begin, finish, first, *_), _ = where
        piece = self.source[begin:start] + text + self.source[end:finish]
        flags = self.flags if begin else 0
        return digest(shape(build(b"\n" * (first - 1) + piece, self.path, flags)))

    def compiled(self, edit):
        """Where a mutant was compiled, and its code; what a part alone refuses can still be a piece of
        what stands around it."""
        refused = None
        for where in dict.fromkeys([self.part(*edit), self.whole()]):
            if self.seen(where) is not None:
                try:
                    return where, self.code(where, *edit)
                except REFUSALS as error:
                    refused = error
        raise refused

    def undone(self, number, edit):
        """The verdict on a piece of an earlier text."""
        if self.trees is None:
            self.statements, self.docstrings = syntax(self.source, True)
            self.trees = {digest(self.statements): 1}
        tree = digest(self.edited(*edit))
        earlier = self.trees.get(tree, 0)
        self.trees.setdefault(tree, [number])
        return earlier

    def edited(self, start, end, text):
        """The syntax of the whole file with an edit, of which no more is parsed than must be."""
        (begin, finish, _, *places), _ = self.part(start, end, text)
        if places:
            piece = self.source[begin:start] + text + self.source[end:finish]
            before, after = (place - self.docstrings for place in places)
            try:
                return self.statements[:before] + syntax(piece, False)[0] + self.statements[after:]
            except REFUSALS:
                pass  # as above
        return syntax(self.source[:start] + text + self.source[end:], True)[0]


def syntax(source, is_file):
    """Digests of the syntax of each top-level statement without docstrings and positions, and how many
    docstrings that left out."""
    tree = ast.parse(source)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    count = len(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (is_file or node is not tree):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return [digest(ast.dump(node)) for node in tree.body], count - len(tree.body)


def refusal(error):
    return "%s: %s" % (type(error).__name__, error)


def judge(path, source, mutants):
    try:
        file = File(path, source)
    except REFUSALS as error:
        return refusal(error)
    verdicts = []
    for number, (start, end, text, undone) in enumerate(mutants):
        edit = file.least(start, end, text)
        verdict = None
        if undone:
            try:
                verdict = file.undone(number, edit)
            except (SyntaxError, ValueError) as error:
                verdict = refusal(error)
            except REFUSALS:
                verdict = 0  # it cannot be compared, so it counts
        try:
            where, code = file.compiled(edit)
        except REFUSALS as error:
            verdicts.append(refusal(error) if verdict is None else verdict)
            continue
        verdicts.append(file.seen(where).get(code, 0) if verdict is None else verdict)
        file.seen(where).setdefault(code, [number])
    return verdicts


def main():
    warnings.simplefilter("ignore")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # constants are compared by their digits
    out = sys.stdout
    json.dump({"version": sys.version, "executable": sys.executable}, out)
    out.write("\n")
    out.flush()
    for line in sys.stdin:
        work = json.loads(line)
        decode = base64.b64decode
        mutants = [(start, end, decode(text), undone) for start, end, text, undone in work["mutants"]]
        json.dump(judge(work["path"], decode(work["source"]), mutants), out)
        out.write("\n")
        out.flush()


main()
