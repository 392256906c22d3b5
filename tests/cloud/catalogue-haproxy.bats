#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template haproxy, with keepalived.

load ../case
load ../sandbox
load ../debian

# Which of the two load balancers has the address.
holder() {
	for node in $(nodes_with h keepalived); do
		! on "h/$node" 'ip -br addr show eth0' 2>/dev/null | grep -qF "$ADDRESS" || echo "$node"
	done
}

# What the pages say, asked ten times at an address.
pages() {
	for _ in $(seq 10); do curl -sS -f -m 5 "http://$1/"; done | sort -u
}

@test "one of two load balancers has the address, which moves when HAProxy ends, and when the machine dies; pages come and go behind them and no request is lost" {
	debian_catalogue haproxy
	ADDRESS=$(jq -r '.provisioner.network' mine/providers/sandbox.json | sed 's|\.0/24|.200|')
	jq --arg range "$ADDRESS/32" '.addresses = [$range]' mine/providers/sandbox.json >changed && mv changed mine/providers/sandbox.json
	coopr-create h -t haproxy -n 4
	unchanged h
	is_well h
	soon eval 'same 1000 "$(holder)"'
	# Through the address, as who is on that machine reaches it.
	soon eval '[ -n "$(on h/1000 "curl -sS -f -m 5 http://$ADDRESS/")" ]'
	same $'h1-1002.local\nh1-1003.local' "$(pages "$(address h 1000)")"
	# The pages alone are for the load balancers.
	run ! curl -s -m 3 "http://$(address h 1002):8080/"

	# Requests go on while a page comes, another goes, and their text changes.
	address h 1001 >balancer
	{
		until [ -e stop ]; do curl -sS -f -m 5 "http://$(cat balancer)/" >/dev/null || echo lost; sleep 0.05; done
	} >lost 2>&1 3>&- &
	coopr-expand -y -n 5 h
	same $'h1-1002.local\nh1-1003.local\nh1-1004.local' "$(pages "$(address h 1001)")"
	coopr-config -y h --set 'site.page=page of %host.self%'
	coopr-shrink -y -N 1002 h
	: >stop
	wait $!
	same "" "$(cat lost)"
	same $'page of h1-1003.local\npage of h1-1004.local' "$(pages "$(address h 1001)")"

	# A page that is dead gets no request, and is replaced.
	kill_machine 1003
	soon eval 'same "page of h1-1004.local" "$(pages "$(address h 1000)")"'
	coopr-reconcile --repair --work || true
	is_well h
	same $'page of h1-1004.local\npage of h1-1005.local' "$(pages "$(address h 1000)")"

	on h/1000 'pkill haproxy'
	soon eval 'same 1001 "$(holder)"'
	coopr-reconcile --probe --repair --work || true
	soon eval 'same 1000 "$(holder)"'
	kill_machine 1000
	soon eval 'same 1001 "$(holder)"'
	coopr-reconcile --repair --work || true
	is_well h
	soon eval '[ "$(holder | wc -l)" -eq 1 ]'
	for node in $(nodes_with h haproxy); do [ -n "$(pages "$(address h "$node")")" ]; done

	coopr-restart -y h
	is_well h
	soon eval '[ "$(holder | wc -l)" -eq 1 ]'
	for node in $(nodes_with h haproxy); do [ -n "$(pages "$(address h "$node")")" ]; done
}
