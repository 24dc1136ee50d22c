/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/wish/wish.h"

#include <stddef.h>
#include <string.h>

/* The jitter of a period that the user has given, so that it does not beat with the phases of the
 * program. */
#define PERIOD_JITTER 0.1

/* ---- words ---- */

static const char *progress_word(int index)
{
    static const char *const words[] = {
        [PROGRESS_AUTO] = "auto",
        [PROGRESS_TASKSTATS] = "taskstats",
        [PROGRESS_SCHEDSTAT] = "schedstat",
        [PROGRESS_PERF] = "perf",
    };

    return index < (int)ARRAY_COUNT(words) ? words[index] : NULL;
}

static const char *policy_word(int index)
{
    return index < POLICY_KINDS_COUNT ? policy_kind_name((enum policy_kind)index) : NULL;
}

static const char *balancers_word(int index)
{
    static const char *const words[] = {
        [BALANCERS_AUTO] = "auto",
        [BALANCERS_PER_PROCESSOR] = "per-processor",
        [BALANCERS_SINGLE] = "single",
    };

    return index < (int)ARRAY_COUNT(words) ? words[index] : NULL;
}

static const char *spin_word(int index)
{
    static const char *const words[] = {
        [SPIN_NEVER] = "never",
        [SPIN_AUTO] = "auto",
        [SPIN_ALWAYS] = "always",
    };

    return index < (int)ARRAY_COUNT(words) ? words[index] : NULL;
}

/* ---- the table ---- */

#define AT(member)                .offset = offsetof(struct wish, member)
#define JOB(member)               .target = offsetof(struct job_options, member)
#define CALLED(option, key, name) option, key, name

/* option, key, name in JSON; letter; argument and help of --help; default; type with its bounds. */
const struct field wish_fields[] = {
    {CALLED("threads", "threads", "threads"), 'n', "N|auto",
     "start to balance when N workers exist", "auto", FIELD_NUMBER, 1, WISH_THREADS_MAX,
     AT(threads), JOB(threads_expected)},
    {CALLED("cpus", "processors", "cpus"), 'c', "LIST",
     "the processors to use, such as 0-3,8 (all that are allowed)", NULL, FIELD_LIST, AT(cpus),
     JOB(cpus)},
    {CALLED("period", "period", "period_ns"), 'p', "TIME|auto", "the load-balancing period", "auto",
     FIELD_DURATION, PERIOD_MIN_NS, PERIOD_MAX_NS, AT(period_ns), JOB(policy.period_ns)},
    {CALLED("margin", "margin", "margin_ns"), 0, "TIME",
     "a thread is behind if below the average progress plus this", "0", FIELD_DURATION, 0,
     10 * NSEC_PER_SEC, AT(margin_ns), JOB(policy.margin_ns)},
    {CALLED("domains", "domains", "domains"), 0, "LISTS",
     "balance only within each of these sets, such as '0-3;4-7' (the NUMA nodes)", NULL,
     FIELD_LISTS, AT(domains), JOB(domains)},
    {CALLED("inter-domain", "inter-domain", "inter_domain"), 0, NULL, "balance across all domains",
     NULL, FIELD_FLAG, AT(inter_domain), JOB(inter_domain)},
    {CALLED("capacity", "capacity", "capacity"), 0, "LIST",
     "speeds of the processors: auto, equal, or such as 1x4,0.6x4,smt=0.6", "auto", FIELD_SPEEDS,
     AT(capacity), JOB(capacity)},
    {CALLED("follow-memory", NULL, NULL), 0, NULL,
     "move memory to the NUMA node where its process stays", NULL, FIELD_FLAG, AT(follow_memory),
     JOB(follow_memory)},
    {CALLED("progress", "progress", "progress"), 0, "SOURCE", "the source of the threads' progress",
     "auto", FIELD_CHOICE, .word = progress_word, AT(progress), JOB(progress)},
    {CALLED("policy", "policy", "policy"), 0, "NAME", "the policy that decides", "juggle",
     FIELD_CHOICE, .word = policy_word, AT(policy), JOB(policy.kind)},
    {CALLED("balancers", "balancers", "balancers"), 0, "SHAPE", "how many threads balance", "auto",
     FIELD_CHOICE, .word = balancers_word, AT(balancers), JOB(shape)},
    {CALLED("spin", NULL, NULL), 0, "WHEN",
     "when spinning threads give way to those in the run queue", "auto", FIELD_CHOICE,
     .word = spin_word, AT(spin), JOB(spin)},
    {CALLED("idle", "idle", "idle"), 0, "N|auto", "set aside N threads, those that run least",
     "auto", FIELD_NUMBER, 0, WISH_THREADS_MAX, .automatic = WORKERS_IDLE_AUTO, AT(idle),
     JOB(idle_threads)},
    {CALLED("idle-comm", "idle-threads", "idle_comm"), 0, "PATTERN",
     "set aside threads whose name fits PATTERN", NULL, FIELD_PATTERN, AT(idle_comm),
     JOB(idle_comm)},
    {CALLED("match", "match-threads", "match"), 0, "PATTERN",
     "balance only threads whose name fits PATTERN", NULL, FIELD_PATTERN, AT(match), JOB(match)},
    {CALLED("override", "override", "override"), 0, NULL,
     "balance threads that the program has pinned, too", NULL, FIELD_FLAG, AT(override),
     JOB(override)},
    {0},
};

/* ---- all fields ---- */

void wish_init(struct wish *wish)
{
    for (const struct field *field = wish_fields; field->option; field++)
        field_reset(field, wish);
}

const struct field *wish_field_by_key(const char *key)
{
    for (const struct field *field = wish_fields; field->option; field++)
        if (field->key && !strcmp(field->key, key))
            return field;
    return NULL;
}

const struct field *wish_field_by_name(const char *name)
{
    for (const struct field *field = wish_fields; field->option; field++)
        if (field->name && !strcmp(field->name, name))
            return field;
    return NULL;
}

const char *wish_problem(const struct wish *wish)
{
    if (*wish->domains && wish->inter_domain)
        return "domains and inter-domain exclude each other";
    return NULL;
}

/* Only the published algorithm looks at the margin. */
const char *wish_unused(const struct wish *wish)
{
    const bool turns = wish->policy != POLICY_STATIC && wish->policy != POLICY_NONE;

    if (wish->margin_ns && wish->policy != POLICY_PAPER)
        return "margin is ignored: only the policy paper has one";
    if (wish->period_ns && !turns)
        return "period is ignored: the policies static and none take no turns";
    return NULL;
}

const char *wish_first_set(const struct wish *wish, bool served)
{
    struct wish standard;

    wish_init(&standard);
    for (const struct field *field = wish_fields; field->option; field++)
        if (!field->name == !served && !field_equal(field, wish, &standard))
            return field->option;
    return NULL;
}

bool wish_equal(const struct wish *a, const struct wish *b)
{
    for (const struct field *field = wish_fields; field->option; field++)
        if (!field_equal(field, a, b))
            return false;
    return true;
}

void wish_apply(const struct wish *wish, struct job_options *options)
{
    for (const struct field *field = wish_fields; field->option; field++)
        field_apply(field, wish, options);
    options->policy.threads_max = WISH_THREADS_MAX;
    options->policy.jitter = PERIOD_JITTER;
    /* The policy none only observes, so it makes no threads give way unless the user asks for
     * it. */
    if (wish->policy == POLICY_NONE && wish->spin == SPIN_AUTO)
        options->spin = SPIN_NEVER;
}
