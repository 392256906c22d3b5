# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For tests of provisioners of Coopr: load it after case.
#
#	cloud_store      a store with a template t, of a provider cloud whose plugin only a provisioner has, and the secret pw, s3cretpw

cloud_store() {
	mkdir -p mine/providers mine/hardwaretypes mine/imagetypes mine/services mine/clustertemplates
	echo '{"name":"cloud","providertype":"vcloud","provisioner":{"api_user":"u","api_password":{"secret":"pw"}}}' >mine/providers/cloud.json
	echo '{"name":"small","providermap":{"cloud":{"flavor":"m1"}}}' >mine/hardwaretypes/small.json
	echo '{"name":"ubuntu","providermap":{"cloud":{"image":"ami-1","sshuser":"ubuntu"}}}' >mine/imagetypes/ubuntu.json
	echo '{"name":"web","provisioner":{"actions":{"install":{"type":"chef-zero","fields":{"run_list":"recipe[web]"}},
		"start":{"type":"chef-zero","fields":{"run_list":"recipe[web]"}}}}}' >mine/services/web.json
	echo '{"name":"t","defaults":{"services":["web"],"provider":"cloud","hardwaretype":"small","imagetype":"ubuntu",
		"config":{"web":{"host":"%host.service.web%","key":{"secret":"pw"}}}}}' >mine/clustertemplates/t.json
	coopr-store init -q
	coopr-import -yq mine 2>said
	printf s3cretpw | coopr-secret set --raw pw
}
