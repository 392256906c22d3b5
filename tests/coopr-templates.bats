#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The life of a cluster of a template that Cask published for Coopr, as it is, on a fake of the cloud that it names; tests/cloud has the others.

load case
load cloud
load cloud/coopr-templates

@test "a cluster of the template base is made, configured, stopped, started, grows and is deleted, and chef is given what Coopr would have given it" {
	beside_coopr openstack <<<'life base 1 2'
}

@test "chef does what it was given" {
	chef_is_elsewhere
}
