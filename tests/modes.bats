#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who else may read what coopr keeps: nobody, at no moment, whatever the umask.

load case

setup() {
	fresh
	need_program strace
	umask 0
	own_catalogue
	rm -rf home state spool
}

# Notes each file and folder that a command makes, with the mode it is made with.
traced() {
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
		strace -f -qq -A -o trace -e trace=open,openat,creat,mkdir,mkdirat,mknod,mknodat,chmod,fchmod,fchmodat,umask "$@" >>out 2>>err
}

# Lines of the trace that make something others may use, or make it so.
for_others() {
	grep -vE '= -1 E' trace | grep -E 'O_CREAT|O_TMPFILE|mkdir|mknod|chmod|creat\(' | grep -vE ', 0?[0-7]00\)|, 0[0-7]00\) ' |
		grep -E ', 0[0-7]{3}\)' || true
}

@test "what is made is for its owner alone from the first moment on, for every command that makes something" {
	traced coopr-create blog -t lamp -n 4
	traced coopr-expand blog
	traced coopr-config --set a=b blog
	traced coopr-restart blog
	traced coopr-clone blog other
	traced coopr-rename other third
	echo value | traced coopr-secret set one
	traced coopr-store import mine
	traced coopr-store backup copy
	traced coopr-expand --dry-run --save plan blog
	traced coopr-tenant create qa
	traced coopr-queue fsck
	traced coopr-hook try success
	traced coopr-reconcile || true
	traced coopr-ssh --dry-run blog || true
	traced coopr-delete -y blog
	same "" "$(for_others)"
	same "" "$(find state spool run copy plan -perm /077 ! -type l)"
}

@test "also where the spool or a task comes first" {
	coopr-request -C mine -t lamp -n 4 --name x --id 00000042 | coopr-solve | coopr-plan >plan
	rm -rf state spool
	traced coopr-queue put plan
	traced coopr-work --drain
	coopr-queue ls -o json | grep -q complete
	coopr-request -C mine -t lamp -n 4 --name y --id 00000043 | coopr-solve | coopr-plan | coopr-queue put >id
	coopr-queue take >task
	traced coopr-exec <task
	same "" "$(for_others)"
	same "" "$(find state spool -perm /077 ! -type l)"
}
