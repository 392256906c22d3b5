#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# No client of OpenNebula that others wrote can be had for its XML-RPC API. What there is, is Python's own client of XML-RPC: it sees in our fake what
# coopr says is there.

load ../case
load ../provider
load ../cloud

setup() {
	need_program python3
	fresh
	fake_start opennebula
	PROVIDER=$(jq -cn --arg url "$FAKE/RPC2" '{name: "one", providertype: "opennebula", provisioner: {api_user: "oneadmin", api_password: "secret-password",
		endpoint: $url, requests_per_second: 1000, consistency_s: 1, poll_s: 0.1}}')
	IMAGE=debian-12
}

teardown() {
	fake_end
}

client() {
	python3 - "$FAKE" "$@" <<-'END'
		import sys
		import xml.etree.ElementTree as tree
		import xmlrpc.client
		one, session = xmlrpc.client.ServerProxy(sys.argv[1] + "/RPC2").one, "oneadmin:secret-password"
		def good(answer):
		    assert answer[0] is True and answer[2] == 0, answer
		    return answer[1]
		if sys.argv[2] == "list":
		    for vm in tree.fromstring(good(one.vmpool.infoextended(session, -3, -1, -1, -1))):
		        if vm.findtext("USER_TEMPLATE/COOPR_CLUSTER") == "00000042" and vm.findtext("STATE") != "6":
		            print(vm.findtext("USER_TEMPLATE/COOPR_NODE"), vm.findtext("ID"))
		elif sys.argv[2] == "run":
		    print(good(one.template.instantiate(session, 3, "theirs", False, "<TEMPLATE><DISK><IMAGE_ID>7</IMAGE_ID></DISK></TEMPLATE>", False)))
		else:
		    good(one.vm.action(session, "terminate-hard", int(sys.argv[3])))
	END
}

@test "Python's client makes, sees and terminates machines in the fake, and sees exactly what provider opennebula lists" {
	local number theirs

	theirs=$(client run)
	for number in 1000 1001 1002 1003; do do_task create "$number"; done
	both_see 4 client list
	do_task delete 1003
	both_see 3 client list
	client terminate "$(id_of 1001)"
	both_see 2 client list
	client terminate "$theirs"
	same 2 "$(machines)"
}
