# SPDX-License-Identifier: Apache-2.0
#
# Entities: their documents are Coopr's, with the version beside. The first argument is the kind.
include "coopr";

# The members that Coopr knows: in an object those that are named, or all ("*"); all that are strings; or all there is (null).
def base: {name: null, label: null, description: null, icon: null, version: null};
def known_template: base + {
	compatibility: {hardwaretypes: null, imagetypes: null, services: null},
	defaults: {services: null, provider: null, hardwaretype: null, imagetype: null, dnsSuffix: null, config: null}};
def known: base + {
	provider: {providertype: null, provisioner: null},
	hardwaretype: {providermap: {"*": "strings"}},
	imagetype: {providermap: {"*": "strings"}},
	service: {
		dependencies: {provides: null, conflicts: null, install: {requires: null, uses: null}, runtime: {requires: null, uses: null}},
		provisioner: {actions: (["install", "configure", "initialize", "start", "stop", "remove"] | map({(.): {type: null, fields: null}}) | add)},
		links: null},
	clustertemplate: (known_template + {
		constraints: {layout: {mustcoexist: null, cantcoexist: null}, size: {min: null, max: null},
			services: {"*": {hardwaretypes: null, imagetypes: null, quantities: {min: null, max: null}}}},
		administration: {leaseduration: {initial: null, max: null, step: null}},
		links: null, extends: null, includes: null}),
	partialtemplate: (known_template + {immutable: null})}[.];

# Adds to a new document what the old one has that Coopr does not know, and its clients so cannot have left out on purpose.
def keep($old; $known):
	if ($known | type) != "object" and $known != "strings" or ($old | type) != "object" or type != "object" then .
	else reduce ($old | keys_unsorted[]) as $name (.;
		($known == "strings" and ($old[$name] | type) == "string" or ($known | type) == "object" and ($known | has($name) or has("*"))) as $is_known |
		if has($name) then
			if $known == "strings" then . else .[$name] |= keep($old[$name]; if $known | has($name) then $known[$name] else $known["*"] end) end
		elif $is_known then .
		else .[$name] = $old[$name] end)
	end;

def shown($version): del(.kind) + {version: $version};

def list:
	.arguments[0] as $kind |
	(result(["store", "list", "-o", "json", $kind]) | items | map({(.name): .version}) | add) as $versions |
	result(["export"]) | out | map(select(.kind == $kind) | shown($versions[.name])) | answer;

# The newest version of an entity.
def newest($kind; $name): result(["store", "history", "-o", "json", "--", $kind, $name]) | out | map(.version) | max;

def show:
	.arguments as [$kind, $name, $version] |
	if $version == null then
		newest($kind; $name) as $newest | result(["store", "get", "--", $kind, $name]) | out[0] | shown($newest)
	elif $version | test("^[0-9]{1,9}$") then
		result(["store", "get", "--revision", $version, "--", $kind, $name]) | out[0] | shown($version | tonumber)
	else refuse(400; "expected a version, found \($version)") end | answer;

def store($options; $document): result(["import", "-y", "-q"] + $options + ["-"]; $document) | out | nothing;

def create:
	.arguments[0] as $kind | document as $new |
	store(["--expect", "0"]; {($kind + "s"): [$new]});

def replace:
	.arguments as [$kind, $name] | document as $new |
	if $new.name != $name then refuse(400; "the name in the path is \($name), and that in the body \($new.name)")
	else
		result(["store", "get", "--", $kind, $name]) as $old |
		store(["--replace-secrets"]; {($kind + "s"): [$new | keep($old.out[0]; $kind | known)]})
	end;

def drop:
	.arguments as [$kind, $name] |
	if result(["store", "list", "-o", "json", $kind]) | items | any(.name == $name) then
		result(["store", "delete", "-yq", "--force", "--", $kind, $name]) | out | nothing
	else nothing end;

def drop_version:
	.arguments as [$kind, $name] | newest($kind; $name) |
	refuse(409; "versions are kept; DELETE /v2/\($kind)s/\($name) deletes the \($kind)");

def resolve:
	document as $template | result(["store", "get", "--resolved", "clustertemplate", "-"]; $template) |
	if .code == 1 then refuse(404; said) else out[0] | answer end;

def export:
	(result(["store", "list", "-o", "json"]) | items | map({("\(.entity)/\(.name)"): .version}) | add) as $versions |
	(result(["export"]) | out) as $all |
	["provider", "hardwaretype", "imagetype", "service", "clustertemplate", "partialtemplate"] |
	map(. as $kind | {($kind + "s"): [$all[] | select(.kind == $kind) | shown($versions["\($kind)/\(.name)"])]}) | add | answer;

def load: document as $all | store(["--replace-secrets"]; $all);
