/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/news.h"

#include "cli/options.h"
#include "cli/foreign.h"

static const char spin_unseen[] =
    "--spin auto: threads that spin cannot be seen, as perf (kernel.perf_event_paranoid above 2, "
    "or a "
    "container's filter) or reading the program's code is refused, or the processor is not x86; "
    "--spin always does without";

void news_tell(enum job_news news, const struct thread_info *info)
{
    static const char *const texts[JOB_NEWS_COUNT] = {
        [JOB_DISTRIBUTED] = "the threads are complete: balancing",
        [JOB_THREAD_JOINED] = "is balanced",
        [JOB_THREAD_LEFT] = "is no longer balanced",
        [JOB_THREAD_PINNED] =
            "was pinned by the program: such threads are left alone without --override",
        [JOB_THREAD_REFUSED] = "may not be moved by juggle",
        [JOB_THREAD_STARVED] = "needs more open files than are allowed (ulimit -n): left alone",
        [JOB_THREAD_STUCK] = "could not be given its processors back",
        [JOB_THREAD_CLAIMED] = "is balanced by another juggle and left alone: see juggle --list",
        [JOB_TABLE_FULL] = "there are more threads than can be watched: some are not balanced",
        [JOB_PROCESSOR_LOST] = "a processor is gone: balancing without it",
        [JOB_PROCESSOR_FOUND] = "a processor is back",
        [JOB_MACHINE_GROWN] =
            "there are new processors, or a domain is back: balancing anew, with them",
        [JOB_GUARDIAN_RENEWED] = "the guardian was killed: another one was started",
        [JOB_SPIN_UNSEEN] = spin_unseen,
    };

    if (info)
        complain("juggle", "thread %d (%s) %s", (int)info->id.tid, FOREIGN(info->comm),
                 texts[news]);
    else
        complain("juggle", "%s", texts[news]);
}
