# SPDX-License-Identifier: Apache-2.0
#
# machines.py FAKE PROGRAMS HOSTKEY: the machines of a fake cloud, as long as its standard input is open. Each machine that the fake has is one here,
# too: a file system of its own over that of this host, processes of its own, and an sshd at its address, which has this key of the host and admits
# root, and the user ubuntu where there is sudo, with the key that is in what the machine was made with. The executables of the folder PROGRAMS are in its /usr/local/bin. A machine that the
# fake has no more goes with all that runs there. In a network and mount namespace of the test's own.
import base64
import json
import os
import re
import select
import signal
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
mount --rbind /dev dev
mount -t proc none proc
mount -t tmpfs none run
mount -t tmpfs none tmp
chmod 1777 tmp
mkdir -p run/sshd root/.ssh usr/local/bin var/log/chef-solo
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
exec chroot . /usr/sbin/sshd -D -e -f /dev/null -h /etc/ssh/machine_key -o ListenAddress="$ADDRESS:22" -o PidFile=none
"""


def keys_of(machine):
    """What looks like a key for ssh, also in what is base64."""
    text = json.dumps(machine)
    for word in re.findall(r'"([A-Za-z0-9+/]{40,}={0,2})"', text):
        try:
            text += base64.b64decode(word).decode()
        except ValueError:
            pass
    return "\n".join(sorted(set(re.findall(r"ssh-ed25519 [A-Za-z0-9+/=]+", text))))


def start(machine):
    where = os.path.join(os.getcwd(), "machine-%s" % machine["address"])
    os.makedirs(where, exist_ok=True)
    environment = dict(os.environ, WHERE=where, PROGRAMS=PROGRAMS, HOSTKEY=HOSTKEY, KEYS=keys_of(machine), ADDRESS=machine["address"])
    with open(where + ".log", "wb") as log:
        return subprocess.Popen(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", MACHINE],
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def main():
    running = {}
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        with urllib.request.urlopen(FAKE + "/_machines") as answer:
            there = {machine["id"]: machine for machine in json.load(answer)}
        for one in there.keys() - running.keys():
            running[one] = start(there[one])
        for one in running.keys() - there.keys():
            running[one].send_signal(signal.SIGKILL)
            running.pop(one).wait()
    for process in running.values():
        process.send_signal(signal.SIGKILL)
        process.wait()


main()
