"""The sandbox of an answer: bubblewrap, and a list of the system calls that are allowed.

Both are kept by others: bubblewrap makes the namespaces and the view of the files, libseccomp turns
the list into the kernel's program. An answer finds Python and the course, read-only, one small
folder to write in, five harmless devices, no network and no other process. What is not on the list
is refused, whatever the kernel learns to do: sockets, keyrings, System V's memory, semaphores and
queues, mounts, and namespaces within.

The host's root must not be root inside either, for bubblewrap leaves ``/proc/sys`` writable to that
one. So root becomes a user that nobody else is, another one for each sandbox, before bubblewrap
starts; and since that user may not even reach a Python below root's home, Python is first bound to
a place that all can reach, in a mount namespace that nothing else sees.
"""

import importlib.util
import os
import random
import shlex
import shutil
import site
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = [
    "folders_seen",
    "folders_to_read",
    "import_path",
    "open_rules",
    "sandboxed",
    "why_no_sandbox",
]

_ALLOWED = """
access alarm arch_prctl brk chdir chmod clock_getres clock_gettime clock_nanosleep
close copy_file_range dup dup2 dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait
eventfd2 execve exit exit_group faccessat faccessat2 fadvise64 fchdir fchmod
fchmodat fcntl fdatasync flock fstat fstatfs fsync ftruncate futex get_mempolicy
get_robust_list getcpu getcwd getdents64 getegid geteuid getgid getgroups getitimer
getpgid getpgrp getpid getppid getrandom getresgid getresuid getrlimit getrusage
getsid gettid gettimeofday getuid ioctl kill lseek lstat madvise mbind membarrier
mincore mkdir mkdirat mmap mprotect mremap munmap nanosleep newfstatat open openat
pause pipe pipe2 poll ppoll prctl pread64 preadv prlimit64 pselect6 pwrite64 pwritev
read readlink readlinkat readv recvfrom rename renameat renameat2 restart_syscall
rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend
rt_sigtimedwait sched_getaffinity sched_getparam sched_getscheduler
sched_setaffinity sched_yield select sendfile set_mempolicy set_robust_list
set_tid_address setitimer setpgid setsid shutdown sigaltstack stat statfs statx
sysinfo tgkill time times truncate umask uname unlink unlinkat utimensat vfork wait4
waitid write writev
""".split()
_NEW_NAMESPACES = 0x7E020000  # any of clone's flags for one
_EPERM, _ENOSYS = 1, 38
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM = (
    "/usr",
    "/bin",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
_STAGE = "/sys"  # it is always there, and neither Python nor bubblewrap needs it
_MOST_FILES = 10_000
_FIRST_UID, _UIDS = 1 << 20, 1 << 30  # for root's answers: nobody else's
_INSIDE = "65534"


def why_no_sandbox() -> str:
    """Return what is missing for a sandbox on this machine; nothing where all is there."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap is for Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    try:
        importlib.import_module("pyseccomp")
    except ImportError:
        return "pyseccomp is not installed (pip install pyseccomp)"
    except (OSError, RuntimeError):
        return "libseccomp is not installed (apt-get install libseccomp2)"
    return ""


def open_rules() -> int:
    """Return a file descriptor from which bubblewrap reads the list of calls."""
    reading, writing = os.pipe()
    os.write(writing, _rules())
    os.close(writing)
    return reading


@cache
def _rules() -> bytes:
    """Return the list of calls as the kernel's program."""
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ERRNO(_EPERM))
    for name in _ALLOWED:
        with suppress(OSError, ValueError):  # this processor has no such call
            rules.add_rule(seccomp.ALLOW, name)
    no_namespace = seccomp.Arg(0, seccomp.MASKED_EQ, _NEW_NAMESPACES, 0)
    rules.add_rule(seccomp.ALLOW, "clone", no_namespace)
    # Its flags lie in memory, where no rule looks: without it, programs use clone.
    rules.add_rule(seccomp.ERRNO(_ENOSYS), "clone3")
    # What asyncio wakes itself with: a pair of streams, which reaches nobody else.
    only_streams = seccomp.Arg(1, seccomp.MASKED_EQ, 0xF, 1)
    rules.add_rule(seccomp.ALLOW, "socketpair", only_streams)
    to_nobody_by_name = seccomp.Arg(4, seccomp.EQ, 0)
    rules.add_rule(seccomp.ALLOW, "sendto", to_nobody_by_name)
    reading, writing = os.pipe()
    with open(reading, "rb") as program, open(writing, "wb") as export:
        rules.export_bpf(export)
        export.close()
        return program.read()


def folders_to_read(package: str) -> tuple[str, ...]:
    """Return the files and folders of Python and of a course, each that lies in no other."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    program = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    own = [sys.prefix, sys.base_prefix, program, _user_site(), *libraries]
    own += [_place_of("whywrong"), _place_of(package)]
    own = [*filter(os.path.exists, own), *map(os.path.realpath, filter(None, own))]
    kept: list[str] = []
    for place in sorted({os.path.abspath(path) for path in own}, key=len):
        if not any(
            Path(place).is_relative_to(outer) for outer in (*_SYSTEM, *kept)
        ):
            kept.append(place)
    return tuple(kept)


def folders_seen(package: str) -> tuple[Path, ...]:
    """Return all that answers can read: the folders of the system's programs, too."""
    return tuple(
        Path(place).resolve() for place in (*_SYSTEM, *folders_to_read(package))
    )


def import_path(package: str) -> str:
    """Return the ``PYTHONPATH`` by which Python finds a course in a process of its own."""
    places = [_place_of("whywrong"), _place_of(package)]
    found = [os.path.dirname(place) for place in places if place]
    found += [*os.environ.get("PYTHONPATH", "").split(os.pathsep), _user_site()]
    return os.pathsep.join(dict.fromkeys(filter(None, found)))


def _user_site() -> str:
    return site.getusersitepackages() if site.ENABLE_USER_SITE else ""


def _place_of(package: str) -> str:
    """Return the folder, or the file, of a package; nothing if there is none."""
    spec = importlib.util.find_spec(package.partition(".")[0])
    if spec is None:
        return ""
    places = spec.submodule_search_locations or [spec.origin or ""]
    return os.path.realpath(places[0])


def sandboxed(
    program: list[str], readable: tuple[str, ...], megabytes: int, rules: int
) -> list[str]:
    """Return the command that runs a program in a sandbox.

    It may read some places besides the system's libraries, and write files of so many megabytes;
    its rules are the descriptor of `open_rules`.
    """
    staged = {f"{_STAGE}/{i}": place for i, place in enumerate(readable)}
    files = [spot for spot, place in staged.items() if not os.path.isdir(place)]
    most = f"size={megabytes}m,nr_inodes={_MOST_FILES}"
    lines = [
        f"set -e; mount -t tmpfs -o mode=755 none {_STAGE}",
        f"mkdir {_STAGE}/work {' '.join(staged.keys() - files)}",
        # bubblewrap itself does not count the files in a folder to write in.
        f"mount -t tmpfs -o {most},mode=1777,nosuid,nodev none {_STAGE}/work",
        *(f": > {spot}" for spot in files),
        *(f"mount --rbind {shlex.quote(p)} {spot}" for spot, p in staged.items()),
    ]
    is_root, uid = os.getuid() == 0, random.randrange(_UIDS) + _FIRST_UID
    drop = f"setpriv --reuid={uid} --regid={uid} --clear-groups --no-new-privs"
    places = [*((place, place) for place in _SYSTEM), *staged.items()]
    enter = shlex.join(_bubblewrap(places, rules) + program)
    lines.append(f"exec {drop if is_root else ''} {enter}")
    own = [] if is_root else ["--user", "--map-root-user"]
    private = ["unshare", *own, "--mount", "--propagation", "private"]
    return [*private, "sh", "-c", "\n".join(lines)]


def _bubblewrap(places: list[tuple[str, str]], rules: int) -> list[str]:
    binds = [("--ro-bind-try", here, there) for here, there in places]
    devices = [("--dev-bind", f"/dev/{name}", f"/dev/{name}") for name in _DEVICES]
    return [
        *("bwrap", "--unshare-all", "--unshare-user", "--die-with-parent"),
        "--as-pid-1",  # which no signal from within ends
        *("--new-session", "--cap-drop", "ALL", "--uid", _INSIDE, "--gid", _INSIDE),
        *("--bind", f"{_STAGE}/work", "/tmp"),
        *(word for bind in (*binds, *devices) for word in bind),
        *("--proc", "/proc", "--remount-ro", "/proc", "--remount-ro", "/"),
        *("--chdir", "/tmp", "--seccomp", str(rules), "--"),
    ]
