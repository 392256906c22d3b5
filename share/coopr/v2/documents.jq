# SPDX-License-Identifier: Apache-2.0
#
# Documents of entities, as Coopr knows them. What only coopr has in them is not shown, since clients of Coopr fail at some of it, and it
# stays when they send the document back.
include "coopr";

# The members that Coopr knows, by kind: in an object those that are named, or all ("*"); all that are strings; or all there is (null).
def base: {name: null, "label": null, description: null, icon: null};
def known_template: base + {
	compatibility: {hardwaretypes: null, imagetypes: null, services: null},
	defaults: {services: null, provider: null, hardwaretype: null, imagetype: null, dnsSuffix: null, config: null},
	constraints: {layout: {mustcoexist: null, cantcoexist: null}, size: {min: null, max: null},
		services: {"*": {hardwaretypes: null, imagetypes: null, quantities: {min: null, max: null}}}},
	administration: {leaseduration: {initial: null, max: null, step: null}},
	links: null};
def known: {
	provider: (base + {providertype: null, provisioner: null}),
	hardwaretype: (base + {providermap: {"*": "strings"}}),
	imagetype: (base + {providermap: {"*": "strings"}}),
	service: (base + {
		dependencies: {provides: null, conflicts: null, install: {requires: null, uses: null}, runtime: {requires: null, uses: null}},
		provisioner: {actions: (["install", "configure", "initialize", "start", "stop", "remove"] | map({(.): {type: null, fields: "strings"}}) | add)},
		links: null}),
	clustertemplate: (known_template + {extends: null, includes: null}),
	partialtemplate: (known_template + {immutable: null})}[.];

# Returns whether Coopr knows a member of an object, whose value is given.
def is_known($known; $name): if $known == "strings" then type == "string" else $known | has($name) or has("*") end;

# What is known of a member that is known.
def known_member($known; $name): if $known == "strings" then null elif $known | has($name) then $known[$name] else $known["*"] end;

# Leaves what Coopr knows.
def prune($known):
	if $known == null or type != "object" then .
	else with_entries(.key as $name | select(.value | is_known($known; $name)) | .value |= prune(known_member($known; $name))) end;

# Adds to a new document what the old one has that Coopr does not know, in objects that are still there.
def keep($old; $known):
	if $known == null or ($old | type) != "object" or type != "object" then .
	else reduce ($old | keys_unsorted[]) as $name (.;
		if $old[$name] | is_known($known; $name) | not then (if has($name) then . else .[$name] = $old[$name] end)
		elif has($name) then .[$name] |= keep($old[$name]; known_member($known; $name))
		else . end)
	end;

# A length of a lease in milliseconds.
def lease_ms:
	if type == "number" then .
	elif test("^[0-9]+[smhd]$") then (.[0:-1] | tonumber) * {s: 1000, m: 60000, h: 3600000, d: 86400000}[.[-1:]]
	elif test("^[0-9]+$") then tonumber
	else 0 end;

def unlimited: 2147483647; # as Coopr has it

# What clients of Coopr count on, and what it means that a document lacks it.
def whole_template: {
	defaults: {services: []}, compatibility: {hardwaretypes: [], imagetypes: [], services: []},
	constraints: {layout: {mustcoexist: [], cantcoexist: []}, services: {}, size: {min: 1, max: unlimited}},
	administration: {leaseduration: {initial: 0, max: 0, step: 0}}, links: []};
def whole: {
	provider: {provisioner: {}},
	hardwaretype: {providermap: {}},
	imagetype: {providermap: {}},
	service: {
		dependencies: {provides: [], conflicts: [], install: {requires: [], uses: []}, runtime: {requires: [], uses: []}},
		provisioner: {actions: {}}, links: []},
	clustertemplate: whole_template,
	partialtemplate: whole_template}[.];

# Adds that. A null is no member.
def fill($kind):
	($kind | whole) * (if any(..; . == null) then walk(if type == "object" then map_values(select(. != null)) else . end) else . end) |
	if .constraints then .constraints.services |= map_values({quantities: {}} + .) else . end |
	if .administration then .administration.leaseduration |= map_values(lease_ms) else . end;

# Takes away again what was added, and was sent back.
def unfill($old; $whole):
	if ($old | type) != "object" or type != "object" or ($whole | type) != "object" then .
	else reduce ($whole | keys_unsorted[]) as $name (.;
		if has($name) | not then .
		elif $old[$name] == null and .[$name] == $whole[$name] then del(.[$name])
		else .[$name] |= unfill($old[$name]; $whole[$name]) end)
	end;

# A document as Coopr shows it.
def document_of($kind): prune($kind | known) | fill($kind);

# The entities of the tenant, as Coopr shows them, by "KIND/NAME": of a kind, or (null) all.
def entities($kind):
	(result(["store", "list", "-o", "json"]) | items | map({("\(.entity)/\(.name)"): .version}) | add // {}) as $versions |
	result(["export"]) | out |
	map(select($kind == null or .kind == $kind) | "\(.kind)/\(.name)" as $id | {($id): (document_of(.kind) + {version: $versions[$id]})}) | add // {};
def entities: entities(null);
