/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/dry_run.h"

#include "juggle/balance.h"
#include "juggle/program.h"
#include "juggle/waiting.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/priority.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRIORITY_SIZE = 64 };

static void print_machine(const struct machine *machine)
{
    printf("machine    %d processor%s in %d domain%s, from %s\n", machine->processors_count,
           machine->processors_count == 1 ? "" : "s", machine->domains_count,
           machine->domains_count == 1 ? "" : "s", topology_source());
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
        printf("capacity   from %s: %s\n", capacity->source, capacity->speeds);
    else
        printf("capacity   unknown\n");
    if (*capacity->problems)
        printf("           not from %s\n", capacity->problems);
}

static void print_threads_of(const struct machine *machine, const struct plan *plan, int processor)
{
    printf("           cpu %d: thread", machine->processors[processor].os_index);
    for (int i = 0; i < plan->moves_count; i++)
        if (plan->moves[i].to == processor)
            printf(" %d", plan->moves[i].thread);
    putchar('\n');
}

/* What the policy itself answers when so many threads are complete. */
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

    printf("placement  of %d threads at first, by policy %s%s\n", threads_count,
           policy_kind_name(options->kind), plan.moves_count ? "" : ": none");
    for (int i = 0; plan.moves_count && i < machine->processors_count; i++)
        print_threads_of(machine, &plan, i);
    error = 0;
done:
    free(plan.moves);
    free(memory);
    return error;
}

static void print_means(const struct job *job)
{
    struct priority priority;
    char text[PRIORITY_SIZE];

    priority_raise(&priority);
    priority_format(&priority, text, sizeof(text));
    printf("progress   from %s: %s\n", job_source_name(job), job_source_reason(job));
    printf("threads    found by %s\n", job_discovery_method(job));
    printf("balancers  at %s\n", text);
}

static int print_waiting(const struct settings *settings, char *const *command)
{
    struct waiting *waiting;
    int error = waiting_create(settings, command, true, &waiting);

    if (error)
        return error;
    printf("waiting    %s\n", waiting_text(waiting));
    waiting_destroy(waiting);
    return 0;
}

static int print_job(const struct settings *settings, const struct job *job, int threads_expected,
                     char *const *command)
{
    const struct machine *machine = job_machine(job);
    const int threads_count = threads_expected ? threads_expected : machine->processors_count + 1;

    print_machine(machine);
    print_capacity(job_capacity(job));
    int error = print_placement(machine, job_policy(job), threads_count);
    print_means(job);
    return error ? error : print_waiting(settings, command);
}

int dry_run(const struct settings *settings, char *const *command)
{
    char problem[JOB_PROBLEM_SIZE];
    const pid_t self = getpid();
    struct job_options options = {.roots = &self, .roots_count = 1};
    struct job *job;

    topology_spare_plugins();
    wish_apply(&settings->wish, &options);
    int error = job_create(&options, problem, &job);
    if (balance_is_misused(error)) {
        complain("juggle", "%s", problem);
        return EXIT_USAGE;
    }
    if (error) {
        complain("juggle", "cannot balance: %s", problem);
        return error == -ENODEV && !settings->strict ? 0 : EXIT_JUGGLE_FAILED;
    }
    if (settings->strict && job_machine(job)->processors_count < 2) {
        complain("juggle", "cannot balance: there is one processor only");
        job_destroy(job);
        return EXIT_JUGGLE_FAILED;
    }
    error = print_job(settings, job, options.threads_expected, command);
    job_destroy(job);
    if (error || fflush(stdout)) {
        complain("juggle", "cannot print: %s", strerror(error ? -error : errno));
        return EXIT_JUGGLE_FAILED;
    }
    return 0;
}
