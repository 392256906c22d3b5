# SPDX-License-Identifier: Apache-2.0
#
# What is not one tenant's: tenants, plugins with their resources, figures.
include "coopr";
include "documents";

# Says that there is no such tenant, or that the user is not in it: for what is not of a tenant.
def in_tenant: (result(["whoami", "-o", "json"]) | out) as $whoami | .;

# --- tenants ---

# Workers are not divided among tenants.
def tenant: {name, description: (.description // ""), workers: 0, maxClusters: (.quota.clusters // unlimited), maxNodes: (.quota.nodes // unlimited)};

def tenants: in_tenant | result(["tenant", "list", "-o", "json"]) | items | map(tenant) | answer;
def one_tenant: result(["tenant", "show", "-o", "json", "--", .arguments[0]]) | out[0] | tenant | answer;

def limit($option): if . == null or . >= unlimited then [$option, "any"] else [$option, tostring] end;

# The tenant that was sent, and the options that say the same.
def sent_tenant: document.tenant | if type == "object" then . else refuse(400; "tenant: expected object, found \(type)") end;
def tenant_options:
	(if .description then ["-d", (.description | tostring)] else [] end) + (.maxClusters | limit("--clusters")) + (.maxNodes | limit("--nodes"));

def create_tenant:
	(document.bootstrap == true) as $bootstrap | sent_tenant as $tenant |
	result(["tenant", "create", "-yq"] + ($tenant | tenant_options) + (if $bootstrap then ["--bootstrap"] else [] end) + ["--", ($tenant.name // "" | tostring)]) |
	out | nothing;

def change_tenant:
	.arguments[0] as $name | sent_tenant as $tenant |
	if $tenant.name != $name then refuse(400; "the name in the path is \($name), and that in the body \($tenant.name)")
	else result(["tenant", "change", "-yq"] + ($tenant | tenant_options) + ["--", $name]) | out | nothing end;

def drop_tenant: result(["tenant", "delete", "-yq", "--", .arguments[0]]) | out | nothing;

# --- plugins: the first argument is "provider" or "automator" ---

# A field of a form, from what the plugin's schema says of it.
def field($name): {
	"label": (.title // $name), type: (if .enum then "select" elif .type == "boolean" then "checkbox" else "text" end), tip: (.description // ""),
	override: false, sensitive: false} +
	(if .enum then {options: .enum} else {} end) + (if has("default") then {default: .default} else {} end);

def described($kind; $name):
	result(["plugin", $kind, $name, "describe"]) | out[0] | {
		name: $name, description: (.description // .title // ""), version: 1,
		parameters: {
			admin: {fields: (.properties // {} | with_entries(.key as $key | .value |= field($key))), required: [(.anyOf // [.])[] | .required // []]}},
		resourceTypes: (.resources // {} | map_values({format: .formats[0]} + if .permissions then {permissions} else {} end))};

# What provisioners of Coopr have said of their plugins, coopr-provisioners(7); one of ours of that name comes first.
def of_provisioners($kind):
	.plugins[$kind] as $ours | result(["provisioner", "plugins", "\($kind)types"]) | items | map(select(.name | IN($ours[]) | not) | {version: 1} + .);

def plugins:
	in_tenant | .arguments[0] as $kind | . as $request |
	[.plugins[$kind][] as $name | $request | described($kind; $name)] + of_provisioners($kind) | answer;
def one_plugin:
	in_tenant | .arguments as [$kind, $name, $version] |
	if $version != null and $version != "1" then null
	elif .plugins[$kind] | index([$name]) then described($kind; $name)
	else of_provisioners($kind) | map(select(.name == $name))[0] end |
	if . then answer else refuse(404; "there is no \($kind) type \($name)") end;
def drop_plugin: refuse(403; "a plugin is a program of the installation, which nobody removes by a request");

# --- resources ---

def resource_name: "\(.arguments[0])types/" + (.arguments[1:] | join("/"));
def resource_version: "\(.arguments[0])types/" + (.arguments[1:4] | join("/")) + "@" + .arguments[4];

def meta: {name, version, status: .state};

# The versions that the tenant has itself, in the state that is asked for.
def resources:
	. as $request | .tenant as $tenant | .arguments as [$kind, $plugin] | (.query.status // null | if . then ascii_downcase else . end) as $status | resource_name as $name |
	result(["resource", "list", "-o", "json"] + (if $status then ["--status", $status] else [] end) + ["--", $name]) | items |
	map(select(.tenant == $tenant) | meta) |
	if . == [] and ($request | (.plugins[$kind] | index([$plugin]) | not) and all(of_provisioners($kind)[]; .name != $plugin)) then
		refuse(404; "there is no \($name)")
	else . end;

# What stands behind a plugin may also be the version of its description.
def resources_of_type: if .arguments[2] | test("^[0-9]+$") then one_plugin else resources | reduce .[] as $one ({}; .[$one.name] += [$one]) | answer end;
def versions: resources | answer;

def upload: result_of_body(["resource", "upload", "-y", "-o", "json", "--", resource_name, "-"]) | out[0] | meta | answer;
def stage: result(["resource", "stage", "-yq", "--", resource_version]) | out | nothing;
def recall: result(["resource", "recall", "-yq", "--", resource_version]) | out | nothing;
def drop_resource: result(["resource", "delete", "-yq", "--", resource_name]) | out | nothing;
def drop_resource_version: result(["resource", "delete", "-yq", "--", resource_version]) | out | nothing;
def sync: result(["resource", "sync", "-yq"]) | out | nothing;

# --- figures ---

# The tasks that wait and run, of the tenants that the user may see: of all where the user may see all.
def queues:
	in_tenant | result(["usage", "--queue", "-A", "-o", "json"]) as $all |
	(if $all.code == 0 then $all else result(["usage", "--queue", "-o", "json"]) end) | items |
	map({(.tenant): (.tasks | {queued: (.ready + .delayed + .blocked), inProgress: .running, total: (.ready + .delayed + .blocked + .running)})}) |
	add // {} | answer;

def option($name): if . == null then [] else [$name, .] end;

def unit: {nanoseconds: 1e-9, microseconds: 1e-6, milliseconds: 1e-3, seconds: 1, minutes: 60, hours: 3600, days: 86400}[. // "seconds" | ascii_downcase] //
	refuse(400; "timeunit: there is no unit \(.)");

# How long nodes were there.
def usage:
	.query as $query | ($query.timeunit | unit) as $unit |
	result(["usage", "-o", "json"] + ($query.groupby | option("--by")) + ($query.start | option("--start")) + ($query.end | option("--end")) +
		($query.user | option("--user")) + ($query.cluster | option("--cluster")) + ($query.clustertemplate | option("--template")) +
		($query.tenant | option("--tenant"))) | items |
	{start: (.[0].start | ms_of_text / 1000 | floor), end: (.[-1].end | ms_of_text / 1000 | floor),
		data: map({time: (.start | ms_of_text / 1000 | floor), value: (.node_hours * 3600 / $unit | floor)})} | answer;

# --- profiles of users ---

def profile: result(["profile", "get"]) | out[0] | answer;
def set_profile: document as $new | result(["profile", "set"]; $new) | out | nothing;
def drop_profile: result(["profile", "delete"]) | out | nothing;
