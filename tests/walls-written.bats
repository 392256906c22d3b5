#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A generator puts paths of the host, in all spellings, into every string of every document, as every role: nothing of the host is
# opened, and nothing that names it is stored. Of each kind of document, and of each plugin, some are tried, others with another $SEED; with WALLS_ALL=1 all. The paths have the word "canary", which no call of the kernel may then see.

load case
load walls

# What comes of one change: attempt USER KIND PLACE DOCUMENT. What names of the host remains in the store is none of its fields.
attempt() {
	tried=$((tried + 1))
	case $2 in
	clusterspec) SUDO_USER=$1 COOPR_TENANT=qa coopr-apply --dry-run -f - <<<"$4" >>"$here/out" 2>&1 || return 0 ;;
	*) SUDO_USER=$1 COOPR_TENANT=qa coopr-store put -q --force -k "$2" - <<<"$4" >>"$here/out" 2>&1 || return 0 ;;
	esac
	stored=$((stored + 1))
	echo "$2$3" >>"$here/accepted"
}

setup() {
	walls_setup
}

teardown() {
	walls_teardown
}

try_all() {
	local kind place document user tried=0 stored=0 here=$PWD

	exec 9<"$HOME"
	cd host/work || return
	while IFS=$'\t' read -r kind place document; do
		attempt ann "$kind" "$place" "$document"
	done <"$here/documents"
	sort -u -k1,1 "$here/documents" >"$here/one"
	while IFS=$'\t' read -r kind place document; do
		for user in bob eve mallory; do
			attempt $user "$kind" "$place" "$document"
		done
	done <"$here/one"
	echo "$tried" >"$here/tried"
	echo "$stored" >"$here/stored"
}

# What plugins take from a tenant, whatever it says, and why that is nothing of the host: what several have first, then what is each one's
# own. A field that is not here has to be marked as of the installation in the plugin's description, or all of the plugin has.
of_tenants() {
	local where types type rest

	sed 's/ *#.*//; s/(/ /; s/)/ /' <<-'END' | while read -r where types rest; do for type in ${types//,/ }; do echo "$where($type)$rest"; done; done
		provider/provisioner(dummy,google,joyent,opennebula,sandbox,static,digitalocean,aws,ec2,openstack,rackspace)/(name) # nobody reads it
		provider/provisioner(dummy,google,joyent,opennebula,sandbox,static,digitalocean,aws,ec2,openstack,rackspace)/*
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack,rackspace)/ssh-auth/bastion/host # in the public network, or it is not entered
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack,rackspace)/ssh-auth/bastion/hostkey # what it has to show
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack,rackspace)/ssh-auth/bastion/key/secret # the name of a secret of the tenant
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack,rackspace)/ssh-auth/bastion/port # a number
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack,rackspace)/ssh-auth/bastion/user # of the bastion
		provider/provisioner(google,aws,ec2)/provider_hostname
		provider/provisioner(google,digitalocean,aws,ec2,openstack,rackspace)/ssh_key_resource
		provider/provisioner(google,aws,ec2)/spot # true or false
		provider/provisioner(google,joyent,opennebula)/public_key # words for the cloud
		provider/provisioner(joyent,opennebula)/networks
		provider/provisioner(joyent,opennebula)/networks/-
		provider/provisioner(joyent,digitalocean,aws,ec2,openstack,rackspace)/ssh_keypair
		provider/provisioner(opennebula,aws,ec2,openstack)/security_groups
		provider/provisioner(opennebula,aws,ec2,openstack)/security_groups/-
		provider/provisioner(aws,ec2,openstack)/availability_zone
		provider/provisioner(joyent,opennebula,aws,ec2,openstack,rackspace)/api_password # credentials of an account
		provider/provisioner(joyent,opennebula,aws,ec2,openstack,rackspace)/api_user
		service/fields(dummy,shell,puppet,ansible,itamae,chef,chef-solo,cloud-init,docker,podman)/(name) # nobody reads it
		service/fields(dummy,shell,puppet,ansible,itamae,chef,chef-solo,cloud-init,docker,podman)/*
		service/fields(shell,puppet,ansible,itamae,chef,chef-solo,cloud-init,docker,podman)/config/- # members of the configuration
		service/fields(shell,puppet,ansible,itamae,chef,chef-solo,cloud-init,docker,podman)/nodes/- # names of services
		service/fields(shell,puppet,ansible,itamae,chef,chef-solo,cloud-init,docker,podman)/secrets # whether a disk of the machine will do
		service/fields(ansible,chef,chef-solo)/roles # resources, or files that come along: a path is refused
		service/fields(ansible,itamae)/files
		provider/provisioner(dummy)/delay_ms # numbers
		provider/provisioner(dummy)/fail_percent
		provider/provisioner(dummy)/fail_status
		provider/provisioner(dummy)/seed
		provider/provisioner(google)/api_key # credentials of an account, and addresses of the public network where these name some
		provider/provisioner(google)/api_key_resource
		provider/provisioner(google)/google_client_email
		provider/provisioner(google)/google_project # letters, digits and hyphens, which are a part of a path
		provider/provisioner(google)/image_project
		provider/provisioner(google)/zone_name
		provider/provisioner(google)/auto_restart # true or false
		provider/provisioner(google)/external_ip
		provider/provisioner(google)/ipv6
		provider/provisioner(google)/preemptible
		provider/provisioner(google)/google_data_disk_size_gb # numbers
		provider/provisioner(google)/google_root_disk_size_gb
		provider/provisioner(google)/bootstrap_interface # words for the cloud
		provider/provisioner(google)/google_data_disk_type
		provider/provisioner(google)/google_root_disk_type
		provider/provisioner(google)/network
		provider/provisioner(google)/network_tags
		provider/provisioner(google)/network_tags/-
		provider/provisioner(google)/scopes
		provider/provisioner(google)/scopes/-
		provider/provisioner(google)/service_account
		provider/provisioner(google)/ssh_user
		provider/provisioner(google)/subnetwork
		provider/provisioner(joyent)/api_key # credentials of an account
		provider/provisioner(joyent)/ssh_key_resource
		provider/provisioner(joyent)/joyent_api_url # an address of the public network, or it is not reached
		provider/provisioner(joyent)/joyent_version # words for the cloud
		provider/provisioner(opennebula)/endpoint # an address of the public network, or it is not reached
		provider/provisioner(opennebula)/disk_size_gb # numbers
		provider/provisioner(opennebula)/pending_s
		provider/provisioner(opennebula)/context_target # words for the cloud
		provider/provisioner(opennebula)/disk_target
		provider/provisioner(opennebula)/os_arch
		provider/provisioner(opennebula)/os_root
		provider/provisioner(static)/ssh-auth/key/secret # the name of a secret of the tenant
		provider/provisioner(static)/ssh-auth/passphrase/secret
		provider/provisioner(static)/ssh-auth/password/secret
		provider/provisioner(static)/machines/-/ssh-auth/key/secret
		provider/provisioner(static)/machines/-/ssh-auth/passphrase/secret
		provider/provisioner(static)/machines/-/ssh-auth/password/secret
		provider/provisioner(static)/user # of the machine
		provider/provisioner(static)/machines/-/user
		provider/provisioner(static)/machines/-/hostname # the name of a machine among those of its cluster
		provider/provisioner(static)/machines/-/hostkey # what the machine has to show
		provider/provisioner(static)/machines/-/hostkey/-
		provider/provisioner(static)/machines/-/port # a number
		provider/provisioner(static)/machines/-/flavor # words that are compared
		provider/provisioner(static)/machines/-/zone
		service/fields(dummy)/delay_ms # numbers
		service/fields(dummy)/fail_percent
		service/fields(dummy)/fail_status
		service/fields(dummy)/never_ready_percent
		service/fields(dummy)/ready_ms
		service/fields(dummy)/seed
		service/fields(shell)/args # words for the script, on the machine
		service/fields(shell)/user # of the machine
		service/fields(shell)/script # a resource, or a file that comes along: a path is refused
		service/fields(shell)/files
		provider/provisioner(digitalocean)/api_token # credentials of an account
		provider/provisioner(digitalocean)/api_user # nobody reads it
		provider/provisioner(digitalocean)/api_password
		provider/provisioner(digitalocean)/digitalocean_region # words for the cloud
		provider/provisioner(digitalocean)/vpc_uuid
		provider/provisioner(google,joyent,opennebula,digitalocean,aws,ec2,openstack)/cloud_config # words for cloud-init, on the machine
		provider/provisioner(aws,ec2)/session_token # credentials of an account
		provider/provisioner(aws,ec2)/aws_region # letters, digits and hyphens: it is a part of the cloud's name
		provider/provisioner(aws,ec2)/associate_public_ip # true or false
		provider/provisioner(aws,ec2)/aws_ebs_delete_on_term
		provider/provisioner(aws,ec2)/aws_root_ebs_delete_on_term
		provider/provisioner(aws,ec2)/dedicated_instance
		provider/provisioner(aws,ec2)/aws_ebs_size # numbers
		provider/provisioner(aws,ec2)/aws_root_ebs_size
		provider/provisioner(aws,ec2)/aws_ebs_type # words for the cloud
		provider/provisioner(aws,ec2)/aws_root_ebs_type
		provider/provisioner(aws,ec2)/iam_instance_profile
		provider/provisioner(aws,ec2)/placement_group
		provider/provisioner(aws,ec2)/security_group_ids
		provider/provisioner(aws,ec2)/security_group_ids/-
		provider/provisioner(aws,ec2)/spot_price
		provider/provisioner(aws,ec2)/subnet_id
		provider/provisioner(openstack)/openstack_auth_url # a URL: it reaches addresses of the public network only
		provider/provisioner(openstack)/openstack_tenant # credentials of an account
		provider/provisioner(openstack)/openstack_domain
		provider/provisioner(openstack)/openstack_project_domain
		provider/provisioner(openstack)/application_credential_id
		provider/provisioner(openstack)/application_credential_secret
		provider/provisioner(openstack)/config_drive # true or false
		provider/provisioner(openstack)/floating_ip
		provider/provisioner(openstack)/floating_network # words for the cloud
		provider/provisioner(openstack)/network_ids
		provider/provisioner(openstack)/network_ids/-
		provider/provisioner(openstack)/openstack_region # a word of the cloud's catalogue
		provider/provisioner(openstack)/openstack_interface
		provider/provisioner(openstack)/user_data_resource # nobody reads it
		provider/provisioner(rackspace)/rackconnect_wait # true or false
		provider/provisioner(rackspace)/rackspace_region # words for the cloud
		service/fields(puppet)/manifest # resources, or files that come along: a path is refused
		service/fields(puppet)/modules
		service/fields(ansible)/playbook
		service/fields(itamae)/recipes
		service/fields(cloud-init)/documents # resources, or files that come along: a path is refused
		service/fields(cloud-init)/cloud_config # words for the tool, on the machine
		service/fields(chef,chef-solo)/cookbooks
		service/fields(chef,chef-solo)/data_bags
		service/fields(chef,chef-solo)/run_list # words for the tool, on the machine
		service/fields(chef,chef-solo)/json_attributes
		service/fields(docker,podman)/image_name
		service/fields(docker,podman)/command
		service/fields(docker,podman)/publish_ports
		service/fields(docker,podman)/volumes # folders of the machine
		service/fields(docker,podman)/environment_variables
		service/fields(docker,podman)/environment # a place in the configuration
		service/fields(docker,podman)/links # names of containers on the machine
		service/fields(docker,podman)/container_name
		service/fields(docker,podman)/pull # one of three words
	END
}

@test "whatever a tenant writes, wherever, nothing of the host is opened" {
	judges_see_it
	coopr-tenant change --addresses 192.0.2.11/32 qa
	walls_documents "$WALLS_KINDS" >generated
	jq -r '[.kind, .place, (.document | tostring)] | join("\t")' generated | shuf --random-source=<(yes "${SEED:-1}") |
		awk -F '\t' -v all="${WALLS_ALL:-}" '{ plugin = match($2, /\([a-z0-9-]+\)/) ? substr($2, RSTART, RLENGTH) : "" }
			all || ++of[$1] <= 30 || (plugin && ++of[$1 plugin] <= 6)' >documents
	[ "$(jq -r '.kind + .place' generated | sort -u | wc -l)" -ge 300 ]
	export -f attempt
	traced try_all
	nothing_was_touched
	[ "$(cat tried)" -ge 150 ]
	[ "$(cat stored)" -gt 0 ]
	same "" "$(grep -F '(' accepted | grep -E '^(provider/provisioner|service/fields)\(' | sed 's,/\*/.*,/*,' | sort -u | grep -vxFf <(of_tenants) || true)"
	# What is stored is judged once more.
	coopr-store export -T qa >stored.ndjson
	contains "$(cat stored.ndjson)" '"evil"'
	same "" "$(jq -c 'select(.kind == "provider") | .. | objects | (.share?, (.machines? | strings), .network?, .identityfile?) // empty' stored.ndjson)"
	same "" "$(jq -r '.provisioner.actions? // empty | .. | objects | (.script?, .files?) // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
	same "" "$(jq -r '.providermap? // empty | .. | objects | .image? // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
}
