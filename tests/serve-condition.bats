#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Changes under a condition, If-Match and If-None-Match: see coopr-api(7).

load case
load serve

setup() {
	serve_setup
	serve
}

teardown() {
	serve_end
}

# Prints the ETag of what GET answers: tag PATH
tag() {
	answers 200 GET "$1" -D head
	sed -n 's/^ETag: \(.*\)\r$/\1/Ip' head
}

flavor() {
	jq -nc --arg flavor "$1" '{name: "huge", providermap: {dummy: {flavor: $flavor}}}'
}

HUGE=/v1/entities/hardwaretype/huge

@test "PUT, PATCH and DELETE of what GET shows want a condition; a preview does not" {
	coopr-tenant create qa
	answers 428 PUT $HUGE -d "$(flavor a)"
	contains "$(jq -r .detail body)" "If-None-Match: *"
	answers 200 PUT $HUGE -H 'If-None-Match: *' -d "$(flavor a)"
	answers 428 PUT $HUGE -d "$(flavor b)"
	answers 428 DELETE $HUGE
	coopr-create -yq --detach -t lamp -P dummy shop
	answers 428 DELETE /v1/clusters/shop
	answers 428 PATCH /v1/tenants/qa -d '{"clusters": 3}'
	answers 428 DELETE /v1/tenants/qa
	answers 200 PUT "$HUGE?dry-run" -d "$(flavor b)"
	answers 400 PUT /v1/members/ann -H 'If-Match: *' -d '{"tenant": "qa"}'
	answers 400 PUT $HUGE -H 'If-None-Match: "a"' -d "$(flavor b)"
	same 1 "$(coopr-store history -o json hardwaretype huge | wc -l)"
}

@test "a change with the ETag of what was seen is made once, and refused where that is not so any more" {
	answers 412 PUT $HUGE -H 'If-Match: *' -d "$(flavor a)"
	contains "$(jq -r .detail body)" "it is not there any more"
	answers 200 PUT $HUGE -H 'If-None-Match: *' -d "$(flavor a)"
	answers 412 PUT $HUGE -H 'If-None-Match: *' -d "$(flavor b)"
	contains "$(jq -r .detail body)" "it is there already"
	seen=$(tag $HUGE)
	answers 200 PUT $HUGE -H "If-Match: $seen" -d "$(flavor b)"
	answers 412 PUT $HUGE -H "If-Match: $seen" -d "$(flavor c)"
	contains "$(jq -r .detail body)" "not what you have seen"
	answers 412 DELETE $HUGE -H "If-Match: $seen"
	answers 412 PUT $HUGE -H "If-Match: \"x\"" -d "$(flavor c)"
	answers 200 PUT $HUGE -H "If-Match: \"x\", $(tag $HUGE)" -d "$(flavor c)"
	answers 204 DELETE $HUGE -H "If-Match: $(tag $HUGE)"
	answers 404 GET $HUGE
	# The name of the path is that of the document.
	answers 422 PUT /v1/entities/hardwaretype/tiny -H 'If-None-Match: *' -d "$(flavor a)"
}

@test "an operation on a cluster may have the ETag of the cluster" {
	answers 202 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy"}'
	coopr-work --drain
	seen=$(tag /v1/clusters/shop)
	answers 202 POST /v1/clusters/shop/expand -H "If-Match: $seen" -d '{"machines": 5}'
	coopr-work --drain
	answers 412 POST /v1/clusters/shop/expand -H "If-Match: $seen" -d '{"machines": 6}'
	seen=$(tag '/v1/clusters/shop?tenant=default')
	answers 202 DELETE /v1/clusters/shop -H "If-Match: $seen" -d '{"tenant": "default", "discard-data": true}'
	coopr-work --drain
	answers 404 GET /v1/clusters/shop
	answers 200 GET /v1/clusters/00000001
	same terminated "$(jq -r .status body)"
}

@test "of several who change what all of them have seen, one does" {
	answers 200 PUT $HUGE -H 'If-None-Match: *' -d "$(flavor a)"
	for round in 1 2 3; do
		seen=$(tag $HUGE)
		senders=()
		for i in 1 2 3 4 5 6; do
			curl -sS --unix-socket "$SOCKET" -X PUT -H "If-Match: $seen" -d "$(flavor "$round-$i")" -o /dev/null \
				-w '%{http_code}\n' "http://coopr$HUGE" >"status.$i" 3>&- &
			senders+=($!)
			# Who changes something else delays them, and does not have them refused.
			answers 204 PUT "/v1/members/u$i" -d '{"role": "user"}'
		done
		wait "${senders[@]}"
		same "200 412 412 412 412 412" "$(cat status.? | sort | xargs)"
	done
	same 4 "$(coopr-store history -o json hardwaretype huge | wc -l)"
}

@test "a condition is looked at as who asks, whom the tenant shows nothing" {
	coopr-tenant create qa
	coopr-member set -T qa -r user eve
	token=$(COOPR_VOUCHED='' coopr-token create -o json --role read-only mine | jq -r .token)
	answers 200 PUT $HUGE -H 'If-None-Match: *' -d "$(flavor a)"
	answers 403 PUT $HUGE -H "Authorization: Bearer $token" -H "If-Match: $(tag $HUGE)" -d "$(flavor b)"
	answers 412 PUT $HUGE -H "Authorization: Bearer $token" -H 'If-Match: "x"' -d "$(flavor b)"
}

@test "what the path of a request says, no member of it says otherwise" {
	coopr-serve --openapi | jq -c '.paths | to_entries[] | .key as $path | .value[] |
		[([$path | scan("\\{([a-z]+)\\}")[]] - ([$path | scan("\\{([a-z]+)\\}")[]] -
		[(.parameters[] | select(.in == "query").name), (.requestBody.content["application/json"].schema.properties // {} | keys[])])) | .[] | "\($path): \(.)"] | select(. != [])' >twice
	same "" "$(cat twice)"
	echo '{"kind": "hardwaretype", "name": "huge", "providermap": {"dummy": {"flavor": "huge"}}}' >huge.json
	for member in kind=hardwaretype name=small; do
		answers 422 PUT "/v1/entities/hardwaretype/huge?$member" -H 'If-None-Match: *' --data-binary @huge.json
		same "there is no such member" "$(jq -r .detail body)"
	done
	answers 200 PUT /v1/entities/hardwaretype/huge -H 'If-None-Match: *' --data-binary @huge.json
}
