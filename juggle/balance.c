/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - create, destroy
 * - start: the job, here or by the service, and the lines printed about it
 * - snapshots of the threads, for the report and the live view
 * - waiting for the program, while the job is polled and drawn
 * - finish: the parts of the report that are known only at the end */
#include "juggle/balance.h"

#include "juggle/delegation.h"
#include "juggle/report/live.h"
#include "juggle/report/meter.h"
#include "juggle/report/news.h"
#include "juggle/files/records.h"
#include "libjuggle/linux/await.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/slice.h"
#include "cli/options.h"
#include "libjuggle/linux/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The period of a job that moves no thread. */
#define SPINNING_PERIOD_NS (100 * NSEC_PER_MSEC)

struct balance {
    const struct settings *settings;
    const struct waiting *waiting; /* NULL: the program ran before juggle */
    int64_t started_ns;
    int64_t draw_ns; /* when the live view is drawn next */

    char problem[JOIN_PROBLEM_SIZE]; /* why there is no job */
    struct delegation *delegation;   /* the service balances instead; or NULL */
    struct job *job;   /* with a delegation it only makes threads that spin give way */
    bool gave_up;      /* a check failed */
    int pinned_count;  /* threads that the program has pinned itself */
    int claimed_count; /* threads that another juggle balances */
    struct meter meter;
    const struct attached *attached; /* programs that ran before; the quota is the first one's */
    int attached_count;

    struct output outputs[OUTPUTS_COUNT];
    struct records records;
    struct live *live;

    struct job_thread *threads; /* as of the last snapshot */
    int threads_max;
};

/* ---- create, destroy ---- */

/* The program runs even if its live view cannot be shown. */
static void live_open(struct balance *balance)
{
    const char *tty = balance->settings->live_tty;
    const int error = tty ? live_create(tty, false, &balance->live) : 0;
    char problem[LIVE_PROBLEM_SIZE];

    if (!error || balance->settings->quiet)
        return;
    live_problem(tty, error, problem);
    complain("juggle", "--live: nothing is shown: %s", problem);
}

int balance_create(const struct settings *settings, const struct waiting *waiting,
                   struct balance **result)
{
    struct balance *balance = calloc(1, sizeof(*balance));

    if (!balance)
        return -ENOMEM;
    topology_spare_plugins();
    balance->settings = settings;
    balance->waiting = waiting;
    balance->records.outputs = balance->outputs;
    int error = outputs_open(settings->paths, balance->outputs);
    if (error) {
        balance_destroy(balance);
        return error;
    }
    live_open(balance);
    *result = balance;
    return 0;
}

void balance_destroy(struct balance *balance)
{
    if (!balance)
        return;
    live_destroy(balance->live);
    delegation_destroy(balance->delegation);
    job_destroy(balance->job);
    records_release(&balance->records);
    outputs_close(balance->outputs);
    free(balance->threads);
    free(balance);
}

/* ---- start ---- */

static void tell_news(void *context, enum job_news news, const struct thread_info *info)
{
    struct balance *balance = context;
    const bool warning = news == JOB_TABLE_FULL || news == JOB_THREAD_STUCK ||
                         news == JOB_GUARDIAN_RENEWED ||
                         (news == JOB_THREAD_CLAIMED && !balance->claimed_count) ||
                         (news == JOB_THREAD_PINNED && !balance->pinned_count);

    if (balance->delegation && news != JOB_SPIN_UNSEEN && news != JOB_MACHINE_GROWN)
        return;
    balance->pinned_count += news == JOB_THREAD_PINNED;
    balance->claimed_count += news == JOB_THREAD_CLAIMED;
    if (news == JOB_MACHINE_GROWN) {
        meter_grow(&balance->meter, job_machine(balance->job));
        records_renew(&balance->records);
    }
    if (!balance->settings->quiet && (warning || balance->settings->verbose))
        news_tell(news, info);
}

/* Options that have no effect on this machine. */
static void tell_idle(const struct balance *balance)
{
    const struct settings *settings = balance->settings;
    const char *memory_stays = job_memory_stays(balance->job);

    if (settings->wish.follow_memory && !settings->quiet && memory_stays)
        complain("juggle", "--follow-memory: %s", memory_stays);
}

bool balance_is_misused(int error)
{
    return error == -EINVAL || error == -ENXIO;
}

/* Says that there is only one processor. Another one may come online later, but --strict must
 * fail now. */
static int check_lone(struct balance *balance)
{
    const struct settings *settings = balance->settings;

    if (job_machine(balance->job)->processors_count > 1)
        return 0;
    snprintf(balance->problem, sizeof(balance->problem), "there is one processor only");
    if (settings->strict)
        return -ENODEV;
    if (!settings->quiet)
        complain("juggle", "%s: balancing begins when there is another", balance->problem);
    return 0;
}

/* Starts the job, which has been created. On failure `problem` says what is missing for it to
 * balance. */
static int job_begin(struct balance *balance)
{
    int error = records_observe(&balance->records, balance->job);
    if (error)
        return problem_of(balance->problem, sizeof(balance->problem), error,
                          "no trace, picture or recording");
    error = job_start(balance->job);
    if (error)
        return problem_of(balance->problem, sizeof(balance->problem), error, "no balancer threads");
    tell_idle(balance);
    return 0;
}

static struct job_options job_options_of(struct balance *balance,
                                         const struct balance_subject *subject)
{
    struct job_options options = {
        .roots = subject->roots,
        .roots_count = subject->roots_count,
        .roots_included = subject->roots_included,
        .helper = subject->helper,
        .aside = true,
        .page = balance->waiting ? waiting_page(balance->waiting) : NULL,
        .listener = {tell_news, balance},
    };

    wish_apply(&balance->settings->wish, &options);
    return options;
}

int balance_start(struct balance *balance, const struct balance_subject *subject)
{
    const struct job_options options = job_options_of(balance, subject);

    balance->attached = subject->root_names;
    balance->attached_count = subject->root_names ? subject->roots_count : 0;
    int error = job_create(&options, balance->problem, &balance->job);
    if (error)
        settings_name_option(balance->problem, sizeof(balance->problem));
    if (balance_is_misused(error)) {
        complain("juggle", "%s", balance->problem);
        return -EINVAL;
    }
    if (!error)
        error = check_lone(balance);
    if (!error)
        error = job_begin(balance);
    balance->started_ns = clock_now_ns();
    if (!error)
        return 0;
    job_destroy(balance->job);
    balance->job = NULL;
    /* Even --quiet does not hide this from --attach, which has no other purpose. */
    if (!balance->settings->quiet || balance->settings->strict || subject->roots_included)
        complain("juggle", "cannot balance: %s", balance->problem);
    return -ECANCELED;
}

/* A service does not deal with threads that spin. This process does, with a job that moves no
 * thread. */
static void spinning_begin(struct balance *balance, const struct balance_subject *subject)
{
    struct job_options options = job_options_of(balance, subject);

    options.policy.kind = POLICY_NONE;
    options.policy.period_ns = SPINNING_PERIOD_NS;
    options.shape = BALANCERS_SINGLE;
    int error = job_create(&options, balance->problem, &balance->job);
    if (!error)
        error = job_begin(balance);
    if (!error)
        return;
    job_destroy(balance->job);
    balance->job = NULL;
    if (balance->settings->verbose)
        complain("juggle", "threads that spin are left alone: %s", balance->problem);
}

int balance_delegate(struct balance *balance, pid_t program, const struct balance_subject *subject)
{
    const struct settings *settings = balance->settings;
    const bool always = settings->service == SERVICE_ALWAYS;

    if (settings->service == SERVICE_NEVER || settings_unserved(settings))
        return -EAGAIN;
    int error = delegation_begin(program, &settings->wish, balance->problem, &balance->delegation);
    balance->started_ns = clock_now_ns();
    if (!error && settings->verbose)
        complain("juggle", "juggled balances it as job %s, and logs which threads come and go",
                 delegation_job(balance->delegation));
    if (!error) {
        spinning_begin(balance, subject);
        return 0;
    }
    if (!always)
        return -EAGAIN;
    complain("juggle", "cannot balance: %s", balance->problem);
    return -ECANCELED;
}

void balance_begin(struct balance *balance)
{
    const struct machine *machine = balance->job ? job_machine(balance->job) : NULL;

    slice_shorten();
    if (balance->settings->report.format != REPORT_NONE || balance->live)
        meter_begin(&balance->meter, machine,
                    balance->attached_count ? balance->attached[0].pid : 0);
    if (balance->job)
        records_begin(&balance->records);
}

/* ---- snapshots ---- */

/* If there is no memory for all threads, the report lists those for which there is room. */
static int threads_snapshot(struct balance *balance)
{
    int count = job_threads(balance->job, balance->threads, balance->threads_max);

    if (count > balance->threads_max) {
        struct job_thread *larger = realloc(balance->threads,
                                            (size_t)count * sizeof(*balance->threads));
        if (!larger)
            return balance->threads_max;
        balance->threads = larger;
        balance->threads_max = count;
        count = job_threads(balance->job, balance->threads, balance->threads_max);
    }
    return count;
}

static void snapshot(struct balance *balance, struct report *report)
{
    *report = (struct report){
        .elapsed_ns = clock_now_ns() - balance->started_ns,
        .own_cpu_ns = meter_own_ns(),
    };
    if (!balance->job) {
        report->trouble = balance->problem;
        return;
    }
    job_statistics(balance->job, &report->statistics);
    report->threads_count = threads_snapshot(balance);
    report->threads = balance->threads;
}

/* The processor time reported is that of the service plus that of juggle. */
static void snapshot_delegated(struct balance *balance, struct report *report)
{
    const int64_t elapsed_ns = clock_now_ns() - balance->started_ns;
    struct report own;

    snapshot(balance, &own);
    delegation_finish(balance->delegation, &own, report);
    report->elapsed_ns = elapsed_ns;
    report->own_cpu_ns += own.own_cpu_ns;
}

/* ---- waiting ---- */

static void draw(struct balance *balance, int64_t now_ns)
{
    struct report report;

    if (balance->draw_ns > now_ns)
        return;
    balance->draw_ns = now_ns + LIVE_INTERVAL_NS;
    snapshot(balance, &report);
    meter_read(&balance->meter, &report);
    live_draw(balance->live, &report);
}

static int64_t next_ns(const struct balance *balance)
{
    int64_t due_ns = INT64_MAX;

    if (!balance->job)
        return due_ns;
    due_ns = min_i64(job_next_ns(balance->job), records_next_ns(&balance->records));
    if (balance->live)
        due_ns = min_i64(due_ns, balance->draw_ns);
    return due_ns;
}

static void sleep_until(const struct balance *balance, int signals_fd, int64_t due_ns)
{
    struct pollfd fds[] = {
        {.fd = signals_fd, .events = POLLIN},
        {.fd = balance->job ? job_fd(balance->job) : -1, .events = POLLIN},
        {.fd = balance->delegation ? delegation_fd(balance->delegation) : -1, .events = POLLIN},
    };

    if (await_until(fds, ARRAY_COUNT(fds), due_ns) > 0 && fds[2].revents)
        delegation_hear(balance->delegation);
}

/* A failed check inside juggle stops the balancing, but not the program. */
static void give_up(struct balance *balance)
{
    const char *what = balance->delegation ? "threads that spin are left alone from now on"
                                           : "balancing ends here, and all threads have their "
                                             "processors back";

    if (!balance->gave_up)
        complain("juggle", "%s: a check of juggle's own failed (%s); please report it", what,
                 job_fault(balance->job));
    balance->gave_up = true;
    job_stop(balance->job);
}

int balance_wait(struct balance *balance, const struct signals *signals)
{
    sleep_until(balance, signals->fd, next_ns(balance));
    if (!balance->job)
        return 0;
    const int64_t now_ns = clock_now_ns();
    int error = job_poll(balance->job, now_ns);
    if (error == -EPROTO)
        give_up(balance);
    records_flush(&balance->records, now_ns);
    if (balance->live)
        draw(balance, now_ns);
    return error;
}

void balance_suspend(struct balance *balance)
{
    live_suspend(balance->live);
}

/* ---- finish ---- */

static int report_print(const struct report *report, enum report_format format, FILE *out)
{
    if (format == REPORT_JSON)
        return report_print_json(report, out);
    if (format == REPORT_TEXT)
        report_print_text(report, out);
    return 0;
}

/* If stderr is closed, a failure to print there cannot be reported, and is ignored. */
static int report_write(const struct report *report, enum report_format format,
                        struct output *output)
{
    if (!output->path) {
        (void)!report_print(report, format, stderr);
        return 0;
    }
    const int error = output_begin(output);
    return error ? error : output_end(output, report_print(report, format, output->file));
}

int balance_finish(struct balance *balance, char *const *command, const struct program *program)
{
    struct report report;

    live_destroy(balance->live);
    balance->live = NULL;
    if (balance->job)
        job_stop(balance->job);
    if (balance->delegation)
        snapshot_delegated(balance, &report);
    else
        snapshot(balance, &report);
    report.waiting = balance->waiting ? waiting_text(balance->waiting) : "none";
    report.command = command;
    report.attached = balance->attached;
    report.attached_count = balance->attached_count;
    report.exit_status = program ? program->exit_status : 0;
    report.death_signal = program ? program->death_signal : 0;
    meter_read(&balance->meter, &report);
    report.taken.stopped_ns = max_i64(program ? program->stopped_ns : 0, report.taken.stopped_ns);
    report.threads_expected = balance->settings->wish.threads;
    int error = balance->job ? records_finish(&balance->records, command ? command[0] : "a program")
                             : 0;
    int report_error = report_write(&report, balance->settings->report.format,
                                    &balance->outputs[OUTPUT_REPORT]);
    const char *lack = report.trouble ? report.trouble : report.statistics.shortfall;
    if (!error && balance->settings->strict && lack) {
        complain("juggle", "%s was balanced: %s", report.threads_count ? "not all" : "nothing",
                 lack);
        error = -ECANCELED;
    }
    return error ? error : report_error;
}
