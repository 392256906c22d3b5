#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The Debian package: "make deb" makes it, where lintian has nothing to say, and here it is installed, upgraded, removed and purged, in a root of its own: an
# overlay on this machine's, or on the root that $COOPR_ROOT_DIR names (tests/package/fresh makes one with debootstrap).
# $COOPR_OLD_DEB is the package to upgrade from; without it, that is this one with a lower version.

load case

setup_file() {
	# Where these are missing, setup skips each test.
	[ "$(id -u)" -eq 0 ] || return 0
	for program in dpkg-buildpackage dh lintian; do
		command -v "$program" >/dev/null || return 0
	done
	export DEB=$BATS_FILE_TMPDIR/coopr.deb
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$COOPR_ROOT" deb >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		tail -40 "$BATS_FILE_TMPDIR/log"
		return 1
	}
	cp "$COOPR_ROOT/build/coopr.deb" "$DEB"
}

setup() {
	fresh
	need_root
	need_program dpkg-buildpackage dh lintian
	mkdir -p root
	cp "$DEB" new.deb
}

# Runs a script of bash in a root where nothing of coopr is installed. What is in the folder of the test is in /mnt there. The root
# is in memory: dpkg need not wait for a disk there, and the index of all manual pages is not made anew with each package.
inside() {
	cat >script
	unshare --mount --propagation private bash -e -c '
		mount -t tmpfs tmpfs root
		mkdir root/{upper,work,merged}
		mount -t overlay overlay -o "lowerdir=${COOPR_ROOT_DIR:-/},upperdir=root/upper,workdir=root/work" root/merged
		rm -rf root/merged/etc/coopr root/merged/var/{lib,log,spool}/coopr # of this machine
		for folder in proc sys dev; do mount --rbind /$folder root/merged/$folder; done
		mount -t tmpfs tmpfs root/merged/run
		mount --bind . root/merged/mnt
		rm -f root/merged/var/lib/man-db/auto-update
		echo force-unsafe-io >root/merged/etc/dpkg/dpkg.cfg.d/in-memory
		exec chroot root/merged env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive bash -e -u -o pipefail /mnt/script'
}

@test "the version of the package is that of the programs" {
	same "$(dpkg-deb -f new.deb Version)" "$(coopr --version | awk '{print $NF}')"
}

@test "what only one provider needs is suggested" {
	contains "$(dpkg-deb -f new.deb Suggests)" libvirt0
	[[ $(dpkg-deb -f new.deb Depends) != *libvirt* ]]
	contains "$(dpkg-deb -f new.deb Depends)" libmicrohttpd
}

@test "systemd understands the units" {
	need_program systemd-analyze
	run -0 inside <<-'SCRIPT'
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		rm -f /bin/kill # of the package procps, which may be missing
		systemd-analyze verify /lib/systemd/system/coopr-work.service /lib/systemd/system/coopr-reconcile.{service,timer}
	SCRIPT
	same "" "$output"
}

@test "the package makes the user coopr, whose installation a worker and a reconciliation serve, and nobody else enters it" {
	run -0 inside <<-'SCRIPT'
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		stat -c '%U %a %n' /var/lib/coopr /var/log/coopr
		as() { runuser -u coopr -- env -i PATH=/usr/bin:/bin "$@"; }
		as coopr store init
		as coopr create shop -t hadoop-distributed -n 8 --detach >/dev/null
		as coopr-work --drain
		as coopr list -o name
		as coopr-reconcile --probe --repair && echo agrees
		as sh -c "$(sed -n "s/^ExecStart=.*sh -c '\(.*\)'$/\1/p" /lib/systemd/system/coopr-reconcile.service)"
		stat -c '%U %n' /var/log/coopr/*
		coopr list 2>&1 || echo "root: $?"
		runuser -u nobody -- env -i PATH=/usr/bin:/bin coopr list 2>&1 || echo "nobody: $?"
		logrotate --debug /etc/logrotate.d/coopr 2>/dev/null || command -v logrotate >/dev/null || echo "no logrotate"
		man coopr-list >/dev/null 2>&1 || [ -s /usr/share/man/man1/coopr-list.1.gz ]
	SCRIPT
	contains "$output" "coopr 700 /var/lib/coopr"
	contains "$output" "coopr 750 /var/log/coopr"
	contains "$output" "shop"
	contains "$output" "agrees"
	contains "$output" "coopr /var/log/coopr/reconcile.log"
	contains "$output" "belongs to the user coopr; run the command as that user: sudo -u coopr coopr ..."
	contains "$output" "root: 77"
	contains "$output" "nobody: 77"
}

@test "an upgrade keeps the clusters, the settings that were changed, and what the version before had made" {
	cp "$COOPR_ROOT/tests/older/de8f036.tar.gz" older.tar.gz
	if [ -n "${COOPR_OLD_DEB-}" ]; then
		cp "$COOPR_OLD_DEB" old.deb
	else
		dpkg-deb -R new.deb old
		sed -i 's/^Version: .*/Version: 0.1/' old/DEBIAN/control
		dpkg-deb -Znone -b old old.deb >/dev/null
	fi
	run -0 inside <<-'SCRIPT'
		dpkg -i /mnt/old.deb >/dev/null 2>&1
		echo 'jobs = 7' >>/etc/coopr/config
		mkdir /tmp/older
		tar -xzf /mnt/older.tar.gz -C /tmp/older
		mv /tmp/older/state/* /var/lib/coopr/
		mv /tmp/older/spool /var/lib/coopr/spool
		chown -R coopr:coopr /var/lib/coopr
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		as() { runuser -u coopr -- env -i PATH=/usr/bin:/bin COOPR_PLUGINS=/tmp/older/plugins "$@"; }
		as coopr list -o json | tr -d '\n'
		as coopr doctor --settings -o json
		ls /var/lib/coopr
	SCRIPT
	contains "$output" '"name":"shop"'
	contains "$output" '"name":"jobs","value":"7"'
	contains "$output" "store.sqlite3.version-"
}

@test "a backup of one machine is restored by the package of another, and purge keeps backups and says so" {
	run -0 inside <<-'SCRIPT'
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		as() { runuser -u coopr -- env -i PATH=/usr/bin:/bin "$@"; }
		stat -c '%U %a %n' /var/backups/coopr
		as coopr store init
		echo word | as coopr secret set pw
		as coopr create shop -t hadoop-distributed -n 8 --detach >/dev/null
		as coopr-work --drain
		cd /var/backups/coopr
		as coopr backup --installation --key-file key all.tar.gz
		as coopr create late -t hadoop-distributed -n 8 --detach >/dev/null
		cp -p key all.tar.gz /mnt
		as coopr delete shop --yes --detach >/dev/null
		as coopr abort late >/dev/null || true
		as coopr-work --drain
		dpkg --purge coopr 2>&1
		ls /var/backups/coopr
	SCRIPT
	contains "$output" "coopr 700 /var/backups/coopr"
	contains "$output" "all.tar.gz: 1 cluster, 1 job, "
	contains "$output" "coopr: the backups in /var/backups/coopr are kept"
	run -0 inside <<-'SCRIPT'
		useradd --system taken # so that coopr gets another number
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		as() { runuser -u coopr -- env -i PATH=/usr/bin:/bin "$@"; }
		install -o coopr -m 600 /mnt/key /mnt/all.tar.gz /var/backups/coopr/
		coopr restore /var/backups/coopr/all.tar.gz 2>&1 || echo "root: $?"
		cd /var/backups/coopr
		as coopr restore --key-file key all.tar.gz
		as coopr list -o name
		as coopr secret list -o name
		as coopr expand shop -n 9 >/dev/null
		as coopr-queue fsck
		as coopr-store fsck
		as coopr-reconcile --probe && echo agrees
		find /var/lib/coopr -not -user coopr
	SCRIPT
	contains "$output" "root: 77"
	contains "$output" "all.tar.gz: restored 1 cluster and 1 job to /var/lib/coopr"
	contains "$output" "shop"
	contains "$output" "pw"
	contains "$output" "agrees"
	[[ $output != *late* ]]
}

@test "purge keeps store, key and queue while clusters live, and says so" {
	run -0 inside <<-'SCRIPT'
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		as() { runuser -u coopr -- env -i PATH=/usr/bin:/bin "$@"; }
		as coopr store init
		as coopr create shop -t hadoop-distributed -n 8 --detach >/dev/null
		as coopr-work --drain
		SUDO_USER=somebody dpkg --purge coopr 2>&1
		test -e /var/lib/coopr/store.sqlite3
		dpkg -i /mnt/new.deb >/dev/null 2>&1
		as coopr delete shop --yes --detach >/dev/null
		as coopr-work --drain
		as coopr-reconcile >/dev/null
		dpkg --purge coopr >/dev/null 2>&1
		ls -d /var/lib/coopr /var/log/coopr /etc/coopr 2>&1 || true
	SCRIPT
	contains "$output" "coopr: /var/lib/coopr is kept (store, key and queue), because these clusters are not deleted:"
	contains "$output" "  default  shop  00000001"
	contains "$output" "cannot access '/var/lib/coopr'"
	contains "$output" "cannot access '/var/log/coopr'"
	contains "$output" "cannot access '/etc/coopr'"
}
