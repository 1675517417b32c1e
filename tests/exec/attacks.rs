//! What hostile commands do to a workspace: read by the tests of resets and by those of real commands.

/// Name and Python text of what a hostile command does, with the tree as its working directory.
pub(crate) const ATTACKS: &[(&str, &str)] = &[
    ("nothing", "pass"),
    (
        "same size, times put back",
        "s = os.stat('a.py'); open('a.py', 'r+').write('X'); os.utime('a.py', ns=(s.st_atime_ns, s.st_mtime_ns))",
    ),
    (
        "mode of everything",
        "[os.chmod(os.path.join(d, n), 0o777) for d, ds, fs in os.walk('.') for n in ds + fs if not os.path.islink(os.path.join(d, n))]",
    ),
    (
        "rename over, times put back",
        "s = os.stat('a.py'); open('x', 'w').write('y = 1\\n'); os.utime('x', ns=(s.st_atime_ns, s.st_mtime_ns)); os.rename('x', 'a.py')",
    ),
    (
        "new things of every kind",
        "open('new', 'w'); os.makedirs('newdir/deep'); open('newdir/deep/f', 'w'); os.mkfifo('pipe'); os.symlink('a.py', 'newlink'); socket.socket(socket.AF_UNIX).bind('sock'); open('../beside', 'w'); open('../home/.profile', 'w'); open('../tmp/t', 'w'); open('../cache/pycache/p', 'w')",
    ),
    ("directory gone", "shutil.rmtree('d')"),
    ("link elsewhere", "os.remove('link'); os.symlink('/etc/passwd', 'link')"),
    ("link becomes a file", "os.remove('link'); open('link', 'w').write('x = 1\\n')"),
    (
        "hard links inside and outside",
        "os.link('a.py', 'd/hard'); os.link('swap1', '../hard'); os.remove('swap2'); os.link('swap1', 'swap2')",
    ),
    (
        "directory replaced by one with the same content",
        "shutil.copytree('d', 'd2', symlinks=True); shutil.rmtree('d'); os.rename('d2', 'd')",
    ),
    ("directory replaced by a link", "os.rename('d', '../tmp/d'); os.symlink('../tmp/d', 'd')"),
    ("extended attributes", "attr('a.py'); attr('d'); attr('.')"),
    ("file becomes a directory", "os.remove('a.py'); os.makedirs('a.py/b')"),
    (
        "no access",
        "os.chmod('a.py', 0); os.mkdir('shut'); open('shut/f', 'w'); os.chmod('shut', 0); os.chmod('d/e', 0); os.chmod('d', 0); os.chmod('../home', 0)",
    ),
    (
        "two files swapped",
        "os.rename('swap1', 'x'); os.rename('swap2', 'swap1'); os.rename('x', 'swap2')",
    ),
    (
        "inside a read-only directory",
        "os.chmod('ro', 0o755); os.chmod('ro/f', 0o644); open('ro/f', 'a').write('more'); open('ro/new', 'w'); os.chmod('ro/f', 0o444); os.chmod('ro', 0o555)",
    ),
    (
        "mapped, read, then written, times put back",
        "f = open('d/b.py', 'r+b'); s = os.stat('d/b.py'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'Z'; m.flush(); m.close(); os.utime('d/b.py', ns=(s.st_atime_ns, s.st_mtime_ns))",
    ),
    (
        "mapped, read, then written",
        "f = open('d/b.py', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'Z'; m.close()",
    ),
    (
        "everything gone",
        "[shutil.rmtree(n) if os.path.isdir(n) and not os.path.islink(n) else os.remove(n) for n in os.listdir('.') if n != 'ro']; shutil.rmtree('../home'); shutil.rmtree('../cache'); os.rmdir('../tmp')",
    ),
    ("the tree renamed away", "os.rename('../tree', '../gone')"),
    ("a thousand directories deep", "for i in range(1000): os.mkdir('deep'); os.chdir('deep')"),
    (
        "another owner",
        "root(lambda: [os.chown(n, 1, 1, follow_symlinks=False) for n in ('a.py', 'd', 'link', '.', '../home')])",
    ),
    ("made immutable", "open('a.py', 'w').write('changed'); root(lambda: immutable('a.py'))"),
    (
        "odd names",
        "[open(n, 'w') for n in (b'\\xff\\xfe', b'a\\nb', b' ', b'-rf', b'*', b'x' * 255)]",
    ),
    (
        "default permissions for what is made later",
        "attr('d', 'system.posix_acl_default', bytes.fromhex('0200000001000700ffffffff04000700ffffffff20000700ffffffff'))",
    ),
];

/// The file system may not have them, or the user may not do them.
pub(crate) const MAY_DO_NOTHING: &[&str] = &[
    "nothing",
    "extended attributes",
    "default permissions for what is made later",
    "another owner",
];

/// Words that the attacks use.
pub(crate) const PRELUDE: &str = r"
import fcntl, mmap, os, shutil, socket, struct
def attempt(step):
    try:
        step()
    except OSError:
        pass
def attr(path, name='user.a', value=b'1'):
    attempt(lambda: os.setxattr(path, name, value))
def root(step):
    os.geteuid() or attempt(step)
def immutable(path):
    with open(path) as f:
        fcntl.ioctl(f, 0x40086602, struct.pack('l', 0x10))
";
