/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for processes that match a rule, and has them balanced: one job for each rule and user. */
#ifndef JUGGLE_JUGGLED_WATCH_H
#define JUGGLE_JUGGLED_WATCH_H

#include "juggled/rules/config.h"
#include "juggled/care/jobs.h"

struct watch;

/* `jobs` must outlive it. -ENOMEM. */
int watch_create(int proc_fd, struct jobs *jobs, struct watch **watch) MUST_CHECK;
void watch_destroy(struct watch *watch);

/* Changes the rules. Logs keys that are ignored, and releases the jobs of rules that have
 * changed. `config` remains the caller's, and must exist until the next such call has returned. */
void watch_rules(struct watch *watch, const struct config *config);

/* Looks at all processes, if watch_next_ns is due. */
void watch_poll(struct watch *watch, int64_t now_ns);
int64_t watch_next_ns(const struct watch *watch);

#endif
