#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The life of a cluster of each template that Cask published for Coopr, as they are, on a fake of the cloud that it names;
# that of base is in tests/coopr-templates.bats.

load ../case
load ../cloud
load coopr-templates

@test "ambari" {
	beside_coopr openstack <<<'life ambari 2 3'
}

@test "cdap-distributed" {
	beside_coopr openstack <<<'life cdap-distributed 4 5'
}

@test "cdap-sandbox-docker" {
	beside_coopr openstack <<<'life cdap-sandbox-docker 1 -'
}

@test "cdap-singlenode" {
	beside_coopr openstack <<<'life cdap-singlenode 1 -'
}

# Its only service is called otherwise, so that it never had a cluster.
@test "coopr-standalone-docker" {
	beside_coopr openstack <<-'END'
		! coopr create -q shop -t coopr-standalone-docker -n 1 2>refused
		cat refused
		grep 'coopr-standalone"' refused
		[ "$(machines)" = 0 ]
	END
}

@test "dcos-single-master" {
	beside_coopr google <<<'life dcos-single-master 3 4'
}

@test "docker-all" {
	beside_coopr openstack <<<'life docker-all 1 -'
}

# What it has by default is not among what it may have, so that a cluster had to name another image.
@test "docker-base" {
	beside_coopr google <<-'END'
		! coopr create -q shop -t docker-base -n 1 2>refused
		grep centos6 refused
		life docker-base 1 2 -I centos7
	END
}

@test "hadoop-distributed" {
	beside_coopr openstack <<<'life hadoop-distributed 4 5'
}

@test "hadoop-singlenode" {
	beside_coopr openstack <<<'life hadoop-singlenode 1 -'
}

@test "lamp" {
	beside_coopr openstack <<<'life lamp 3 4'
}

@test "mean-singlenode" {
	beside_coopr openstack <<<'life mean-singlenode 1 -'
}

@test "mongodb-singlenode" {
	beside_coopr openstack <<<'life mongodb-singlenode 1 -'
}

@test "spark-singlenode" {
	beside_coopr openstack <<<'life spark-singlenode 1 -'
}

@test "lamp, at Amazon, where one logs in as another user than root" {
	need_program sudo
	beside_coopr ec2 <<<'life lamp 3 4 -P aws-us-east-1'
}

@test "chef does what it was given" {
	chef_is_elsewhere
}
