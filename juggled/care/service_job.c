/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/service_job.h"

#include "juggled/care/balancing.h"
#include "juggled/cpu_time.h"
#include "juggled/log.h"
#include "juggled/care/surroundings.h"
#include "juggled/care/processes.h"
#include "juggled/care/trial.h"
#include "juggled/care/worth.h"
#include "juggled/care/record.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/cpu_mask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job that it is not worth rests for so long, and twice as long each time that it is not again.
 */
#define REST_MIN_NS (30 * NSEC_PER_SEC)
#define REST_MAX_NS (600 * NSEC_PER_SEC)
/* It is tried earlier when its threads or the number of jobs changed, but not at every change. */
#define CHANGE_INTERVAL_NS (10 * NSEC_PER_SEC)
/* A large program that was let go of is ready to be balanced again: tried so often. */
#define AWAIT_INTERVAL_NS (50 * NSEC_PER_MSEC)
/* Between two pairs of stretches it is seen so often whether the threads are complete again. */
#define BACK_INTERVAL_NS NSEC_PER_SEC

struct service_job {
    const struct surroundings *surroundings;
    char name[JOB_NAME_SIZE];
    uid_t uid;
    enum job_origin origin;
    struct wish wish, asked; /* as it is now, and as it was at first */
    struct processes processes;
    int64_t started_ns;

    struct balancing balancing;
    int64_t judge_ns;
    struct worth worth;
    struct trial trial;

    int turns_ppm, looks_ppm;
    struct allowance looks;
    bool looking;          /* it has begun... */
    struct allowance look; /* ...and not been paid for */
    int living;            /* threads, at the last look */
    bool unrecorded;
    bool resuming; /* its record is an earlier service's, with more processes than are here yet */

    int64_t resume_ns;       /* while it rests */
    int64_t change_ns;       /* and when to look whether something has changed */
    struct load rested_with; /* what there was then */
    int64_t rest_ns;         /* for how long next time */
    char reason[JOB_PROBLEM_SIZE];
};

/* ---- balancing ---- */

/* In charge, but not balanced before service_job_continue; whether it has ended is seen all the
 * same. */
static void service_job_hold(struct service_job *job)
{
    job->resume_ns = INT64_MAX;
    job->change_ns = clock_now_ns() + CHANGE_INTERVAL_NS;
    snprintf(job->reason, sizeof(job->reason), "%s", "the service is paused");
}

/* Its threads are about to have their masks back from an earlier job. */
static void service_job_await(struct service_job *job)
{
    job->resume_ns = clock_now_ns() + AWAIT_INTERVAL_NS;
    job->change_ns = INT64_MAX;
    snprintf(job->reason, sizeof(job->reason), "%s", "its masks are being given back");
}

static int service_job_begin(struct service_job *job, char *problem)
{
    if (job->surroundings->paused) {
        service_job_hold(job);
        return 0;
    }
    const struct balancing_subject subject = {&job->wish, job->uid, &job->processes,
                                              job->surroundings->crowd};
    int error = balancing_begin(&job->balancing, &subject, problem);
    if (error == -EINPROGRESS) {
        service_job_await(job);
        return 0;
    }
    if (!error)
        job_limit(job->balancing.job, job->turns_ppm);
    job->judge_ns = job->balancing.gather_ns + WORTH_JUDGE_NS;
    return error;
}

/* ---- create, destroy ---- */

int service_job_create(const struct surroundings *surroundings,
                       const struct service_job_request *request, char problem[JOB_PROBLEM_SIZE],
                       struct service_job **result)
{
    struct service_job *job = calloc(1, sizeof(*job));

    if (!job)
        return -ENOMEM;
    snprintf(job->name, sizeof(job->name), "%s", request->name);
    job->surroundings = surroundings;
    job->uid = request->process->uid;
    job->origin = request->origin;
    job->resuming = request->resuming;
    job->wish = job->asked = *request->wish;
    job->started_ns = clock_now_ns();
    job->rest_ns = REST_MIN_NS;
    job->turns_ppm = 1; /* until it is told what it may take */
    job->looks_ppm = SHARE_ALL_PPM;
    job->balancing = (struct balancing){
        .name = job->name,
        .proc_fd = surroundings->proc_fd,
        .store = surroundings->store,
        .farewells = surroundings->farewells,
    };
    int error = processes_add(&job->processes, request->process);
    if (!error)
        error = service_job_begin(job, problem);
    if (error)
        goto fail;
    *result = job;
    return 0;

fail:
    service_job_destroy(job);
    return error;
}

void service_job_end(struct service_job *job)
{
    balancing_end(&job->balancing);
}

void service_job_destroy(struct service_job *job)
{
    if (!job)
        return;
    balancing_free(&job->balancing);
    trial_drop(&job->trial);
    free(job);
}

/* ---- in the store ---- */

/* A rule finds its processes again. */
static bool is_recorded(const struct service_job *job)
{
    return job->surroundings->store && job->origin != ORIGIN_RULE && !job->resuming;
}

void service_job_record(struct service_job *job)
{
    struct store *store = job->surroundings->store;

    if (!is_recorded(job))
        return;
    json_t *json = record_to_json(job->name, job->origin, &job->wish, &job->processes);
    int error = json ? store_record(store, job->name, json) : -ENOMEM;
    if (error && !job->unrecorded)
        log_tell(LOG_WARNING, job->name, "cannot be recorded, and ends with the service: %s",
                 strerror(-error));
    job->unrecorded = error;
    json_decref(json);
}

void service_job_resumed(struct service_job *job)
{
    job->resuming = false;
    service_job_record(job);
}

void service_job_forget(const struct service_job *job)
{
    if (job->surroundings->store)
        store_forget(job->surroundings->store, job->name);
}

/* ---- processes come, go ---- */

void service_job_prune(struct service_job *job)
{
    processes_prune(&job->processes, job->surroundings->proc_fd);
}

bool service_job_has(struct service_job *job, const struct process *process)
{
    return processes_find(&job->processes, process);
}

int service_job_adopt(struct service_job *job, const struct process *process)
{
    service_job_prune(job);
    struct process *known = processes_find(&job->processes, process);
    if (known) {
        known->joins++;
        return 0;
    }
    if (job->processes.count == PROCESSES_MAX)
        return -ENOSPC;
    int error = balancing_adopt(&job->balancing, process);
    if (!error)
        error = processes_add(&job->processes, process);
    if (!error)
        service_job_record(job);
    return error;
}

bool service_job_leave(struct service_job *job, const struct process *process)
{
    struct process *known = processes_find(&job->processes, process);

    if (--known->joins > 0)
        return true;
    processes_drop(&job->processes, known);
    const int error = balancing_disown(&job->balancing, process->pid);
    if (!job->processes.count || error == -ESRCH)
        return false;
    service_job_record(job);
    return true;
}

/* ---- resting ---- */

void service_job_rest(struct service_job *job, int64_t now_ns, const char *why)
{
    balancing_end(&job->balancing);
    job->living = 0;
    trial_drop(&job->trial);
    job->resume_ns = now_ns + job->rest_ns;
    job->change_ns = now_ns + CHANGE_INTERVAL_NS;
    job->rested_with = surroundings_load(job->surroundings, &job->processes);
    snprintf(job->reason, sizeof(job->reason), "%s", why);
    log_tell(LOG_NOTICE, job->name, "not balanced for %lld s: %s",
             (long long)(job->rest_ns / NSEC_PER_SEC), why);
    job->rest_ns = min_i64(2 * job->rest_ns, REST_MAX_NS);
}

/* False if the job has ended. */
static bool service_job_resume(struct service_job *job, int64_t now_ns)
{
    char problem[JOB_PROBLEM_SIZE];

    worth_relent(&job->worth);
    job->worth.still = 0;
    int error = service_job_begin(job, problem);
    if (error && error != -ESRCH)
        service_job_rest(job, now_ns, problem);
    return error != -ESRCH;
}

static int service_job_renew(struct service_job *job, char problem[JOB_PROBLEM_SIZE])
{
    balancing_end(&job->balancing);
    trial_drop(&job->trial);
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

    if (is_recorded(job) && !store_has_record(job->surroundings->store, job->name))
        service_job_record(job);
    if (!balancing_is_kept(&job->balancing))
        (void)!service_job_renew(job, problem); /* it says itself why it rests */
}

void service_job_pause(struct service_job *job)
{
    balancing_end(&job->balancing);
    trial_drop(&job->trial);
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
    struct worth_rounds rounds;

    job->judge_ns = now_ns + WORTH_JUDGE_NS;
    balancing_rounds(&job->balancing, &rounds);
    rounds.share_ppm = job->turns_ppm;
    if (is_moving(job)) {
        finding = worth_judge(&job->worth, &rounds);
        worth_plan(&job->worth, now->threads_count, now->processors_count, now_ns);
    }
    if (finding != WORTH_IT)
        service_job_rest(job, now_ns, worth_reason(finding));
    else if (rounds.moves && !job->worth.suspected)
        job->rest_ns = REST_MIN_NS;
}

static void service_job_try(struct service_job *job, int64_t now_ns)
{
    if (trial_begin(&job->trial, &job->worth, job->surroundings->proc_fd, job->balancing.job,
                    now_ns))
        job->judge_ns = now_ns + WORTH_STRETCH_NS;
}

static void service_job_try_without(struct service_job *job, int64_t now_ns)
{
    const bool begun = trial_turn(&job->trial, &job->worth, &job->balancing, now_ns);

    snprintf(job->reason, sizeof(job->reason), "%s", "its progress without is measured");
    job->judge_ns = now_ns + WORTH_JUDGE_NS;
    job->resume_ns = begun ? now_ns + WORTH_STRETCH_NS : now_ns;
    job->change_ns = INT64_MAX;
}

/* As service_job_resume. */
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
    if (job->surroundings->paused) {
        service_job_hold(job);
        service_job_prune(job);
        return job->processes.count;
    }
    if (job->resume_ns <= now_ns)
        return job->trial.stage == TRIAL_WITHOUT ? service_job_return(job, now_ns)
                                                 : service_job_resume(job, now_ns);
    if (job->change_ns <= now_ns) {
        job->change_ns = now_ns + CHANGE_INTERVAL_NS;
        if (!load_is_same(job->rested_with, surroundings_load(job->surroundings, &job->processes)))
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

/* Who finds nobody may have been unable to look. */
static bool service_job_check(struct service_job *job, int64_t now_ns)
{
    service_job_prune(job);
    if (job->processes.count)
        service_job_rest(job, now_ns, "its processes cannot be looked at now");
    return job->processes.count;
}

/* A mistake of ours: the threads get their masks back, and it is tried anew later. */
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
    job->looking = job->balancing.job && job_is_looking(job->balancing.job);
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

void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm)
{
    if (turns_ppm > job->turns_ppm)
        worth_relent(&job->worth);
    job->turns_ppm = turns_ppm;
    job->looks_ppm = looks_ppm;
    if (job->balancing.job)
        job_limit(job->balancing.job, turns_ppm);
}

/* ---- looking ---- */

const char *service_job_name(const struct service_job *job)
{
    return job->name;
}

uid_t service_job_uid(const struct service_job *job)
{
    return job->uid;
}

enum job_origin service_job_origin(const struct service_job *job)
{
    return job->origin;
}

enum service_job_state service_job_state(const struct service_job *job)
{
    if (!job->balancing.job)
        return SERVICE_JOB_RESTING;
    return job->balancing.distributed ? SERVICE_JOB_BALANCING : SERVICE_JOB_GATHERING;
}

const char *service_job_reason(const struct service_job *job)
{
    return job->balancing.job ? "" : job->reason;
}

const struct wish *service_job_wish(const struct service_job *job)
{
    return &job->asked;
}

int service_job_processes(const struct service_job *job, const struct process **processes)
{
    *processes = job->processes.list;
    return job->processes.count;
}

int64_t service_job_elapsed_ns(const struct service_job *job, int64_t now_ns)
{
    return now_ns - job->started_ns;
}

bool service_job_is_looking(const struct service_job *job)
{
    return job->looking && job->balancing.job;
}

int service_job_living(const struct service_job *job)
{
    return job->living;
}

void service_job_statistics(struct service_job *job, struct job_statistics *statistics)
{
    balancing_statistics(&job->balancing, statistics);
    /* What was asked for since the last balancing is in force in the next one. */
    if (!job->balancing.job && job->wish.period_ns)
        statistics->period_ns = job->wish.period_ns;
}

int service_job_threads(struct service_job *job, struct job_thread *threads, int threads_max)
{
    return balancing_threads(&job->balancing, threads, threads_max);
}
