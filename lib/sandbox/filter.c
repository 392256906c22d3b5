/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "confine/calls.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const int refused[] = {
	/* mounts and namespaces; clone and unshare are looked at below */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_setns, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_move_mount,
	SYS_open_tree, SYS_mount_setattr,
	/* the kernel */
	SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_syslog, SYS_acct, SYS_bpf,
	SYS_perf_event_open, SYS_userfaultfd, SYS_fanotify_init,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
	SYS_iopl, SYS_ioperm,
#endif
	/* clocks, swap, quotas, files by handle */
	SYS_settimeofday, SYS_adjtimex, SYS_clock_settime, SYS_clock_adjtime, SYS_swapon, SYS_swapoff, SYS_quotactl,
	SYS_open_by_handle_at,
	/* keyrings */
	SYS_add_key, SYS_request_key, SYS_keyctl,
};

static const int unknown[] = {
	/* The flags of clone3 are in memory, where no filter reads them: the C library then uses clone. */
	SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
};

static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET};

enum {
	NEW_SPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
	NEW_TIME = 0x80, /* is a signal's bit for clone, a time namespace for unshare */
};

int
filter_install(struct error *err)
{
	struct sock_fprog program;
	struct calls calls;

	calls_begin(&calls);
	calls_refuse(&calls, refused, LENGTH(refused), EPERM);
	calls_refuse(&calls, unknown, LENGTH(unknown), ENOSYS);
	calls_refuse_bits(&calls, SYS_clone, NEW_SPACES);
	calls_refuse_bits(&calls, SYS_unshare, NEW_SPACES | NEW_TIME);
	calls_refuse_families(&calls, SYS_socket, families, LENGTH(families));
	calls_refuse_families(&calls, SYS_socketpair, families, LENGTH(families));
	calls_refuse_terminals(&calls);
	if (calls_end(&calls, &program) < 0)
		return error_set(err, EX_SOFTWARE, "the filter of system calls is too long");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return error_errno(err, EX_OSERR, "the filter of system calls: cannot be installed");
	return 0;
}
