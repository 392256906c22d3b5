# SPDX-License-Identifier: Apache-2.0
#
# Clusters, as the server of Coopr shows them, and what is done to them. The first argument is the cluster's id.
include "coopr";
include "documents";

def record($kind): map(select(.kind == $kind));

# --- what a cluster is ---

def entity($entities; $kind; $name): $entities["\($kind)/\($name)"] // ({name: $name} | fill($kind));

def summary_of_entity: {name, description, "label", icon, version} | map_values(select(. != null));

# What operations are called.
def action: {
	create: "cluster_create", delete: "cluster_delete", config: "cluster_configure_with_restart", start: "start_services",
	stop: "stop_services", restart: "restart_services", add: "add_services"}[.] // gsub("-"; "_");
def action_status: {pending: "not_submitted", cancelled: "failed", cancelling: "running"}[.] // .;

# The operations that had work, as all have in Coopr: a lease has none.
def worked: map(select(.job));

# How far its last operation is: of one that is over, as its report says.
def progress($operation; $report):
	if .underway then .underway | {action: .action | action, actionstatus: (.jobstatus // .status | action_status), stepstotal: (.tasks.total // 0),
		stepscompleted: (.tasks.done // 0)}
	else {action: ($operation.action // "create" | action), actionstatus: ($operation.status // "complete" | action_status),
		stepstotal: ($report.tasks // 0), stepscompleted: ($report.attempts.done // 0)}
	end;

def common: {
	id, name, description: "", createTime: .created | ms_of_text, expireTime: .expires | ms_of_text, status};

def report($id; $number): result(["report", "-o", "json", "--operation", ($number | tostring), "--", $id]) | .out;

# An attempt of a task, among the actions of its node.
def action_of_attempt: {
	taskId: "\(.job)-\(.task)", service: (.service // ""), action: .action | ascii_upcase, submitTime: .began_at | ms_of_text,
	statusTime: ((.began_at | ms_of_text) + (.took_s // 0) * 1000 | floor), status: ({done: "complete", running: "in_progress"}[.status] // "failed"),
	stdout: null, stderr: .message};

def node($id; $entities; $attempts):
	. as $node |
	(.services // [] | map(entity($entities; "service"; .))) as $services | {
		id, clusterId: $id, services: $services,
		properties: ({hostname, ipaddresses: (.ipaddresses // {}), nodenum, hardwaretype, imagetype, flavor, image, sshuser, services: (.services // []),
			automators: [$services[].provisioner.actions[]?.type | strings] | unique}),
		actions: [$attempts[] | select(.node == $node.id) | action_of_attempt] | .[-200:], provisionerResults: (.facts // {}), links: []};

# --- looking ---

# The state of a cluster; that something is wrong with it is no failure.
def state($id): result(["status", "-o", "json", "--", $id]) | if .out == [] then out else . end | .out[0];

# A cluster of a list: as it is, where its operation is over and nobody has looked since. Clients of Coopr see it only in lists.
def settled($request): if .underway.jobstatus | IN("complete", "failed", "cancelled") then .id as $id | $request | state($id) else . end;

def clusters: . as $request | result(["list", "-o", "json", "--status", "all"]) | items | map(settled($request));

def list:
	(.query.status // "" | split(",") | map(ascii_downcase) | map(select(IN("pending", "active", "incomplete", "inconsistent", "terminated")))) as $wanted |
	clusters as $clusters | entities as $entities |
	[$clusters[] | select($wanted == [] or (.status | IN($wanted[]))) |
		common + {ownerId: .owner, numNodes: .nodes, provider: entity($entities; "provider"; .provider) | summary_of_entity,
			clusterTemplate: entity($entities; "clustertemplate"; .template) | summary_of_entity, progress: progress(null; null)}] | answer;

# All that our command shows of a cluster.
def shown($id): result(["show", "-c", "-o", "json", "--", $id]) | out;

def show:
	.arguments[0] as $id |
	shown($id) as $shown | ($shown | record("clusterstatus")[0]) as $state |
	(result(["history", "-o", "json", "--", $state.id]) | items) as $all | ($all | worked | .[:5]) as $operations |
	(. as $request | [$operations[] | .number as $number | $request | report($state.id; $number)]) as $reports |
	(result(["config", "--", $state.id]) | .out[0] // {}) as $config | entities as $entities |
	[$shown | record("node")[] | select(.services != null)] as $nodes |
	$state | common + {
		description: ($all[-1].why // ""), account: {userId: .owner, tenantId: .tenant}, latestJobId: $operations[0].job,
		provider: entity($entities; "provider"; .provider), clusterTemplate: entity($entities; "clustertemplate"; .template),
		services: [$nodes[].services[]] | unique, config: $config,
		nodes: [$nodes[] | node($state.id; $entities; [$reports | reverse[][] | select(.kind == "attempt")])],
		links: [$shown | record("link")[] | {"label", url}], progress: progress($operations[0]; $reports[0][0]), message: (.message // "")} | answer;

def status:
	.arguments[0] as $id | state($id) as $state | (result(["history", "-o", "json", "--", $state.id]) | items | worked | .[0]) as $operation |
	(if $state.underway or $operation == null then null else report($state.id; $operation.number)[0] end) as $report |
	{clusterid: $state.id, status: $state.status} + ($state | progress($operation; $report)) | answer;

# Of all clusters.
def statuses: optional_document as $ignored | clusters | map({clusterid: .id, status} + progress(null; null)) | answer;

def config: result(["config", "--", .arguments[0]]) | out[0] | answer;

def services($id): [shown($id) | record("node")[].services // [] | .[]] | unique;
def services: services(.arguments[0]) | answer;

# --- changing ---

# An operation of ours, which is only begun.
def begin($command; $id; $rest): result($command + ["-y", "--detach", "-o", "json", "--", $id] + $rest) | out;

def member($name; $option): if .[$name] == null or .[$name] == "" then [] else [$option, (.[$name] | tostring)] end;

def lease_option:
	if .initialLeaseDuration == null or .initialLeaseDuration == -1 then []
	else ["--lease", (.initialLeaseDuration | if type == "number" and . > 0 then "\(. / 1000 | ceil)s" else tostring end)] end;

# Says that there is no entity of that name, if so: to Coopr this is another failure than that there is no layout.
def want($kind; $name):
	if $name == null or (result(["store", "list", "-o", "json", $kind]) | items | any(.name == $name)) then .
	else refuse(404; "there is no \($kind) \($name)") end;

def create:
	document as $new | ($new |
		["create", "-y", "--detach", "-o", "json"] + member("clusterTemplate"; "-t") + ["-n", (.numMachines // 0 | tostring)] + member("provider"; "-P") +
		member("hardwaretype"; "-H") + member("imagetype"; "-I") + [.services[]? | "-s", (.name? // tostring)] + lease_option +
		member("description"; "-m") + (.dnsSuffix |= (strings | ltrimstr(".")) | member("dnsSuffix"; "--dns-suffix")) +
		(if .config == null then [] else ["--config", "-"] end) + ["--", (.name // "" | tostring)]) as $command |
	(if $new.config == null then result($command) else result($command; $new.config) end) as $begun |
	if $begun.code == 1 then
		want("clustertemplate"; $new.clusterTemplate) | want("provider"; $new.provider) | $begun | out
	else $begun | out | record("begun")[0].job | {id: split("-")[0]} | answer end;

# Deletes it, with the data of its services only where the body says so: Coopr's clients know of none.
def drop:
	.arguments[0] as $id | optional_document as $how | state($id) as $state |
	if $state.status == "terminated" then nothing
	else begin(["delete"] + (if $how["discard-data"] == true then ["--discard-data"] else [] end); $id; []) | nothing end;

def lease:
	document.expireTime as $expires | .arguments[0] as $id | state($id) as $looked |
	if $expires | type != "number" then refuse(400; "expireTime: expected number, found \($expires | type)")
	else (if $expires == 0 then "0" else "\($expires / 1000 - .now | ceil)s" end) as $time |
		result(["lease", "-y", "--", $id, $time]) | if .code == 1 and (absent | not) then refuse(400; said) else out | nothing end
	end;

def configure:
	.arguments[0] as $id | document as $new |
	if $new.config | type != "object" then refuse(400; "config: expected object, found \($new.config | type)")
	else result(["config", "-y", "--detach", "-o", "json", "--config", "-"] + (if $new.restart == false then ["--no-restart"] else [] end) + ["--", $id];
		$new.config) | out | nothing end;

def names: if type == "array" and all(.[]; type == "string") and . != [] then . else refuse(400; "services: expected a list of names") end;

def add_services: .arguments[0] as $id | (document.services | names) as $services | begin(["add"]; $id; $services) | nothing;

# Starts, stops or restarts all services, or the one that the path names: run ACTION.
def run:
	optional_document as $body | .arguments as [$action, $id, $service] |
	if $service and (services($id) | index([$service]) | not) then refuse(404; "\($id): there is no service \($service)")
	else begin([$action]; $id; [$service | values]) | nothing end;

def sync: begin(["upgrade"]; .arguments[0]; []) | nothing;

# Controls the operation in progress; where there is none, or nothing to do, that is no failure.
def control:
	.arguments as [$action, $id] | state($id) as $state |
	if $state.underway == null then nothing
	else result([$action] + (if $action == "abort" then ["-y"] else [] end) + ["--", $id]) | if .code == 1 then nothing else out | nothing end end;

# --- plans ---

# The stages of a plan: each task stands behind those that it waits for.
def stages:
	. as $records |
	(reduce ($records[] | select(.kind == "task" or .kind == "milestone")) as $task ({};
		. as $levels | .[$task.id] = ([$task.after[]? | $levels[.] // 0] | max // 0) + (if $task.kind == "task" then 1 else 0 end))) as $levels |
	[$records[] | select(.kind == "task")] | group_by($levels[.id]);

def plan_of($id; $operation):
	(result(["history", "-o", "json", "--plan", ($operation.number | tostring), "--", $id]) | items | stages) as $stages |
	(report($id; $operation.number) | map(select(.kind == "attempt" and .status == "done") | {(.task): true}) | add // {}) as $done |
	{id: $operation.job, clusterId: $id, action: $operation.action | action | ascii_upcase,
		currentStage: [$stages[] | select(all(.[]; $done[.id]))] | length,
		stages: [$stages[] | map({id: "\($operation.job)-\(.id)", taskName: .action | ascii_upcase, nodeId: .node, service: (.service // "")})]};

def operations($id): result(["history", "-o", "json", "--", $id]) | out | map(select(.job)) | reverse;

def plans: .arguments[0] as $id | . as $request | [operations($id)[] as $operation | $request | plan_of($operation.cluster; $operation)] | answer;

def one_plan:
	.arguments as [$id, $job] |
	(operations($id) | map(select(.job == $job))[0]) as $operation |
	if $operation then plan_of($operation.cluster; $operation) | answer
	elif $job | startswith("\($id)-") then refuse(404; "there is no job \($job)")
	else refuse(400; "the job \($job) is not one of the cluster \($id)") end;

# --- nodes ---

# All nodes of the clusters that the user sees.
def all_nodes:
	(result(["list", "-o", "json"]) | items | map(.id)) as $clusters | entities as $entities |
	[if $clusters == [] then empty else result(["show", "-c", "-o", "json", "--"] + $clusters) | out | record("node")[] | select(.services != null) |
		node(.id | split("-")[0]; $entities; []) end];

def nodes: all_nodes | answer;
def one_node: .arguments[0] as $id | all_nodes | map(select(.id == $id))[0] | if . then answer else refuse(404; "there is no node \($id)") end;
def refuse_nodes: refuse(403; "nodes are changed by operations on their cluster");

# The properties that are asked for, of the nodes that have all of the services.
def node_properties:
	document as $asked | ($asked.clusterId | strings // refuse(400; "clusterId: expected string")) as $id | ($asked.properties // []) as $wanted |
	shown($id) as $shown | entities as $entities |
	[$shown | record("node")[] | select(.services != null and (($asked.services // []) - .services == [])) | node($id; $entities; []) |
		{(.id): (.properties | if $wanted == [] then . else with_entries(select(.key | IN($wanted[]))) end)}] | add // {} | answer;
