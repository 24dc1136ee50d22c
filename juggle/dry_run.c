/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/balance.h"
#include "juggle/delegation.h"
#include "juggle/files/output.h"
#include "juggle/command/program.h"
#include "juggle/prepare/fit.h"
#include "juggle/prepare/waiting.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/topology.h"
#include "cli/foreign.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_machine(const struct machine *machine)
{
    printf("machine    %d processor%s in %d domain%s, from %s\n", machine->processors_count,
           plural(machine->processors_count), machine->domains_count,
           plural(machine->domains_count), topology_source());
    for (int domain = 0; domain < machine->domains_count; domain++) {
        const int first = machine_domain_first(machine, domain);
        printf("           domain %d: cpu", domain);
        for (int i = 0; i < machine_domain_count(machine, domain); i++)
            printf(" %d", machine->processors[first + i].os_index);
        putchar('\n');
    }
}

static void print_capacity(const struct capacity *capacity)
{
    if (*capacity->speeds)
        foreign_line(stdout, "capacity   from %s: %s", capacity->source, capacity->speeds);
    else
        printf("capacity   unknown\n");
    if (*capacity->problems)
        foreign_line(stdout, "           not from %s", capacity->problems);
}

static void print_threads_of(const struct machine *machine, const struct plan *plan, int processor)
{
    printf("           cpu %d: thread", machine->processors[processor].os_index);
    for (int i = 0; i < plan->moves_count; i++)
        if (plan->moves[i].to == processor)
            printf(" %d", plan->moves[i].thread);
    putchar('\n');
}

/* Prints the first plan of the real policy, once this number of threads is complete. */
static int print_placement(const struct machine *machine, const struct policy_options *options,
                           int threads_count)
{
    void *memory = aligned_alloc(64, (size_t)policy_footprint(machine, options));
    struct plan plan = {
        .moves = calloc((size_t)options->threads_max, sizeof(*plan.moves)),
        .moves_max = options->threads_max,
    };
    int error = -ENOMEM;

    if (!memory || !plan.moves)
        goto done;
    struct policy *policy = policy_init(memory, machine, options);
    for (int i = 0; i < threads_count; i++) {
        const struct event arrived = {.type = EVENT_THREAD_ARRIVED, .subject = i, .domain = -1};
        policy_step(policy, &arrived, &plan);
    }
    const struct event start = {.type = EVENT_START, .subject = -1, .domain = -1};
    policy_step(policy, &start, &plan);

    printf("placement  of %d thread%s at first, by policy %s%s\n", threads_count,
           plural(threads_count), policy_kind_name(options->kind),
           plan.moves_count ? "" : ": none");
    for (int i = 0; plan.moves_count && i < machine->processors_count; i++)
        print_threads_of(machine, &plan, i);
    error = 0;
done:
    free(plan.moves);
    free(memory);
    return error;
}

static void print_means(struct job *job)
{
    struct job_statistics statistics;

    job_statistics(job, &statistics);
    printf("progress   from %s: %s\n", job_source_name(job), job_source_reason(job));
    printf("threads    found by %s\n", job_discovery_method(job));
    printf("balancers  %d, at %s\n", statistics.balancers_count, statistics.priority);
}

static void print_memory(const struct settings *settings, const struct job *job)
{
    const char *stays = job_memory_stays(job);

    if (settings->wish.follow_memory && stays)
        printf("memory     stays where it is: %s\n", stays);
    else if (settings->wish.follow_memory)
        puts("memory     follows");
}

/* Says whether the service would balance. Returns -errno if --service always was given and there
 * is no service. */
static int print_service(const struct settings *settings, char *problem)
{
    const char *unserved = settings_unserved(settings);
    const bool always = settings->service == SERVICE_ALWAYS;
    int error = 0;

    if (settings->service == SERVICE_NEVER)
        return 0;
    if (unserved)
        snprintf(problem, JOIN_PROBLEM_SIZE, "no service can do --%s", unserved);
    else
        error = delegation_try(problem);
    if (!unserved && !error)
        printf("service    juggled balances it\n");
    else
        foreign_line(stdout, "service    %s: %s balances it", problem,
                     always ? "nobody" : "juggle itself");
    return always ? error : 0;
}

static void print_fit(const struct settings *settings, char *const *command)
{
    char text[FIT_TEXT_SIZE];

    fit_apply(settings, command, text);
    foreign_line(stdout, "fit        %s", text);
}

static int print_waiting(const struct settings *settings, char *const *command)
{
    struct waiting *waiting;
    int error = waiting_create(settings, command, true, &waiting);

    if (error)
        return error;
    foreign_line(stdout, "waiting    %s", waiting_text(waiting));
    waiting_destroy(waiting);
    return 0;
}

static int print_job(const struct settings *settings, struct job *job, char *const *command)
{
    const struct machine *machine = job_machine(job);
    const int expected = settings->wish.threads;
    const int threads_count = expected ? expected : machine->processors_count + 1;

    print_machine(machine);
    print_capacity(job_capacity(job));
    int error = print_placement(machine, job_policy(job), threads_count);
    print_means(job);
    print_memory(settings, job);
    if (settings->fit)
        print_fit(settings, command);
    return error ? error : print_waiting(settings, command);
}

/* Creates and starts a job as a run would, but starts no program. */
static int job_try(const struct settings *settings, char problem[JOB_PROBLEM_SIZE],
                   struct job **result)
{
    const pid_t self = getpid();
    struct job_options options = {.roots = &self, .roots_count = 1};
    struct job *job;

    wish_apply(&settings->wish, &options);
    int error = job_create(&options, problem, &job);
    if (error) {
        settings_name_option(problem, JOB_PROBLEM_SIZE);
        return error;
    }
    if (settings->strict && job_machine(job)->processors_count < 2)
        error = problem_say(problem, JOB_PROBLEM_SIZE, -ECANCELED, "there is one processor only");
    if (!error) {
        error = job_start(job);
        if (error)
            problem_of(problem, JOB_PROBLEM_SIZE, error, "no balancer threads");
    }
    if (error)
        job_destroy(job);
    else
        *result = job;
    return error;
}

static int show(const struct settings *settings, struct job *job, char *const *command)
{
    char problem[JOIN_PROBLEM_SIZE];
    int error = print_job(settings, job, command);
    const int service_error = print_service(settings, problem);

    if (!error)
        error = stdout_flush();
    if (error) {
        complain("juggle", "cannot print: %s", strerror(-error));
        return EXIT_JUGGLE_FAILED;
    }
    if (service_error)
        complain("juggle", "cannot balance: %s", problem);
    return service_error ? EXIT_JUGGLE_FAILED : 0;
}

static int try_and_show(const struct settings *settings, char *const *command)
{
    char problem[JOB_PROBLEM_SIZE];
    struct job *job = NULL;
    int error = job_try(settings, problem, &job);

    if (balance_is_misused(error)) {
        complain("juggle", "%s", problem);
        return EXIT_USAGE;
    }
    if (error) {
        complain("juggle", "cannot balance: %s", problem);
        return error == -ENODEV && !settings->strict ? 0 : EXIT_JUGGLE_FAILED;
    }
    const int status = show(settings, job, command);
    job_stop(job);
    job_destroy(job);
    return status;
}

int dry_run(const struct settings *settings, char *const *command)
{
    struct output outputs[OUTPUTS_COUNT] = {0};

    topology_spare_plugins();
    int error = outputs_open(settings->paths, outputs);
    outputs_close(outputs);
    if (error == -ENOMEM)
        complain("juggle", "cannot balance: %s", strerror(ENOMEM));
    if (error)
        return error == -EEXIST ? EXIT_USAGE : EXIT_JUGGLE_FAILED;
    return try_and_show(settings, command);
}
