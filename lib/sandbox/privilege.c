/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

static const int kept[] = {
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
	CAP_NET_BIND_SERVICE, CAP_NET_BROADCAST, CAP_NET_ADMIN, CAP_NET_RAW, CAP_IPC_LOCK, CAP_IPC_OWNER,
	CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_SYS_NICE, CAP_LEASE, CAP_AUDIT_WRITE, CAP_SETFCAP,
};

/* Reduces the bounding set, which no exec can exceed. Numbers that the kernel does not know end the list. */
static int
privilege_bound(uint64_t mask)
{
	for (unsigned long capability = 0; capability < 64; capability++) {
		if (mask >> capability & 1)
			continue;
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return errno == EINVAL ? 0 : -1;
	}
	return 0;
}

/* Reduces our own sets: whoever may trace init must find no more there than he has himself. */
static int
privilege_reduce(uint64_t mask)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(mask >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return (int)syscall(SYS_capset, &header, data);
}

int
privilege_drop(struct error *err)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		mask |= UINT64_C(1) << kept[i];
	if (privilege_bound(mask) < 0 || privilege_reduce(mask) < 0)
		return error_errno(err, EX_OSERR, "capabilities: cannot be dropped");
	return 0;
}
