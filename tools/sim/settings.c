/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/settings.h"

#include "cli/chart.h"
#include "tools/sim/rig.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NICE_LOW = -20,
    NICE_HIGH = 19,
    PROCESSORS_DEFAULT = 12,
};

#define RUN_NS_MAX    (100.0 * (double)NSEC_PER_YEAR)
#define RUN_TURNS_MAX 1e9
#define STOLEN_MAX    0.99

/* ---- option values ---- */

/* "auto" is stored as 0, which lets the policy choose the period. */
static int option_period(const char *text, void *target, const char **expected)
{
    if (strcmp(text, "auto"))
        return option_length(text, target, expected);
    *(int64_t *)target = 0;
    return 0;
}

static int option_span(const char *text, void *target, const char **expected)
{
    int64_t span_ns;
    const int error = duration_parse(text, &span_ns);

    *expected = "a duration with its unit of at most a year, such as 20us or 0s";
    if (error)
        return error;
    if (span_ns > NSEC_PER_YEAR)
        return -ERANGE;
    *(int64_t *)target = span_ns;
    return 0;
}

OPTION_WORD(option_barrier, enum barrier_style, barrier_style_names, "block, yield or busy")
OPTION_WORD(option_opponent, enum opponent, opponent_names, "none, reactive or kernel")
OPTION_WORD(option_telling, enum telling, telling_names, "nothing, waits or units")
OPTION_WORD(option_program, enum program, program_names, "phases, list or pipeline")

static int option_policy(const char *text, void *target, const char **expected)
{
    *expected = "juggle, paper, ideal, static or none";
    return policy_kind_parse(text, target);
}

static int option_parts(const char *text, void *target, const char **expected)
{
    struct scenario_parts *parts = target;
    struct speeds values;
    const int error = option_speeds(text, &values, expected);

    *expected = "at most 64 factors from 0.001 to 1000 with commas between, such as 1,0.3x2";
    if (error)
        return error;
    if (values.count > SCENARIO_PARTS_MAX)
        return -ERANGE;
    parts->count = values.count;
    for (int i = 0; i < values.count; i++)
        parts->values[i] = values.values[i];
    return 0;
}

static int option_told(const char *text, void *target, const char **expected)
{
    static const char *const words[] = {"auto", "equal", "unknown"};
    struct told_speeds *told = target;
    int kind;

    if (!option_word(text, words, ARRAY_COUNT(words), &kind)) {
        told->kind = (enum told_kind)kind;
        return 0;
    }
    const int error = option_speeds(text, &told->speeds, expected);
    *expected = "auto, equal, unknown, or speeds with commas between, such as 1x4,0.6x4";
    told->kind = TOLD_LIST;
    return error;
}

static int option_hogs(const char *text, void *target, const char **expected)
{
    struct scenario_hogs *hogs = target;
    char *end;

    *expected = "the nice value of each hog (-20 to 19) with commas between, such as 0,-3";
    hogs->count = 0;
    do {
        const long nice = strtol(text, &end, 10);

        if (end == text || nice < NICE_LOW || nice > NICE_HIGH)
            return -EINVAL;
        if (hogs->count == SCENARIO_HOGS_MAX)
            return -ERANGE;
        hogs->nice[hogs->count++] = (int)nice;
        text = end + 1;
    } while (*end == ',');
    return *end ? -EINVAL : 0;
}

static int option_sweep(const char *text, void *target, const char **expected)
{
    *expected =
        "up to 4096 values of n, m, e, p, p/e or seed, each once and upwards, such as n=3..64, "
        "e=10ms,30ms or p=1ms..1s*2";
    return sweep_parse(text, target);
}

static int option_picture(const char *text, void *target, const char **expected)
{
    struct settings *settings = target;

    *expected = "nothing, or a file name that ends in .svg or .txt";
    if (text && !chart_for(text))
        return -EINVAL;
    settings->picture = true;
    settings->picture_path = text;
    return 0;
}

/* ---- the table ---- */

#define AT(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"threads", 'n', "N", "threads of the program (16)", option_count, AT(scenario.threads_count)},
    {"processors", 'm', "M", "processors that they share (12, or as many as --speeds lists)",
     option_count, AT(processors_count)},
    {"phase-length", 'e', "TIME", "computation between barriers, on a processor of one's own (1s)",
     option_length, AT(scenario.phase_ns)},
    {"period", 'p', "TIME", "balancing period, or auto (10ms)", option_period,
     AT(scenario.policy.period_ns)},
    {"phases", 'k', "K", "phases of the whole run (1)", option_count, AT(scenario.phases_count)},
    {"barrier", 0, "KIND", "how threads wait: block, yield or busy (block)", option_barrier,
     AT(scenario.barrier)},
    {"telling", 0, "WHAT", "threads tell the balancer: nothing, waits or units (nothing)",
     option_telling, AT(scenario.telling)},
    {"program", 0, "KIND", "what threads do together: phases, list or pipeline (phases)",
     option_program, AT(scenario.program)},
    {"parts", 0, "LIST", "factors of -e in turn, of phases, tasks or stages, such as 1,0.3x2 (1)",
     option_parts, AT(scenario.parts)},
    {"uneven", 0, "SHARE", "random variation of each thread's work in each phase (0)",
     option_fraction, AT(scenario.uneven)},
    {"policy", 0, "NAME", "who balances: juggle, paper, ideal, static or none (juggle)",
     option_policy, AT(scenario.policy.kind)},
    {"opponent", 0, "NAME", "compare with: none, reactive or kernel (none)", option_opponent,
     AT(scenario.opponent)},
    {"jitter", 0, "SHARE", "random variation of the period (0)", option_fraction,
     AT(scenario.policy.jitter)},
    {"margin", 0, "TIME", "a thread is behind only below the mean plus this (0)", option_span,
     AT(scenario.policy.margin_ns)},
    {"domains", 0, "D", "memory domains that balanced threads never leave (1)", option_count,
     AT(domains_count)},
    {"speeds", 0, "LIST", "speed of each processor, such as 1x4,0.6x4, repeated to the last (1)",
     option_speeds, AT(speeds)},
    {"smt", 0, "FACTOR[xM]", "the first M processors, or all, are pairs: speed beside a busy one",
     option_smt, AT(smt)},
    {"capacity", 0, "LIST", "speeds as told to the policy: auto, equal, unknown or a list (auto)",
     option_told, AT(told)},
    {"slice", 0, "TIME", "threads take turns of this length, 0s shares perfectly (0s)", option_span,
     AT(scenario.sharing.slice_ns)},
    {"tick", 0, "TIME", "samples are as old as the last tick, 0s is exact (0s)", option_span,
     AT(scenario.tick_ns)},
    {"preempt", 0, NULL, "a thread that arrives has the next slice at once", option_flag,
     AT(scenario.sharing.preempts)},
    {"stolen", 0, "SHARE", "share of every processor's time that the host takes (0)",
     option_fraction, AT(scenario.theft.share)},
    {"stolen-spell", 0, "TIME", "mean length of a time in which the host has a processor (5ms)",
     option_length, AT(scenario.theft.spell_ns)},
    {"yield-share", 0, "SHARE", "processor time of a yielding thread beside a computing one (0.3%)",
     option_fraction, AT(scenario.sharing.yield_share)},
    {"migration-cost", 0, "TIME", "work lost by each migration (0s)", option_span,
     AT(scenario.migration_cost_ns)},
    {"turn-cost", 0, "TIME", "processor time lost by each balancing turn (0s)", option_span,
     AT(scenario.turn_cost_ns)},
    {"hogs", 0, "LIST", "nice value of each cpu-hog that runs beside the program (none)",
     option_hogs, AT(scenario.hogs)},
    {"hogs-pinned", 0, NULL, "pin hog i to processor i", option_flag, AT(scenario.hogs.pinned)},
    {"hogs-scale", 0, "FACTOR", "multiplies hogs' times: 5 to 10 s computing, 0 to 5 s asleep (1)",
     option_real, AT(scenario.hogs.scale)},
    {"seed", 0, "N", "seed of all random numbers (1)", option_seed, AT(scenario.seed)},
    {"sweep", 0, "NAME=VALUES", "run all values, one line each; may be repeated", option_sweep,
     AT(sweep)},
    {"json", 0, NULL, "print JSON", option_flag, AT(json)},
    {"picture", 0, "[=FILE]",
     "draw which thread ran where; with --replay, into a .svg or .txt file", option_picture, 0},
    {"trace", 0, "FILE", "write the policy's run as comma-separated values", option_string,
     AT(trace_path)},
    {"record", 0, "FILE", "record what the policy saw and decided", option_string, AT(record_path)},
    {"replay", 0, "FILE", "feed a recording to the policy again and compare", option_string,
     AT(replay_path)},
    {0},
};

const struct command_spec settings_command = {
    .name = "juggle-sim",
    .synopsis = "[options]",
    .summary = "Simulates a parallel program on a shared machine, balanced by the real policies.",
    .options = options,
};

void settings_init(struct settings *settings)
{
    *settings = (struct settings){
        .scenario =
            {
                .sharing.yield_share = YIELD_SHARE,
                .threads_count = 16,
                .phase_ns = NSEC_PER_SEC,
                .phases_count = 1,
                .hogs.scale = 1,
                .theft.spell_ns = STOLEN_SPELL_NS,
                .policy = {.kind = POLICY_JUGGLE, .period_ns = PERIOD_DEFAULT_NS},
                .seed = 1,
            },
        .domains_count = 1,
    };
}

static int processors_of(const struct settings *settings)
{
    if (settings->processors_count)
        return settings->processors_count;
    return settings->speeds.count ? settings->speeds.count : PROCESSORS_DEFAULT;
}

/* ---- the checks ---- */

static int check_counts(const struct settings *settings)
{
    const char *name = settings_command.name;
    const int n = settings->scenario.threads_count;
    const int m = processors_of(settings);
    const int domains = settings->domains_count;

    if (n > POLICY_THREADS_MAX || m > MACHINE_PROCESSORS_MAX) {
        complain(name, "%d threads on %d processors are too many: at most %d on %d", n, m,
                 POLICY_THREADS_MAX, MACHINE_PROCESSORS_MAX);
        return -EINVAL;
    }
    if (domains > m || domains > MACHINE_DOMAINS_MAX) {
        complain(name, "%d domains cannot share %d processors: give at most %d (--domains)",
                 domains, m, m < MACHINE_DOMAINS_MAX ? m : MACHINE_DOMAINS_MAX);
        return -EINVAL;
    }
    return 0;
}

static int check_speeds(const struct settings *settings)
{
    const int m = processors_of(settings);
    const int error = speeds_check(&settings->speeds, m, settings_command.name, "speeds");

    if (error || settings->told.kind != TOLD_LIST)
        return error;
    return speeds_check(&settings->told.speeds, m, settings_command.name, "capacity");
}

static double slowest(const struct settings *settings)
{
    const int m = processors_of(settings);
    double speed = speeds_at(&settings->speeds, 0);

    for (int i = 1; i < m; i++)
        speed = fmin(speed, speeds_at(&settings->speeds, i));
    return settings->smt.factor > 0 ? speed * settings->smt.factor : speed;
}

/* Returns the factor by which the longest part and the host make a run longer, at most. */
static double stretch(const struct scenario *scenario)
{
    double longest = scenario->parts.count ? 0 : 1;

    for (int i = 0; i < scenario->parts.count; i++)
        longest = fmax(longest, scenario->parts.values[i]);
    return longest / (1 - scenario->theft.share);
}

static int check_times(const struct settings *settings)
{
    const struct scenario *scenario = &settings->scenario;
    const double ratio = ceil((double)scenario->threads_count / processors_of(settings));
    const double run_ns = (double)scenario->phase_ns * scenario->phases_count * ratio *
                          stretch(scenario) / slowest(settings);
    const double turns = run_ns / (double)max_i64(scenario->policy.period_ns, 1);

    if (scenario->theft.share > STOLEN_MAX) {
        complain(settings_command.name,
                 "a host that takes %g of the time leaves too little: give at most %g (--stolen)",
                 scenario->theft.share, STOLEN_MAX);
        return -EINVAL;
    }
    if (scenario->hogs.count > 0 && !rig_hogs_take_turns(scenario->hogs.scale)) {
        complain(settings_command.name,
                 "a hog computes or sleeps for 1 ns to a year at a time: give "
                 "another factor (--hogs-scale)");
        return -EINVAL;
    }
    if (run_ns > RUN_NS_MAX) {
        complain(settings_command.name,
                 "the run would take more than 100 years: give fewer or shorter phases");
        return -EINVAL;
    }
    if (scenario->policy.period_ns > 0 && turns > RUN_TURNS_MAX) {
        complain(settings_command.name, "the run would take %.0f turns: give a longer period (-p)",
                 turns);
        return -EINVAL;
    }
    return 0;
}

/* Refuses turns after which the program may never end. */
static int check_turns(const struct scenario *scenario)
{
    const struct policy_options *policy = &scenario->policy;

    if (policy->jitter >= 1) {
        complain(settings_command.name, "--jitter must be below 100%%: a period could become 0");
        return -EINVAL;
    }
    if (scenario->turn_cost_ns >= (policy->period_ns ? policy->period_ns : PERIOD_MIN_NS)) {
        complain(settings_command.name,
                 "turns that cost %s can use up %s: give a longer period (-p)",
                 IN_WORDS(scenario->turn_cost_ns),
                 policy->period_ns ? "the whole period" : "the shortest period, which is 1 ms");
        return -EINVAL;
    }
    return 0;
}

static int complain_picture(void)
{
    complain(settings_command.name, "--picture=FILE needs --replay: it draws a recording");
    return -EINVAL;
}

int settings_check(const struct settings *settings)
{
    int error = check_counts(settings);

    if (settings->picture_path)
        error = complain_picture();
    if (!error)
        error = check_speeds(settings);
    if (!error)
        error = speeds_check_siblings(&settings->speeds, &settings->smt, processors_of(settings),
                                      settings_command.name);
    if (!error)
        error = check_turns(&settings->scenario);
    return error ? error : check_times(settings);
}

static int64_t rate_of(double speed)
{
    return clamp_i64(llround(speed * (double)RATE_ONE), RATE_MIN, RATE_MAX);
}

static void tell(const struct settings *settings, struct scenario *scenario)
{
    struct machine *machine = &scenario->machine;
    const struct speeds *speeds = settings->told.kind == TOLD_LIST ? &settings->told.speeds
                                                                   : &settings->speeds;

    if (settings->told.kind == TOLD_NOTHING)
        return;
    const bool equal = settings->told.kind == TOLD_EQUAL;
    machine->smt_rate = equal ? RATE_ONE : rate_of(scenario->smt_speed);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].rate = equal ? RATE_ONE : rate_of(speeds_at(speeds, i));
}

void settings_scenario(const struct settings *settings, struct scenario *scenario)
{
    const int m = processors_of(settings);

    *scenario = settings->scenario;
    scenario->smt_speed = settings->smt.factor > 0 ? settings->smt.factor : 1;
    scenario->policy.threads_max = scenario->threads_count;
    scenario->policy.seed = scenario->seed;
    (void)!machine_uniform(m, settings->domains_count, &scenario->machine);
    for (int i = 0; i < m; i++) {
        scenario->speeds[i] = speeds_at(&settings->speeds, i);
        if (speeds_paired(&settings->smt, i, m))
            scenario->machine.processors[i].core = i & ~1;
    }
    tell(settings, scenario);
}
