#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Documents that a tenant could write, or all that there are, with the strings that are read, a line of JSON each, wherever a schema or a plugin's description
# lets a string be, and as the name of a member where names are free: walls-documents.py SCHEMAS KINDS PLUGIN... prints
# {"kind": KIND, "place": POINTER, "document": DOCUMENT}, one a line. What a plugin reads gets some of the strings, other members one, another
# choice for each $SEED; with WALLS_ALL=1 all of them. Where names are free, one stands that means something elsewhere. A member that is added to a schema, or to what a plugin describes, is in one without a
# further word.
import json
import os
import random
import subprocess
import sys

schemas, kinds, plugins = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
PART = 7  # of the strings
read = {}


def load(name):
    if name not in read:
        read[name] = json.load(open(os.path.join(schemas, name)))
    return read[name]


def resolve(schema, file):
    while "$ref" in schema:
        name, _, pointer = schema["$ref"].partition("#")
        file = name or file
        schema = load(file)
        for part in pointer.split("/")[1:]:
            schema = schema[part]
    return schema, file


def admits(schema, kind):
    types = schema.get("type", [])
    return kind == types or kind in types


def least(schema, file):
    """The smallest value that the schema allows."""
    schema, file = resolve(schema, file)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "examples" in schema:
        return schema["examples"][0]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return least(schema[word][0], file)
    if admits(schema, "object") or "properties" in schema:
        return {name: least(schema["properties"][name], file) for name in schema.get("required", [])}
    if admits(schema, "array"):
        return [least(schema["items"], file) for _ in range(schema.get("minItems", 0))]
    if admits(schema, "integer") or admits(schema, "number"):
        return schema.get("minimum", 1)
    return False if admits(schema, "boolean") else "x"


def strings(schema, file, depth=0):
    """Each value that has one string "@", with what it needs around it, and where that is."""
    schema, file = resolve(schema, file)
    if depth > 12:
        sys.exit("%s is deeper than this program looks" % file)
    known = schema.get("properties")
    nothing_said = not any(word in schema for word in ("type", "enum", "const", "anyOf", "oneOf", "properties", "allOf"))
    if admits(schema, "string") or "enum" in schema or nothing_said:
        yield "@", ""
    if not schema:
        yield {"free": "@"}, "/*"
        yield {"free": {"free": "@"}}, "/*/*"
        yield ["@"], "/-"
    for word in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(word, []):
            yield from strings(one, file, depth + 1)
    if known is not None or admits(schema, "object"):
        base = least(schema, file) if not any(word in schema for word in ("anyOf", "oneOf")) else {}
        for name, of in (known or {}).items():
            for value, where in strings(of, file, depth + 1):
                yield {**base, name: value}, "/" + name + where
        more = schema.get("additionalProperties", {} if known is None else False)
        if more is not False:
            more = {} if more is True else more
            yield {**base, "@": least(more, file)}, "/(name)"
            for value, where in strings(more, file, depth + 1):
                yield {**base, "free": value}, "/*" + where
    if admits(schema, "array") and "items" in schema:
        for value, where in strings(schema["items"], file, depth + 1):
            yield [value], "/-" + where


def describe(path):
    return json.loads(subprocess.run([path, "describe"], stdout=subprocess.PIPE, check=True).stdout)


def described(path):
    """What a plugin takes, with members that it does not name."""
    answer = describe(path)
    schema = {"type": "object", "properties": answer.get("properties", {}), "required": answer.get("required", []), "additionalProperties": {}}
    for value, where in strings(schema, "definitions.json"):
        yield value, where


def attacked():
    for kind in kinds:
        for value, where in strings(load(kind + ".json"), kind + ".json"):
            yield kind, where, value
    for path in plugins:
        name, folder = os.path.basename(path), os.path.basename(os.path.dirname(path))
        for fields, where in described(path):
            if folder == "provider":
                yield "provider", "/provisioner(%s)" % name + where, {"name": "p", "providertype": name, "provisioner": fields}
            else:
                yield "service", "/fields(%s)" % name + where, {
                    "name": "evil", "provisioner": {"actions": {"install": {"type": name, "fields": fields}}}}
    for kind, member in (("hardwaretype", "flavor"), ("imagetype", "image"), ("imagetype", "sshuser"), ("imagetype", "other")):
        for provider in (os.path.basename(path) for path in plugins if "/provider/" in path):
            yield kind, "/providermap/%s/%s" % (provider, member), {"name": "h", "providermap": {provider: {member: "@"}}}


def named(value):
    """The names of members in a schema."""
    if isinstance(value, dict):
        for name, of in value.items():
            if name in ("properties", "$defs") and isinstance(of, dict):
                yield from of
            yield from named(of)
    if isinstance(value, list):
        for of in value:
            yield from named(of)


def replaced(value, text, free):
    """The value with the text where it says so, and a name that something reads where any may be."""
    if isinstance(value, dict):
        word = text if isinstance(text, str) else json.dumps(text)
        return {word if name == "@" else free() if name == "free" else name: replaced(of, text, free) for name, of in value.items()}
    if isinstance(value, list):
        return [replaced(of, text, free) for of in value]
    return text if value == "@" else value


def main():
    texts = [json.loads(line) for line in sys.stdin]
    choice = random.Random(int(os.environ.get("SEED", "1")))
    every = os.environ.get("WALLS_ALL")
    names = {name for file in os.listdir(schemas) for name in named(load(file))}
    names |= {name for path in plugins for name in named(describe(path))}
    names = sorted(names)
    seen = set()
    for kind, where, value in attacked():
        if kind + where in seen:
            continue
        seen.add(kind + where)
        read_by_plugin = "fields" in where or kind == "provider" or "map/" in where
        count = len(texts) if every else PART if read_by_plugin else 1
        for text in choice.sample(texts, count):
            print(json.dumps({"kind": kind, "place": where, "document": replaced(value, text, lambda: choice.choice(names))}))


main()
