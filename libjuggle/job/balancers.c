/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. The balancers of one domain form a crew. Each sleeps until its turn is due, samples
 * the threads of its processor and arrives. The balancer that arrives last decides and moves all
 * threads of the domain, then counts the turn as decided. The others have gone back to sleep by
 * then and wait for nobody. They do not know yet when the next turn is due, so they use the
 * engine's forecast; if they wake before the decision, or before the time that it set, they sleep
 * again. So no balancer samples between its arrival and the decision, and the lists of threads
 * stand still while they are read.
 *
 * The engine's next_ns changes in engine_start and engine_decide alone. `bell` is rung, and its
 * word changed, when a sleeper must look again: after engine_start, after a decision that wants the
 * next turn sooner than was foreseen, when the share of a processor that they may take changes, and
 * at the end.
 *
 * The parts, in this order:
 * - waiting for the turn, and for its decision
 * - turns, of a crew or of a single balancer; the loop of a balancer
 * - start, stop
 * - views */
#include "libjuggle/job/balancers_state.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/futex.h"
#include "libjuggle/linux/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { SINGLE_PROCESSORS_MAX = 4 }; /* BALANCERS_AUTO has a single one serve at most this many */

/* ---- waiting ---- */

/* Sleeps until another balancer has decided the turn with this number. */
static void decision_await(struct balancers *balancers, struct crew *crew, uint32_t turn)
{
    /* Counted before the kernel reads the word again: see decision_announce(). */
    const uint32_t sleepers_count = crew->sleepers_count++;

    (void)HOLDS(&balancers->fault, sleepers_count < crew->members_count);
    futex_wait_until(&crew->decided_count, turn, INT64_MAX);
    crew->sleepers_count--;
}

static void decision_announce(struct crew *crew)
{
    /* Sequentially consistent, as is the sleepers' count: either a sleeper sees the new word, or we
     * see the sleeper. A balancer that reads the new word sees all that was decided. */
    crew->decided_count++;
    if (crew->sleepers_count)
        futex_wake_all(&crew->decided_count);
}

static int64_t earliest_next_ns(const struct balancers *balancers)
{
    int64_t earliest_ns = INT64_MAX;

    for (int domain = 0; domain < balancers->machine->domains_count; domain++)
        earliest_ns = min_i64(earliest_ns, engine_next_ns(balancers->engine, domain));
    return earliest_ns;
}

/* When the next turn may begin, by the share of a processor that turns may take. */
static int64_t paid_ns(const struct balancer_thread *balancer)
{
    return allowance_due_ns(&balancer->allowance, balancer->balancers->share_ppm);
}

/* False at the end, and when a check has failed. */
static bool is_going_on(const struct balancers *balancers)
{
    return !balancers->stopping && !fault_text(&balancers->fault);
}

/* Checks that the last turn in which the balancer has arrived is the one that was decided last, or
 * the next. While balancers_stop() ends the balancers the word has another value: `stopping` was
 * set before. */
static bool word_holds(struct balancers *balancers, uint32_t decided_count, uint32_t taken_count)
{
    return HOLDS(&balancers->fault, taken_count - decided_count <= 1 || balancers->stopping);
}

/* Sleeps until the next turn of a crew is due; false when there will be none. */
static bool turn_await(struct balancer_thread *balancer, int domain)
{
    struct balancers *balancers = balancer->balancers;
    struct crew *crew = &balancers->crews[domain];

    for (;;) {
        /* The bell is read before next_ns: if it rings in between, the wait returns at once. */
        const uint32_t bell = balancers->bell;
        const uint32_t decided_count = crew->decided_count;
        const bool decided = decided_count == balancer->taken_count;
        const int64_t next_ns = decided ? engine_next_ns(balancers->engine, domain)
                                        : balancer->expected_ns;
        const int64_t due_ns = max_i64(next_ns, paid_ns(balancer));
        const int64_t now_ns = clock_now_ns();

        if (!word_holds(balancers, decided_count, balancer->taken_count) || !is_going_on(balancers))
            return false;
        if (due_ns > now_ns) {
            futex_wait_until(&balancers->bell, bell, due_ns);
        } else if (decided) {
            allowance_begin(&balancer->allowance, now_ns);
            return true;
        } else {
            decision_await(balancers, crew, balancer->taken_count - 1);
        }
    }
}

static bool any_turn_await(struct balancer_thread *balancer)
{
    struct balancers *balancers = balancer->balancers;

    for (;;) {
        const uint32_t bell = balancers->bell;
        const int64_t due_ns = max_i64(earliest_next_ns(balancers), paid_ns(balancer));
        const int64_t now_ns = clock_now_ns();

        if (!is_going_on(balancers))
            return false;
        if (due_ns <= now_ns) {
            allowance_begin(&balancer->allowance, now_ns);
            return true;
        }
        futex_wait_until(&balancers->bell, bell, due_ns);
    }
}

void balancers_notify(struct balancers *balancers)
{
    balancers->bell++;
    futex_wake_all(&balancers->bell);
}

/* ---- turns ---- */

static void crew_note_turn(struct balancers *balancers, struct crew *crew, int64_t now_ns)
{
    const int64_t interval_ns = now_ns - crew->turned_ns;

    (void)HOLDS(&balancers->fault, interval_ns >= 0);
    if (crew->turns_count++ > 0) {
        crew->intervals_ns[crew->turns_count % INTERVALS_KEPT] = interval_ns;
        crew->interval_min_ns = crew->turns_count == 2
                                    ? interval_ns
                                    : min_i64(crew->interval_min_ns, interval_ns);
        crew->interval_max_ns = max_i64(crew->interval_max_ns, interval_ns);
    }
    crew->turned_ns = now_ns;
}

/* Fig. 2 of the paper, for the balancer of one processor, without its barriers. The arrivals are
 * acquire-release increments, so the last to arrive sees the samples of all. */
static void turn_together(struct balancer_thread *balancer, int domain)
{
    struct balancers *balancers = balancer->balancers;
    struct engine *engine = balancers->engine;
    struct crew *crew = &balancers->crews[domain];

    engine_sample(engine, balancer->processor);
    balancer->taken_count++;
    balancer->expected_ns = engine_following_ns(engine, domain);
    const uint32_t arrived_count = atomic_fetch_add_explicit(&crew->arrived_count, 1,
                                                             memory_order_acq_rel) +
                                   1;
    if (!HOLDS(&balancers->fault, arrived_count <= crew->members_count) ||
        arrived_count < crew->members_count)
        return;
    crew->arrived_count = 0;
    crew_note_turn(balancers, crew, clock_now_ns());
    engine_decide(engine, domain);
    engine_apply(engine, domain);
    decision_announce(crew);
    if (engine_next_ns(engine, domain) < balancer->expected_ns)
        balancers_notify(balancers);
}

static void turn_alone(struct balancers *balancers)
{
    const int64_t now_ns = clock_now_ns();

    for (int domain = 0; domain < balancers->machine->domains_count; domain++) {
        if (engine_next_ns(balancers->engine, domain) > now_ns)
            continue;
        crew_note_turn(balancers, &balancers->crews[domain], now_ns);
        engine_turn(balancers->engine, domain);
    }
}

static void turn_account(struct balancer_thread *balancer)
{
    allowance_end(&balancer->allowance, clock_spent_ns());
}

static void *balancer_main(void *argument)
{
    struct balancer_thread *balancer = argument;
    struct balancers *balancers = balancer->balancers;
    const int processor = balancer->processor;

    prctl(PR_SET_NAME, BALANCERS_COMM);
    prctl(PR_SET_TIMERSLACK, 1);
    priority_raise(&balancer->priority);
    sem_post(&balancers->ready);
    turn_account(balancer);
    if (processor < 0) {
        while (any_turn_await(balancer)) {
            turn_alone(balancers);
            turn_account(balancer);
        }
        return NULL;
    }
    const int domain = balancers->machine->processors[processor].domain;
    affinity_bind(balancers->machine->processors[processor].os_index);
    while (turn_await(balancer, domain)) {
        turn_together(balancer, domain);
        turn_account(balancer);
    }
    return NULL;
}

/* ---- start, stop ---- */

static int balancer_start(struct balancers *balancers, int index)
{
    struct balancer_thread *balancer = &balancers->members[index];
    int error;

    balancer->balancers = balancers;
    balancer->processor = balancers->shape == BALANCERS_SINGLE ? -1 : index;
    error = pthread_create(&balancer->thread, NULL, balancer_main, balancer);
    if (error)
        return -error;
    balancer->started = true;
    pthread_getcpuclockid(balancer->thread, &balancer->clock);
    return 0;
}

static int crews_create(struct balancers *balancers)
{
    const size_t size = (size_t)balancers->machine->domains_count * sizeof(*balancers->crews);

    balancers->crews = aligned_alloc(CACHE_LINE_SIZE, size);
    if (!balancers->crews)
        return -ENOMEM;
    memset(balancers->crews, 0, size);
    for (int domain = 0; domain < balancers->machine->domains_count; domain++) {
        struct crew *crew = &balancers->crews[domain];
        crew->members_count = (uint32_t)machine_domain_count(balancers->machine, domain);
    }
    return 0;
}

static enum balancers_shape shape_for(enum balancers_shape wanted, const struct machine *machine)
{
    if (wanted != BALANCERS_AUTO)
        return wanted;
    return machine->processors_count <= SINGLE_PROCESSORS_MAX && kernel_refreshes_remote_counters()
               ? BALANCERS_SINGLE
               : BALANCERS_PER_PROCESSOR;
}

int balancers_start(enum balancers_shape shape, const struct machine *machine,
                    struct engine *engine, struct balancers **result)
{
    struct balancers *balancers = calloc(1, sizeof(*balancers));
    int error = -ENOMEM;

    if (!balancers)
        return -ENOMEM;
    balancers->shape = shape_for(shape, machine);
    balancers->machine = machine;
    balancers->engine = engine;
    balancers->share_ppm = SHARE_ALL_PPM;
    sem_init(&balancers->ready, 0, 0);
    balancers->members_count = balancers->shape == BALANCERS_SINGLE ? 1 : machine->processors_count;
    balancers->members = calloc((size_t)balancers->members_count, sizeof(*balancers->members));
    if (balancers->members)
        error = crews_create(balancers);
    for (int i = 0; !error && i < balancers->members_count; i++)
        error = balancer_start(balancers, i);
    if (error) {
        balancers_stop(balancers);
        return error;
    }
    for (int i = 0; i < balancers->members_count; i++)
        while (sem_wait(&balancers->ready) && errno == EINTR)
            ;
    *result = balancers;
    return 0;
}

void balancers_limit(struct balancers *balancers, int share_ppm)
{
    const int each_ppm = share_ppm >= SHARE_ALL_PPM
                             ? SHARE_ALL_PPM
                             : (int)max_i64(1, share_ppm / balancers->members_count);

    if (balancers->share_ppm == each_ppm)
        return;
    balancers->share_ppm = each_ppm;
    balancers_notify(balancers);
}

const char *balancers_fault(const struct balancers *balancers)
{
    return balancers ? fault_text(&balancers->fault) : NULL;
}

void balancers_stop(struct balancers *balancers)
{
    if (!balancers)
        return;
    balancers->stopping = true;
    balancers_notify(balancers);
    /* The word is changed so that no balancer that has missed `stopping` can go to sleep on it. */
    for (int i = 0; balancers->crews && i < balancers->machine->domains_count; i++) {
        balancers->crews[i].decided_count++;
        futex_wake_all(&balancers->crews[i].decided_count);
    }
    for (int i = 0; balancers->members && i < balancers->members_count; i++)
        if (balancers->members[i].started)
            pthread_join(balancers->members[i].thread, NULL);
    sem_destroy(&balancers->ready);
    free(balancers->members);
    free(balancers->crews);
    free(balancers);
}

/* ---- views ---- */

static int compare_i64(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static int64_t crew_median(const struct crew *crew)
{
    int64_t sorted_ns[INTERVALS_KEPT];
    const int64_t count = min_i64(crew->turns_count - 1, INTERVALS_KEPT);

    if (count < 1)
        return 0;
    /* The first interval stands at index 2: the ring is complete or filled from there. */
    for (int64_t i = 0; i < count; i++)
        sorted_ns[i] = crew->intervals_ns[(i + 2) % INTERVALS_KEPT];
    qsort(sorted_ns, (size_t)count, sizeof(*sorted_ns), compare_i64);
    return sorted_ns[count / 2];
}

void balancers_statistics(const struct balancers *balancers,
                          struct balancers_statistics *statistics)
{
    const struct crew *first = &balancers->crews[0];

    *statistics = (struct balancers_statistics){
        .threads_count = balancers->members_count,
        .period_min_ns = first->interval_min_ns,
        .period_median_ns = crew_median(first),
        .period_max_ns = first->interval_max_ns,
        .priority = balancers->members[0].priority,
    };
    for (int i = 0; i < balancers->members_count; i++)
        statistics->own_cpu_ns += clock_read_ns(balancers->members[i].clock);
}
