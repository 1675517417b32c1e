//! The scratch directory itself: where it may be, what it leaves, what it does when the disk is full.

use super::*;
use crate::run::workspace::store::copy;

/// A directory of its own, so that no other run's scratch is met.
fn base() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn nothing_is_left_whatever_was_put_into_it() {
    as_each_user(|| {
        let base = base();
        let (_directory, tree) = source();
        for explicit in [true, false] {
            let (scratch, _golden, workspace) = made(base.path(), &tree);
            let text = "
os.makedirs('shut/in'); open('shut/in/f', 'w'); os.chmod('shut/in', 0); os.chmod('shut', 0o555)
open(b'../../\\xff\\n', 'w'); os.mkfifo('../../pipe'); os.chmod('../../golden', 0o555)
for i in range(300): os.mkdir('d' * 100); os.chdir('d' * 100)";
            python(&workspace.tree(), &format!("{PRELUDE}{text}"), &[]);
            if explicit {
                scratch.remove().unwrap();
            } else {
                drop(scratch);
            }
            assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
        }
    });
}

#[test]
fn depth_costs_neither_stack_nor_open_files() {
    let base = base();
    let scratch = Scratch::create(base.path(), &[]).unwrap();
    let mut at = crate::tree::open_root(scratch.path()).unwrap();
    for _ in 0..5000 {
        mkdirat(&at, "d", Mode::RWXU).unwrap();
        at = crate::tree::open_directory_at(at.as_fd(), "d").unwrap();
    }
    scratch.remove().unwrap();
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
}

#[test]
fn links_in_it_are_removed_not_followed() {
    let (base, outside) = (base(), base());
    fs::write(outside.path().join("kept"), "").unwrap();
    let scratch = Scratch::create(base.path(), &[]).unwrap();
    symlink(outside.path(), scratch.path().join("link")).unwrap();
    scratch.remove().unwrap();
    assert!(outside.path().join("kept").exists());
}

#[test]
fn a_dead_run_is_known_by_its_free_lock() {
    let base = base();
    let alive = Scratch::create(base.path(), &[]).unwrap();
    let dead = base.path().join("adequacy-dead");
    fs::create_dir_all(dead.join("w0/tree")).unwrap();
    fs::write(dead.join("lock"), "1\n").unwrap();
    fs::set_permissions(dead.join("w0/tree"), Permissions::from_mode(0o555)).unwrap();
    // Not ours, or not certainly dead: another name, no lock file yet, a link to one of ours.
    fs::create_dir(base.path().join("other")).unwrap();
    fs::write(base.path().join("other/lock"), "").unwrap();
    fs::create_dir(base.path().join("adequacy-starting")).unwrap();
    symlink(&dead, base.path().join("adequacy-link")).unwrap();
    let mut found = Scratch::leftovers(base.path()).unwrap();
    assert!(found.len() == 1 && found[0].path() == dead, "{found:?}");
    assert!(Scratch::leftovers(base.path()).unwrap().is_empty(), "one is being removed already");
    found.pop().unwrap().remove().unwrap();
    assert!(!dead.exists() && alive.path().exists());
    assert!(
        base.path().join("other/lock").exists() && base.path().join("adequacy-starting").exists()
    );
}

#[test]
fn one_whose_run_died_before_it_had_a_lock_is_taken_away() {
    let base = base();
    let make = |name: &str, mode: u32, file: Option<&str>| {
        let path = base.path().join(name);
        fs::create_dir(&path).unwrap();
        let held = file.map(|file| fs::File::create(path.join(file)).unwrap());
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        held
    };
    make("adequacy-aB3dE9", 0o700, None);
    make("adequacy-patch-aB3dE9", 0o700, Some("unlocked"));
    // Being made, with something in it, or nothing of ours.
    let held = make("adequacy-aB3dE8", 0o700, Some("unlocked")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    make("adequacy-aB3dE7", 0o700, Some("notes"));
    make("adequacy-aB3dE6", 0o755, None);
    make("adequacy-results", 0o700, None);
    for leftover in Scratch::leftovers(base.path()).unwrap() {
        leftover.remove().unwrap();
    }
    let left = fs::read_dir(base.path()).unwrap().map(|one| one.unwrap().file_name());
    let mut left = left.map(|name| name.into_string().unwrap()).collect::<Vec<_>>();
    left.sort();
    assert_eq!(left, ["adequacy-aB3dE6", "adequacy-aB3dE7", "adequacy-aB3dE8", "adequacy-results"]);
    assert!(base.path().join("adequacy-aB3dE8/unlocked").exists());
}

#[test]
fn one_that_is_being_made_or_removed_beside_a_run_that_cleans_is_not_lost() {
    let base = base();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for leftover in Scratch::leftovers(base.path()).unwrap() {
                    leftover.remove().unwrap();
                }
            }
        });
        let made = (0..300).map(|_| {
            let scratch = Scratch::create(base.path(), &[])?;
            let is_whole = scratch.path().join("golden").exists();
            scratch.remove().map(|()| is_whole)
        });
        let made = made.collect::<Result<Vec<_>, _>>();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(made.unwrap().into_iter().all(|is_whole| is_whole));
    });
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
}

#[test]
fn scratch_in_the_tree_is_refused_whatever_it_is_called() {
    let tree = base();
    fs::create_dir(tree.path().join("sub")).unwrap();
    let link = tree.path().with_extension("link");
    symlink(tree.path().join("sub"), &link).unwrap();
    for inside in [tree.path().to_owned(), tree.path().join("sub"), link.clone()] {
        let error = Scratch::create(&inside, &[tree.path()]).unwrap_err();
        assert!(matches!(error, WorkspaceError::InsideTree { .. }), "{error}");
        assert_eq!(fs::read_dir(tree.path().join("sub")).unwrap().count(), 0);
    }
    fs::remove_file(link).unwrap();
    // Beside it, or the tree inside the base, is fine.
    assert!(Scratch::create(tree.path().parent().unwrap(), &[tree.path()]).is_ok());
    assert!(matches!(Scratch::create(Path::new("/no/where"), &[]), Err(WorkspaceError::Io { .. })));
}

#[test]
fn space_is_checked_for_every_worker() {
    let (_directory, tree) = source();
    let scratch = Scratch::create(&std::env::temp_dir(), &[]).unwrap();
    scratch.check_space(&[&tree], 1).unwrap();
    let error = scratch.check_space(&[&tree, &tree], usize::MAX / 2).unwrap_err();
    let WorkspaceError::NoSpace { needed, free, path } = &error else { panic!("{error}") };
    assert!(needed > free && path == scratch.path());
}

#[test]
fn a_full_disk_has_its_own_error() {
    let from = tempfile::NamedTempFile::new().unwrap();
    fs::write(from.path(), vec![0; 5000]).unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (from, at) = (fs::File::open(from.path()).unwrap(), Path::new("/dev/full"));
    let Err(error) = copy(&from, Path::new("from"), &full, at, &mut [0; 4096]) else {
        panic!("it was written")
    };
    let WorkspaceError::NoSpace { path, needed, .. } = &error else { panic!("{error}") };
    assert_eq!((path.as_path(), *needed), (at, 4096));
    for errno in [Errno::NOSPC, Errno::DQUOT] {
        let error = WorkspaceError::io("write", Path::new("/absent/file"), 7, errno);
        assert!(matches!(error, WorkspaceError::NoSpace { needed: 7, free: 1.., .. }), "{error}");
    }
    let error = WorkspaceError::io("write", at, 0, Errno::IO);
    assert!(matches!(error, WorkspaceError::Io { .. }), "{error}");
}
