"""Owns renaming inside one folder so that no file of somebody else is written over: by exchange, or to a free name."""

import errno
import os
from collections.abc import Callable

_NOREPLACE = 1
_EXCHANGE = 2
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})
"""How a system or a disk says that it knows no such renaming."""


def exchange(folder: int, one: str, other: str) -> bool:
    """Lets two names change places in one step. False where that cannot be done; nothing has changed then."""
    return _renamed(folder, one, other, _EXCHANGE)


def move(folder: int, one: str, other: str) -> None:
    """Gives the file a name that is free. Raises FileExistsError if it is taken."""
    if _renamed(folder, one, other, _NOREPLACE):
        return
    try:
        os.link(one, other, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        # A disk without second names: the look before is the best there is.
        if name_is_taken(folder, other):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), other) from None
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(one, dir_fd=folder)


def name_is_taken(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _renamed(folder: int, one: str, other: str, how: int) -> bool:
    import ctypes

    call = _system_call()
    if call is None or call(folder, os.fsencode(one), folder, os.fsencode(other), how) == 0:
        return call is not None
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    raise OSError(number, os.strerror(number), other)


def _system_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Linux has it, and Python does not."""
    # Imported here because it is slow, and only who replaces a file needs it.
    import ctypes

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call
