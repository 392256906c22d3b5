# SPDX-License-Identifier: Apache-2.0
#
# The independent judge of YAML: PyYAML, which shares no code with libyaml.
#
#	yaml-judge.py convert <JSON >YAML        a document, in whichever style PyYAML prints it
#	yaml-judge.py catalogue FROM TO         a catalogue of JSON as one of YAML
#	yaml-judge.py generate SEED COUNT        COUNT records {kind, value} in values.yaml, in random styles
#	yaml-judge.py soup SEED COUNT            COUNT texts that are nearly YAML: soup/N.yaml
#	yaml-judge.py read FILE...               the documents of a file, as JSON, a line each; as coopr-catalogue(5) says what stands for what
#	yaml-judge.py load FILE                  the same with all that YAML 1.1 takes for another type
import json
import os
import random
import re
import sys

import yaml

PARTS = ["a", "b c", "- ", ": ", " #", "\n", "\n\n", " ", "\t", "yes", "null", "1", "-1", "2026-11-22", "0x1f", "1_000", "1:30", "'", '"',
         "\\", "{", "]", "&x", "*", "!", "|", ">", "%", "---", "...", "\x85", "\u2028", "\u00e9", "\U0001f600", "~", ",", "?", "<<", "=", "\x01",
         "\x7f", "_", "@", "`", "10.0.0.1", "64M"]
# Text that PyYAML prints without quotes, and that is a number or a boolean to other readers.
AMBIGUOUS = re.compile(r"[yYnN]|0o[0-7_]+|[-+]?[0-9.][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9_]+)?")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def text():
    while True:
        found = "".join(random.choice(PARTS) for _ in range(random.randrange(5)))
        if not AMBIGUOUS.fullmatch(found):
            return found


def value(depth=0):
    kind = random.randrange(4 if depth > 4 else 6)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.choice([random.randrange(-10**6, 10**6), 9007199254740991, random.uniform(-1000, 1000), 1.5e300, 0.1])
    if kind < 4:
        return text()
    if kind == 4:
        return [value(depth + 1) for _ in range(random.randrange(4))]
    return {text(): value(depth + 1) for _ in range(random.randrange(4))}


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


# What ends a line in YAML 1.1 alone is refused, but for escapes.
def styled(dumper, data):
    style = '"' if re.search("[\x85\u2028]", data) else random.choice([None, None, '"', "'", "|", ">"])
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


Dumper.add_representer(str, styled)


def generate(seed, count):
    random.seed(seed)
    with open("values.yaml", "w", encoding="utf-8") as out:
        for number in range(count):
            record = {"kind": "value", "number": number, "value": value()}
            out.write(yaml.dump(record, Dumper=Dumper, explicit_start=True, default_flow_style=random.choice([None, True, False]),
                                width=random.choice([20, 80, 10000]), indent=random.choice([2, 4, 7]),
                                allow_unicode=random.choice([True, False]), sort_keys=False))


def soup(seed, count):
    random.seed(seed)
    pieces = ["a", "b", "c", "- ", "- a", ": ", "a: ", "b: 1", "c: x y", "{", "}", "[", "]", ", ", "a: [1, 2]", "'", '"', "'q'", '"d": ', "|", ">-", " # c",
              "? ", "1", "true", "---", "null", "a:b", "a:1", "x#y", "-", ":"]
    for number in range(count):
        lines = []
        for _ in range(random.randrange(1, 7)):
            lines.append(" " * random.choice([0, 0, 0, 2, 2, 4, 1]) + "".join(random.choice(pieces) for _ in range(random.randrange(1, 4))))
        with open(f"soup/{number}.yaml", "w", encoding="utf-8") as out:
            out.write("kind: value\nvalue:\n" + "".join("  " + line + "\n" for line in lines))


# A document with the types of JSON, of the nodes of PyYAML.
def typed(node):
    if isinstance(node, yaml.MappingNode):
        return {name.value: typed(member) for name, member in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [typed(element) for element in node.value]
    if node.style is not None:
        return node.value
    if node.value in ("true", "false", "null") or NUMBER.fullmatch(node.value):
        return json.loads(node.value)
    return node.value or None


def read(path):
    with open(path, encoding="utf-8") as file:
        for document in yaml.compose_all(file, Loader=yaml.SafeLoader):
            print(json.dumps(typed(document)))


def load(path):
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            print(json.dumps(document))


def convert():
    yaml.safe_dump(json.load(sys.stdin), sys.stdout, sort_keys=False)


def catalogue(here, there):
    for folder in os.listdir(here):
        os.makedirs(os.path.join(there, folder))
        for name in os.listdir(os.path.join(here, folder)):
            with open(os.path.join(here, folder, name), encoding="utf-8") as file:
                document = json.load(file)
            with open(os.path.join(there, folder, name.replace(".json", ".yaml")), "w", encoding="utf-8") as out:
                yaml.safe_dump(document, out, sort_keys=False)


command, arguments = sys.argv[1], sys.argv[2:]
if command == "convert":
    convert()
elif command == "catalogue":
    catalogue(arguments[0], arguments[1])
elif command == "generate":
    generate(int(arguments[0]), int(arguments[1]))
elif command == "soup":
    soup(int(arguments[0]), int(arguments[1]))
elif command == "read":
    for argument in arguments:
        read(argument)
elif command == "load":
    load(arguments[0])
