/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define CALLS_ARCH AUDIT_ARCH_X86_64
enum { CALLS_X32 = 0x40000000 }; /* the numbers of x32 have this bit */
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define CALLS_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CALLS_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define CALLS_ARCH AUDIT_ARCH_S390X
#endif

static const uint32_t terminals[] = {TIOCSTI, TIOCLINUX};

/* Calls that change a process by its number, which is 0 for the one that calls; and the kinds of number that mean other processes. A
 * limit of processor time or of the size of files ends who has it, as a signal does. */
static const struct other {
	int number;
	unsigned char process;  /* the argument that is the number */
	bool has_kind;          /* the first argument says what the number is of */
	unsigned char own_kind; /* of the calling process alone */
} others[] = {
	{SYS_prlimit64, 0, false, 0},
	{SYS_sched_setaffinity, 0, false, 0},
	{SYS_sched_setattr, 0, false, 0},
	{SYS_sched_setparam, 0, false, 0},
	{SYS_sched_setscheduler, 0, false, 0},
	{SYS_migrate_pages, 0, false, 0},
	{SYS_move_pages, 0, false, 0},
	{SYS_setpriority, 1, true, PRIO_PROCESS},
	{SYS_ioprio_set, 1, true, 1 /* IOPRIO_WHO_PROCESS */},
};

static void
calls_add(struct calls *calls, unsigned code, uint32_t value, unsigned yes, unsigned no)
{
	if (calls->count < CALLS_SIZE)
		calls->list[calls->count] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
	calls->count++;
}

static void
calls_load(struct calls *calls, size_t offset)
{
	calls_add(calls, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the low half of an argument: all that is looked at here are 32 bits for the kernel, too. */
static void
calls_load_argument(struct calls *calls, size_t number)
{
	size_t offset = offsetof(struct seccomp_data, args) + number * sizeof(uint64_t);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	offset += sizeof(uint32_t);
#endif
	calls_load(calls, offset);
}

static void
calls_answer(struct calls *calls, uint32_t what)
{
	calls_add(calls, BPF_RET | BPF_K, what, 0, 0);
}

static void
calls_fail(struct calls *calls, int reason)
{
	calls_answer(calls, SECCOMP_RET_ERRNO | (uint32_t)reason);
}

void
calls_refuse(struct calls *calls, const int *numbers, size_t count, int reason)
{
	for (size_t i = 0; i < count; i++) {
		calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)numbers[i], 0, 1);
		calls_fail(calls, reason);
	}
}

void
calls_refuse_bits(struct calls *calls, int number, uint32_t bits)
{
	calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
	calls_load_argument(calls, 0);
	calls_add(calls, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	calls_fail(calls, EPERM);
	calls_answer(calls, SECCOMP_RET_ALLOW);
}

void
calls_refuse_families(struct calls *calls, int number, const int *families, unsigned count)
{
	calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, count + 3);
	calls_load_argument(calls, 0);
	for (unsigned i = 0; i < count; i++)
		calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)families[i], count - i, 0);
	calls_fail(calls, EAFNOSUPPORT);
	calls_answer(calls, SECCOMP_RET_ALLOW);
}

void
calls_refuse_terminals(struct calls *calls)
{
	const unsigned count = sizeof terminals / sizeof *terminals;

	calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, count + 3);
	calls_load_argument(calls, 1);
	for (unsigned i = 0; i < count; i++)
		calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, terminals[i], count - i, 0);
	calls_answer(calls, SECCOMP_RET_ALLOW);
	calls_fail(calls, EPERM);
}

void
calls_refuse_others(struct calls *calls)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)others[i].number, 0, others[i].has_kind ? 6 : 4);
		if (others[i].has_kind) {
			calls_load_argument(calls, 0);
			calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, others[i].own_kind, 0, 2);
		}
		calls_load_argument(calls, others[i].process);
		calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		calls_fail(calls, EPERM);
		calls_answer(calls, SECCOMP_RET_ALLOW);
	}
}

void
calls_begin(struct calls *calls)
{
	calls->count = 0;
	calls_load(calls, offsetof(struct seccomp_data, arch));
	calls_add(calls, BPF_JMP | BPF_JEQ | BPF_K, CALLS_ARCH, 1, 0);
	calls_fail(calls, ENOSYS);
	calls_load(calls, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	calls_add(calls, BPF_JMP | BPF_JSET | BPF_K, CALLS_X32, 0, 1);
	calls_fail(calls, ENOSYS);
#endif
}

int
calls_end(struct calls *calls, struct sock_fprog *program)
{
	calls_answer(calls, SECCOMP_RET_ALLOW);
	*program = (struct sock_fprog){calls->count, calls->list};
	return calls->count > CALLS_SIZE ? -1 : 0;
}
