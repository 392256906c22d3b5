/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
enum { FILTER_X32 = 0x40000000 }; /* the numbers of x32 have this bit */
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define FILTER_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define FILTER_ARCH AUDIT_ARCH_S390X
#endif

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
static const uint32_t terminals[] = {TIOCSTI, TIOCLINUX}; /* requests that write into another's terminal */

enum {
	NEW_SPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
	NEW_TIME = 0x80, /* is a signal's bit for clone, a time namespace for unshare */
	PROGRAM_SIZE = 192,
};

struct program {
	struct sock_filter list[PROGRAM_SIZE];
	unsigned short count;
};

static void
filter_add(struct program *program, unsigned code, uint32_t value, unsigned yes, unsigned no)
{
	if (program->count < PROGRAM_SIZE)
		program->list[program->count] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
	program->count++;
}

static void
filter_load(struct program *program, size_t offset)
{
	filter_add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the low half of an argument: all that is looked at here are 32 bits for the kernel, too. */
static void
filter_load_argument(struct program *program, size_t number)
{
	size_t offset = offsetof(struct seccomp_data, args) + number * sizeof(uint64_t);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	offset += sizeof(uint32_t);
#endif
	filter_load(program, offset);
}

static void
filter_end(struct program *program, uint32_t what)
{
	filter_add(program, BPF_RET | BPF_K, what, 0, 0);
}

static void
filter_fail(struct program *program, int reason)
{
	filter_end(program, SECCOMP_RET_ERRNO | (uint32_t)reason);
}

static void
filter_refuse(struct program *program, const int *calls, size_t count, int reason)
{
	for (size_t i = 0; i < count; i++) {
		filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
		filter_fail(program, reason);
	}
}

/* Refuses a call whose first argument has one of the bits. */
static void
filter_refuse_bits(struct program *program, int call, uint32_t bits)
{
	filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
	filter_load_argument(program, 0);
	filter_add(program, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	filter_fail(program, EPERM);
	filter_end(program, SECCOMP_RET_ALLOW);
}

static void
filter_refuse_families(struct program *program, int call)
{
	const unsigned count = LENGTH(families);

	filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, count + 3);
	filter_load_argument(program, 0);
	for (unsigned i = 0; i < count; i++)
		filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)families[i], count - i, 0);
	filter_fail(program, EAFNOSUPPORT);
	filter_end(program, SECCOMP_RET_ALLOW);
}

static void
filter_refuse_terminals(struct program *program)
{
	const unsigned count = LENGTH(terminals);

	filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, count + 3);
	filter_load_argument(program, 1);
	for (unsigned i = 0; i < count; i++)
		filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, terminals[i], count - i, 0);
	filter_end(program, SECCOMP_RET_ALLOW);
	filter_fail(program, EPERM);
}

/* Refuses the calls of other architectures, whose numbers mean something else. */
static void
filter_refuse_foreign(struct program *program)
{
	filter_load(program, offsetof(struct seccomp_data, arch));
	filter_add(program, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
	filter_fail(program, ENOSYS);
	filter_load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	filter_add(program, BPF_JMP | BPF_JSET | BPF_K, FILTER_X32, 0, 1);
	filter_fail(program, ENOSYS);
#endif
}

int
filter_install(struct error *err)
{
	struct program program = {.count = 0};
	struct sock_fprog fprog;

	filter_refuse_foreign(&program);
	filter_refuse(&program, refused, LENGTH(refused), EPERM);
	filter_refuse(&program, unknown, LENGTH(unknown), ENOSYS);
	filter_refuse_bits(&program, SYS_clone, NEW_SPACES);
	filter_refuse_bits(&program, SYS_unshare, NEW_SPACES | NEW_TIME);
	filter_refuse_families(&program, SYS_socket);
	filter_refuse_families(&program, SYS_socketpair);
	filter_refuse_terminals(&program);
	filter_end(&program, SECCOMP_RET_ALLOW);
	if (program.count > PROGRAM_SIZE)
		return error_set(err, EX_SOFTWARE, "the filter of system calls is too long");
	fprog = (struct sock_fprog){program.count, program.list};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog) < 0)
		return error_errno(err, EX_OSERR, "the filter of system calls: cannot be installed");
	return 0;
}
