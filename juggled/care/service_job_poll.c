/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/service_job_parts.h"

#include "juggled/cpu_time.h"
#include "juggled/log.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>

/* The interval of checking, between two pairs of stretches, whether all threads are found again. */
#define BACK_INTERVAL_NS NSEC_PER_SEC

/* ---- resting ---- */

static struct load load_now(const struct service_job *job)
{
    return (struct load){processes_threads(&job->processes, job->shared->proc_fd),
                         job->shared->service_jobs.count};
}

void service_job_rest(struct service_job *job, int64_t now_ns, const char *why)
{
    balancing_end(&job->balancing);
    job->living = 0;
    trial_drop(&job->trial, &job->worth);
    job->resume_ns = now_ns + job->rest_ns;
    job->change_ns = now_ns + CHANGE_INTERVAL_NS;
    job->rested_with = load_now(job);
    snprintf(job->reason, sizeof(job->reason), "%s", why);
    log_tell(LOG_NOTICE, job->name, "not balanced for %lld s: %s",
             (long long)(job->rest_ns / NSEC_PER_SEC), why);
    job->rest_ns = min_i64(2 * job->rest_ns, REST_MAX_NS);
}

/* False if the job has ended. */
static bool service_job_resume(struct service_job *job, int64_t now_ns)
{
    char problem[JOB_PROBLEM_SIZE];

    worth_forget_costs(&job->worth);
    job->worth.still = 0;
    int error = service_job_begin(job, problem);
    if (error && error != -ESRCH)
        service_job_rest(job, now_ns, problem);
    return error != -ESRCH;
}

static int service_job_renew(struct service_job *job, char problem[JOB_PROBLEM_SIZE])
{
    balancing_end(&job->balancing);
    trial_drop(&job->trial, &job->worth);
    int error = service_job_begin(job, problem);
    if (error)
        service_job_rest(job, clock_now_ns(), error == -ESRCH ? "no process is left" : problem);
    return error;
}

int service_job_period(struct service_job *job, int64_t period_ns, char problem[JOB_PROBLEM_SIZE])
{
    job->worth = (struct worth){0};
    job->rest_ns = REST_MIN_NS;
    job->wish.period_ns = period_ns;
    int error = service_job_renew(job, problem);
    service_job_record(job);
    return error;
}

void service_job_keep(struct service_job *job)
{
    char problem[JOB_PROBLEM_SIZE];

    if (service_job_is_recorded(job) &&
        (job->unrecorded || !store_has_record(job->shared->store, job->name)))
        service_job_record(job);
    if (!balancing_is_kept(&job->balancing))
        (void)!service_job_renew(job, problem); /* on failure it rests and logs the reason */
}

void service_job_pause(struct service_job *job)
{
    balancing_end(&job->balancing);
    trial_drop(&job->trial, &job->worth);
    job->living = 0;
    service_job_hold(job);
}

void service_job_continue(struct service_job *job)
{
    job->resume_ns = clock_now_ns();
}

/* ---- judging ---- */

static bool is_moving(const struct service_job *job)
{
    return job->wish.policy != POLICY_STATIC && job->wish.policy != POLICY_NONE;
}

static void service_job_judge(struct service_job *job, int64_t now_ns)
{
    const struct job_statistics *now = &job->balancing.judged;
    enum worth_finding finding = WORTH_IT;
    struct worth_turns turns;

    job->judge_ns = now_ns + WORTH_JUDGE_NS;
    balancing_turns(&job->balancing, &turns);
    turns.share_ppm = job->turns_ppm;
    if (is_moving(job)) {
        finding = worth_judge(&job->worth, &turns);
        worth_plan(&job->worth, now->threads_count, now->processors_count, now_ns);
    }
    if (finding != WORTH_IT)
        service_job_rest(job, now_ns, worth_reason(finding));
    else if (turns.moves && !job->worth.suspected)
        job->rest_ns = REST_MIN_NS;
}

static void service_job_try(struct service_job *job, int64_t now_ns)
{
    if (trial_begin(&job->trial, &job->worth, &job->balancing, now_ns))
        job->judge_ns = now_ns + WORTH_STRETCH_NS;
}

static void service_job_try_without(struct service_job *job, int64_t now_ns)
{
    const bool begun = trial_turn(&job->trial, &job->worth, &job->balancing, now_ns);

    snprintf(job->reason, sizeof(job->reason), "%s",
             "its progress without balancing is being measured");
    job->judge_ns = now_ns + WORTH_JUDGE_NS;
    job->resume_ns = begun ? now_ns + WORTH_STRETCH_NS : now_ns;
    job->change_ns = INT64_MAX;
}

/* False if the job has ended. */
static bool service_job_return(struct service_job *job, int64_t now_ns)
{
    char why[JOB_PROBLEM_SIZE];
    const enum worth_finding finding = trial_return(&job->trial, &job->worth, now_ns);

    if (finding == WORTH_IT)
        return service_job_resume(job, now_ns);
    trial_tell(&job->trial, finding, why, sizeof(why));
    service_job_rest(job, now_ns, why);
    return true;
}

/* ---- what is due ---- */

static bool poll_resting(struct service_job *job, int64_t now_ns)
{
    if (job->shared->paused) {
        service_job_hold(job);
        service_job_prune(job);
        return job->processes.count;
    }
    if (job->resume_ns <= now_ns)
        return job->trial.stage == TRIAL_WITHOUT ? service_job_return(job, now_ns)
                                                 : service_job_resume(job, now_ns);
    if (job->change_ns <= now_ns) {
        job->change_ns = now_ns + CHANGE_INTERVAL_NS;
        const struct load load = load_now(job);
        if (load.threads != job->rested_with.threads || load.jobs != job->rested_with.jobs)
            job->resume_ns = now_ns;
    }
    return true;
}

static void poll_balanced(struct service_job *job, int64_t now_ns)
{
    const enum trial_stage stage = job->trial.stage;

    if (!job->balancing.distributed)
        job->judge_ns = now_ns + (stage == TRIAL_BACK ? BACK_INTERVAL_NS : WORTH_JUDGE_NS);
    else if (stage == TRIAL_WITH)
        service_job_try_without(job, now_ns);
    else if (stage == TRIAL_BACK || worth_trial_due(&job->worth, now_ns))
        service_job_try(job, now_ns);
    else
        service_job_judge(job, now_ns);
}

/* Called when no process was found. If some still live, /proc could not be read, and the job
 * rests. */
static bool service_job_check(struct service_job *job, int64_t now_ns)
{
    service_job_prune(job);
    if (job->processes.count)
        service_job_rest(job, now_ns, "its processes cannot be looked at now");
    return job->processes.count;
}

/* Called when a check failed, which is a bug of Juggle: the threads get their masks back, and
 * balancing is tried again later. */
static void service_job_give_up(struct service_job *job, int64_t now_ns)
{
    char why[sizeof(job->reason)];

    snprintf(why, sizeof(why), "a check failed (%s): please report it",
             job_fault(job->balancing.job));
    service_job_rest(job, now_ns, why);
}

static bool service_job_look(struct service_job *job, int64_t now_ns)
{
    if (!job->balancing.job)
        return poll_resting(job, now_ns);
    const int error = balancing_poll(&job->balancing, now_ns);
    if (error == -ESRCH)
        return service_job_check(job, now_ns);
    if (error == -EPROTO)
        service_job_give_up(job, now_ns);
    else if (job->judge_ns <= now_ns)
        poll_balanced(job, now_ns);
    return true;
}

bool service_job_poll(struct service_job *job, int64_t now_ns)
{
    if (service_job_next_ns(job) > now_ns)
        return true;
    const int64_t spent_ns = cpu_time_process_ns();
    if (!job->looking)
        job->look = (struct allowance){.began_ns = now_ns};
    const bool lives = service_job_look(job, now_ns);
    job->looking = job->balancing.job && job_is_busy(job->balancing.job);
    if (!job->looking)
        job->living = lives ? balancing_living(&job->balancing) : 0;
    job->look.cost_ns += cpu_time_process_ns() - spent_ns;
    if (!job->looking)
        job->looks = job->look;
    return lives;
}

int64_t service_job_next_ns(const struct service_job *job)
{
    const int64_t next_ns = job->balancing.job
                                ? min_i64(balancing_next_ns(&job->balancing), job->judge_ns)
                                : min_i64(job->resume_ns, job->change_ns);

    return job->looking ? next_ns : max_i64(next_ns, allowance_due_ns(&job->looks, job->looks_ppm));
}
