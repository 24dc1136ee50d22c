/* SPDX-License-Identifier: BSD-3-Clause */
/* What a turn of the policy costs: one balancing period of one domain, on a small machine and on a
 * large one. Threads progress by a model in which the threads of a processor share it evenly, so
 * that every period has threads to swap. */
#include "libjuggle/policy/policy.h"
#include "libjuggle/linux/clock.h"
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP_PERIODS = 50, MEASURED_PERIODS = 500 };

struct scene {
    const char *name;
    int threads_count;
    int processors_count;
    int domains_count;
};

static const struct scene scenes[] = {
    {"16 threads, 8 processors", 16, 8, 1},
    {"9 threads, 8 processors", 9, 8, 1},
    {"4096 threads, 512 processors, 16 domains", 4096, 512, 16},
    {"600 threads, 512 processors, 16 domains", 600, 512, 16},
};

struct stage {
    struct machine machine;
    struct policy *policy;
    struct plan plan;
    struct sample *totals;   /* of every thread */
    struct sample *reported; /* of one domain's threads */
    int threads_count;
    int64_t now_ns;
};

struct cost {
    int64_t median_ns;
    int64_t high_ns;   /* 99 of 100 steps cost less: the longest ones were interrupted */
    double moves_mean; /* of one domain in one period */
};

static void stage_send(struct stage *stage, enum event_type type, int subject)
{
    struct event event = {.type = type, .subject = subject, .domain = -1, .now_ns = stage->now_ns};

    if (type == EVENT_THREAD_ARRIVED) {
        event.samples = &stage->totals[subject];
        event.samples_count = 1;
    }
    policy_step(stage->policy, &event, &stage->plan);
}

static void stage_destroy(struct stage *stage)
{
    free(stage->policy);
    free(stage->plan.moves);
    free(stage->totals);
    free(stage->reported);
}

/* 0, or -errno. */
static int stage_init(struct stage *stage, const struct scene *scene, enum policy_kind kind)
{
    const struct policy_options options = {
        .kind = kind, .period_ns = PERIOD_DEFAULT_NS, .threads_max = scene->threads_count};
    const size_t count = (size_t)scene->threads_count;

    *stage = (struct stage){.threads_count = scene->threads_count, .now_ns = NSEC_PER_SEC};
    const int error = machine_uniform(scene->processors_count, scene->domains_count,
                                      &stage->machine);
    if (error)
        return error;
    void *memory = malloc((size_t)policy_footprint(&stage->machine, &options));
    stage->plan = (struct plan){.moves = calloc(count, sizeof(struct move)),
                                .moves_max = scene->threads_count};
    stage->totals = calloc(count, sizeof(*stage->totals));
    stage->reported = calloc(count, sizeof(*stage->reported));
    if (!memory || !stage->plan.moves || !stage->totals || !stage->reported) {
        free(memory);
        stage_destroy(stage);
        return -ENOMEM;
    }
    stage->policy = policy_init(memory, &stage->machine, &options);
    for (int thread = 0; thread < scene->threads_count; thread++) {
        stage->totals[thread] = (struct sample){
            .thread = thread, .now_ns = stage->now_ns, .state = SAMPLE_RUNNABLE};
        stage_send(stage, EVENT_THREAD_ARRIVED, thread);
    }
    stage_send(stage, EVENT_START, -1);
    return 0;
}

/* Reports every thread that the policy has on a processor. */
static int processor_report(struct stage *stage, int processor, int reported_count)
{
    for (int thread = -1; (thread = policy_thread_after(stage->policy, processor, thread)) >= 0;)
        stage->reported[reported_count++] = stage->totals[thread];
    return reported_count;
}

/* They shared their processor over the period. */
static void sharers_progress(struct stage *stage, struct sample *sharers, int count)
{
    for (int i = 0; i < count; i++) {
        sharers[i].run_ns += PERIOD_DEFAULT_NS / count;
        sharers[i].wait_ns += PERIOD_DEFAULT_NS - PERIOD_DEFAULT_NS / count;
        sharers[i].slices_count += count;
        sharers[i].now_ns = stage->now_ns;
        stage->totals[sharers[i].thread] = sharers[i];
    }
}

/* A period passes; returns how many samples of the domain there are to report. */
static int domain_progress(struct stage *stage, int domain)
{
    const int first = machine_domain_first(&stage->machine, domain);
    const int end = first + machine_domain_count(&stage->machine, domain);
    int reported_count = 0;

    for (int processor = first; processor < end; processor++) {
        const int before_count = reported_count;
        reported_count = processor_report(stage, processor, before_count);
        sharers_progress(stage, stage->reported + before_count, reported_count - before_count);
    }
    return reported_count;
}

/* Returns what the step took. */
static int64_t domain_step(struct stage *stage, int domain)
{
    const int samples_count = domain_progress(stage, domain);
    const struct event event = {
        .type = EVENT_PERIOD,
        .subject = -1,
        .domain = domain,
        .now_ns = stage->now_ns,
        .samples = stage->reported,
        .samples_count = samples_count,
    };
    const int64_t start_ns = clock_now_ns();

    policy_step(stage->policy, &event, &stage->plan);
    return clock_now_ns() - start_ns;
}

static int compare_times(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* The cost of the first domain's turns; the others are as large. */
static struct cost stage_measure(struct stage *stage)
{
    static int64_t step_ns[MEASURED_PERIODS];
    int64_t moves_count = 0;

    for (int period = -WARM_UP_PERIODS; period < MEASURED_PERIODS; period++) {
        stage->now_ns += PERIOD_DEFAULT_NS;
        for (int domain = stage->machine.domains_count - 1; domain >= 0; domain--) {
            const int64_t took_ns = domain_step(stage, domain);
            if (period < 0 || domain > 0)
                continue;
            step_ns[period] = took_ns;
            moves_count += stage->plan.moves_count;
        }
    }
    qsort(step_ns, MEASURED_PERIODS, sizeof(*step_ns), compare_times);
    return (struct cost){.median_ns = step_ns[MEASURED_PERIODS / 2],
                         .high_ns = step_ns[MEASURED_PERIODS * 99 / 100],
                         .moves_mean = (double)moves_count / MEASURED_PERIODS};
}

static int scene_print(const struct scene *scene, enum policy_kind kind)
{
    struct stage stage;

    const int error = stage_init(&stage, scene, kind);
    if (error) {
        complain("bench-policy", "%s: %s", scene->name, strerror(-error));
        return error;
    }
    const struct cost cost = stage_measure(&stage);
    printf("%-8s %-42s %10s %10s %8.1f\n", policy_kind_name(kind), scene->name,
           IN_WORDS(cost.median_ns), IN_WORDS(cost.high_ns), cost.moves_mean);
    stage_destroy(&stage);
    return 0;
}

int main(void)
{
    static const enum policy_kind kinds[] = {POLICY_JUGGLE, POLICY_PAPER, POLICY_IDEAL};

    puts("One period of one domain:");
    printf("%-8s %-42s %10s %10s %8s\n", "policy", "scene", "median", "99 %", "moves");
    for (size_t kind = 0; kind < ARRAY_COUNT(kinds); kind++)
        for (size_t scene = 0; scene < ARRAY_COUNT(scenes); scene++)
            if (scene_print(&scenes[scene], kinds[kind]))
                return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
