# SPDX-License-Identifier: Apache-2.0
"""cycles.py OBJECTS: prints the cycles of modules below the folder OBJECTS, one a line.

A module needs another if its object file uses a symbol that the other's defines (nm).
"""
import os
import subprocess
import sys


def symbols(path):
    """Returns the symbols that an object file defines, and those that it uses from elsewhere."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind in "TDBRC":
            defined.add(name)
        elif kind == "U":
            used.add(name)
    return defined, used


def edges(top):
    """Returns for each module the set of modules that it needs."""
    modules = {}
    for folder, _, files in os.walk(top):
        for file in files:
            path = os.path.join(folder, file)
            if file.endswith(".o"):
                modules[os.path.relpath(path, top)[:-2]] = symbols(path)
    home = {name: module for module, (defined, _) in modules.items() for name in defined}
    return {module: {home[name] for name in used if name in home} - {module} for module, (_, used) in modules.items()}


def reachable(needs, start):
    """Returns all modules that a module needs, directly or not."""
    seen, open_ends = set(), [start]
    while open_ends:
        for module in needs[open_ends.pop()] - seen:
            seen.add(module)
            open_ends.append(module)
    return seen


def main():
    needs = edges(sys.argv[1])
    far = {module: reachable(needs, module) for module in needs}
    cycles = {tuple(sorted(m for m in far[module] if module in far[m])) for module in needs if module in far[module]}
    for cycle in sorted(cycles):
        print(" ".join(cycle))


main()
