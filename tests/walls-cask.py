# SPDX-License-Identifier: Apache-2.0
#
# walls-cask.py COUNT TEMPLATES FILE...
#
# Documents of Cask's Coopr as a hostile author hands them on: prints COUNT of them, a line each, with one string, or one member's name, in the
# place of which stands one of the texts that come by standard input, a line of JSON each. The documents are the FILEs, and exports of one entity
# of the folder TEMPLATES each ("": there is none). Another $SEED chooses others; with WALLS_ALL=1 each place of each document has its turn.
import copy
import glob
import json
import os
import random
import sys

count, templates, files = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
texts = [json.loads(line) for line in sys.stdin]
choice = random.Random(int(os.environ.get("SEED", "1")))


def documents():
    for file in files:
        yield json.load(open(file))
    for file in sorted(glob.glob(templates + "/*/*.json")) if templates else []:
        yield {os.path.basename(os.path.dirname(file)): [json.load(open(file))]}


def places(value, path=()):
    """Where strings and members stand, as paths whose last part says which of both."""
    if isinstance(value, dict):
        for name, of in value.items():
            yield path + (name, "name")
            yield from places(of, path + (name,))
    elif isinstance(value, list):
        for index, of in enumerate(value):
            yield from places(of, path + (index,))
    else:
        yield path + ("value",)


def replaced(document, path, text):
    document = copy.deepcopy(document)
    at = document
    *steps, last, what = path
    for step in steps:
        at = at[step]
    if what == "name":
        at[text if isinstance(text, str) else json.dumps(text)] = at.pop(last)
    else:
        at[last] = text
    return document


every = [(document, [path for path in places(document) if len(path) > 1]) for document in documents()]
if os.environ.get("WALLS_ALL"):
    chosen = [(document, path) for document, paths in every for path in paths]
else:
    chosen = [(document, choice.choice(paths)) for document, paths in (every[n % len(files)] if n % 2 else choice.choice(every) for n in range(count))]
for document, path in chosen:
    print(json.dumps(replaced(document, path, choice.choice(texts))))
