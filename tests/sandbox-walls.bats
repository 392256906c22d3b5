#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-sandbox(7), what a machine's root cannot do: attacks by it on the host and on its neighbours. Each is bounded, so that it does
# no harm where the wall is missing.

load case
load sandbox

setup() {
	jobs=()
	fresh
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip jq flock python3 setpriv
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
}

teardown() {
	[ ${#jobs[@]} -eq 0 ] || kill "${jobs[@]}" 2>/dev/null || true
	ip address del 203.0.113.77/32 dev lo 2>/dev/null || true
	sandbox purge >/dev/null
	[ ! -e "$COOPR_STATE/sandbox" ] || find "$COOPR_STATE/sandbox" -print -exec false {} +
}

# Makes a machine and waits until it answers: up NODENUM [JQ-FILTER]
up() {
	record "$@" | sandbox create >"$1.json" 2>"$1.told"
	record "$@" | sandbox confirm >/dev/null
}

address() { # NODENUM
	jq -r .ipaddresses.access_v4 "$1.json"
}

# Runs a command in a machine, as its root: on NODENUM COMMAND
on() {
	local address key

	read -r address key < <(jq -r '"\(.ipaddresses.access_v4) \(.result.ssh_host_keys.ed25519)"' "$1.json")
	echo "$address $key" >"$1.known"
	ssh -F none -o ConnectTimeout=5 -o BatchMode=yes -o ServerAliveInterval=5 -o UserKnownHostsFile="$PWD/$1.known" -o LogLevel=ERROR \
		-i "$COOPR_STATE/ssh/id_ed25519" "root@$address" "$2"
}

# Python in a machine, whose root calls the kernel with it: it reads the program.
python_on() { # NODENUM
	on "$1" "python3 -c '$(cat)'" 2>&1
}

init_of() { # NODENUM
	sandbox list </dev/null | jq -r "select(.id == \"00000042-$1\") | .pid"
}

@test "root of a machine is an ordinary user of the host, and of no other machine" {
	up 1000
	up 1001
	one=$(stat -c %u "/proc/$(init_of 1000)") && two=$(stat -c %u "/proc/$(init_of 1001)")
	same 0 "$(on 1000 'id -u')"
	# An init that is not dumpable is shown as the host's: what it starts is not.
	one=$(ps -o uid= --ppid "$(init_of 1000)" | head -n 1) && two=$(ps -o uid= --ppid "$(init_of 1001)" | head -n 1)
	[ "$one" -ge 65536 ] && [ "$two" -ge 65536 ] && [ "$one" -ne "$two" ]
	same "0 0 0" "$(on 1000 'stat -c %u / /etc/passwd /usr/bin/env' | xargs)"
	on 1000 'touch /var/tmp/x && chown nobody /var/tmp/x && su -s /bin/sh -c "rm /var/tmp/x" nobody'
}

@test "of the host a machine sees programs, what everybody may read of /etc, the packages, and nothing else" {
	up 1000
	same "" "$(on 1000 'ls -A / | grep -vxE "bin|boot|dev|etc|home|lib|lib32|lib64|libx32|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var"')"
	same "" "$(on 1000 'find /opt /srv /mnt /media /boot /home -mindepth 1')"
	# What not everybody may read on the host: no file has the same contents in the machine.
	find /etc /var /root /home /opt /srv /usr/local -xdev -type f ! -perm -o=r -size +0 -print0 2>/dev/null | head -z -n 2000 |
		xargs -0 -r sha256sum | sort >secrets
	[ -s secrets ]
	sed 's/^\([0-9a-f]*\)  /\1 /' secrets | on 1000 'while read -r digest file; do
			[ ! -f "$file" ] || [ "$(sha256sum <"$file" | cut -d" " -f1)" != "$digest" ] || echo "$file"
		done' >seen
	same "" "$(cat seen)"
	same "" "$(on 1000 'ls -A /etc/ssl/private /etc/sudoers /etc/sudoers.d /etc/machine-id.host /var/log/journal 2>/dev/null' | grep -v : || :)"
	same 0 "$(on 1000 'grep -c "^[^:]*:[^*]" /etc/shadow || :')"
	[ "$(on 1000 'cat /etc/machine-id')" != "$(cat /etc/machine-id)" ]
	# It works: users, packages, and what the machine changes is its own.
	on 1000 'dpkg --audit && dpkg -l | grep -q openssh-server && getent passwd nobody && useradd -m somebody && apt-config dump >/dev/null &&
		touch /usr/bin/new /usr/local/bin/new /etc/new /var/lib/dpkg/new /var/log/new && mv /usr/bin/new /etc/newer && rm /usr/bin/env'
	[ -e /usr/bin/env ] && [ ! -e /usr/local/bin/new ]
}

@test "root of a machine has no keys of the host, and none of its own in the kernel" {
	up 1000
	same "1 1 1" "$(python_on 1000 <<-'E'
		import ctypes
		libc = ctypes.CDLL(None, use_errno=True)
		def call(*a):
		    libc.syscall(*a)
		    return ctypes.get_errno()
		print(call(250, 0, -3, 0, 0, 0), call(248, b"user", b"x", b"y", 1, -3), call(249, b"user", b"x", 0, -3))
	E
	)"
	same "" "$(on 1000 'cat /proc/keys 2>/dev/null')"
}

@test "root of a machine mounts nothing and makes no namespace" {
	up 1000
	for words in 'mount -t cgroup -o pids none /mnt' 'mount -t cgroup2 none /mnt' 'mount -t tmpfs none /mnt' 'mount -t proc none /mnt' \
		'mount --bind / /mnt' 'mount -o remount,rw /sys' 'umount -l /proc/sys' 'umount -l /proc/kcore' 'unshare -U true' \
		'unshare -Ur mount -t tmpfs none /mnt' 'unshare -m true' 'unshare -n true' 'unshare -C true' 'unshare -p true' \
		'nsenter -t 1 -m true' 'nsenter -t $$ -U true' 'losetup -f' 'capsh --caps=cap_sys_admin+eip -- -c true'; do
		run ! on 1000 "$words"
	done
}

@test "root of a machine signals, traces and sees no process of the host or of another machine" {
	up 1000
	up 1001
	sleep 1000 &
	victim=$!
	run ! on 1000 "kill -KILL $victim"
	run ! on 1000 "ls /proc/$(init_of 1001)/root"
	on 1000 'kill -KILL -1; true' || true
	kill "$victim" # it lives
	same "" "$(on 1000 'ls -l /proc/[0-9]*/root 2>/dev/null' | grep -v -- '-> /$' | grep -- '->')"
	run ! on 1000 'ls /proc/1/root/'
	run ! on 1000 'ls /proc/1/fd/'
	on 1001 true
}

@test "root of a machine does nothing to the kernel: its settings, sysrq, clock, log, swap, modules, programs, scheduling" {
	up 1000
	for words in 'echo h >/proc/sysrq-trigger' 'echo 1 >/proc/sys/kernel/sysrq' 'echo x >/proc/sys/kernel/core_pattern' 'date -s 2001-01-01' \
		'dmesg' 'head -c 1 /proc/kcore | grep -q .' 'mknod /var/tmp/sda b 8 0' 'mknod /dev/sda b 8 0' 'mknod /var/tmp/mem c 1 1' \
		'chrt -f 1 true' 'chrt -r 1 true' 'nice -n -20 true 2>&1 | grep -q . && false' 'swapon /etc/passwd' 'modprobe dummy' \
		'echo 1 >/sys/kernel/mm/ksm/run' 'cat /sys/kernel/debug/x' 'ulimit -l unlimited'; do
		run on 1000 "$words"
		[ "$status" -ne 0 ] || [[ $words = nice* ]] || fail "$words"
	done
	same "1 1 38 38 38 38 1 1" "$(python_on 1000 <<-'E' | xargs
		import ctypes
		libc = ctypes.CDLL(None, use_errno=True)
		def call(*a):
		    ctypes.set_errno(0)
		    libc.syscall(*a)
		    return ctypes.get_errno()
		# bpf, perf_event_open; io_uring_setup, clone3, two calls of x32; open_by_handle_at, kexec_load
		print(*[call(n, 0, 0, 0, 0, 0) for n in (321, 298, 425, 435, 0x40000000 + 39, 0x40000000 + 321, 304, 246)])
	E
	)"
	same "97 97 97" "$(python_on 1000 <<-'E' | xargs
		import socket
		for family in (40, 38, 15): # vsock, alg, key
		    try: socket.socket(family, 2)
		    except OSError as e: print(e.errno)
	E
	)"
}

@test "a fork bomb ends at the number of processes that the provider gives, which neither host nor neighbours notice" {
	grep -q pids /proc/self/cgroup /sys/fs/cgroup/cgroup.controllers 2>/dev/null || skip "needs the controller pids"
	up 1000 '.cluster.provider.provisioner.flavors.small.processes = 100'
	up 1001 '.cluster.provider.provisioner.flavors["*"].processes = 60'
	[ ! -s 1000.told ] || skip "$(cat 1000.told)"
	for n in 1000 1001; do
		python_on "$n" <<-'E' >"$n.forks"
			import os, signal, time
			pids = []
			for i in range(2000):
			    try: pid = os.fork()
			    except OSError: break
			    if pid == 0:
			        signal.pause()
			    pids.append(pid)
			print(len(pids))
			for pid in pids: os.kill(pid, 9)
		E
	done
	[ "$(cat 1000.forks)" -lt 100 ] && [ "$(cat 1000.forks)" -gt 60 ] && [ "$(cat 1001.forks)" -lt 60 ]
	on 1000 true
}

@test "all machines together leave the host an eighth of its processes and of its memory" {
	up 1000
	[ ! -s 1000.told ] || skip "$(cat 1000.told)"
	pids=$(find /sys/fs/cgroup -maxdepth 4 -path '*/coopr/pids.max') memory=$(find /sys/fs/cgroup -maxdepth 4 -path '*/coopr/memory.max' -o -path '*/coopr/memory.limit_in_bytes')
	all=$(cat /proc/sys/kernel/pid_max)
	same $((all - all / 8)) "$(cat "$pids")"
	[ "$(($(cat "$memory") / 1024))" -lt "$(awk '/^MemTotal/ {print $2}' /proc/meminfo)" ]
}

@test "a machine's memory ends where its provider says" {
	grep -q memory /proc/self/cgroup /sys/fs/cgroup/cgroup.controllers 2>/dev/null || skip "needs the controller memory"
	up 1000 '.cluster.provider.provisioner.flavors = {small: {memory: 64, cpu: 0.5}}'
	[ ! -s 1000.told ] || skip "$(cat 1000.told)"
	run on 1000 'python3 -c "x = bytearray(256 << 20)"'
	[ "$status" -ne 0 ]
	on 1000 'python3 -c "x = bytearray(16 << 20)"'
}

# The loop devices of the installation's machines.
loops() {
	losetup --list --noheadings --output BACK-FILE | grep -c "^$(realpath "$COOPR_STATE")/" || true
}

# Skips where the host cannot give machines disks: has_disk NODENUM
has_disk() {
	! grep -E 'no loop device|mkfs.ext4' "$1.told" >why || skip "$(cat why)"
	same "" "$(grep -v -i -e asan -e 'false positive' -e sanitizers "$1.told")"
}

# The room on the host's disk, in MiB.
room() {
	stat -f -c '%a %S' "$COOPR_STATE" | awk '{ print int($1 * $2 / 1048576) }'
}

@test "a machine that fills its disk finds it full at the size that the provider gives, and the host and its neighbours do not" {
	need_program losetup
	up 1000 '.cluster.provider.provisioner.flavors.small.disk = 128'
	has_disk 1000
	up 1001
	before=$(room)
	for folder in / /root /home /var/tmp /etc/ssh /usr/local; do
		run on 1000 "{ cat /dev/zero >$folder/fill; } 2>&1; stat -c %s $folder/fill"
		contains "$output" "No space left on device"
		[ "$(tail -n 1 <<<"$output")" -le $((128 << 20)) ]
	done
	run on 1000 'i=0; while mkdir /srv/$i 2>/dev/null; do i=$((i + 1)); done; [ $i -lt 100000 ]'
	same 0 "$status"
	[ $((before - $(room))) -lt 1024 ]
	on 1001 'head -c 200000000 /dev/zero >/var/tmp/much && rm /var/tmp/much && df --output=size -m / | tail -n 1' >size
	[ "$(cat size)" -gt 19000 ]
	# With what it has filled, it is still one that can be entered, asked and deleted.
	on 1000 'rm /fill && echo x >/root/x'
	jq -n '{id: "00000042-1000"} | {kind: "task", machine: .}' | sandbox delete >/dev/null
	same "" "$(sandbox list </dev/null | jq -r 'select(.id == "00000042-1000") | .id')"
}

@test "what a machine's root has its sshd say takes no room on the host" {
	up 1000
	on 1000 'cat /usr/sbin/sshd >/var/tmp/sshd; rm /usr/sbin/sshd
		printf "#!/bin/sh\nhead -c 10000000 /dev/zero >&2\necho done >/var/tmp/done\n" >/usr/sbin/sshd; chmod 755 /usr/sbin/sshd /var/tmp/sshd
		/var/tmp/sshd -p 2022 -f /etc/ssh/sshd_config -o PidFile=none' 2>/dev/null || true
	run ! on 1000 true
	console=$(find "$COOPR_STATE/sandbox/machines" -name console)
	[ "$(stat -c %s "$console")" -gt 0 ]
	[ "$(stat -c %s "$console")" -lt 100000 ]
}

@test "machines of many sizes that are made side by side have each the disk of its size" {
	up 1900
	has_disk 1900
	sizes="64 100 128 200 256 300 400 512"
	n=1000
	for size in $sizes; do
		record $n ".cluster.provider.provisioner.flavors.small.disk = $size" | sandbox create >$n.json 2>$n.told &
		n=$((n + 1))
	done
	wait
	n=1000
	for size in $sizes; do
		record $n | sandbox confirm >/dev/null
		had=$(on $n 'df --output=size -m / | tail -n 1')
		[ "$had" -le "$size" ] && [ "$had" -ge $((size * 9 / 10)) ]
		n=$((n + 1))
	done
}

@test "empty disks of some sizes are kept, however many are asked for" {
	for size in $(seq 64 82); do
		record 1000 ".token = \"00000042-$size:t1\" | .cluster.provider.provisioner.flavors.small.disk = $size" |
			sandbox create >1000.json 2>1000.told
		sandbox purge >/dev/null
	done
	has_disk 1000
	[ "$(find "$COOPR_STATE/sandbox-disks" -type f | wc -l)" -le 16 ]
}

@test "of a machine's disk nothing is left, however it ends" {
	need_program losetup
	up 1000
	has_disk 1000
	up 1001
	same 2 "$(loops)"
	kill -9 "$(init_of 1000)"
	until [ "$(loops)" -eq 1 ]; do sleep 0.1; done
	record 1000 | sandbox create >/dev/null # anew
	same 2 "$(loops)"
	sandbox purge >/dev/null
	until [ "$(loops)" -eq 0 ]; do sleep 0.1; done
}

@test "what a machine deletes, the host has again" {
	up 1000
	has_disk 1000
	disk=$COOPR_STATE/sandbox/machines/$(sandbox list </dev/null | jq -r .providerid)/disk
	on 1000 'head -c 100000000 /dev/urandom >/var/tmp/much && sync'
	[ "$(du -m "$disk" | cut -f1)" -gt 90 ]
	on 1000 'rm /var/tmp/much && sync'
	until [ "$(du -m "$disk" | cut -f1)" -lt 50 ]; do on 1000 sync; done
}

# The processor time that a machine's processes have had, in milliseconds: used NODENUM
used() {
	python3 - "$(init_of "$1")" <<-'E'
		import os, sys
		first = os.stat("/proc/" + next(open("/proc/%s/task/%s/children" % (sys.argv[1], sys.argv[1]))).split()[0]).st_uid
		used = 0
		for pid in filter(str.isdigit, os.listdir("/proc")):
		    try:
		        if first <= os.stat("/proc/" + pid).st_uid < first + 65536:
		            fields = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()
		            used += int(fields[11]) + int(fields[12])
		    except OSError:
		        pass
		print(used * 1000 // os.sysconf("SC_CLK_TCK"))
	E
}

@test "a machine that spins on all processors and stops all that it sees has its share of them, and delays nobody else" {
	up 1000 '.cluster.provider.provisioner.flavors.small.cpu = 0.5'
	[ ! -s 1000.told ] || skip "$(cat 1000.told)"
	up 1001
	run ! on 1000 'chrt --fifo 99 true'
	run ! on 1000 'chrt --rr 1 true'
	run ! on 1000 'renice -n -20 -p 1'
	for i in 1 2 3 4 5 6 7 8; do
		on 1000 'nohup nice -n -20 sh -c "while :; do :; done" >/dev/null 2>&1 </dev/null &'
	done
	began=$(date +%s%3N) && before=$(used 1000)
	same 1001 "$(on 1001 'echo 1001')"
	until [ $(($(used 1000) - before)) -gt 300 ]; do on 1001 true; done
	had=$(($(used 1000) - before)) && took=$(($(date +%s%3N) - began))
	echo "$had of $took ms"
	[ "$had" -le $((took / 2 + 200)) ]
	# To all but itself and init: also what only looks as if it were its own.
	on 1000 'kill -STOP -1' || true
	same 1001 "$(on 1001 'echo 1001')"
	same "" "$(ps -eo stat=,uid= | awk '$1 ~ /^T/ && $2 < 65536')"
	jq -n '{kind: "task", machine: {id: "00000042-1000"}}' | sandbox delete >/dev/null
	same 1 "$(sandbox list </dev/null | wc -l)"
}

# The control groups of a machine, which say whose it is: groups_of NODENUM
groups_of() {
	grep -oE '/coopr/[^/]+$' "/proc/$(init_of "$1")/cgroup" | sort -u
}

@test "of a machine's control groups nothing is left" {
	up 1000
	groups=$(groups_of 1000)
	[ -n "$groups" ] || skip "needs control groups"
	sandbox purge >/dev/null
	same "" "$(find /sys/fs/cgroup -maxdepth 4 -path "*$groups")"
	# Nor of one that was killed.
	up 1001
	groups=$(groups_of 1001)
	kill -9 "$(init_of 1001)"
	jq -n '{kind: "task", machine: {id: "00000042-1001"}}' | sandbox delete >/dev/null
	same "" "$(find /sys/fs/cgroup -maxdepth 4 -path "*$groups")"
}

# A record of a machine of another cluster: other NODENUM
other() {
	up "$1" '.cluster.id = "00000043" | .machine.id = "00000043-\(.machine.nodenum)"'
}

@test "machines of a cluster reach each other, and those of another cluster do not, whatever their root does" {
	up 1000
	up 1001
	other 1002
	same SSH- "$(on 1000 "exec 3<>/dev/tcp/$(address 1001)/22; head -c 4 <&3")"
	run ! on 1000 "timeout 2 bash -c 'exec 3<>/dev/tcp/$(address 1002)/22'"
	for words in "ip route add default via ${NETWORK%.0/24}.1" "ip route replace $(address 1002)/32 dev eth0 onlink" \
		"ip neigh replace $(address 1002) lladdr $(on 1002 'cat /sys/class/net/eth0/address') dev eth0"; do
		on 1000 "$words || true"
		run ! on 1000 "timeout 2 bash -c 'exec 3<>/dev/tcp/$(address 1002)/22'"
	done
	on 1002 true
}

@test "of the host's addresses a machine reaches the one in its network, whatever its root does" {
	need_program nft
	nft list tables || skip "needs nft"
	ip address add 203.0.113.77/32 dev lo || skip "needs to give this host an address"
	up 1000
	mkfifo ready
	python3 -c '
import socketserver
class Handler(socketserver.BaseRequestHandler):
    def handle(self): self.request.sendall(b"here")
server = socketserver.TCPServer(("", 8097), Handler)
print("ready", flush=True)
server.serve_forever()' >ready 3>&- &
	jobs+=("$!")
	same ready "$(head -n 1 ready)"
	same here "$(on 1000 "exec 3<>/dev/tcp/${NETWORK%.0/24}.1/8097; cat <&3")"
	for words in true "ip route add default via ${NETWORK%.0/24}.1" "ip route replace 203.0.113.77/32 dev eth0 onlink"; do
		on 1000 "$words || true"
		run ! on 1000 "timeout 2 bash -c 'exec 3<>/dev/tcp/203.0.113.77/8097'"
	done
}

@test "a machine takes no address, neither of its cluster nor of another" {
	up 1000
	up 1001
	other 1002
	for taken in "$(address 1001)" "$(address 1002)"; do
		# The thief has the address, and says so to everybody; it answers at a port that nobody else has.
		on 1000 "ip address add $taken/32 dev eth0
			nohup python3 -m http.server --bind $taken 8099 >/dev/null 2>&1 </dev/null &"
		python_on 1000 >frames <<-E
			import socket
			s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
			s.bind(("eth0", 0x806))
			own = s.getsockname()[4]
			ip = socket.inet_aton("$taken")
			for target in (ip, socket.inet_aton("${NETWORK%.0/24}.1"), socket.inet_aton("$(address 1001)")):
			    for op in (b"\0\1", b"\0\2"):
			        for i in range(50):
			            s.send(b"\xff" * 6 + own + b"\x08\x06\0\1\x08\0\6\4" + op + own + ip + b"\xff" * 6 + target)
			print("sent")
		E
		same sent "$(cat frames)"
		run ! timeout 2 bash -c "exec 3<>/dev/tcp/$taken/8099"
		run ! on 1001 "timeout 2 bash -c 'exec 3<>/dev/tcp/$taken/8099'"
		on 1000 "ip address del $taken/32 dev eth0"
	done
	same "$(jq -r .hostname 1001.json | cut -d. -f1)" "$(on 1001 hostname)"
	on 1002 true
}

@test "what a machine sends from another's address arrives nowhere" {
	up 1000
	up 1001
	other 1002
	on 1001 'python3 -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((\"\", 7000)); s.settimeout(20)
while True:
    data, sender = s.recvfrom(100)
    if data == b\"end\": break
    print(data.decode(), sender[0], flush=True)
" >/var/tmp/heard 2>&1 </dev/null & until grep -q :1B58 /proc/net/udp; do sleep 0.05; done'
	on 1000 "ip address add $(address 1002)/32 dev lo; ip address add 8.8.8.8/32 dev lo"
	python_on 1000 <<-E
		import socket
		for source in ("$(address 1002)", "8.8.8.8"):
		    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		    s.bind((source, 0))
		    s.sendto(b"forged", ("$(address 1001)", 7000))
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.sendto(b"true", ("$(address 1001)", 7000))
		s.sendto(b"end", ("$(address 1001)", 7000))
	E
	on 1001 'while [ -n "$(grep :1B58 /proc/net/udp)" ]; do sleep 0.05; done'
	same "true $(address 1000)" "$(on 1001 'cat /var/tmp/heard')"
}

@test "the kernel's log of the host says nothing about what machines try" {
	dmesg >/dev/null 2>&1 || skip "needs the kernel's log"
	up 1000
	dmesg | tail -n 1 >before
	on 1000 'mount -t tmpfs none /mnt; mknod /var/tmp/sda b 8 0; dmesg; swapon /etc/passwd; chrt -f 1 true
		ip address add 10.0.0.1/8 dev eth0; ip address add 8.8.8.8/32 dev eth0
		python3 -c "import ctypes; ctypes.CDLL(None).syscall(321, 0, 0, 0)"' >/dev/null 2>&1 || true
	# Lines of others' machines, on bridges, come at any time.
	dmesg | sed "1,/^$(sed 's/[][\/.*^$]/\\&/g' before)\$/d" | grep -vE 'coopr|cn-|eth0|veth|EXT4-fs|loop|oom|Memory cgroup' >after || true
	same "" "$(cat after)"
}
