#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# agree.py [--as-is] KIND FILE...
#
# Takes each FILE, a well-formed document of a kind, and (without --as-is) many documents that differ from it in one
# place: a member is gone, or its value is another. What the JSON Schema of the kind says of each and what
# coopr-validate says of it have to be the same, and a FILE itself has to be fine. Prints each on which they disagree,
# and at the end how many there were; exit code 1 where there are any.
#
# Needs the module jsonschema (Debian: python3-jsonschema).

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import jsonschema  # noqa: E402

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "share/coopr/schema"
VALUES = [None, True, 0, 1, -1, 1.5, 101, 1e16, 2592001, "x", "", " ", "..", "a/b", "-x", "a b", "12", "1.5", "12h", "zone", "moves",
          "create", [], ["x"], [7], [None], [["x"]], [{}], {}, {"x": {}}, {"x": 7}, {"x": "y"}, {"a b": {}}, {"name": "x"},
          "n" * 33, "n" * 256, "\u00e9", "2026-11-21T10:00:00Z"]
# A schema cannot say that a number is at most another one, that names differ, that a reference leads somewhere.
BEYOND = re.compile("is more than max|stands in this list|is another node's|is defined twice|no present node|in the answer")


def places(value, path=()):
    """Every place of a document, from the top."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], path + (index,))


def changed(text, path, change):
    """The document of a text, in which change has been done to what holds the place."""
    result = json.loads(text)
    holder = result
    for step in path[:-1]:
        holder = holder[step]
    change(holder, path[-1])
    return result


def variants(document):
    text = json.dumps(document)
    yield document
    for path in places(document):
        if not path:
            continue
        yield changed(text, path, lambda holder, key: holder.pop(key))
        for value in VALUES:
            yield changed(text, path, lambda holder, key: holder.__setitem__(key, value))


def parser_says(kind, documents):
    """For each document what coopr-validate says of it: a list of lines."""
    said = []
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(documents), 500):
            names = []
            for index, document in enumerate(documents[start:start + 500]):
                name = "%d.json" % (start + index)
                names.append(name)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(json.dumps(document))  # json.dump takes ten times as long
            run = subprocess.run(["coopr-validate", "--kind", kind] + names, cwd=folder, stderr=subprocess.PIPE, check=False)
            if run.returncode not in (0, 65):
                sys.exit("coopr-validate exits with %d: %s" % (run.returncode, run.stderr.decode()))
            lines = {}
            for line in run.stderr.decode().splitlines():
                lines.setdefault(line.split(": ")[1], []).append(line)
            said += [lines.get(name, []) for name in names]
    return said


def main():
    as_is = sys.argv[1] == "--as-is"
    name, files = sys.argv[1 + as_is], sys.argv[2 + as_is:]
    schema = json.loads((SCHEMAS / (name + ".json")).read_text())
    resolver = jsonschema.RefResolver(SCHEMAS.as_uri() + "/" + name + ".json", schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    originals = [json.loads(pathlib.Path(file).read_text()) for file in files]
    documents = originals if as_is else [variant for document in originals for variant in variants(document)]
    wrong = refused = 0
    for document, lines in zip(documents, parser_says(name, documents)):
        fine = validator.is_valid(document)
        lines = [line for line in lines if not BEYOND.search(line)]
        refused += bool(lines)
        if fine == bool(lines) or (not fine and any(document is original for original in originals)):
            wrong += 1
            errors = ["/".join(map(str, e.absolute_path)) + ": " + e.message[:200] for e in validator.iter_errors(document)]
            print("%s: %s" % (name, json.dumps(document)))
            print("  schema: %s" % ("; ".join(errors) or "fine"))
            print("  parser: %s" % ("; ".join(lines) or "fine"))
    print("%s: %d documents, %d refused, %d disagreements" % (name, len(documents), refused, wrong))
    return wrong > 0


sys.exit(main())
