# SPDX-License-Identifier: Apache-2.0
#
# Entities: documents with their version beside. The first argument is the kind.
include "coopr";
include "documents";

def shown($kind; $version): document_of($kind) + {version: $version};

def list: .arguments[0] as $kind | [entities($kind)[]] | answer;

# The newest version of an entity.
def newest($kind; $name): result(["store", "history", "-o", "json", "--", $kind, $name]) | out | map(.version) | max;

def show:
	.arguments as [$kind, $name, $version] |
	if $version == null then
		newest($kind; $name) as $newest | result(["store", "get", "--", $kind, $name]) | out[0] | shown($kind; $newest)
	elif $version | test("^[0-9]{1,9}$") then
		result(["store", "get", "--revision", $version, "--", $kind, $name]) | out[0] | shown($kind; $version | tonumber)
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
		store(["--replace-secrets"]; {($kind + "s"): [$new | unfill($old.out[0] // {}; $kind | whole) | keep($old.out[0]; $kind | known)]})
	end;

def drop:
	.arguments as [$kind, $name] |
	if result(["store", "list", "-o", "json", $kind]) | items | any(.name == $name) then
		result(["store", "delete", "-yq", "--force", "--", $kind, $name]) | out | nothing
	else nothing end;

# Versions are kept. The newest goes, as what was before becomes the newest again.
def drop_version:
	.arguments as [$kind, $name, $version] |
	(result(["store", "history", "-o", "json", "--", $kind, $name]) | items | sort_by(-.version)) as [$newest, $before] |
	if $newest == null or $newest.deleted or ($version | test("^[0-9]{1,9}$") | not) or ($version | tonumber) > $newest.version then nothing
	elif $version != "\($newest.version)" then refuse(409; "\($kind) \($name): version \($version) is not the newest; older versions are kept")
	elif $before == null or $before.deleted then result(["store", "delete", "-yq", "--force", "--", $kind, $name]) | out | nothing
	else
		result(["store", "get", "--revision", "\($before.version)", "--", $kind, $name]) as $document | store([]; {($kind + "s"): $document.out})
	end;

def resolve:
	document as $template | result(["store", "get", "--resolved", "clustertemplate", "-"]; $template) |
	if .code == 1 then refuse(404; said) else out[0] | document_of("clustertemplate") | answer end;

def export:
	(entities | to_entries | group_by(.key / "/" | .[0]) | map({(.[0].key / "/" | .[0] + "s"): map(.value)}) | add) as $all |
	{providers: [], hardwaretypes: [], imagetypes: [], services: [], clustertemplates: [], partialtemplates: []} + $all | answer;

def load: result_of_body(["import", "-y", "-q", "--replace-secrets", "-"]) | out | nothing;
