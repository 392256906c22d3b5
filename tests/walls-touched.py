#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Judges a trace of system calls, as strace -f -y -e trace=%file writes it: walls-touched.py TRACE HERE prints the first calls that have named a file
# of the host with "canary" in its name, or one called "-". A name below coopr's own folders in HERE or below those of the installation is none of the host's,
# however it was spelled: it has been looked for there, and nowhere else.
import os
import re
import sys

trace, here = sys.argv[1], os.path.realpath(sys.argv[2])
own = [os.path.join(here, name) for name in ("catalogue", "state", "spool", "run", "store")] + [os.path.realpath(os.environ["COOPR_ROOT"])]
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"')


def resolve(folder, name):
    """The path that was meant; None where that cannot be told."""
    if not name.startswith("/"):
        name = os.path.join(folder or os.path.join(here, "host", "work"), name)
    if name.startswith(("/proc/", "/dev/")):
        return None
    return os.path.normpath(name)


touched = []
for line in open(trace, errors="replace"):
    call = re.sub(r"^\d+ +", "", line)
    if call.startswith("execve"):
        continue
    for folder, name in PATH.findall(call):
        if "canary" in name or name == "-" or name.startswith("-/"):
            path = resolve(folder, name)
            if path is None or not any(path.startswith(one + "/") for one in own):
                touched.append(line.rstrip()[:400])
                break
print("\n".join(touched[:5]))
