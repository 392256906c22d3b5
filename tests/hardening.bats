#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What holds an attacker up who is in a program of ours already: the units' confinement, and how the programs are built.

load case

setup() {
	fresh
}

@test "the units expose no more than 2.0 by systemd-analyze security" {
	need_program systemd-analyze
	for unit in "$COOPR_ROOT"/share/coopr/systemd/*[!@].service; do
		run -0 systemd-analyze security --offline=true --threshold=20 --no-pager "$unit"
	done
}

# What it has made inherits filters of system calls: it cannot have those of the others.
@test "the helper of the sandbox is the only unit with privileges, and has ten capabilities" {
	same 'coopr-sandbox@.service' "$(cd "$COOPR_ROOT/share/coopr/systemd" && grep -LE '^CapabilityBoundingSet=$' ./*.service | sed 's|^./||')"
	same 10 "$(grep '^CapabilityBoundingSet=' "$COOPR_ROOT/share/coopr/systemd/coopr-sandbox@.service" | grep -o CAP_ | wc -l)"
	same "root coopr 0660" "$(sed -n 's/^Socket\(User\|Group\|Mode\)=//p' "$COOPR_ROOT/share/coopr/systemd/coopr-sandbox.socket" | xargs)"
}

@test "the units let plugins be confined" {
	for unit in coopr-work coopr-reconcile; do
		grep -qx 'SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self' \
			"$COOPR_ROOT/share/coopr/systemd/$unit.service"
	done
}

@test "programs are position-independent and bind their symbols at once" {
	need_program readelf
	[[ $COOPR_BUILD != *san* ]] || skip "a build for the sanitizers is not hardened"
	for program in "$COOPR_BIN"/coopr-* "$COOPR_BIN"/../libexec/coopr/*/*; do
		[ -x "$program" ] && [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
		readelf -Whd "$program" >headers
		grep -q 'Type: *DYN' headers
		grep -q 'FLAGS_1.*NOW' headers
	done
}

@test "programs and objects are marked for control-flow enforcement, as far as the C library's startup objects are" {
	need_program readelf
	[[ $COOPR_BUILD != *san* ]] || skip "a build for the sanitizers is not hardened"
	[[ $(readelf -h "$COOPR_BIN"/coopr-solve) == *X86-64* ]] || skip "the processor has none"
	# Whether each object that we compile has both marks.
	find "$COOPR_BUILD" -name '*.o' -path '*/lib/*' >objects
	[ -s objects ]
	xargs -d '\n' -s 1000000 readelf -n <objects | awk '
		/^File: / { object = $2 }
		/x86 feature: IBT, SHSTK/ { print object }' | sort >marked
	same "" "$(sort objects | comm -23 - marked)"
	expected='SHSTK'
	readelf -n "$(cc -print-file-name=Scrt1.o)" | grep -q 'IBT' && expected='IBT, SHSTK'
	for program in "$COOPR_BIN"/coopr-* "$COOPR_BIN"/../libexec/coopr/*/*; do
		[ -x "$program" ] && [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
		readelf -n "$program" | grep -q "x86 feature:.*$expected" || { echo "$program: it is not marked"; return 1; }
	done
}
