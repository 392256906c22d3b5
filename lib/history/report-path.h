/* SPDX-License-Identifier: Apache-2.0
 *
 * What each attempt waited for, and the way from the one that ended last back to the begin of the job.
 */
#ifndef HISTORY_REPORT_PATH_H
#define HISTORY_REPORT_PATH_H

#include "history/report.h"

/* Fills in path, critical, and how long was waited for nodes and slots. */
void report_find_path(struct report *report);

#endif
