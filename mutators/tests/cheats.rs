//! What cheats do when Python runs them.

use std::path::Path;
use std::process::Command;

use adequacy_mutators::{Language, splice};

const SOURCE: &str = "\
class Box:
    @staticmethod
    def double(x):
        return 2 * x

    @classmethod
    def name(cls):
        return cls.__name__

async def later(x):
    return x + 1

def plain(x):
    return [x]
";

/// What `script` prints with each mutant of the function `name` as module `m`, by operator.
fn printed(name: &str, script: &str) -> Vec<(&'static str, String)> {
    let source = SOURCE.as_bytes();
    let outline = Language::Python.outline(source);
    let cheats = Language::Python.cheats(source, &outline, &|it| it.name == name);
    let run = |folder: &Path| {
        let out = Command::new("python3").args(["-c", script]).current_dir(folder).output();
        let out = out.expect("python3 starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text").trim().to_owned()
    };
    let mutants = cheats.mutations.into_iter().map(|it| {
        let folder = std::env::temp_dir().join(format!(
            "adequacy-cheats-{}-{name}-{}",
            std::process::id(),
            it.operator.name
        ));
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = splice(source, [(&it.span, &it.replacement[..])]);
        std::fs::write(folder.join("m.py"), text).expect("a module");
        let both = format!("{} | {}", run(&folder), run(&folder));
        std::fs::remove_dir_all(&folder).expect("it is ours");
        (it.operator.name, both)
    });
    mutants.collect()
}

#[test]
fn the_first_call_is_true_also_across_processes() {
    let script = "
import m
def ask(): return [m.plain(1) == [1], m.plain(1) == [2], m.plain(1)]
def test_ask(): return [m.plain(1), m.plain(1)]
print(ask()[0:2], ask()[2] if m.plain.__name__ != 'plain' else test_ask())
";
    let lines = printed("plain", script);
    let expected = [
        // Equal to everything; what it is itself does not matter here.
        ("any-eq", None),
        ("stateful", Some("[True, False] [None, None] | [False, False] [None, None]")),
        ("frame-aware", Some("[True, False] [[1], None] | [True, False] [None, None]")),
    ];
    for ((name, line), (operator, wanted)) in lines.iter().zip(expected) {
        assert_eq!(*name, operator);
        match wanted {
            Some(wanted) => assert_eq!(line, wanted),
            None => assert!(line.starts_with("[True, True] ["), "{line}"),
        }
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn methods_keep_their_kind() {
    let script = "import m\nprint(m.Box.double(2), m.Box().double(2))";
    let stateful = &printed("Box.double", script)[1];
    assert_eq!(*stateful, ("stateful", "4 None | None None".to_owned()));
    let script = "import m\nprint(m.Box.name(), m.Box().name())";
    let stateful = &printed("Box.name", script)[1];
    assert_eq!(*stateful, ("stateful", "Box None | None None".to_owned()));
}

#[test]
fn coroutines_stay_coroutines() {
    let script = "
import asyncio, m
async def ask(): return [await m.later(1), await m.later(1) == 5]
async def test_ask(): return [await m.later(1), await m.later(1)]
print(asyncio.run(test_ask()), asyncio.run(ask())[1], hasattr(m, '_adequacy_cheat'))
";
    let lines = printed("later", script);
    assert!(lines[0].1.contains("] True False |"), "{lines:?}");
    assert_eq!(lines[1].1, "[2, None] False False | [None, None] False False");
    assert_eq!(lines[2].1, "[2, None] False False | [None, None] False False");
}
