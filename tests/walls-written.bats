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

# What plugins take from a tenant, whatever it says, and why that is nothing of the host. A field that is not here has to be marked as of
# the installation in the plugin's description.
of_tenants() {
	sed 's/ *#.*//' <<-'END' | awk '{ print } sub(/\(ec2\)/, "(aws)") { print }'
		provider/provisioner(dummy)/delay_ms # numbers
		provider/provisioner(dummy)/fail_percent
		provider/provisioner(dummy)/fail_status
		provider/provisioner(dummy)/seed
		provider/provisioner(dummy)/(name) # nobody reads it
		provider/provisioner(dummy)/*
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
		provider/provisioner(google)/spot
		provider/provisioner(google)/google_data_disk_size_gb # numbers
		provider/provisioner(google)/google_root_disk_size_gb
		provider/provisioner(google)/bootstrap_interface # words for the cloud
		provider/provisioner(google)/google_data_disk_type
		provider/provisioner(google)/google_root_disk_type
		provider/provisioner(google)/network
		provider/provisioner(google)/network_tags
		provider/provisioner(google)/network_tags/-
		provider/provisioner(google)/public_key
		provider/provisioner(google)/scopes
		provider/provisioner(google)/scopes/-
		provider/provisioner(google)/service_account
		provider/provisioner(google)/ssh_user
		provider/provisioner(google)/subnetwork
		provider/provisioner(google)/provider_hostname # nobody reads these
		provider/provisioner(google)/ssh_key_resource
		provider/provisioner(google)/(name)
		provider/provisioner(google)/*
		provider/provisioner(joyent)/api_key # credentials of an account
		provider/provisioner(joyent)/api_password
		provider/provisioner(joyent)/api_user
		provider/provisioner(joyent)/ssh_key_resource
		provider/provisioner(joyent)/joyent_api_url # an address of the public network, or it is not reached
		provider/provisioner(joyent)/joyent_version # words for the cloud
		provider/provisioner(joyent)/networks
		provider/provisioner(joyent)/networks/-
		provider/provisioner(joyent)/public_key
		provider/provisioner(joyent)/ssh_keypair
		provider/provisioner(joyent)/(name)
		provider/provisioner(joyent)/*
		provider/provisioner(opennebula)/api_password # credentials of an account
		provider/provisioner(opennebula)/api_user
		provider/provisioner(opennebula)/endpoint # an address of the public network, or it is not reached
		provider/provisioner(opennebula)/disk_size_gb # numbers
		provider/provisioner(opennebula)/pending_s
		provider/provisioner(opennebula)/context_target # words for the cloud
		provider/provisioner(opennebula)/disk_target
		provider/provisioner(opennebula)/networks
		provider/provisioner(opennebula)/networks/-
		provider/provisioner(opennebula)/os_arch
		provider/provisioner(opennebula)/os_root
		provider/provisioner(opennebula)/public_key
		provider/provisioner(opennebula)/security_groups
		provider/provisioner(opennebula)/security_groups/-
		provider/provisioner(opennebula)/(name)
		provider/provisioner(opennebula)/*
		provider/provisioner(sandbox)/(name)
		provider/provisioner(sandbox)/*
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
		provider/provisioner(static)/(name)
		provider/provisioner(static)/*
		service/fields(dummy)/delay_ms
		service/fields(dummy)/fail_percent
		service/fields(dummy)/fail_status
		service/fields(dummy)/never_ready_percent
		service/fields(dummy)/ready_ms
		service/fields(dummy)/seed
		service/fields(dummy)/(name)
		service/fields(dummy)/*
		service/fields(shell)/args # words for the script, on the machine
		service/fields(shell)/user # of the machine
		service/fields(shell)/config/- # members of the configuration
		service/fields(shell)/nodes/- # names of services
		service/fields(shell)/script # a resource, or a file that comes along: a path is refused
		service/fields(shell)/files
		service/fields(shell)/secrets # whether a disk of the machine will do
		service/fields(shell)/(name)
		service/fields(shell)/*
		provider/provisioner(digitalocean)/api_token # credentials of an account
		provider/provisioner(digitalocean)/api_user # nobody reads what is in these
		provider/provisioner(digitalocean)/api_password
		provider/provisioner(digitalocean)/ssh_key_resource
		provider/provisioner(digitalocean)/digitalocean_region # words for the cloud
		provider/provisioner(digitalocean)/ssh_keypair
		provider/provisioner(digitalocean)/vpc_uuid
		provider/provisioner(digitalocean)/(name)
		provider/provisioner(digitalocean)/*
		provider/provisioner(ec2)/api_user # credentials of an account
		provider/provisioner(ec2)/api_password
		provider/provisioner(ec2)/session_token
		provider/provisioner(ec2)/aws_region # letters, digits and hyphens: it is a part of the cloud's name
		provider/provisioner(ec2)/associate_public_ip # true or false
		provider/provisioner(ec2)/aws_ebs_delete_on_term
		provider/provisioner(ec2)/aws_root_ebs_delete_on_term
		provider/provisioner(ec2)/dedicated_instance
		provider/provisioner(ec2)/spot
		provider/provisioner(ec2)/aws_ebs_size # numbers
		provider/provisioner(ec2)/aws_root_ebs_size
		provider/provisioner(ec2)/availability_zone # words for the cloud
		provider/provisioner(ec2)/aws_ebs_type
		provider/provisioner(ec2)/aws_root_ebs_type
		provider/provisioner(ec2)/iam_instance_profile
		provider/provisioner(ec2)/placement_group
		provider/provisioner(ec2)/security_group_ids
		provider/provisioner(ec2)/security_group_ids/-
		provider/provisioner(ec2)/security_groups
		provider/provisioner(ec2)/security_groups/-
		provider/provisioner(ec2)/spot_price
		provider/provisioner(ec2)/ssh_keypair
		provider/provisioner(ec2)/subnet_id
		provider/provisioner(ec2)/provider_hostname # nobody reads these
		provider/provisioner(ec2)/ssh_key_resource
		provider/provisioner(ec2)/(name)
		provider/provisioner(ec2)/*
		provider/provisioner(openstack)/openstack_auth_url # a URL: it reaches addresses of the public network only
		provider/provisioner(openstack)/api_user # credentials of an account
		provider/provisioner(openstack)/api_password
		provider/provisioner(openstack)/openstack_tenant
		provider/provisioner(openstack)/openstack_domain
		provider/provisioner(openstack)/openstack_project_domain
		provider/provisioner(openstack)/application_credential_id
		provider/provisioner(openstack)/application_credential_secret
		provider/provisioner(openstack)/config_drive # true or false
		provider/provisioner(openstack)/floating_ip
		provider/provisioner(openstack)/availability_zone # words for the cloud
		provider/provisioner(openstack)/floating_network
		provider/provisioner(openstack)/network_ids
		provider/provisioner(openstack)/network_ids/-
		provider/provisioner(openstack)/openstack_region # a word of the cloud's catalogue, as is the next
		provider/provisioner(openstack)/openstack_interface
		provider/provisioner(openstack)/security_groups
		provider/provisioner(openstack)/security_groups/-
		provider/provisioner(openstack)/ssh_keypair
		provider/provisioner(openstack)/ssh_key_resource # nobody reads these
		provider/provisioner(openstack)/user_data_resource
		provider/provisioner(openstack)/(name)
		provider/provisioner(openstack)/*
		provider/provisioner(rackspace)/api_user # credentials of an account
		provider/provisioner(rackspace)/api_password
		provider/provisioner(rackspace)/rackconnect_wait # true or false
		provider/provisioner(rackspace)/rackspace_region # words for the cloud
		provider/provisioner(rackspace)/ssh_keypair
		provider/provisioner(rackspace)/ssh_key_resource # nobody reads it
		provider/provisioner(rackspace)/(name)
		provider/provisioner(rackspace)/*
		provider/provisioner(lxd)/(name) # a tenant's provider of this type does nothing
		provider/provisioner(lxd)/*
		provider/provisioner(podman)/(name) # nor does one of this
		provider/provisioner(podman)/*
		service/fields(puppet)/manifest # resources, or files that come along: a path is refused
		service/fields(puppet)/modules
		service/fields(puppet)/config/- # members of the configuration
		service/fields(puppet)/nodes/- # names of services
		service/fields(puppet)/secrets # whether a disk of the machine will do
		service/fields(puppet)/(name)
		service/fields(puppet)/*
		service/fields(ansible)/playbook # resources, or files that come along: a path is refused
		service/fields(ansible)/roles
		service/fields(ansible)/files
		service/fields(ansible)/config/- # members of the configuration
		service/fields(ansible)/nodes/- # names of services
		service/fields(ansible)/secrets # whether a disk of the machine will do
		service/fields(ansible)/(name)
		service/fields(ansible)/*
		service/fields(itamae)/recipes # resources, or files that come along: a path is refused
		service/fields(itamae)/files
		service/fields(itamae)/config/- # members of the configuration
		service/fields(itamae)/nodes/- # names of services
		service/fields(itamae)/secrets # whether a disk of the machine will do
		service/fields(itamae)/(name)
		service/fields(itamae)/*
		service/fields(chef)/cookbooks # resources, or files that come along: a path is refused
		service/fields(chef)/roles
		service/fields(chef)/data_bags
		service/fields(chef)/run_list # words for the tool, on the machine
		service/fields(chef)/json_attributes
		service/fields(chef)/config/- # members of the configuration
		service/fields(chef)/nodes/- # names of services
		service/fields(chef)/secrets # whether a disk of the machine will do
		service/fields(chef)/(name)
		service/fields(chef)/*
		service/fields(docker)/image_name # words for the tool, on the machine
		service/fields(docker)/command
		service/fields(docker)/publish_ports
		service/fields(docker)/volumes # folders of the machine
		service/fields(docker)/environment_variables
		service/fields(docker)/environment # a place in the configuration
		service/fields(docker)/links # names of containers on the machine
		service/fields(docker)/container_name
		service/fields(docker)/pull # one of three words
		service/fields(docker)/config/- # members of the configuration
		service/fields(docker)/nodes/- # names of services
		service/fields(docker)/secrets # whether a disk of the machine will do
		service/fields(docker)/(name)
		service/fields(docker)/*
		service/fields(podman)/image_name # words for the tool, on the machine
		service/fields(podman)/command
		service/fields(podman)/publish_ports
		service/fields(podman)/volumes # folders of the machine
		service/fields(podman)/environment_variables
		service/fields(podman)/environment # a place in the configuration
		service/fields(podman)/links # names of containers on the machine
		service/fields(podman)/container_name
		service/fields(podman)/pull # one of three words
		service/fields(podman)/config/- # members of the configuration
		service/fields(podman)/nodes/- # names of services
		service/fields(podman)/secrets # whether a disk of the machine will do
		service/fields(podman)/(name)
		service/fields(podman)/*
	END
}

@test "whatever a tenant writes, wherever, nothing of the host is opened" {
	judges_see_it
	coopr-tenant change --addresses 192.0.2.11/32 qa
	walls_documents "$WALLS_KINDS" >generated
	jq -r '[.kind, .place, (.document | tostring)] | join("\t")' generated | shuf --random-source=<(yes "${SEED:-1}") |
		awk -F '\t' -v all="${WALLS_ALL:-}" '{ plugin = match($2, /\([a-z0-9]+\)/) ? substr($2, RSTART, RLENGTH) : "" }
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
