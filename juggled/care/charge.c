/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/charge.h"

#include "juggled/care/balancing.h"
#include "juggled/effort.h"
#include "juggled/log.h"
#include "juggled/care/neighborhood.h"
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
/* It comes back earlier when the job or its company has changed, but not at every change. */
#define CHANGE_INTERVAL_NS (10 * NSEC_PER_SEC)
/* A large program that was let go of is ready to be balanced again: tried so often. */
#define AWAIT_INTERVAL_NS (50 * NSEC_PER_MSEC)
/* Between two pairs of stretches it is seen so often whether the threads are complete again. */
#define BACK_INTERVAL_NS NSEC_PER_SEC

struct charge {
    const struct neighborhood *neighborhood;
    char name[JOB_NAME_SIZE];
    uid_t uid;
    enum job_origin origin;
    struct wish wish, asked; /* as it is now, and as it was taken in charge */
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

    int64_t resume_ns; /* while it rests */
    int64_t change_ns; /* and when to look whether something has changed */
    long rested_with;  /* what there was then, see neighborhood_company */
    int64_t rest_ns;   /* for how long next time */
    char reason[JOB_PROBLEM_SIZE];
};

/* ---- balancing ---- */

/* In charge, but not balanced before charge_continue; whether it has ended is seen all the same. */
static void charge_hold(struct charge *charge)
{
    charge->resume_ns = INT64_MAX;
    charge->change_ns = clock_now_ns() + CHANGE_INTERVAL_NS;
    snprintf(charge->reason, sizeof(charge->reason), "%s", "the service is paused");
}

/* Its threads are about to have their masks back from an earlier job. */
static void charge_await(struct charge *charge)
{
    charge->resume_ns = clock_now_ns() + AWAIT_INTERVAL_NS;
    charge->change_ns = INT64_MAX;
    snprintf(charge->reason, sizeof(charge->reason), "%s", "its masks are being given back");
}

static int charge_begin(struct charge *charge, char *problem)
{
    if (charge->neighborhood->paused) {
        charge_hold(charge);
        return 0;
    }
    const struct balancing_subject subject = {&charge->wish, charge->uid, &charge->processes,
                                              charge->neighborhood->crowd};
    int error = balancing_begin(&charge->balancing, &subject, problem);
    if (error == -EINPROGRESS) {
        charge_await(charge);
        return 0;
    }
    if (!error)
        job_limit(charge->balancing.job, charge->turns_ppm);
    charge->judge_ns = charge->balancing.gather_ns + WORTH_JUDGE_NS;
    return error;
}

/* ---- create, destroy ---- */

int charge_create(const struct neighborhood *neighborhood, const struct charge_request *request,
                  char problem[JOB_PROBLEM_SIZE], struct charge **result)
{
    struct charge *charge = calloc(1, sizeof(*charge));

    if (!charge)
        return -ENOMEM;
    snprintf(charge->name, sizeof(charge->name), "%s", request->name);
    charge->neighborhood = neighborhood;
    charge->uid = request->process->uid;
    charge->origin = request->origin;
    charge->resuming = request->resuming;
    charge->wish = charge->asked = *request->wish;
    charge->started_ns = clock_now_ns();
    charge->rest_ns = REST_MIN_NS;
    charge->turns_ppm = 1; /* until it is told what it may take */
    charge->looks_ppm = SHARE_ALL_PPM;
    charge->balancing = (struct balancing){
        .name = charge->name,
        .proc_fd = neighborhood->proc_fd,
        .store = neighborhood->store,
        .farewells = neighborhood->farewells,
    };
    int error = processes_add(&charge->processes, request->process);
    if (!error)
        error = charge_begin(charge, problem);
    if (error)
        goto fail;
    *result = charge;
    return 0;

fail:
    charge_destroy(charge);
    return error;
}

void charge_end(struct charge *charge)
{
    balancing_end(&charge->balancing);
}

void charge_destroy(struct charge *charge)
{
    if (!charge)
        return;
    balancing_free(&charge->balancing);
    trial_drop(&charge->trial);
    free(charge);
}

/* ---- in the store ---- */

/* A rule finds its processes again. */
static bool is_recorded(const struct charge *charge)
{
    return charge->neighborhood->store && charge->origin != ORIGIN_RULE && !charge->resuming;
}

void charge_record(struct charge *charge)
{
    struct store *store = charge->neighborhood->store;

    if (!is_recorded(charge))
        return;
    json_t *json = record_to_json(charge->name, charge->origin, &charge->wish, &charge->processes);
    int error = json ? store_record(store, charge->name, json) : -ENOMEM;
    if (error && !charge->unrecorded)
        log_tell(LOG_WARNING, charge->name, "cannot be recorded, and ends with the service: %s",
                 strerror(-error));
    charge->unrecorded = error;
    json_decref(json);
}

void charge_resumed(struct charge *charge)
{
    charge->resuming = false;
    charge_record(charge);
}

void charge_forget(const struct charge *charge)
{
    if (charge->neighborhood->store)
        store_forget(charge->neighborhood->store, charge->name);
}

/* ---- processes come, go ---- */

void charge_prune(struct charge *charge)
{
    processes_prune(&charge->processes, charge->neighborhood->proc_fd);
}

bool charge_has(struct charge *charge, const struct process *process)
{
    return processes_find(&charge->processes, process);
}

int charge_adopt(struct charge *charge, const struct process *process)
{
    charge_prune(charge);
    struct process *known = processes_find(&charge->processes, process);
    if (known) {
        known->joins++;
        return 0;
    }
    if (charge->processes.count == PROCESSES_MAX)
        return -ENOSPC;
    int error = balancing_adopt(&charge->balancing, process);
    if (!error)
        error = processes_add(&charge->processes, process);
    if (!error)
        charge_record(charge);
    return error;
}

bool charge_leave(struct charge *charge, const struct process *process)
{
    struct process *known = processes_find(&charge->processes, process);

    if (--known->joins > 0)
        return true;
    processes_drop(&charge->processes, known);
    const int error = balancing_disown(&charge->balancing, process->pid);
    if (!charge->processes.count || error == -ESRCH)
        return false;
    charge_record(charge);
    return true;
}

/* ---- resting ---- */

void charge_rest(struct charge *charge, int64_t now_ns, const char *why)
{
    balancing_end(&charge->balancing);
    charge->living = 0;
    trial_drop(&charge->trial);
    charge->resume_ns = now_ns + charge->rest_ns;
    charge->change_ns = now_ns + CHANGE_INTERVAL_NS;
    charge->rested_with = neighborhood_company(charge->neighborhood, &charge->processes);
    snprintf(charge->reason, sizeof(charge->reason), "%s", why);
    log_tell(LOG_NOTICE, charge->name, "not balanced for %lld s: %s",
             (long long)(charge->rest_ns / NSEC_PER_SEC), why);
    charge->rest_ns = min_i64(2 * charge->rest_ns, REST_MAX_NS);
}

/* False if the job has ended. */
static bool charge_resume(struct charge *charge, int64_t now_ns)
{
    char problem[JOB_PROBLEM_SIZE];

    worth_relent(&charge->worth);
    charge->worth.still = 0;
    int error = charge_begin(charge, problem);
    if (error && error != -ESRCH)
        charge_rest(charge, now_ns, problem);
    return error != -ESRCH;
}

static int charge_renew(struct charge *charge, char problem[JOB_PROBLEM_SIZE])
{
    balancing_end(&charge->balancing);
    trial_drop(&charge->trial);
    int error = charge_begin(charge, problem);
    if (error)
        charge_rest(charge, clock_now_ns(), error == -ESRCH ? "no process is left" : problem);
    return error;
}

int charge_period(struct charge *charge, int64_t period_ns, char problem[JOB_PROBLEM_SIZE])
{
    charge->worth = (struct worth){0};
    charge->rest_ns = REST_MIN_NS;
    charge->wish.period_ns = period_ns;
    int error = charge_renew(charge, problem);
    charge_record(charge);
    return error;
}

void charge_keep(struct charge *charge)
{
    char problem[JOB_PROBLEM_SIZE];

    if (is_recorded(charge) && !store_has_record(charge->neighborhood->store, charge->name))
        charge_record(charge);
    if (!balancing_is_kept(&charge->balancing))
        (void)!charge_renew(charge, problem); /* it says itself why it rests */
}

void charge_pause(struct charge *charge)
{
    balancing_end(&charge->balancing);
    trial_drop(&charge->trial);
    charge->living = 0;
    charge_hold(charge);
}

void charge_continue(struct charge *charge)
{
    charge->resume_ns = clock_now_ns();
}

/* ---- judging ---- */

static bool is_moving(const struct charge *charge)
{
    return charge->wish.policy != POLICY_STATIC && charge->wish.policy != POLICY_NONE;
}

static void charge_judge(struct charge *charge, int64_t now_ns)
{
    const struct job_statistics *now = &charge->balancing.judged;
    enum worth_finding finding = WORTH_IT;
    struct worth_rounds rounds;

    charge->judge_ns = now_ns + WORTH_JUDGE_NS;
    balancing_rounds(&charge->balancing, &rounds);
    rounds.share_ppm = charge->turns_ppm;
    if (is_moving(charge)) {
        finding = worth_judge(&charge->worth, &rounds);
        worth_plan(&charge->worth, now->threads_count, now->processors_count, now_ns);
    }
    if (finding != WORTH_IT)
        charge_rest(charge, now_ns, worth_reason(finding));
    else if (rounds.moves && !charge->worth.suspected)
        charge->rest_ns = REST_MIN_NS;
}

static void charge_try(struct charge *charge, int64_t now_ns)
{
    if (trial_begin(&charge->trial, &charge->worth, charge->neighborhood->proc_fd,
                    charge->balancing.job, now_ns))
        charge->judge_ns = now_ns + WORTH_STRETCH_NS;
}

static void charge_try_without(struct charge *charge, int64_t now_ns)
{
    const bool begun = trial_turn(&charge->trial, &charge->worth, &charge->balancing, now_ns);

    snprintf(charge->reason, sizeof(charge->reason), "%s", "its progress without is measured");
    charge->judge_ns = now_ns + WORTH_JUDGE_NS;
    charge->resume_ns = begun ? now_ns + WORTH_STRETCH_NS : now_ns;
    charge->change_ns = INT64_MAX;
}

/* As charge_resume. */
static bool charge_return(struct charge *charge, int64_t now_ns)
{
    char why[JOB_PROBLEM_SIZE];
    const enum worth_finding finding = trial_return(&charge->trial, &charge->worth, now_ns);

    if (finding == WORTH_IT)
        return charge_resume(charge, now_ns);
    trial_tell(&charge->trial, finding, why, sizeof(why));
    charge_rest(charge, now_ns, why);
    return true;
}

/* ---- what is due ---- */

static bool poll_resting(struct charge *charge, int64_t now_ns)
{
    if (charge->neighborhood->paused) {
        charge_hold(charge);
        charge_prune(charge);
        return charge->processes.count;
    }
    if (charge->resume_ns <= now_ns)
        return charge->trial.stage == TRIAL_WITHOUT ? charge_return(charge, now_ns)
                                                    : charge_resume(charge, now_ns);
    if (charge->change_ns <= now_ns) {
        charge->change_ns = now_ns + CHANGE_INTERVAL_NS;
        if (neighborhood_company(charge->neighborhood, &charge->processes) != charge->rested_with)
            charge->resume_ns = now_ns;
    }
    return true;
}

static void poll_balanced(struct charge *charge, int64_t now_ns)
{
    const enum trial_stage stage = charge->trial.stage;

    if (!charge->balancing.distributed)
        charge->judge_ns = now_ns + (stage == TRIAL_BACK ? BACK_INTERVAL_NS : WORTH_JUDGE_NS);
    else if (stage == TRIAL_WITH)
        charge_try_without(charge, now_ns);
    else if (stage == TRIAL_BACK || worth_trial_due(&charge->worth, now_ns))
        charge_try(charge, now_ns);
    else
        charge_judge(charge, now_ns);
}

/* Who finds nobody may have been unable to look. */
static bool charge_check(struct charge *charge, int64_t now_ns)
{
    charge_prune(charge);
    if (charge->processes.count)
        charge_rest(charge, now_ns, "its processes cannot be looked at now");
    return charge->processes.count;
}

static bool charge_look(struct charge *charge, int64_t now_ns)
{
    if (!charge->balancing.job)
        return poll_resting(charge, now_ns);
    if (balancing_poll(&charge->balancing, now_ns) == -ESRCH)
        return charge_check(charge, now_ns);
    if (charge->judge_ns <= now_ns)
        poll_balanced(charge, now_ns);
    return true;
}

bool charge_poll(struct charge *charge, int64_t now_ns)
{
    if (charge_next_ns(charge) > now_ns)
        return true;
    const int64_t spent_ns = effort_ns();
    if (!charge->looking)
        charge->look = (struct allowance){.began_ns = now_ns};
    const bool lives = charge_look(charge, now_ns);
    charge->looking = charge->balancing.job && job_is_looking(charge->balancing.job);
    if (!charge->looking)
        charge->living = lives ? balancing_living(&charge->balancing) : 0;
    charge->look.cost_ns += effort_ns() - spent_ns;
    if (!charge->looking)
        charge->looks = charge->look;
    return lives;
}

int64_t charge_next_ns(const struct charge *charge)
{
    const int64_t next_ns = charge->balancing.job
                                ? min_i64(balancing_next_ns(&charge->balancing), charge->judge_ns)
                                : min_i64(charge->resume_ns, charge->change_ns);

    return charge->looking ? next_ns
                           : max_i64(next_ns, allowance_due_ns(&charge->looks, charge->looks_ppm));
}

void charge_limit(struct charge *charge, int turns_ppm, int looks_ppm)
{
    if (turns_ppm > charge->turns_ppm)
        worth_relent(&charge->worth);
    charge->turns_ppm = turns_ppm;
    charge->looks_ppm = looks_ppm;
    if (charge->balancing.job)
        job_limit(charge->balancing.job, turns_ppm);
}

/* ---- looking ---- */

const char *charge_job(const struct charge *charge)
{
    return charge->name;
}

uid_t charge_uid(const struct charge *charge)
{
    return charge->uid;
}

enum job_origin charge_origin(const struct charge *charge)
{
    return charge->origin;
}

enum charge_state charge_state(const struct charge *charge)
{
    if (!charge->balancing.job)
        return CHARGE_RESTING;
    return charge->balancing.distributed ? CHARGE_BALANCING : CHARGE_GATHERING;
}

const char *charge_reason(const struct charge *charge)
{
    return charge->balancing.job ? "" : charge->reason;
}

const struct wish *charge_wish(const struct charge *charge)
{
    return &charge->asked;
}

int charge_processes(const struct charge *charge, const struct process **processes)
{
    *processes = charge->processes.list;
    return charge->processes.count;
}

int64_t charge_elapsed_ns(const struct charge *charge, int64_t now_ns)
{
    return now_ns - charge->started_ns;
}

bool charge_is_looking(const struct charge *charge)
{
    return charge->looking && charge->balancing.job;
}

int charge_living(const struct charge *charge)
{
    return charge->living;
}

void charge_statistics(struct charge *charge, struct job_statistics *statistics)
{
    balancing_statistics(&charge->balancing, statistics);
}

int charge_threads(struct charge *charge, struct job_thread *threads, int threads_max)
{
    return balancing_threads(&charge->balancing, threads, threads_max);
}
