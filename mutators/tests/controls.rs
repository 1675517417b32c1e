//! The controls do to a real interpreter what they promise.

use std::env;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use adequacy_mutators::{Control, Language, splice};

const SOURCES: &[&str] = &[
    "",
    "# only a comment",
    "x = 1\n",
    "def f():\n\treturn 1\n",
    "'''doc\nstring'''\nx = 1\n",
    "\u{feff}'doc'\r\nfrom __future__ import annotations\r\nimport sys\r\n",
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\"doc\" ' more'; x = 1\n",
    "from __future__ import annotations; x = 1",
    "from __future__ import (annotations,\n    division)  # comment\nif True:\n    x = '''\n'''",
    "(\n  'doc'\n)\n\x0cclass A: pass\n",
    "if 1:\n\tx = 2\n\t",
];

fn controlled(control: Control, source: &str) -> Vec<u8> {
    let edits = Language::Python.control(control, source.as_bytes());
    splice(source.as_bytes(), edits.iter().map(|(span, text)| (span, &text[..])))
}

/// Runs `code` with `source` on its standard input.
fn run(code: &str, source: &[u8]) -> Output {
    let python = env::var("ADEQUACY_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(python)
        .args(["-I", "-c", code])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the interpreter can be started");
    let mut input = child.stdin.take().expect("standard input is a pipe");
    input.write_all(source).expect("the interpreter reads its input");
    drop(input);
    child.wait_with_output().expect("the interpreter ends")
}

#[test]
fn loading_raises_what_no_handler_of_exceptions_catches() {
    const LOAD: &str = "
import sys
module = {'__name__': 'module'}
try:
    exec(compile(sys.stdin.buffer.read(), 'module.py', 'exec', dont_inherit=True), module)
except Exception:
    print('swallowed')
except BaseException as error:
    print(type(error).__name__, repr(module.get('__doc__')), module.get('x'))
";
    for (source, doc) in SOURCES.iter().zip([
        "None",
        "None",
        "None",
        "None",
        "'doc\\nstring'",
        "'doc'",
        "'doc more'",
        "None",
        "None",
        "'doc'",
        "None",
    ]) {
        let output = run(LOAD, &controlled(Control::RaiseAtLoad, source));
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            printed.trim_end(),
            format!("AdequacyLoadControl {doc} None"),
            "{source:?}: {output:?}"
        );
    }
}

#[test]
fn comments_change_nothing_and_only_one_of_them_moves_lines() {
    const DUMP: &str = "
import ast, sys
tree = ast.parse(sys.stdin.buffer.read())
print(ast.dump(tree), [node.lineno for node in ast.walk(tree) if hasattr(node, 'lineno')][:1])
";
    for source in SOURCES {
        let dump = |source: &[u8]| {
            let output = run(DUMP, source);
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).expect("a dump is text")
        };
        let plain = dump(source.as_bytes());
        assert_eq!(dump(&controlled(Control::TrailingComment, source)), plain, "{source:?}");
        let moved = dump(&controlled(Control::CommentLine, source));
        let split = |text: &str| {
            text.rsplit_once(" [").map(|(tree, line)| (tree.to_owned(), line.to_owned()))
        };
        let (plain, moved) =
            (split(&plain).expect("a dump has a line"), split(&moved).expect("a dump has a line"));
        assert_eq!(plain.0, moved.0, "{source:?}");
        assert!(plain.1 != moved.1 || plain.1 == "]\n", "{source:?}");
    }
}
