#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Addresses inside and outside of ranges, in twenty spellings each: own-machines.py CASES RANGE... prints a line of JSON for each case,
# {"inside": BOOLEAN, "address": ADDRESS, "spellings": [...]}. Whether it is inside, the module ipaddress says. $SEED chooses others.
import ipaddress
import json
import os
import random
import sys

SPELLINGS = 20
choice = random.Random(int(os.environ.get("SEED", "1")))


def number(value):
    """A part of an IPv4 address, as inet_aton(3) reads it."""
    zeros = "0" * choice.randrange(3)
    return choice.choice([str(value), hex(value), "0X%X" % value, "0x" + zeros + "%x" % value, "0" + zeros + "%o" % value if value else "0"])


def four(address):
    parts, value = list(address.packed), int(address)
    shapes = [parts, parts[:2] + [parts[2] << 8 | parts[3]], parts[:1] + [value & 0xffffff], [value]]
    text = ".".join(number(part) for part in choice.choice(shapes))
    high, low = "%x" % (value >> 16), "%x" % (value & 0xffff)
    mapped = choice.choice(["::ffff:%s" % address, "::FFFF:%s:%s" % (high, low), "0:0:0:0:0:ffff:%s" % address,
                            "0000:0:00::ffff:%s:%s" % (high.zfill(4), low.zfill(4)), "::ffff:%s%%1" % address])
    return choice.choice([text, text, text, mapped, str(address)])


def six(address):
    groups = address.exploded.split(":")
    short = [choice.choice([group, group.lstrip("0") or "0", (group.lstrip("0") or "0").upper()]) for group in groups]
    last = choice.choice([short[6:], [str(ipaddress.IPv4Address(address.packed[12:]))]])
    text = choice.choice([":".join(short[:6] + last), str(address), address.compressed.upper(), address.exploded])
    return text + choice.choice(["", "", "", "%1", "%2"])


def address_of(network):
    """One of the network, its first or last, or one beside these."""
    first, last = int(network.network_address), int(network.broadcast_address)
    return network.network_address.__class__(choice.choice([first, last, first - 1, last + 1, choice.randint(first, last), last ^ 1 << choice.randrange(8, 24)]))


def main():
    cases, networks = int(sys.argv[1]), [ipaddress.ip_network(text) for text in sys.argv[2:]]
    for _ in range(cases):
        address = address_of(choice.choice(networks))
        spell = four if address.version == 4 else six
        spellings = {str(address)}
        while len(spellings) < SPELLINGS:
            spellings.add(spell(address))
        inside = any(address in network for network in networks)
        print(json.dumps({"inside": inside, "address": str(address), "spellings": sorted(spellings)}))


main()
