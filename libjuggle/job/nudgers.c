/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. A nudger reads its word, then its interval and `stopping`, and sleeps on the word.
 * The thread that changes one of the two changes the word after it and wakes the nudger. All of it
 * is sequentially consistent: beside a system call that costs nothing. */
#include "libjuggle/job/nudgers.h"

#include "libjuggle/job/balancers.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/futex.h"
#include "libjuggle/linux/slice.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct nudger {
    int os_index;
    pthread_t thread;
    bool started;
    _Atomic uint32_t word;
    _Atomic bool stopping;
    _Atomic int64_t interval_ns; /* 0: rests */
    _Atomic int64_t nudges_count;
};

struct nudgers {
    int count;
    struct nudger list[];
};

static void word_change(struct nudger *nudger)
{
    nudger->word++;
    futex_wake_all(&nudger->word);
}

static void *nudger_main(void *argument)
{
    struct nudger *nudger = argument;

    prctl(PR_SET_NAME, BALANCERS_COMM);
    prctl(PR_SET_TIMERSLACK, 1);
    /* A real-time thread would preempt for programs of other groups, too. */
    slice_shorten();
    /* If this fails, it nudges threads of other processors, in vain. */
    affinity_bind(nudger->os_index);
    for (;;) {
        const uint32_t word = nudger->word;
        const int64_t interval_ns = nudger->interval_ns;
        if (nudger->stopping)
            return NULL;
        const int64_t until_ns = interval_ns ? clock_now_ns() + interval_ns : INT64_MAX;
        if (futex_wait_until(&nudger->word, word, until_ns))
            nudger->nudges_count++;
    }
}

int nudgers_create(const struct machine *machine, struct nudgers **result)
{
    const size_t count = (size_t)machine->processors_count;
    struct nudgers *nudgers = calloc(1, sizeof(*nudgers) + count * sizeof(struct nudger));

    if (!nudgers)
        return -ENOMEM;
    nudgers->count = (int)count;
    for (int i = 0; i < nudgers->count; i++)
        nudgers->list[i].os_index = machine->processors[i].os_index;
    *result = nudgers;
    return 0;
}

static int nudger_start(struct nudger *nudger)
{
    const int error = pthread_create(&nudger->thread, NULL, nudger_main, nudger);

    if (error)
        return -error;
    nudger->started = true;
    return 0;
}

int nudgers_set(struct nudgers *nudgers, int processor, int64_t interval_ns)
{
    struct nudger *nudger = &nudgers->list[processor];
    int error = 0;

    if (nudger->interval_ns == interval_ns)
        return 0;
    if (!nudger->started)
        error = nudger_start(nudger);
    if (error)
        return error;
    nudger->interval_ns = interval_ns;
    word_change(nudger);
    return 0;
}

void nudgers_rest(struct nudgers *nudgers)
{
    for (int i = 0; i < nudgers->count; i++)
        if (nudgers->list[i].started)
            (void)!nudgers_set(nudgers, i, 0);
}

int64_t nudgers_count(const struct nudgers *nudgers)
{
    int64_t count = 0;

    for (int i = 0; i < nudgers->count; i++)
        count += nudgers->list[i].nudges_count;
    return count;
}

void nudgers_destroy(struct nudgers *nudgers)
{
    if (!nudgers)
        return;
    for (int i = 0; i < nudgers->count; i++) {
        struct nudger *nudger = &nudgers->list[i];
        if (!nudger->started)
            continue;
        nudger->stopping = true;
        word_change(nudger);
        pthread_join(nudger->thread, NULL);
    }
    free(nudgers);
}
