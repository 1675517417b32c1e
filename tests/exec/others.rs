//! Commands that reach for the processes and services of others, or for more than their share, at
//! every level of isolation.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use adequacy::run::exit::Exit;
use adequacy::run::sandbox::{self, Groups, Isolation, Limits, Network, Place, Sandbox, Wish};
use adequacy::run::spawn::Finished;

use crate::bench::{Bench, NAMESPACE, helper, levels, note, own_network, signals_held, wait_until};

fn python(bench: &Bench, body: &str, words: &[&str]) -> Finished {
    bench.run(&[&["/usr/bin/env", "python3", "-c", body], words].concat())
}

/// Somebody else's process, which says in a file when SIGWINCH reaches it.
struct Victim(Child, tempfile::TempDir);

impl Victim {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let body = "import os, signal, sys, time\nos.chdir(sys.argv[1])\n\
                    signal.signal(signal.SIGWINCH, lambda *_: open('reached', 'w').close())\n\
                    open('ready', 'w').close()\nwhile True: time.sleep(1)";
        let child = Command::new("/usr/bin/env")
            .args(["python3", "-c", body])
            .arg(folder.path())
            .stdin(Stdio::null())
            .spawn()
            .expect("python3 starts");
        wait_until("ready", || folder.path().join("ready").exists().then_some(()));
        Self(child, folder)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn was_reached(&self) -> bool {
        self.1.path().join("reached").exists()
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().expect("our child").is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().expect("our child");
        self.0.wait().expect("our child");
    }
}

#[test]
fn a_signal_to_everybody_reaches_nobody_else() {
    // In a PID namespace SIGKILL; else SIGWINCH, which does no harm if the test fails.
    let body = "import os, signal, subprocess\n\
                own = subprocess.Popen(['sleep', '600'])\n\
                alone = os.getppid() == 1\n\
                try: os.kill(-1, signal.SIGKILL if alone else signal.SIGWINCH)\n\
                except OSError as error: print(error)\n\
                print(own.wait() if alone else own.poll())";
    for sandbox in levels().into_iter().filter(signals_held) {
        let mut victim = Victim::new();
        let bench = Bench::held(&sandbox);
        let done = python(&bench, body, &[]);
        assert_eq!(done.exit, Exit::Code(0), "{sandbox}\n{}", bench.log());
        assert_eq!(bench.log(), if sandbox.namespaces { "-9\n" } else { "None\n" }, "{sandbox}");
        assert!(victim.lives() && !victim.was_reached(), "{sandbox}");
        bench.nothing_left();
    }
}

#[test]
fn a_signal_to_one_of_others_is_stopped() {
    let body = "import os, signal, sys\ntry: os.kill(int(sys.argv[1]), signal.SIGWINCH)\n\
                except OSError: sys.exit(3)";
    for sandbox in levels() {
        let victim = Victim::new();
        let bench = Bench::held(&sandbox);
        let exit = python(&bench, body, &[&victim.pid()]).exit;
        if signals_held(&sandbox) {
            assert_eq!((exit, victim.was_reached()), (Exit::Code(3), false), "{sandbox}");
        } else {
            assert_eq!(exit, Exit::Code(0), "{sandbox}");
            wait_until("reached", || victim.was_reached().then_some(()));
        }
    }
}

#[test]
fn a_command_cannot_stop_or_kill_its_helper() {
    // Its pid is asked for once: the next parent is the engine.
    let body = "import os, signal\nhelper = os.getppid()\n\
                for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):\n  \
                try: os.kill(helper, number)\n  except OSError: pass\nos._exit(7)";
    for sandbox in levels() {
        let bench = Bench::held(&sandbox);
        let done = python(&bench, body, &[]);
        if signals_held(&sandbox) {
            assert_eq!(done.exit, Exit::Code(7), "{sandbox}");
            assert!(done.certificate.is_some());
        } else {
            assert!(matches!(done.exit, Exit::Lost(_)), "{sandbox}: {}", done.exit);
            assert!(done.certificate.is_none(), "nobody can vouch for it");
        }
        bench.nothing_left();
    }
}

#[test]
fn nobody_elses_process_is_traced_or_opened() {
    let body = "import ctypes, os, sys\nvictim, SEIZE = int(sys.argv[1]), 0x4206\n\
                libc = ctypes.CDLL(None)\nlibc.ptrace.argtypes = [ctypes.c_long] * 4\n\
                print(libc.ptrace(SEIZE, victim, 0, 0), libc.ptrace(SEIZE, os.getppid(), 0, 0))\n\
                for pid in (victim, os.getppid()):\n  \
                for name in ('mem', 'fd/1'):\n    \
                try: os.open(f'/proc/{pid}/{name}', os.O_WRONLY); print('opened')\n    \
                except OSError: pass";
    for sandbox in levels().into_iter().filter(signals_held) {
        let mut victim = Victim::new();
        let bench = Bench::held(&sandbox);
        let done = python(&bench, body, &[&victim.pid()]);
        assert_eq!((done.exit, &*bench.log()), (Exit::Code(0), "-1 -1\n"), "{sandbox}");
        assert!(victim.lives());
    }
}

#[test]
fn a_service_of_the_host_is_out_of_reach_and_a_loopback_of_its_own_is_there() {
    let body = "
import socket, sys, threading
def tried(name, family, place):
    with socket.socket(family) as talk:
        try:
            talk.connect(place)
            print(name, 'reached')
        except OSError: print(name, 'out of reach')
tried('tcp', socket.AF_INET, ('127.0.0.1', int(sys.argv[1])))
tried('abstract', socket.AF_UNIX, '\\0' + sys.argv[2])
own = socket.create_server(('127.0.0.1', 0))
tried('own', socket.AF_INET, own.getsockname())
";
    for sandbox in levels() {
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = tcp.local_addr().expect("its address").port().to_string();
        let bench = Bench::held(&sandbox);
        let name = format!("adequacy-test-{port}-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let _abstract = UnixListener::bind_addr(&address).expect("a socket");
        let done = python(&bench, body, &[&port, &name]);
        assert_eq!(done.exit, Exit::Code(0), "{sandbox}\n{}", bench.log());
        let word = |held| if held { "out of reach" } else { "reached" };
        let (tcp, unix) = (own_network(&sandbox), own_network(&sandbox) || signals_held(&sandbox));
        let expected = format!("tcp {}\nabstract {}\nown reached\n", word(tcp), word(unix));
        assert_eq!(bench.log(), expected, "{sandbox}");
    }
}

#[test]
fn without_a_network_there_is_no_loopback() {
    let both = levels().pop().expect("four levels");
    if !both.namespaces {
        note("no namespaces here: a command keeps the network of the host");
        assert_eq!(both.network, Network::Host);
        return;
    }
    let bench = Bench::held(&Sandbox { network: Network::None, ..both });
    let body = "import socket\nown = socket.create_server(('127.0.0.1', 0))\n\
                socket.create_connection(own.getsockname())";
    assert_eq!(python(&bench, body, &[]).exit, Exit::Code(1));
    assert!(bench.log().contains("OSError"), "{}", bench.log());
}

#[test]
fn what_test_suites_need_works() {
    let body = "
import multiprocessing, subprocess, tempfile, os
from multiprocessing import shared_memory
def count(lock, number):
    with lock: number.value += 1
if __name__ == '__main__':
    fork = multiprocessing.get_context('fork')
    lock, number = fork.Lock(), fork.Value('i', 0, lock=False)
    workers = [fork.Process(target=count, args=(lock, number)) for _ in range(4)]
    [worker.start() for worker in workers]; [worker.join() for worker in workers]
    block = shared_memory.SharedMemory(create=True, size=64)
    block.buf[0] = 7
    again = shared_memory.SharedMemory(name=block.name)
    print(number.value, again.buf[0])
    again.close(); block.close(); block.unlink()
    with tempfile.TemporaryDirectory() as folder: open(folder + '/a', 'w').write('x')
    print(open('/proc/self/stat').read().split()[0] == str(os.getpid()))
    print(os.getuid() == os.stat('.').st_uid)
";
    for sandbox in levels() {
        let bench = Bench::held(&sandbox);
        let done = python(&bench, body, &[]);
        assert_eq!(done.exit, Exit::Code(0), "{sandbox}\n{}", bench.log());
        assert_eq!(bench.log(), "4 7\nTrue\nTrue\n", "{sandbox}");
        let line = "git init -q . && git config user.email a@b && git config user.name a && \
                    echo x > a && git add a && git commit -qm first && git log --format=%s && \
                    git status --porcelain";
        let done = bench.run(&["sh", "-c", line]);
        assert_eq!((done.exit, &*bench.log()), (Exit::Code(0), "first\n"), "{sandbox}");
    }
}

#[test]
fn a_daemon_of_a_command_that_ends_well_ends_too() {
    let body = format!(
        "{NAMESPACE}import signal, time\n\
         if os.fork() == 0:\n  os.setsid()\n  if os.fork(): os._exit(0)\n  \
         signal.signal(15, signal.SIG_IGN)\n  open('up', 'w').close()\n  \
         os.execve('/bin/sh', ['sh', '-c', 'sleep 600; :'], {{}})\n\
         while not os.path.exists('up'): time.sleep(0.001)\nprint('done')"
    );
    for sandbox in levels() {
        let bench = Bench::held(&sandbox);
        let done = python(&bench, &body, &[]);
        assert_eq!((done.exit, &*bench.log()), (Exit::Code(0), "done\n"), "{sandbox}");
        assert!(done.certificate.is_some());
        bench.nothing_left();
    }
}

#[test]
fn a_command_may_delete_its_own_workspace() {
    for sandbox in levels() {
        let bench = Bench::held(&sandbox);
        let done = bench.run(&["sh", "-c", "rm -rf \"$PWD\" \"$HOME\" ../../space; exit 3"]);
        assert_eq!(done.exit, Exit::Code(3), "{sandbox}\n{}", bench.log());
        assert!(done.certificate.is_some());
        assert!(!bench.work().exists(), "{sandbox}");
        assert!(bench.folder.path().exists());
    }
}

/// At every level with these limits: what `line` makes of itself.
fn limited(limits: Limits, body: &str, expected: &Exit) {
    let wish = Wish { isolation: Isolation::None, limits, ..Wish::default() };
    let groups = sandbox::choose(&wish, &helper(), &std::env::temp_dir());
    let groups = groups.expect("nothing can always be had").sandbox.groups;
    if let Some(why) = &groups.short_of {
        note(why);
    }
    // Measured by the helper, and where that is to be had, held by the kernel.
    let kernel = (groups.memory.is_some() || groups.processes.is_some()).then_some(groups);
    let ways = [Some(Groups::default()), kernel].into_iter().flatten().collect::<Vec<_>>();
    for (level, groups) in
        levels().iter().flat_map(|level| ways.iter().map(move |way| (level, way)))
    {
        let mut bench = Bench::held(&Sandbox { limits, groups: groups.clone(), ..level.clone() });
        bench.output_limit = 1_000_000;
        // Else what Python writes for its own modules counts too.
        bench.set.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        let done = python(&bench, &format!("{NAMESPACE}{body}"), &[]);
        assert_eq!(done.exit, *expected, "{level} {groups:?}\n{}", bench.log());
        assert!(done.certificate.is_some(), "{level}");
        for Place(place) in groups.memory.iter().chain(&groups.processes) {
            let names = fs::read_dir(place).expect("a group").flatten();
            let names = names.filter_map(|entry| entry.file_name().into_string().ok());
            // Of tests that run beside this one there may be others.
            let left = |name: &String| {
                name.strip_prefix("adequacy-")
                    .is_some_and(|pid| !fs::exists(format!("/proc/{pid}")).expect("/proc"))
            };
            assert_eq!(names.filter(left).collect::<Vec<_>>(), [""; 0]);
        }
        bench.nothing_left();
    }
}

#[test]
fn a_fork_bomb_meets_the_limit_and_is_no_kill() {
    let limits = Limits { processes: Some(40), ..Limits::default() };
    // Bounded, should the test fail.
    let bomb = "import time\nfor _ in range(300):\n  if os.fork() == 0: time.sleep(600)\n\
                time.sleep(600)";
    limited(limits, bomb, &Exit::ProcessLimit);
}

#[test]
fn a_fork_bomb_without_a_limit_ends_with_its_command() {
    let bomb = "import time\ndef grow(depth):\n  for _ in range(depth):\n    \
                if os.fork() == 0: grow(depth - 1)\n  time.sleep(600)\n\
                if os.fork() == 0: grow(6)\ntime.sleep(0.3)\nos._exit(5)";
    limited(Limits::default(), bomb, &Exit::Code(5));
}

#[test]
fn a_memory_bomb_meets_the_limit() {
    let limits = Limits { memory: Some(200 << 20), ..Limits::default() };
    // In a child, and bounded, should the test fail.
    let bomb = "import time\nif os.fork() == 0:\n  held = []\n  for _ in range(40):\n    \
                held.append(bytearray(b'x') * (16 << 20))\n    time.sleep(0.02)\n  time.sleep(600)\n\
                os.wait()";
    limited(limits, bomb, &Exit::MemoryLimit);
}

#[test]
fn a_flood_of_output_meets_the_limit_and_is_no_kill() {
    limited(Limits::default(), "while True: print('x' * 10000)", &Exit::OutputLimit);
}

#[test]
fn a_file_bomb_meets_the_limit_and_is_no_kill() {
    let limits = Limits { file_size: Some(1 << 20), ..Limits::default() };
    let met = Exit::FileSizeLimit;
    // The signal itself, and what a shell makes of it.
    let head = "'head -c 3000000 /dev/zero > big'";
    limited(limits, &format!("os.execvp('sh', ['sh', '-c', 'exec ' + {head}])"), &met);
    limited(limits, &format!("os.execvp('sh', ['sh', '-c', {head}])"), &met);
    // Python ignores the signal and fails in its own way; what was written tells, except on a
    // file system in memory.
    let scratch = tempfile::tempdir().expect("a folder");
    let kind = rustix::fs::statfs(scratch.path()).expect("a file system").f_type;
    let in_memory = kind == 0x0102_1994;
    let expected = if in_memory { Exit::Code(1) } else { met };
    limited(limits, "open('big', 'wb').write(b'x' * 3000000)", &expected);
    // Under the limit nothing happens.
    limited(limits, "open('big', 'wb').write(b'x' * 1000000)", &Exit::Code(0));
    limited(limits, "open('big', 'wb').write(b'x' * 100000)\nos._exit(1)", &Exit::Code(1));
}

#[test]
fn a_time_out_ends_everything_at_every_level() {
    let body = format!(
        "{NAMESPACE}import signal, time\nif os.fork() == 0: os.setsid()\n\
         signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(60)"
    );
    for sandbox in levels() {
        let mut bench = Bench::held(&sandbox);
        bench.limit = Duration::from_secs(2);
        let done = python(&bench, &body, &[]);
        assert_eq!(done.exit, Exit::TimedOut, "{sandbox}");
        assert!(done.certificate.is_some());
        bench.nothing_left();
    }
}
