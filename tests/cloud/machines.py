# SPDX-License-Identifier: Apache-2.0
#
# machines.py FAKE PROGRAMS HOSTKEY: the machines of a fake cloud, as long as its standard input is open. Each machine that the fake has is one here,
# too: a file system of its own over that of this host, processes of its own, and an sshd at its address, which has this key of the host and admits
# root, and the user ubuntu where there is sudo, with the key that is in what the machine was made with. The executables of the folder PROGRAMS are in its /usr/local/bin. A machine that the
# fake has no more goes with all that runs there. In a network and mount namespace of the test's own.
#
# A volume that the fake has attached is a device of the machine, where the cloud says. Nothing reads or writes that: programs in PROGRAMS
# take the place of blkid, mkfs.ext4 and mount, to which the volume is the folder NUMBER.data in volumes/, by the number of the device; in NUMBER.fs is
# a line for each file system that was made in it.
import base64
import json
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import urllib.request

FAKE, PROGRAMS, HOSTKEY = sys.argv[1:4]
MACHINE = r"""
set -e
mount -t tmpfs none "$WHERE"
mkdir "$WHERE/upper" "$WHERE/work" "$WHERE/root"
mount -t overlay -o lowerdir=/,upperdir="$WHERE/upper",workdir="$WHERE/work" none "$WHERE/root"
cd "$WHERE/root"
mount --bind "$DEVICES" dev
for name in null zero full random urandom tty; do : >"dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
mkdir -p dev/pts dev/shm
mount --rbind /dev/pts dev/pts
ln -sf pts/ptmx dev/ptmx
ln -sf /proc/self/fd dev/fd
mount -t proc none proc
mount -t tmpfs none run
mount -t tmpfs none tmp
chmod 1777 tmp
mkdir -p run/sshd run/volumes root/.ssh usr/local/bin var/log/chef-solo
mount --bind "$VOLUMES" run/volumes
cp "$PROGRAMS"/* usr/local/bin/
cp "$HOSTKEY" etc/ssh/machine_key
printf '%s\n' "$KEYS" >root/.ssh/authorized_keys
chmod -R go= root/.ssh etc/ssh/machine_key
if [ -e usr/bin/sudo ]; then
	chroot . useradd -m -p '*' ubuntu
	cp -r root/.ssh home/ubuntu/
	chroot . chown -R ubuntu: /home/ubuntu/.ssh
	echo 'ubuntu ALL=(ALL) NOPASSWD: ALL' >etc/sudoers.d/ubuntu
fi
exec chroot . /usr/sbin/sshd -D -e -f /dev/null -h /etc/ssh/machine_key $LISTEN -o PidFile=none
"""


def keys_of(machine):
    """What looks like a key for ssh, also in what is base64."""
    text = json.dumps(machine)
    for word in re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", text):
        try:
            text += base64.b64decode(word).decode()
        except ValueError:
            pass
    return "\n".join(sorted(set(re.findall(r"ssh-ed25519 [A-Za-z0-9+/=]+", text))))


def start(machine):
    where, devices = os.path.abspath("machine-%s" % machine["address"]), os.path.abspath("devices/%s" % machine["address"])
    os.makedirs(where, exist_ok=True)
    os.makedirs(devices + "/disk/by-id", exist_ok=True)
    listen = " ".join("-o ListenAddress=%s:22" % one for one in [machine["address"], machine.get("floating")] if one)
    environment = dict(os.environ, WHERE=where, PROGRAMS=PROGRAMS, HOSTKEY=HOSTKEY, KEYS=keys_of(machine), LISTEN=listen, DEVICES=devices,
                       VOLUMES=os.path.abspath("volumes"))
    with open(where + ".log", "wb") as log:
        process = subprocess.Popen(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", MACHINE],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
    return Machine(process, devices)


class Machine:
    def __init__(self, process, devices):
        self.process, self.devices, self.nodes = process, devices, {}

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.devices)

    def have(self, volumes):
        """Has the devices of these volumes: their paths by the volume's id."""
        for one in self.nodes.keys() - volumes.keys():
            os.unlink(self.nodes.pop(one))
        for one in volumes.keys() - self.nodes.keys():
            self.nodes[one] = self.devices + volumes[one]["device"].removeprefix("/dev")
            os.mknod(self.nodes[one], stat.S_IFBLK | 0o600, os.makedev(7, number_of(one)))


numbers = {}  # of volumes, by their ids


def number_of(volume):
    return numbers.setdefault(volume, 4096 + len(numbers))


def copy(volume):
    """A volume or snapshot that is new has what the one has that it is made from."""
    for kind in (".fs", ".data"):
        source = "volumes/%d%s" % (number_of(volume["of"]), kind)
        if os.path.exists(source):
            subprocess.run(["cp", "-rT", source, "volumes/%d%s" % (number_of(volume["id"]), kind)], check=True)


def ask(path):
    with urllib.request.urlopen(FAKE + path) as answer:
        return json.load(answer)


def main():
    running, known = {}, set()
    os.makedirs("volumes", exist_ok=True)
    os.makedirs("devices", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "devices"], check=True)
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        there = {machine["id"]: machine for machine in ask("/_machines") if machine["address"]}
        for one in running.keys() - there.keys():  # first: a new machine may have the address of one that is gone
            running.pop(one).end()
        for one in there.keys() - running.keys():
            running[one] = start(there[one])
        volumes = {volume["id"]: volume for volume in ask("/_volumes")}
        for one in volumes.keys() - known:
            known.add(one)
            if volumes[one].get("of"):
                copy(volumes[one])
        for one, machine in running.items():
            machine.have({volume["id"]: volume for volume in volumes.values() if volume["machine"] == one})
    for machine in running.values():
        machine.end()


main()
