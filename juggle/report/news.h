/* SPDX-License-Identifier: BSD-3-Clause */
/* What a job tells, in words on standard error. */
#ifndef JUGGLE_NEWS_H
#define JUGGLE_NEWS_H

#include "libjuggle/job/job.h"

/* `info` as a job's listener is told. */
void news_tell(enum job_news news, const struct thread_info *info);

#endif
