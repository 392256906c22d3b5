/* SPDX-License-Identifier: Apache-2.0
 *
 * What a probe found, as observations of the cluster.
 */
#ifndef PROBE_OBSERVE_H
#define PROBE_OBSERVE_H

struct observations;
struct probe_finding;

/* Adds what an answer says of the machine and of the services on it, seen now by whoever `by` is: of a machine that answers, they
 * are healthy as far as no later answer says otherwise, or they were stopped. */
void observe_finding(struct observations *seen, const struct probe_finding *finding, const char *by);

#endif
