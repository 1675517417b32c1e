# What a program can ask of the directory it runs in: prints one line an answer.
import ctypes, errno, fcntl, mmap, os, select, shutil, socket, struct, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def ask(name, body):
    try: answer = body()
    except OSError as error: answer = errno.errorcode.get(error.errno, error.errno)
    print(name, answer)
def moved():
    os.rename('d', 'moved'); found = sorted(os.listdir('moved')); os.rename('moved', 'd'); return found
ask('rename a directory', moved)
def over():
    os.mkdir('full'); open('full/x', 'w').close(); os.rename('d', 'full')
ask('rename over a directory', over)
ask('one device', lambda: len({os.lstat(p).st_dev for p in ('.', 'd', 'a.py', '../tmp', '../home')}))
def same():
    before = os.stat('a.py').st_ino; open('a.py', 'a').write('#'); return before == os.stat('a.py').st_ino
ask('inode', same)
ask('link', lambda: (os.link('a.py', '../tmp/x'), os.stat('a.py').st_nlink, os.stat('../tmp/x').st_ino == os.stat('a.py').st_ino)[1:])
ask('move out and back', lambda: (os.rename('a.py', '../home/y'), os.rename('../home/y', 'a.py')))
def locks():
    f = open('swap1'); fcntl.flock(f, fcntl.LOCK_EX)
    g = open('swap1', 'a')
    try: fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB); return 'both'
    except BlockingIOError: return 'one'
ask('flock', locks)
def posix():
    f = open('swap1', 'r+'); fcntl.lockf(f, fcntl.LOCK_EX)
    if os.fork() == 0:
        try: fcntl.lockf(open('swap1', 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB); os._exit(1)
        except OSError: os._exit(0)
    return os.wait()[1]
ask('lockf', posix)
def readers():
    f = open('swap2'); f.read(); g = open('swap2', 'a'); g.write('more'); g.flush(); return f.read()
ask('an open reader', readers)
def mapped():
    f = open('d/b.py', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:1] = b'Z'; return open('d/b.py').read()
ask('mapped', mapped)
def sock():
    s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect('s'); c.send(b'x'); return s.accept()[0].recv(1)
ask('socket', sock)
def fifo():
    os.mkfifo('p')
    threading.Thread(target=lambda: open('p', 'w').write('x')).start()
    return open('p').read()
ask('fifo', fifo)
ask('nameless', lambda: os.write(os.open('.', os.O_TMPFILE | os.O_RDWR), b'x'))
def linked():
    f = os.open('.', os.O_TMPFILE | os.O_RDWR); os.write(f, b'x'); os.link(f'/proc/self/fd/{f}', 'named', follow_symlinks=True); return open('named').read()
ask('nameless linked', linked)
def exchange():
    if libc.renameat2(-100, b'swap1', -100, b'ro/f', 2): raise OSError(ctypes.get_errno(), '')
    return open('swap1').read()
ask('exchange', exchange)
def dexchange():
    if libc.renameat2(-100, b'd', -100, b'empty', 2): raise OSError(ctypes.get_errno(), '')
    r= sorted(os.listdir('empty')), os.listdir('d')
    libc.renameat2(-100, b'd', -100, b'empty', 2); return r
ask('exchange dirs', dexchange)
def again():
    shutil.rmtree('d/e'); os.mkdir('d/e'); return os.listdir('d/e')
ask('made again', again)
def typed():
    os.remove('d/b.py'); os.mkdir('d/b.py'); return os.path.isdir('d/b.py')
ask('file to directory', typed)
def busy():
    shutil.copy('/bin/sleep', 'sleeper'); os.chmod('sleeper', 0o755)
    p = os.spawnl(os.P_NOWAIT, './sleeper', 'sleeper', '1')
    import time; time.sleep(.2)
    try: open('sleeper', 'r+b'); return 'open'
    finally: os.kill(p, 9); os.waitpid(p, 0)
ask('busy', busy)
def busy2():
    p = os.spawnl(os.P_NOWAIT, './bin', 'bin', '1')
    import time; time.sleep(.2)
    try: open('bin', 'r+b'); return 'open'
    finally: os.kill(p, 9); os.waitpid(p, 0)
ask('busy lower', busy2)
def busy3():
    f=open('bin', 'r+b')
    pid=os.fork()
    if pid==0:
        try: os.execv('./bin',['bin','0'])
        except OSError as e: os._exit(e.errno)
    return os.waitpid(pid,0)[1]>>8
ask('exec while written', busy3)
ask('xattr', lambda: (os.setxattr('a.py', 'user.a', b'1'), os.listxattr('a.py'), os.listxattr('d'))[1:])
ask('xattr lower', lambda: (os.listxattr('tool')))
ask('times', lambda: (os.utime('tool', ns=(5, 7)), os.stat('tool').st_mtime_ns)[1])
def gone():
    f = open('nothing', 'r+'); os.remove('nothing'); f.write('x'); f.flush(); return os.fstat(f.fileno()).st_nlink, os.fstat(f.fileno()).st_size
ask('deleted and open', gone)
def notified():
    i = libc.inotify_init1(0o4000); libc.inotify_add_watch(i, b'hard1', 2)
    open('hard1', 'a').write('x')
    return bool(select.select([i], [], [], .2)[0])
ask('inotify on a file', notified)
def notified2():
    i = libc.inotify_init1(0o4000); libc.inotify_add_watch(i, b'loose', 0x100)
    open('loose/n', 'a').write('x')
    return bool(select.select([i], [], [], .2)[0])
ask('inotify on a directory', notified2)
ask('truncate', lambda: (os.truncate('hard1', 3), open('hard1').read()))
ask('fallocate', lambda: os.posix_fallocate(os.open('falloc', os.O_CREAT | os.O_RDWR), 0, 4096))
ask('copy range', lambda: os.copy_file_range(os.open('tool', os.O_RDONLY), os.open('crf', os.O_CREAT | os.O_RDWR), 5))
ask('directory time', lambda: (os.stat('ro').st_mtime_ns == os.stat('d').st_mtime_ns))
ask('links apart', lambda: (open('d/hard2', 'a').write('!'), open('hard1').read()))
ask('fsync', lambda: os.fsync(os.open('tool', os.O_RDWR)))
ask('fsync dir', lambda: os.fsync(os.open('.', os.O_RDONLY)))
ask('a path', lambda: os.readlink('/proc/self/fd/%d' % os.open('tool', os.O_RDONLY)) == os.getcwd() + '/tool')
ask('a long name', lambda: open('d/' + 'n' * 255, 'w').write('x'))

# The known differences of an overlay, last: see docs/isolation.md.
print('--')
def seen_late():
    f = open('late', 'rb'); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); m[0]
    with open('late', 'r+b') as g: g.write(b'Q')
    return m[0:1] == b'Q'
ask('a mapping made before a write', seen_late)
ask('names of a directory', lambda: os.lstat('.').st_nlink > 1)
