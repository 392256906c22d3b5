#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reading and checking large documents, beside jq, which only reads and prints them.

set -eu

{
	printf '{"kind":"request","cluster":{"name":"c"},"template":{"name":"t"},"provider":{"name":"p","providertype":"x"},"services":['
	seq -f '{"name":"service-%.0f"},' 1000000
	printf '{"name":"last"}]}\n'
} >request
{
	echo '{"kind":"cluster","id":"1","name":"c","provider":{"name":"p","providertype":"x"}}'
	awk 'BEGIN {
		for (i = 1000; i < 51000; i++)
			printf "{\"kind\":\"node\",\"id\":\"1-%d\",\"nodenum\":%d,\"hostname\":\"c1-%d.local\",\"services\":[\"a\",\"b\"],\"was\":null}\n", i, i, i
	}'
} >layout
repeat -n 3 -l "coopr-validate, a request with 1,000,000 services" coopr-validate request
repeat -n 3 -i request -l "peer: jq -c . of it" jq -c .
repeat -n 5 -l "coopr-validate, a layout with 50,000 nodes" coopr-validate layout
repeat -n 5 -i layout -l "peer: jq -c . of it" jq -c .
repeat -n 50 -l "coopr-validate, the catalogue that comes with it" coopr-validate "$COOPR_ROOT/share/coopr/catalogue"
[ ! -d "$COOPR_SHARED/data/coopr-templates" ] ||
	repeat -n 50 -l "coopr-request from 92 files" coopr-request -C "$COOPR_SHARED/data/coopr-templates" -t lamp --name x
