/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for processes that the rules mean, and has them balanced: a job for each rule and user. */
#ifndef JUGGLE_JUGGLED_WATCH_H
#define JUGGLE_JUGGLED_WATCH_H

#include "juggled/rules/config.h"
#include "juggled/care/jobs.h"

struct watch;

/* `jobs` outlives it. -ENOMEM. */
int watch_create(int proc_fd, struct jobs *jobs, struct watch **watch) MUST_CHECK;
void watch_destroy(struct watch *watch);

/* Other rules from now on: logs what of them is ignored, lets go of jobs of rules that are no more
 * what they were. `config` stays the caller's, and is there until the next such call returns. */
void watch_rules(struct watch *watch, const struct config *config);

/* Looks, at watch_next_ns. */
void watch_poll(struct watch *watch, int64_t now_ns);
int64_t watch_next_ns(const struct watch *watch);

#endif
