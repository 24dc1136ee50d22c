/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - create, destroy
 * - one look, and how soon the next follows
 * - which processes are looked for: one that comes, goes or is left out
 * - when a look is due
 * - the connector: what the kernel tells of processes at once
 * - views */
#include "libjuggle/job/discovery.h"

#include "libjuggle/job/pacing.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/connector.h"
#include "libjuggle/linux/descent.h"

#include <errno.h>
#include <stdlib.h>

/* Right after a change the next look follows soon; every quiet one doubles the interval. */
#define INTERVAL_FAST_NS (2 * NSEC_PER_MSEC)
#define INTERVAL_SLOW_NS (200 * NSEC_PER_MSEC)
/* With a connector, looks at a quiet program only make up for events that were lost. */
#define INTERVAL_QUIET_NS (1 * NSEC_PER_SEC)
/* While more threads are expected, the program's fingerprint is checked at this interval. */
#define INTERVAL_CHECK_NS (5 * NSEC_PER_MSEC)
/* Looks at a quiet program never take more than one part in this many of the time. */
#define COST_RATIO_SLOW 500
/* If processes come and go on the machine all the time, each reading of the connector finds events.
 * Then the next reading is put off, each time twice as long, up to MUTED_MOST_NS. Above
 * MUTED_SUBSCRIBED_NS the kernel is told to send no events meanwhile, because a process that forks
 * pays for each, and /proc is polled. */
#define MUTED_LEAST_NS      (1 * NSEC_PER_MSEC)
#define MUTED_SUBSCRIBED_NS (8 * NSEC_PER_MSEC)
#define MUTED_MOST_NS       INTERVAL_SLOW_NS
/* Checks cost a fifth of a percent at most. */
#define COST_RATIO_CHECK 500

struct discovery {
    struct descent *descent;
    struct roster *roster;
    struct connector connector; /* without one it polls */
    bool attached;
    int overflow;
    int64_t quiet_ns; /* between looks at a quiet program */
    struct pacing pacing;
    int64_t muted_ns; /* how long reading is put off */
    int64_t hear_ns;  /* events are not read before; 0: at once */
    int64_t heard_ns; /* when events were last read */
    int64_t interval_ns;
    int64_t spent_ns; /* processor time of the look under way */
    int64_t looked_ns;
    int64_t next_ns;
    bool waiting;
    uint64_t fingerprint;                   /* of the program, when it was taken last */
    int64_t check_ns;                       /* when the next check is due */
    const struct roster_listener *listener; /* during a look */
};

int discovery_create(const struct discovery_options *options, struct discovery **discovery)
{
    const struct descent_options descent_options = {
        .proc_fd = options->proc_fd,
        .roots = options->roots,
        .roots_count = options->roots_count,
        .roots_included = options->roots_included,
        /* Each process has a thread: a process too many shows as a thread without room. */
        .processes_max = options->threads_max + 1,
    };
    struct discovery *created = calloc(1, sizeof(*created));
    int error;

    if (!created)
        return -ENOMEM;
    error = descent_create(&descent_options, &created->descent);
    if (error)
        goto fail;
    error = roster_create(options->threads_max, &created->roster);
    if (error)
        goto fail;
    created->connector.fd = -1;
    if (options->connector)
        (void)!connector_open(&created->connector);
    created->attached = options->roots_included;
    created->interval_ns = INTERVAL_FAST_NS;
    created->quiet_ns = options->look_ns             ? options->look_ns
                        : created->connector.listens ? INTERVAL_QUIET_NS
                                                     : INTERVAL_SLOW_NS;
    *discovery = created;
    return 0;

fail:
    descent_destroy(created->descent);
    free(created);
    return error;
}

void discovery_destroy(struct discovery *discovery)
{
    if (!discovery)
        return;
    connector_close(&discovery->connector);
    roster_destroy(discovery->roster);
    descent_destroy(discovery->descent);
    free(discovery);
}

static void thread_found(void *context, const struct thread_info *info)
{
    struct discovery *discovery = context;

    if (roster_see(discovery->roster, info, discovery->listener))
        discovery->overflow++;
}

/* Looks in pieces. The cost is counted in processor time, because this thread may wait for its own
 * processor. */
static int look(struct discovery *discovery, int64_t now_ns, int64_t until_ns, int *changes_count)
{
    const struct descent_visitor visitor = {.visit = thread_found, .context = discovery};
    const int64_t spent_ns = clock_spent_ns();
    int error;

    if (!descent_is_walking(discovery->descent)) {
        discovery->overflow = 0;
        discovery->spent_ns = 0;
        roster_begin(discovery->roster);
    }
    error = descent_walk_until(discovery->descent, &visitor, until_ns);
    discovery->spent_ns += clock_spent_ns() - spent_ns;
    if (error)
        return error;
    *changes_count = roster_end(discovery->roster, discovery->listener);
    pacing_note(&discovery->pacing, now_ns, discovery->spent_ns);
    return 0;
}

static int64_t fast_ns(const struct discovery *discovery)
{
    return max_i64(INTERVAL_FAST_NS, pacing_least_ns(&discovery->pacing));
}

static void interval_adapt(struct discovery *discovery, bool changed)
{
    int64_t slow_ns = max_i64(discovery->quiet_ns, discovery->pacing.cost_ns * COST_RATIO_SLOW);

    discovery->interval_ns = changed ? fast_ns(discovery)
                                     : min_i64(discovery->interval_ns * 2, slow_ns);
}

/* With a connector that reports arrivals there is nothing to check. */
static bool is_checking(const struct discovery *discovery)
{
    return discovery->waiting && !discovery->connector.listens;
}

/* Called right after a scan: the next check compares with this fingerprint. */
static void fingerprint_take(struct discovery *discovery, int64_t now_ns)
{
    if (!is_checking(discovery))
        return;
    const int64_t spent_ns = clock_spent_ns();
    discovery->fingerprint = descent_fingerprint(discovery->descent);
    const int64_t cost_ns = clock_spent_ns() - spent_ns;
    discovery->check_ns = now_ns + max_i64(INTERVAL_CHECK_NS, cost_ns * COST_RATIO_CHECK);
}

void discovery_check(struct discovery *discovery, int64_t now_ns)
{
    const uint64_t before = discovery->fingerprint;

    if (!is_checking(discovery) || discovery->check_ns > now_ns)
        return;
    fingerprint_take(discovery, now_ns);
    if (discovery->fingerprint != before)
        discovery->next_ns = now_ns;
}

void discovery_scan_within(struct discovery *discovery, int64_t within_ns)
{
    const int64_t paced_ns = max_i64(within_ns, pacing_least_ns(&discovery->pacing));

    discovery->next_ns = min_i64(discovery->next_ns, discovery->looked_ns + paced_ns);
}

void discovery_restart(struct discovery *discovery)
{
    discovery->interval_ns = fast_ns(discovery);
    discovery->next_ns = min_i64(discovery->next_ns, discovery->looked_ns + discovery->interval_ns);
}

void discovery_expect(struct discovery *discovery, int64_t due_ns)
{
    if (due_ns > discovery->looked_ns)
        discovery->next_ns = min_i64(discovery->next_ns, due_ns);
}

void discovery_expect_threads(struct discovery *discovery, bool waiting)
{
    discovery->waiting = waiting;
}

int discovery_exclude(struct discovery *discovery, pid_t pid)
{
    return descent_exclude(discovery->descent, pid);
}

int discovery_scan_until(struct discovery *discovery, int64_t now_ns, int64_t until_ns,
                         const struct roster_listener *listener)
{
    int changes_count = 0;
    int error;

    discovery->listener = listener;
    error = look(discovery, now_ns, until_ns, &changes_count);
    if (error == -EAGAIN) {
        discovery->next_ns = now_ns;
        return error;
    }
    interval_adapt(discovery, changes_count > 0);
    discovery->looked_ns = now_ns;
    discovery->next_ns = now_ns + discovery->interval_ns;
    fingerprint_take(discovery, now_ns);
    if (error)
        return error;
    return discovery->attached && roster_count(discovery->roster) == 0 ? -ESRCH : 0;
}

int discovery_adopt(struct discovery *discovery, pid_t pid)
{
    int error = descent_adopt(discovery->descent, pid);

    if (!error) {
        discovery->interval_ns = INTERVAL_FAST_NS;
        discovery->next_ns = discovery->looked_ns;
    }
    return error;
}

void discovery_disown(struct discovery *discovery, pid_t pid)
{
    descent_disown(discovery->descent, pid);
}

int64_t discovery_next_ns(const struct discovery *discovery)
{
    int64_t next_ns = discovery->next_ns;

    if (is_checking(discovery))
        next_ns = min_i64(next_ns, discovery->check_ns);
    return discovery->hear_ns ? min_i64(next_ns, discovery->hear_ns) : next_ns;
}

bool discovery_due(const struct discovery *discovery, int64_t now_ns)
{
    return discovery->next_ns <= now_ns;
}

int discovery_fd(const struct discovery *discovery)
{
    return discovery->hear_ns ? -1 : discovery->connector.fd;
}

static bool is_ours(void *context, pid_t pid)
{
    const struct discovery *discovery = context;

    return descent_has(discovery->descent, pid);
}

/* Makes a scan due now, but no earlier than `least_ns` after the last one: that keeps the cost of
 * scans within its share. */
static void look_soon(struct discovery *discovery, int64_t now_ns, int64_t least_ns)
{
    const int64_t paid_ns = discovery->looked_ns + least_ns;

    discovery->next_ns = min_i64(discovery->next_ns, max_i64(now_ns, paid_ns));
}

/* Has the kernel send events again. Events in between were not sent, so a look is due, as often as
 * when polling. */
static void subscribe(struct discovery *discovery, int64_t now_ns)
{
    /* Drops events from before the kernel was told to send none. */
    (void)connector_hear(&discovery->connector, is_ours, discovery);
    connector_listen(&discovery->connector, true);
    discovery->hear_ns = 0;
    discovery->heard_ns = now_ns;
    look_soon(discovery, now_ns, discovery->pacing.cost_ns * COST_RATIO_SLOW);
}

static void mute(struct discovery *discovery, int64_t now_ns)
{
    discovery->muted_ns = clamp_i64(discovery->muted_ns * 2, MUTED_LEAST_NS, MUTED_MOST_NS);
    discovery->hear_ns = now_ns + discovery->muted_ns;
    discovery->heard_ns = now_ns;
    if (discovery->muted_ns > MUTED_SUBSCRIBED_NS) {
        connector_listen(&discovery->connector, false);
        fingerprint_take(discovery, now_ns);
    }
}

/* No events came: the next one wakes the caller. If there were none for as long as reading was put
 * off, the next time it is put off for the least time again. */
static void stay_awake(struct discovery *discovery, int64_t now_ns)
{
    if (now_ns - discovery->heard_ns >= discovery->muted_ns)
        discovery->muted_ns = 0;
    discovery->hear_ns = 0;
}

void discovery_hear(struct discovery *discovery, int64_t now_ns)
{
    if (discovery->connector.fd < 0 || discovery->hear_ns > now_ns)
        return;
    if (!discovery->connector.listens) {
        subscribe(discovery, now_ns);
        return;
    }
    const enum connector_news news = connector_hear(&discovery->connector, is_ours, discovery);
    if (news == CONNECTOR_SILENT) {
        stay_awake(discovery, now_ns);
        return;
    }
    mute(discovery, now_ns);
    if (news == CONNECTOR_OURS)
        look_soon(discovery, now_ns, pacing_least_ns(&discovery->pacing));
}

void discovery_abandon(struct discovery *discovery)
{
    descent_abandon(discovery->descent);
}

bool discovery_is_looking(const struct discovery *discovery)
{
    return descent_is_walking(discovery->descent);
}

const char *discovery_fault(const struct discovery *discovery)
{
    const char *fault = roster_fault(discovery->roster);

    return fault ? fault : descent_fault(discovery->descent);
}

const char *discovery_method(const struct discovery *discovery)
{
    return discovery->connector.fd >= 0 ? "proc connector" : "polling";
}

const struct roster *discovery_roster(const struct discovery *discovery)
{
    return discovery->roster;
}

int discovery_overflow(const struct discovery *discovery)
{
    return discovery->overflow;
}
