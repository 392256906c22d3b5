# SPDX-License-Identifier: Apache-2.0
"""cycles.py OBJECTS: prints the cycles of modules below the folder OBJECTS, one a line.

A module needs another if its object file uses a symbol that the other's defines (nm).
"""
import os
import subprocess
import sys


def objects(top):
    """Returns the path of each object file below a folder."""
    return [os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files if file.endswith(".o")]


def edges(top):
    """Returns for each module the set of modules that it needs. One nm reads all: it may load a compiler's plugins, which takes 20 ms."""
    home, used = {}, {}
    said = subprocess.run(["nm", "-A", *objects(top)], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        path, symbol = line.split(":", 1)
        module = os.path.relpath(path, top)[:-2]
        kind, name = symbol.split()[-2:]
        used.setdefault(module, set())
        if kind in "TDBRC":
            home[name] = module
        elif kind == "U":
            used[module].add(name)
    return {module: {home[name] for name in names if name in home} - {module} for module, names in used.items()}


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
