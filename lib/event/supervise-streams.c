/* SPDX-License-Identifier: Apache-2.0 */
#include "event/supervise.h"

#include <sys/epoll.h>

#include "event/pipes.h"

void
supervise_hold_output(struct supervisor *supervisor, struct child *child, bool hold)
{
	struct supervised_end *ends[] = {&child->out_end, &child->err_end};

	if (child->output_held == hold)
		return;
	child->output_held = hold;
	for (int i = 0; i < 2; i++) {
		if (ends[i]->fd < 0)
			continue;
		if (hold)
			epoll_ctl(supervisor->epoll, EPOLL_CTL_DEL, ends[i]->fd, NULL);
		else
			pipes_await(supervisor, ends[i], EPOLLIN);
	}
}

void
supervise_leave_output(struct child *child)
{
	pipes_shut(&child->out_end);
}

size_t
supervise_feed(struct supervisor *supervisor, struct child *child, const char *bytes, size_t length)
{
	if (child->in_end.fd < 0)
		return 0;
	if (child->wipe_input)
		pipes_wipe_room(child, length);
	buffer_append(&child->fed, bytes, length);
	pipes_await_input(supervisor, child, EPOLLOUT);
	return child->fed.length - child->fed_used;
}

void
supervise_end_input(struct supervisor *supervisor, struct child *child)
{
	child->hold_input = false;
	pipes_await_input(supervisor, child, EPOLLOUT);
}
