/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a job: masks are given back, and threads that have inherited a mask of ours are
 * sought. */
#include "libjuggle/job/state.h"

/* Ends the search, and reports the thread whose mask could not be given back, if there is one. */
static void stop_end(struct job *job)
{
    const pid_t tid = restoration_stuck(job->restoration);
    const struct thread_info stuck = {.id = {.tid = tid}, .comm = {"?"}};

    if (tid && job->listener.told)
        job->listener.told(job->listener.context, JOB_THREAD_STUCK, &stuck);
    restoration_end(job->restoration);
    job->restoration = NULL;
    parts_release(&job->parts);
}

const char *job_fault(const struct job *job)
{
    const char *fault = fault_text(&job->checks);

    if (fault || !job->parts.engine)
        return fault ? fault : job->fault;
    return admission_fault(job->admission);
}

static void let_go(struct job *job)
{
    job->fault = job_fault(job);
    engine_start_abandon(job->parts.engine);
    admission_close(job->admission, clock_now_ns(), job_piece_end_ns(job));
    job_statistics_take(job);
    parts_halt(&job->parts);
    job->letting_go = true;
}

/* Gives masks back; true when no known thread has a mask of ours any more. The search for threads
 * that have inherited one has begun then, if it is possible. */
static bool masks_give(struct job *job, int64_t until_ns)
{
    if (!job->letting_go)
        return true;
    if (!parts_let_go(&job->parts, until_ns))
        return false;
    job->letting_go = false;
    parts_seek(&job->parts, &job->restoration);
    if (!job->restoration)
        parts_release(&job->parts);
    return true;
}

/* Goes on with the end; true when it is complete. If `waits`, it sleeps until the next walk of the
 * search is due, provided that this is before until_ns. */
static bool stop(struct job *job, int64_t until_ns, bool waits)
{
    if (!masks_give(job, until_ns))
        return false;
    if (!job->restoration)
        return true;
    if (waits)
        restoration_await(job->restoration, until_ns);
    else
        restoration_go_on(job->restoration, until_ns);
    if (!restoration_has_ended(job->restoration))
        return false;
    stop_end(job);
    return true;
}

void job_stop(struct job *job)
{
    if (job->parts.engine)
        let_go(job);
    (void)stop(job, INT64_MAX, true);
}

bool job_stop_begin(struct job *job)
{
    if (job->parts.engine)
        let_go(job);
    return stop(job, job_piece_end_ns(job), true);
}

bool job_stop_go_on(struct job *job)
{
    return stop(job, job_piece_end_ns(job), false);
}

void job_stop_soon(struct job *job)
{
    if (masks_give(job, INT64_MAX) && job->restoration)
        restoration_hurry(job->restoration);
}

bool job_is_letting_go(const struct job *job)
{
    return job->letting_go;
}

void job_mute(struct job *job)
{
    job->listener.told = NULL;
}

int64_t job_stop_next_ns(const struct job *job)
{
    return job->restoration ? restoration_next_ns(job->restoration) : 0;
}
