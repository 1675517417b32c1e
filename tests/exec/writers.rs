//! Commands that try to change what is outside their workspace, at every level of isolation.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use adequacy::run::exit::Exit;
use adequacy::run::sandbox::{Place, Sandbox};

use crate::bench::{Bench, fenced, levels};

/// `tried(NAME, BODY)` prints whether the body went through; `out` is a folder outside.
const PRELUDE: &str = "
import ctypes, os, sys
out = sys.argv[1]
def tried(name, body):
    try:
        body()
        print(name, 'done')
    except OSError as error:
        print(name, 'stopped')
";

/// Runs attacks, and gives the names of those that went through and of those that were stopped.
fn attacks(bench: &Bench, body: &str) -> (Vec<String>, Vec<String>) {
    let outside = bench.outside();
    let outside = outside.to_str().expect("a UTF-8 path");
    let done = bench.run(&["/usr/bin/env", "python3", "-c", &format!("{PRELUDE}{body}"), outside]);
    assert_eq!(done.exit, Exit::Code(0), "{}\n{}", bench.spawner.sandbox(), bench.log());
    assert!(done.certificate.is_some());
    let log = bench.log();
    let with = |end: &str| {
        let lines = log.lines().filter_map(|line| line.strip_suffix(end));
        lines.map(|name| name.trim_end().to_owned()).collect::<Vec<_>>()
    };
    (with("done"), with("stopped"))
}

/// Two files, a folder with one and an empty one outside, and links to them in the workspace.
fn scene(sandbox: &Sandbox) -> Bench {
    let bench = Bench::held(sandbox);
    let outside = bench.outside();
    for name in ["file", "other", "folder/inner"] {
        fs::create_dir_all(outside.join("folder")).expect("a folder");
        fs::write(outside.join(name), "precious").expect("a file");
    }
    fs::create_dir(outside.join("empty")).expect("a folder");
    symlink(outside.join("file"), bench.work().join("link")).expect("a link");
    symlink(outside.join("folder"), bench.work().join("venv")).expect("a link");
    bench
}

const WRITES: &str = "
tried('new', lambda: open(out + '/new', 'w'))
tried('plain', lambda: open(out + '/file', 'w').write('x'))
tried('append', lambda: open(out + '/file', 'a').write('x'))
tried('symlink', lambda: open('link', 'w').write('x'))
tried('linked folder', lambda: open('venv/inner', 'w').write('x'))
tried('truncate', lambda: os.truncate(out + '/file', 0))
def hard():
    os.link(out + '/file', 'hard')
    open('hard', 'w').write('x')
tried('hard link', hard)
tried('move out', lambda: os.rename(out + '/other', 'stolen'))
def over():
    open('mine', 'w').write('x')
    os.rename('mine', out + '/file')
tried('move over', over)
tried('mkdir', lambda: os.mkdir(out + '/made'))
tried('rmdir', lambda: os.rmdir(out + '/empty'))
tried('symlink outside', lambda: os.symlink('/', out + '/root'))
tried('fifo', lambda: os.mkfifo(out + '/pipe'))
tried('unlink', lambda: os.unlink(out + '/folder/inner'))
";

const CHANGES: &str = "
tried('chmod', lambda: os.chmod(out + '/file', 0o777))
tried('utime', lambda: os.utime(out + '/file', (1, 1)))
tried('xattr', lambda: os.setxattr(out + '/file', 'user.mark', b'x'))
tried('chown', lambda: os.chown(out + '/file', os.getuid(), os.getgid()))
";

#[test]
fn writing_outside_is_stopped() {
    for sandbox in levels() {
        let bench = scene(&sandbox);
        let (done, stopped) = attacks(&bench, WRITES);
        if fenced(&sandbox) {
            assert_eq!((done, stopped.len()), (vec![], 14), "{sandbox}");
            let outside = bench.outside();
            let mut names = fs::read_dir(&outside)
                .expect("the folder")
                .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
                .collect::<Vec<_>>();
            names.sort();
            assert_eq!(names, ["empty", "file", "folder", "other"]);
            for name in ["file", "other", "folder/inner"] {
                assert_eq!(fs::read_to_string(outside.join(name)).expect("a file"), "precious");
            }
        } else {
            // The attacks are real: nothing stops them where nothing holds.
            assert_eq!((done.len(), stopped), (14, vec![]), "{sandbox}");
        }
    }
}

#[test]
fn changing_modes_and_times_outside_is_stopped_by_namespaces_alone() {
    for sandbox in levels() {
        let bench = scene(&sandbox);
        let file = bench.outside().join("file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
        let (done, stopped) = attacks(&bench, CHANGES);
        let met = fs::metadata(&file).expect("the file");
        if sandbox.namespaces {
            assert_eq!((done, stopped.len()), (vec![], 4), "{sandbox}");
            assert_eq!(met.permissions().mode() & 0o777, 0o600);
            assert!(met.mtime() > 1);
        } else {
            assert!(done.contains(&"chmod".to_owned()) && done.contains(&"utime".to_owned()));
            assert_eq!((met.permissions().mode() & 0o777, met.mtime()), (0o777, 1), "{sandbox}");
        }
    }
}

#[test]
fn the_workspace_is_written_and_all_is_read() {
    let body = "
tried('read', lambda: open(out + '/file').read())
tried('read a link', lambda: open('link').read())
tried('list', lambda: os.listdir(out))
tried('write', lambda: open('a', 'w').write('x'))
tried('home', lambda: open(os.environ['HOME'] + '/a', 'w').write('x'))
tried('tmp', lambda: open(os.environ['TMPDIR'] + '/a', 'w').write('x'))
tried('move between folders', lambda: (os.mkdir('d'), os.rename('a', 'd/a'), os.rename('d/a', '../tmp/b')))
tried('link inside', lambda: os.link('../tmp/b', 'd/b'))
tried('mode', lambda: os.chmod('d', 0o700))
tried('time', lambda: os.utime('d', (5, 5)))
tried('fifo', lambda: os.mkfifo('pipe'))
tried('null', lambda: open('/dev/null', 'w').write('x'))
tried('zero', lambda: open('/dev/zero', 'w').write('x'))
tried('stdout', lambda: open('/dev/stdout', 'w').write(''))
tried('shared memory', lambda: open('/dev/shm/%d' % os.getpid(), 'w').write('x'))
tried('shared memory goes', lambda: os.unlink('/dev/shm/%d' % os.getpid()))
tried('its own name', lambda: open('/proc/self/comm', 'w').write('named'))
import pty
def terminal():
    master, slave = pty.openpty()
    os.write(slave, b'x')
    assert os.read(master, 1) == b'x'
    open(os.ttyname(slave), 'w').write('x')
tried('terminal', terminal)
";
    for sandbox in levels() {
        let (done, stopped) = attacks(&scene(&sandbox), body);
        assert_eq!((done.len(), stopped), (18, vec![]), "{sandbox}");
    }
}

#[test]
fn what_is_allowed_besides_is_written_and_what_is_beside_it_is_not() {
    for level in levels() {
        let allowed = tempfile::tempdir().expect("a folder");
        let beside = allowed.path().join("beside");
        fs::write(&beside, "precious").expect("a file");
        let open = allowed.path().join("open");
        fs::create_dir(&open).expect("a folder");
        let one_file = allowed.path().join("one");
        fs::write(&one_file, "old").expect("a file");
        let real = |path: &std::path::Path| Place(path.canonicalize().expect("it is there"));
        let allow_write = vec![real(&open), real(&one_file)];
        let bench = scene(&Sandbox { allow_write, ..level.clone() });
        let place = allowed.path().to_str().expect("a UTF-8 path");
        let body = format!(
            "place = '{place}'\n\
             tried('open', lambda: open(place + '/open/new', 'w').write('x'))\n\
             tried('mode', lambda: os.chmod(place + '/open/new', 0o700))\n\
             tried('one', lambda: open(place + '/one', 'w').write('x'))\n\
             tried('beside', lambda: open(place + '/beside', 'w').write('x'))\n"
        );
        let (done, _) = attacks(&bench, &body);
        let beside = fs::read_to_string(&beside).expect("the file");
        assert_eq!(fs::read_to_string(open.join("new")).expect("the new file"), "x");
        assert_eq!(fs::read_to_string(&one_file).expect("the one file"), "x");
        if fenced(&level) {
            assert_eq!(
                (done.as_slice(), &*beside),
                (&["open", "mode", "one"].map(String::from)[..], "precious")
            );
        } else {
            assert_eq!((done.len(), &*beside), (4, "x"));
        }
    }
}

/// What only root could do, and others never.
#[test]
fn the_system_itself_is_not_changed() {
    let body = "
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    if result != 0: raise OSError(ctypes.get_errno(), 'refused')
NS, RDONLY, REMOUNT, BIND = 0x20000, 1, 32, 4096
tried('writable again', lambda: call(libc.mount(b'none', b'/', None, REMOUNT | BIND, None)))
tried('unmount', lambda: call(libc.umount2(b'/proc', 2)))
def nested():
    call(libc.unshare(0x10000000 | NS))
    call(libc.mount(b'none', b'/', None, REMOUNT | BIND, None))
tried('writable again in a namespace of its own', nested)
tried('written after that', lambda: open(out + '/file', 'w').write('x'))
tried('system', lambda: open('/proc/sys/kernel/panic_on_oops', 'w').close())
tried('reboot key', lambda: open('/proc/sysrq-trigger', 'w').close())
tried('host name', lambda: open('/proc/sys/kernel/hostname', 'w').close())
tried('device', lambda: os.mknod('disk', 0o60600, os.makedev(254, 0)))
";
    for sandbox in levels().into_iter().filter(fenced) {
        let bench = scene(&sandbox);
        let (done, stopped) = attacks(&bench, body);
        assert_eq!((done, stopped.len()), (vec![], 8), "{sandbox}");
        let file = bench.outside().join("file");
        assert_eq!(fs::read_to_string(file).expect("the file"), "precious");
    }
}
