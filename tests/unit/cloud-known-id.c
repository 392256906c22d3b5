/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/known-id.h"

#include <semaphore.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cloud/cloud.h"
#include "tap.h"

enum { CALLERS = 8, LOOK_MS = 5, SOON_MS = 50, LONG_MS = 60 * 1000 };

static struct known_id *known;
static sem_t begun, answers;  /* a search has begun; how many may be answered */
static unsigned searches;     /* under the lock of cloud/stop.h */
static bool fails;

struct caller {
	pthread_t thread;
	const char *name;
	struct stop stop;
	struct arena arena;
	struct error error;
	const char *id;
};

static const char *
search(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena, struct error *err)
{
	(void)cloud;
	stop_lock();
	searches++;
	stop_unlock();
	sem_post(&begun);
	while (sem_trywait(&answers) != 0)
		if (stop_sleep(stop, LOOK_MS, err) < 0)
			return NULL;
	if (fails) {
		error_set(err, EX_CONFIG, "no %s is called %s", kind, name);
		return NULL;
	}
	return arena_printf(arena, "%s-%s", kind, name);
}

static void *
caller_run(void *data)
{
	static const struct cloud cloud = {.name = "test"};
	struct caller *caller = data;

	caller->id = known_id(&known, search, &cloud, "image", caller->name, &caller->stop, &caller->arena, &caller->error);
	return NULL;
}

static void
caller_start(struct caller *caller, const char *name, int64_t ms)
{
	*caller = (struct caller){.name = name, .stop = {.deadline_ms = clock_monotonic_ms() + ms}};
	pthread_create(&caller->thread, NULL, caller_run, caller);
}

static void
caller_end(struct caller *caller, const char *id, const char *why, const char *what)
{
	pthread_join(caller->thread, NULL);
	tap_ok(id ? caller->id && strcmp(caller->id, id) == 0 : !caller->id && strcmp(caller->error.text, why) == 0, "%s", what);
	arena_release(&caller->arena);
}

static void
test_one_asks_for_all(void)
{
	struct caller callers[CALLERS];

	for (size_t i = 0; i < CALLERS; i++)
		caller_start(&callers[i], "debian", LONG_MS);
	sem_wait(&begun);
	sem_post(&answers);
	for (size_t i = 0; i < CALLERS; i++)
		caller_end(&callers[i], "image-debian", NULL, "all have what one has searched for");
	tap_ok(searches == 1, "one has searched");
}

static void
test_the_one_who_asks_ends(void)
{
	struct caller first, second;

	searches = 0;
	caller_start(&first, "ubuntu", LONG_MS);
	sem_wait(&begun);
	caller_start(&second, "ubuntu", LONG_MS);
	stop_cancel(&first.stop);
	caller_end(&first, NULL, "stopped", "one who searches may be cancelled");
	sem_wait(&begun);
	sem_post(&answers);
	caller_end(&second, "image-ubuntu", NULL, "and another searches then");
	tap_ok(searches == 2, "once more");
}

static void
test_one_who_waits_ends(void)
{
	struct caller first, second, third;

	searches = 0;
	caller_start(&first, "rocky", LONG_MS);
	sem_wait(&begun);
	caller_start(&second, "rocky", LONG_MS);
	stop_cancel(&second.stop);
	caller_end(&second, NULL, "stopped", "one who waits may be cancelled while another searches");
	caller_start(&third, "rocky", SOON_MS);
	caller_end(&third, NULL, "the time of the task is over", "and ends when its time is over");
	sem_post(&answers);
	caller_end(&first, "image-rocky", NULL, "which goes on");
	tap_ok(searches == 1, "alone");
}

static void
test_failure(void)
{
	struct caller caller;

	fails = true;
	sem_post(&answers);
	caller_start(&caller, "plan9", LONG_MS);
	caller_end(&caller, NULL, "no image is called plan9", "a search may fail");
	fails = false;
	sem_post(&answers);
	caller_start(&caller, "plan9", LONG_MS);
	caller_end(&caller, "image-plan9", NULL, "which is not kept");
}

int
main(void)
{
	sem_init(&begun, 0, 0);
	sem_init(&answers, 0, 0);
	test_one_asks_for_all();
	test_the_one_who_asks_ends();
	test_one_who_waits_ends();
	test_failure();
	return tap_end();
}
