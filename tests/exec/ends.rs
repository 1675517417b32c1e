//! What a command did, as it is reported.

use std::fs;
use std::io::Read as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use adequacy::run::exit::Exit;
use adequacy::run::sandbox::Sandbox;

use crate::bench::Bench;

#[test]
fn status_signal_and_output_are_the_commands_own() {
    let bench = Bench::new();
    let done = bench.run(&["sh", "-c", "printf out; printf err >&2; pwd; exit 7"]);
    assert_eq!(done.exit, Exit::Code(7));
    assert!(done.certificate.is_some());
    let expected = format!("outerr{}\n", bench.work().display());
    assert_eq!(bench.log(), expected);
    assert_eq!(done.output_bytes, expected.len() as u64);
    for code in [0, 1, 2, 5, 101, 124, 126, 127, 137, 255] {
        assert_eq!(bench.run(&["sh", "-c", &format!("exit {code}")]).exit, Exit::Code(code));
    }
    for signal in [1, 6, 9, 11, 13, 15] {
        let exit = bench.run(&["sh", "-c", &format!("kill -{signal} $$")]).exit;
        assert_eq!(exit, Exit::Signal(signal));
    }
    assert_eq!(bench.log_bytes(), b"");
}

#[test]
fn words_reach_the_command_unchanged() {
    let bench = Bench::new();
    let words = ["", " ", "a b", "--", "-x", "$HOME", "*", "'\"\\", "new\nline", "é", "A=1"];
    let program = ["sh", "-c", "printf '<%s>' \"$@\"", "sh"];
    bench.run(&[&program[..], &words].concat());
    assert_eq!(bench.log(), words.map(|word| format!("<{word}>")).concat());
}

#[test]
fn a_program_in_a_folder_with_spaces_starts() {
    let bench = Bench::new();
    let folder = bench.work().join("Chapter 10/venv/bin");
    fs::create_dir_all(&folder).expect("a folder");
    script(&folder.join("python"), "#!/bin/sh\necho \"$0 $1\"\n", 0o755);
    let relative = "Chapter 10/venv/bin/python";
    let absolute = folder.join("python");
    for program in [relative, absolute.to_str().expect("a UTF-8 scratch path")] {
        assert_eq!(bench.run(&[program, "a b"]).exit, Exit::Code(0));
        assert_eq!(bench.log(), format!("{program} a b\n"));
    }
}

fn script(path: &std::path::Path, text: &str, mode: u32) {
    fs::write(path, text).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
}

#[test]
fn a_command_that_cannot_start_is_no_status() {
    let mut bench = Bench::new();
    let work = bench.work();
    script(&work.join("plain"), "exit 0\n", 0o644);
    script(&work.join("no_line"), "exit 0\n", 0o755);
    script(&work.join("no_interpreter"), "#!/no/such/interpreter\n", 0o755);
    let far = bench.folder.path().join("original");
    fs::create_dir(&far).expect("a folder");
    script(&far.join("tool"), "#!/bin/sh\n", 0o755);
    let long = "x".repeat(300_000);
    for (argv, why) in [
        (&["no-such-program-here"][..], "PATH"),
        (&["./tool"], "no such file"), // it exists in another folder only
        (&["./plain"], "not an executable file"),
        (&["."], "not an executable file"),
        (&["./plain/x"], "not a directory"),
        (&["./no_line"], "`#!`"),
        (&["./no_interpreter"], "interpreter"),
        (&["true", &long], "longer than this system allows"),
    ] {
        let done = bench.run(argv);
        let Exit::NotStarted(message) = &done.exit else { panic!("{argv:?}: {}", done.exit) };
        assert!(message.contains(why) && message.contains(argv[0]), "{message}");
        assert!(done.certificate.is_some(), "nothing ever ran");
    }
    bench.set.push(("PATH".into(), "/no/such/folder".into()));
    assert!(matches!(bench.run(&["true"]).exit, Exit::NotStarted(_)));
}

#[test]
fn a_program_that_is_still_open_for_writing_is_tried_again() {
    let bench = Bench::new();
    let path = bench.work().join("fresh");
    script(&path, "#!/bin/sh\nexit 9\n", 0o755);
    let open = fs::OpenOptions::new().append(true).open(&path).expect("the script");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(open);
        });
        assert_eq!(bench.run(&["./fresh"]).exit, Exit::Code(9));
    });
}

#[test]
fn a_system_without_room_for_a_process_is_no_status() {
    let bench = Bench::new();
    let folder = bench.folder.path();
    let helper = folder.join("helper");
    fs::copy(env!("CARGO_BIN_EXE_adequacy"), &helper).expect("a copy anybody can start");
    for path in [folder, &helper] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("its mode");
    }
    // The limit does not bind root, so root becomes another user first.
    let start = "import os, resource, sys\nif os.getuid() == 0: os.setuid(65534)\n\
                 resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n\
                 os.execv(sys.argv[1], sys.argv[1:])";
    let mut helper = Command::new("python3")
        .args(["-c", start])
        .arg(&helper)
        .args(["__exec", "60000", "1000", "1000", "1000", "0"])
        .arg(folder.join("log"))
        .arg(folder)
        .args([&unheld(), "", "--", "true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let report = report(&mut helper);
    assert!(report.contains(r#""exit":{"starved":"`true`"#), "{report}");
}

/// No sandbox, as a helper started by hand is told.
fn unheld() -> String {
    serde_json::to_string(&Sandbox::default()).expect("plain data")
}

/// What a helper started by hand says, with its lifeline held until then.
fn report(helper: &mut Child) -> String {
    // The token that the engine gives first; an empty one will do.
    helper.stdin.as_mut().expect("a piped stdin").write_all(b"\n").expect("the helper reads it");
    let mut report = String::new();
    let mut answer = helper.stdout.take().expect("a pipe");
    answer.read_to_string(&mut report).expect("its report");
    helper.wait().expect("it ends");
    report
}

#[test]
fn a_workspace_or_log_that_is_gone_is_lost() {
    let bench = Bench::new();
    let done = bench.run_logged(&["true"], "no/such/folder/log");
    let log = "no/such/folder/log";
    assert!(matches!(done.exit, Exit::Lost(ref why) if why.contains(log)), "{}", done.exit);
    let done = bench.run(&["sh", "-c", "rm -rf \"$PWD\"; exit 3"]);
    assert_eq!(done.exit, Exit::Code(3), "a command may delete its own workspace");
    let done = bench.run(&["true"]);
    assert!(matches!(done.exit, Exit::Lost(ref why) if why.contains("work")), "{}", done.exit);
}

#[test]
fn a_log_that_cannot_be_written_is_lost() {
    let bench = Bench::new();
    let log = bench.folder.path().join("log");
    // A limit on the size of files stands in for a full disk: the helper inherits it.
    let mut helper = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_adequacy"),
        ])
        .args(["__exec", "60000", "1000", "9999999", "100000", "0"])
        .arg(&log)
        .arg(bench.work())
        .args([&unheld(), "", "--", "sh", "-c", "yes | head -c 50000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts");
    let report = report(&mut helper);
    assert!(
        report.contains(r#""lost":"the log"#) && report.contains(r#""ended":true"#),
        "{report}"
    );
}

#[test]
fn a_flood_of_output_is_capped_on_disk() {
    let mut bench = Bench::new();
    let done = bench.run(&["sh", "-c", "echo first; yes | head -c 3000000; echo last"]);
    assert_eq!(done.exit, Exit::Code(0));
    assert_eq!(done.output_bytes, 3_000_011);
    let log = bench.log();
    assert!(log.starts_with("first\ny\n") && log.ends_with("y\nlast\n"));
    let left_out = 3_000_011 - 2 * (128 << 10);
    assert!(log.contains(&format!("[adequacy: {left_out} bytes of output left out]")));
    assert!(log.len() < (2 * (128 << 10)) + 100);

    bench.output_limit = 1_000_000;
    let done = bench.run(&["yes"]);
    assert_eq!(done.exit, Exit::OutputLimit);
    assert!(done.certificate.is_some() && done.output_bytes > 1_000_000);
    assert!(bench.log_bytes().len() < 300_000);
}

#[test]
fn output_need_not_be_utf8() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["printf", "caf\\351\\000\\377\\n"]).exit, Exit::Code(0));
    assert_eq!(bench.log_bytes(), b"caf\xe9\0\xff\n");
}

#[test]
fn time_and_memory_of_all_processes_are_counted() {
    let bench = Bench::new();
    let burn = "import os, time\n\
                if os.fork() == 0:\n  block = bytearray(96 << 20)\n  \
                while time.process_time() < 0.3: pass\n  os._exit(0)\nos.wait()";
    let done = bench.run(&["python3", "-c", burn]);
    assert_eq!(done.exit, Exit::Code(0), "{}", bench.log());
    assert!(done.cpu >= Duration::from_millis(290), "{:?}", done.cpu);
    assert!(done.peak_rss > 96 << 20, "{}", done.peak_rss);
}

#[test]
fn only_the_three_streams_get_through() {
    let bench = Bench::new();
    let look = "import os, resource\n\
        fds = {fd: os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') \
          if os.path.exists(f'/proc/self/fd/{fd}')}\n\
        print(sorted(fds), fds['0'], fds['1'].split(':')[0], fds['1'] == fds['2'])\n\
        print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getppid())\n\
        print(resource.getrlimit(resource.RLIMIT_CORE), os.get_blocking(1))";
    bench.run(&["python3", "-c", look]);
    assert_eq!(
        bench.log(),
        "['0', '1', '2'] /dev/null pipe True\nTrue True\n(0, 0) True\n",
        "descriptors, then process group and session, then core limit and blocking output"
    );
}

#[test]
fn what_signals_the_caller_ignores_or_blocks_is_no_business_of_a_command() {
    let bench = Bench::new();
    // `grep` changes no signal itself.
    let mut helper = Command::new("sh")
        .args(["-c", "trap '' HUP INT QUIT TERM USR1 XFSZ PIPE TSTP TTOU; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_adequacy"))
        .args(["__exec", "60000", "1000", "9999", "9999", "0"])
        .args([bench.folder.path().join("log"), bench.work()])
        .args([&unheld(), "", "--", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts");
    let report = report(&mut helper);
    assert!(report.contains(r#""exit":{"code":0}"#), "{report}");
    let log = bench.log();
    let field = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix(name)).expect("the field");
        u64::from_str_radix(line.trim(), 16).expect("a mask")
    };
    let of_the_c_library = 0b11 << 31; // 32 and 33
    assert_eq!(field("SigBlk:"), 0);
    assert_eq!(field("SigIgn:") & !of_the_c_library, 0);
}
