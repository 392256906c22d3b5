# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# container.sh engine=docker|podman name=NAME image=IMAGE pull=always|missing|never -- ARGUMENT...: has docker or podman do the action with one
# container, for automator/docker and automator/podman. The arguments are those of "container create", and the file environment has its
# variables. Of what a container was made stands in its label coopr.wanted, as a SHA-256.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed; for status 1 if it does not run as it should.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

while [ $# -gt 0 ] && [ "$1" != -- ]; do
	case $1 in
	engine=*) engine=${1#*=} ;;
	name=*) container=${1#*=} ;;
	image=*) image=${1#*=} ;;
	pull=*) pull=${1#*=} ;;
	esac
	shift
done
tool_find "add the package $engine to its image, or a service that installs it" "${engine?}"
: "${tool:?}"
shift
wanted=$({ printf '%s\000' "$@" && cat environment; } | sha256sum | head -c 64)

# look NAME: sets $id to that of the container, or to nothing, and $running, $image_id and $made_of to what it is.
look()
{
	id='' service=''
	"$tool" container ls --all --no-trunc --filter "name=$1" --format '{{.ID}} {{.Names}}' >"$own/containers" || exit 1
	while read -r found names; do
		case ,$names, in
		*",$1,"*) id=$found ;;
		esac
	done <"$own/containers"
	[ -n "$id" ] || return 0
	"$tool" container inspect --format '{{.State.Running}} {{.Image}} {{index .Config.Labels "coopr.wanted"}}
{{index .Config.Labels "coopr.service"}}' "$id" >"$own/inspected" || exit 1
	{
		read -r running image_id made_of
		read -r service || :
	} <"$own/inspected"
	image_id=${image_id#sha256:}
	case $service in
	"$COOPR_SERVICE") ;;
	'' | '<no value>') coopr_fail "there is a container $1 that coopr has not made; remove it, or give this service a field container_name" ;;
	*) coopr_fail "there is a container $1 of the service $service; give this one a field container_name" ;;
	esac
}

# image_there: prints the id of the image, nothing where it is not there.
image_there()
{
	"$tool" image inspect --format '{{.Id}}' "$image" 2>/dev/null | sed 's/^sha256://'
}

# make ARGUMENT...: makes a container beside the one that is there, $id. Its volumes without names stay, unless something else is put there: nobody
# but the container says what they are, and there is data in them.
make()
{
	printf 'coopr.service=%s\ncoopr.wanted=%s\n' "$COOPR_SERVICE" "$wanted" >"$own/labels"
	for word; do
		case $word in
		--volume=/*:*)
			word=${word#*=}
			mkdir -p "${word%%:*}" || exit 1
			;;
		esac
	done
	: >"$own/mounts"
	[ -z "$id" ] || "$tool" container inspect --format '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{.Destination}}
{{end}}{{end}}' "$id" >"$own/mounts" || exit 1
	wants=$(printf ' %s:' "$@")
	while read -r volume at; do
		case $volume in
		'' | *[!0-9a-f]*) continue ;;
		esac
		case $wants in
		*":$at:"*) ;;
		*) [ ${#volume} -ne 64 ] || set -- "--volume=$volume:$at" "$@" ;;
		esac
	done <"$own/mounts"
	"$tool" container create --name "$container-new" --label-file "$own/labels" --env-file environment "$@" || exit 1
}

# start ARGUMENT...: has a container run as it is wanted. One that is otherwise goes when its successor is made; whoever ends this in between,
# the next run finds the successor by its name.
start()
{
	look "$container-new"
	successor=$id
	look "$container"
	if [ -n "$successor" ] && [ -n "$id" ]; then
		"$tool" container rm "$successor" || exit 1
	elif [ -n "$successor" ]; then
		"$tool" container rename "$successor" "$container" || exit 1
		look "$container"
	fi
	there=$(image_there)
	if [ -z "$there" ]; then
		[ "$pull" != never ] || coopr_fail "the image $image is not on this machine, and the field pull is never"
		"$tool" pull "$image" 2>&1 || exit 1
		there=$(image_there)
	fi
	if [ -n "$id" ] && [ "$made_of $image_id" = "$wanted $there" ]; then
		[ "$running" != true ] || end false
	else
		make "$@"
		if [ -n "$id" ]; then
			"$tool" container stop "$id" && "$tool" container rm "$id" || exit 1
		fi
		"$tool" container rename "$container-new" "$container" || exit 1
	fi
	"$tool" container start "$container" || exit 1
	look "$container"
	end true
}

# status: ends with 0 if the container runs as it is wanted, and is healthy if its image says how that is found out.
status()
{
	look "$container"
	if [ -z "$id" ]; then
		echo "there is no container $container"
	elif [ "$running" != true ]; then
		"$tool" container logs --tail 20 "$id" 2>&1
		echo "the container $container does not run: it exited with $("$tool" container inspect --format '{{.State.ExitCode}}' "$id")"
	elif [ "$made_of" != "$wanted" ]; then
		tool_status true
	else
		health=$("$tool" container inspect --format '{{if .State.Health}}{{.State.Health.Status}}{{end}}' "$id" 2>/dev/null)
		case $health in
		starting | unhealthy) echo "the container $container is $health" ;;
		*) exit 0 ;;
		esac
	fi
	exit 1
}

# end CHANGED: ends with the id of the container as a fact that is called as it.
end()
{
	coopr_result "$container" "$id"
	tool_end 0 "$1"
}

case $COOPR_ACTION in
install)
	before=$(image_there)
	case $pull$before in
	missing?* | never?*) tool_end 0 false ;;
	never) coopr_fail "the image $image is not on this machine, and the field pull is never" ;;
	esac
	"$tool" pull "$image" 2>&1 || exit 1
	[ "$(image_there)" = "$before" ] || tool_end 0 true
	tool_end 0 false
	;;
start) start "$@" ;;
stop)
	look "$container"
	if [ -z "$id" ] || [ "$running" != true ]; then
		end false
	fi
	"$tool" container stop "$id" || exit 1
	end true
	;;
remove)
	changed=false
	for container in "$container-new" "$container"; do
		look "$container"
		[ -n "$id" ] || continue
		"$tool" container stop "$id" && "$tool" container rm "$id" || exit 1
		changed=true id=
	done
	end "$changed"
	;;
status) status ;;
*) tool_end 0 false ;;
esac
