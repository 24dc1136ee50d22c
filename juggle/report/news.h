/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the news of a job to standard error. */
#ifndef JUGGLE_NEWS_H
#define JUGGLE_NEWS_H

#include "libjuggle/job/job.h"

/* `info` is that of the job's listener. */
void news_tell(enum job_news news, const struct thread_info *info);

#endif
