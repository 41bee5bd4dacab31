"""Shut a process in: what it may use up, what it sees, whom it can reach.

On Linux a process of its own namespaces has no network, sees no other process, and finds all files
read-only, those that are nobody's business empty. What is not allowed here is left out: `LEVELS`
names the ways from the best to the last, and `launch` takes the first that works. At each level the
kernel refuses the calls in `_FORBIDDEN`.
"""

import ctypes
import os
import resource
import signal
import struct
import sys
from dataclasses import dataclass

__all__ = [
    "LEVELS",
    "MOST_PROCESSES",
    "Jail",
    "adopt_orphans",
    "describe_exit",
    "limit",
]

MOST_PROCESSES = 64
_MOST_OPEN = (
    64  # files and pipes of a process, for what waits in pipes counts to none
)
_MB = 1 << 20

# What a process may be shut in by: namespaces, and the rights of nobody.
LEVELS = (
    "namespaces and nobody's rights",
    "namespaces",
    "nobody's rights",
    "limits only",
)

# From Linux's headers.
_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
)  # fmt: skip
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = (
    1, 2, 4, 0x20, 0x1000, 0x4000, 0x40000
)  # fmt: skip
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 1
_NO_NEW_PRIVS, _SUBREAPER, _SECCOMP = 38, 36, 22
_CAPABILITIES = 0x20080522
# Of each processor: what the kernel calls it, and the numbers of what an answer may not ask for.
# Sockets reach whatever listens, those in the file system even from a network of one's own;
# io_uring opens them, too. Memory of the others counts to no process, and no limit sees it.
_FORBIDDEN = {
    # socket, shmget, memfd_create, memfd_secret, mount, fsopen, io_uring_setup
    "x86_64": (0xC000003E, (41, 29, 319, 447, 165, 430, 425)),
    "aarch64": (0xC00000B7, (198, 194, 279, 447, 40, 430, 425)),
}
_DEVICES = ("null", "zero", "full", "random", "urandom")


@dataclass(frozen=True)
class Jail:
    """How a process is shut in.

    Parameters
    ----------
    level : str
        One of `LEVELS`.
    work : str
        An empty folder, the only place where it may write.
    hidden : tuple of str
        Files and folders that it must not see; `work` may lie in one.
    uid : int
        Whose rights it gets, where it is started with root's.
    memory, files : int
        MB that one process may use, and that its files may take.
    seconds : int
        Of the processor's time.
    """

    level: str
    work: str
    hidden: tuple[str, ...] = ()
    uid: int = 65534
    memory: int = 1024
    files: int = 16
    seconds: int = 60

    @property
    def has_namespaces(self) -> bool:
        """Whether it is cut off by namespaces."""
        return self.level.startswith("namespaces")

    @property
    def is_nobody(self) -> bool:
        """Whether it has nobody's rights."""
        return self.level.endswith("nobody's rights")

    def leave(self) -> None:
        """Leave the network, the processes and the files of the system; then fork."""
        if not self.has_namespaces:
            return
        user, group = os.getuid(), os.getgid()
        own = 0 if self.is_nobody else _NEWUSER
        _check(
            _libc().unshare(own | _NEWNS | _NEWIPC | _NEWPID | _NEWNET), "unshare"
        )
        if own:
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{user} {user} 1")
            _write("/proc/self/gid_map", f"{group} {group} 1")

    def enter(self) -> None:
        """Shut this process in, for good."""
        if self.has_namespaces:
            self._mount()
        os.chdir(self.work)
        os.environ.update(HOME=self.work, TMPDIR=self.work)
        limit(memory=self.memory, files=self.files, seconds=self.seconds)
        if self.is_nobody:
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        if sys.platform == "linux":
            _libc().prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
            if self.has_namespaces and not self.is_nobody:
                _drop_capabilities()
            _forbid()

    def _mount(self) -> None:
        libc = _libc()
        _check(
            libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "mount"
        )
        attributes = struct.pack("QQQQ", _ATTR_RDONLY, 0, 0, 0)
        _check(
            libc.syscall(
                ctypes.c_long(_MOUNT_SETATTR),
                ctypes.c_long(_AT_FDCWD),
                b"/",
                ctypes.c_long(_AT_RECURSIVE),
                attributes,
                ctypes.c_long(len(attributes)),
            ),
            "mount_setattr",
        )
        devices = [
            os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC) for name in _DEVICES
        ]
        emptied = []
        # A folder comes before what lies in it, which is then gone.
        for place in sorted({"/dev", *self.hidden}, key=len):
            if os.path.isdir(place):
                _mount_empty(place, "size=4k,mode=755", 0)
                emptied.append(place)
            elif os.path.exists(place):
                _bind(devices[0], place)
        for name, device in zip(_DEVICES, devices, strict=True):
            open(f"/dev/{name}", "x").close()
            _bind(device, f"/dev/{name}")
            os.close(device)
        os.makedirs(self.work, exist_ok=True)
        for place in emptied:
            flags = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
            result = libc.mount(b"none", place.encode(), None, flags, None)
            _check(result, f"mount {place}")
        mine = f",uid={self.uid},gid={self.uid}" if self.is_nobody else ""
        _mount_empty(self.work, f"size={4 * self.files}m,mode=700{mine}", 0)
        # The new processes' own list of processes, in place of everybody's; some containers forbid
        # it, and what is seen then cannot be touched.
        libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV, None)


def limit(
    *,
    memory: int,
    files: int,
    seconds: int | None = None,
    processes: int | None = MOST_PROCESSES,
) -> None:
    """Limit what this process, and each that it starts, may use up.

    Parameters
    ----------
    memory, files : int
        MB beyond what it uses now; MB of a file.
    seconds : int, optional
        Of the processor's time.
    processes : int, optional
        That the user may have. None: as many as there may be anyway.
    """
    _lower(resource.RLIMIT_FSIZE, files * _MB)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, _MOST_OPEN)
    if seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds)
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            used_now = int(file.read().split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, used_now + memory * _MB)
        if processes is not None:
            _lower(resource.RLIMIT_NPROC, processes)


def describe_exit(code: int) -> str:
    """Say how a process ended.

    Parameters
    ----------
    code : int
        Its exit status; negative, or above 128, where a signal ended it.
    """
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if not number:
        return f"it ended by itself with exit status {code}"
    try:
        return f"it was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"it was ended by signal {number}"


def adopt_orphans() -> None:
    """Let this process be the parent of whatever its children leave behind."""
    if sys.platform == "linux":
        _libc().prctl(_SUBREAPER, 1, 0, 0, 0)


def _lower(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _mount_empty(place: str, options: str, flags: int) -> None:
    flags |= _MS_NOSUID | _MS_NODEV
    libc = _libc()
    result = libc.mount(b"none", place.encode(), b"tmpfs", flags, options.encode())
    _check(result, f"mount {place}")


def _bind(descriptor: int, place: str) -> None:
    source = f"/proc/self/fd/{descriptor}".encode()
    result = _libc().mount(source, place.encode(), None, _MS_BIND, None)
    _check(result, f"mount {place}")


def _forbid() -> None:
    """Let the kernel refuse `_FORBIDDEN`, where this processor is known and the kernel can."""
    architecture, numbers = _FORBIDDEN.get(os.uname().machine, (0, ()))
    if not numbers or sys.maxsize < 1 << 32:
        return
    n = len(numbers)
    load, if_equal, if_at_least, give = 0x20, 0x15, 0x35, 0x06
    # Each step: what to do, how many steps to skip if so and if not, and with which number.
    steps = [
        (
            load,
            0,
            0,
            4,
        ),  # the processor: a process may call as one of another kind does
        (if_equal, 0, n + 3, architecture),
        (load, 0, 0, 0),  # the number of the call
        (
            if_at_least,
            n + 1,
            0,
            0x40000000,
        ),  # the same calls by other numbers (x32)
        *((if_equal, n - i, 0, number) for i, number in enumerate(numbers)),
        (give, 0, 0, 0x7FFF0000),  # let it through
        (give, 0, 0, 0x00050001),  # EPERM
    ]
    code = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *step) for step in steps)
    )
    program = struct.pack("HP", len(steps), ctypes.addressof(code))
    _libc().prctl(_SECCOMP, 2, program, 0, 0)


def _drop_capabilities() -> None:
    header = struct.pack("II", _CAPABILITIES, 0)
    _check(_libc().capset(header, b"\0" * 24), "capset")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
