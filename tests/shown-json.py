#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shown-json.py PAGE...: prints each JSON document of the pages that is none.

A literal block (.Bd -literal) or a line (.Dl) that begins with { or [ is JSON, one document or several; so is a text in quotes
(.Ql, .Dq, .Li) that begins with { and has a member. "..." stands for what is left out: a member, an element, a value.
"""
import json
import re
import sys

ESCAPES = {r"\(dq": '"', r"\(aq": "'", r"\e": "\\", r"\&": "", r"\-": "-", r"\(ha": "^", r"\(ti": "~"}


def plain(text):
    for escape, character in ESCAPES.items():
        text = text.replace(escape, character)
    return text


def is_json(text):
    """Whether text is one JSON document after the other."""
    decoder, at = json.JSONDecoder(), 0
    try:
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            at = decoder.raw_decode(text, at)[1]
        return True
    except ValueError:
        return False


def without_ellipses(text):
    text = re.sub(r",\s*\.\.\.(?=\s*[}\]])", "", text)
    text = re.sub(r"([\[{])\s*\.\.\.\s*(?=[}\]])", r"\1", text)
    return text


def judge(page, number, text):
    text = without_ellipses(text)
    if not is_json(text):
        print(f"{page}:{number}: {text}")


def blocks(lines):
    """The literal blocks and lines of a page, each with the number of its first line."""
    block = None
    for number, line in enumerate(lines, 1):
        if line.startswith((".Bd -literal", ".Bd -unfilled")):
            block = []
        elif line.startswith(".Ed") and block is not None:
            yield number - len(block), "\n".join(block)
            block = None
        elif block is not None:
            block.append(plain(line))
        elif line.startswith(".Dl "):
            yield number, plain(line[4:])
        else:
            quoted = re.match(r"\.(?:Ql|Dq|Li|It Ql|It Li) (\{\\?.*:.*\})", line)
            if quoted:
                yield number, plain(quoted.group(1))


for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        for where, shown in blocks(file.read().split("\n")):
            if re.match(r"\s*(\{|\[)", shown) and not re.match(r"\[[a-z ]+\]\n", shown): # the section of an INI file
                judge("/".join(name.split("/")[-2:]), where, shown)
