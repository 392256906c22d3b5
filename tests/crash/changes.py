# SPDX-License-Identifier: Apache-2.0
"""What strace says was written to a file, and what a loss of power leaves of it: its bytes on disk with some of the changes since."""
import re


def applied(disk, changes):
    for kind, at, data in changes:
        if kind == "cut":
            disk = disk[:at].ljust(at, b"\0")
        else:
            disk = disk[:at].ljust(at, b"\0") + data + disk[at + len(data):]
    return disk


def text(quoted):
    return bytes(int(byte, 16) for byte in re.findall(r"\\x([0-9a-f]{2})", quoted))
