/* SPDX-License-Identifier: Apache-2.0
 *
 * task_read: what coopr-exec reads from whoever feeds it.
 */
#include "model/take/task.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_reader stream = fuzz_stream(data, size);
	struct problems problems = {0};
	struct task task;
	struct error err;

	if (task_read(stream.fd, "input", &task, &problems, &err) == 0 && problems.total == 0) {
		fuzz_promise(task.id && task.type, "a task has an id and a plugin");
		fuzz_promise(task_plugin_kind(task.action) != NULL, "which is of a kind");
		fuzz_promise(task.timeout_s > 0, "and ends some time");
	}
	task_release(&task);
	problems_release(&problems);
	fuzz_stream_end(&stream);
	return 0;
}
