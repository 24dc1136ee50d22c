/* SPDX-License-Identifier: BSD-3-Clause */
/* juggled's messages to the administrator: to the journal with fields, otherwise to stderr. */
#ifndef JUGGLE_JUGGLED_LOG_H
#define JUGGLE_JUGGLED_LOG_H

#include <syslog.h>

/* `priority` as in syslog(3); `job` becomes the field JUGGLE_JOB, NULL for none. */
void log_tell(int priority, const char *job, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
