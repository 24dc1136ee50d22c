/* SPDX-License-Identifier: BSD-3-Clause */
/* cpuhog: the competing process of the paper's section 5.4, which computes and sleeps in turn. */
#include "libjuggle/linux/clock.h"
#include "cli/options.h"
#include "tools/cpuhog/schedule.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct settings {
    struct duration_range sleep;
    struct duration_range compute;
    double scale;
    int64_t duration_ns; /* 0: for ever */
    uint64_t seed;
    int nice;
    int cpu; /* -1: not pinned */
    bool dry_run;
};

static int option_range(const char *text, void *target, const char **expected)
{
    *expected = "a range of durations such as 5s-10s";
    return duration_range_parse(text, target);
}

static int option_nice(const char *text, void *target, const char **expected)
{
    enum { NICE_LOWEST = -20, NICE_HIGHEST = 19 };
    char *end;
    const long value = strtol(text, &end, 10);

    *expected = "a whole number from -20 to 19";
    if (end == text || *end)
        return -EINVAL;
    if (value < NICE_LOWEST || value > NICE_HIGHEST)
        return -ERANGE;
    *(int *)target = (int)value;
    return 0;
}

static const struct option_spec options[] = {
    {"compute", 0, "RANGE", "compute for a random time (5s-10s)", option_range,
     offsetof(struct settings, compute)},
    {"sleep", 0, "RANGE", "sleep for a random time before that (0s-5s)", option_range,
     offsetof(struct settings, sleep)},
    {"scale", 0, "FACTOR", "multiply all these times (1)", option_real,
     offsetof(struct settings, scale)},
    {"duration", 0, "TIME", "end after this time (never)", option_duration,
     offsetof(struct settings, duration_ns)},
    {"seed", 0, "SEED", "seed of the random times (1)", option_seed,
     offsetof(struct settings, seed)},
    {"nice", 0, "NICE", "run at this nice value (0)", option_nice, offsetof(struct settings, nice)},
    {"cpu", 0, "CPU", "pin to this processor (free)", option_number,
     offsetof(struct settings, cpu)},
    {"dry-run", 0, NULL, "print the cycles within the duration and exit", option_flag,
     offsetof(struct settings, dry_run)},
    {0},
};

static const struct command_spec command = {
    .name = "cpuhog",
    .synopsis = "[options]",
    .summary = "Computes and sleeps in turn for random times, as a rival to the program measured.",
    .options = options,
};

static void sleep_until(int64_t time_ns)
{
    const struct timespec until = {time_ns / NSEC_PER_SEC, time_ns % NSEC_PER_SEC};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static void compute_until(int64_t time_ns)
{
    while (clock_now_ns() < time_ns)
        continue;
}

static int64_t limit_ns(const struct settings *settings)
{
    return settings->duration_ns ? settings->duration_ns : INT64_MAX;
}

static void hog(const struct settings *settings, struct schedule *schedule)
{
    const int64_t start_ns = clock_now_ns();
    const int64_t limit = min_i64(limit_ns(settings), INT64_MAX - start_ns);
    struct cycle cycle;

    do {
        cycle = schedule_next(schedule);
        sleep_until(start_ns + min_i64(cycle.compute_from_ns, limit));
        compute_until(start_ns + min_i64(cycle.end_ns, limit));
    } while (cycle.end_ns < limit);
}

static void print_cycles(const struct settings *settings, struct schedule *schedule)
{
    const int64_t limit = limit_ns(settings);
    struct cycle cycle;

    do {
        cycle = schedule_next(schedule);
        if (cycle.compute_from_ns < limit)
            printf("%.6f s to %.6f s\n", (double)cycle.compute_from_ns / (double)NSEC_PER_SEC,
                   (double)min_i64(cycle.end_ns, limit) / (double)NSEC_PER_SEC);
    } while (cycle.end_ns < limit);
}

/* Pins the process and sets its nice value. Returns 0, or -errno after complaining. */
static int take_place(const struct settings *settings)
{
    cpu_set_t pinned;

    if (settings->cpu >= 0) {
        CPU_ZERO(&pinned);
        CPU_SET(settings->cpu, &pinned);
        if (sched_setaffinity(0, sizeof(pinned), &pinned)) {
            complain(command.name, "--cpu %d: cannot run there: %s", settings->cpu,
                     strerror(errno));
            return -errno;
        }
    }
    if (settings->nice && setpriority(PRIO_PROCESS, 0, settings->nice)) {
        complain(command.name, "--nice %d: %s: run it as root or raise its nice limit",
                 settings->nice, strerror(errno));
        return -errno;
    }
    return 0;
}

static int settings_check(const struct settings *settings)
{
    if (settings->cpu >= CPU_SETSIZE) {
        complain(command.name, "--cpu %d: processors are numbered from 0 to %d", settings->cpu,
                 CPU_SETSIZE - 1);
        return -ERANGE;
    }
    if (!cycle_is_possible(settings->sleep, settings->compute, settings->scale)) {
        complain(command.name, "a cycle must take between 1 ns and a year: choose other ranges or "
                               "another --scale");
        return -ERANGE;
    }
    if (settings->dry_run && !settings->duration_ns) {
        complain(command.name, "--dry-run needs a --duration: the cycles never end");
        return -EINVAL;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {
        .sleep = {0, 5 * NSEC_PER_SEC},
        .compute = {5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC},
        .scale = 1,
        .seed = 1,
        .cpu = -1,
    };
    struct schedule schedule;
    int exit_status;

    if (options_parse(&command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    if (settings_check(&settings))
        return EXIT_USAGE;
    schedule_init(&schedule, duration_range_scaled(settings.sleep, settings.scale),
                  duration_range_scaled(settings.compute, settings.scale), settings.seed);
    if (settings.dry_run) {
        print_cycles(&settings, &schedule);
        return stdout_finish(command.name) ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    if (take_place(&settings))
        return EXIT_FAILURE;
    hog(&settings, &schedule);
    return EXIT_SUCCESS;
}
