/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/tally.h"

#include <errno.h>
#include <stdlib.h>

/* A thread that wants less than a quarter of a processor counts as a helper. */
enum { BUSY_PARTS = 4 };

struct tally_entry {
    struct thread_info info; /* at the last look */
    int64_t seen_ns;
};

struct tally {
    struct program_times times;
    struct tally_entry entries[]; /* by index in the roster */
};

int tally_create(int threads_max, struct tally **tally)
{
    struct tally *made = calloc(1, sizeof(*made) + (size_t)threads_max * sizeof(made->entries[0]));

    if (!made)
        return -ENOMEM;
    *tally = made;
    return 0;
}

void tally_destroy(struct tally *tally)
{
    free(tally);
}

static void add(struct tally_times *sum, const struct tally_times *more)
{
    sum->life_ns += more->life_ns;
    sum->run_ns += more->run_ns;
    sum->wait_ns += more->wait_ns;
    sum->stopped_ns += more->stopped_ns;
}

/* A thread that was stopped at both looks was stopped between them, but for the time that it ran or
 * waited meanwhile. */
static struct tally_times times_since(const struct tally_entry *entry,
                                      const struct thread_info *info, int64_t now_ns)
{
    const int64_t life_ns = max_i64(0, now_ns - entry->seen_ns);
    const int64_t run_ns = clamp_i64(info->run_ns - entry->info.run_ns, 0, life_ns);
    const int64_t wait_ns = clamp_i64(info->wait_ns - entry->info.wait_ns, 0, life_ns - run_ns);

    return (struct tally_times){
        .life_ns = life_ns,
        .run_ns = run_ns,
        .wait_ns = wait_ns,
        .stopped_ns = info->stopped && entry->info.stopped ? life_ns - run_ns - wait_ns : 0,
    };
}

bool tally_ran(const struct tally *tally, int index, const struct thread_info *info)
{
    const struct tally_entry *entry = &tally->entries[index];

    return thread_id_equal(&entry->info.id, &info->id) &&
           (info->run_ns > entry->info.run_ns || info->wait_ns > entry->info.wait_ns);
}

void tally_see(struct tally *tally, int index, const struct thread_info *info, bool balanced,
               const struct cpu_mask *pin, int64_t now_ns)
{
    struct tally_entry *entry = &tally->entries[index];
    struct program_times *times = &tally->times;

    if (thread_id_equal(&entry->info.id, &info->id)) {
        const struct tally_times since = times_since(entry, info, now_ns);
        const bool busy = (since.run_ns + since.wait_ns) * BUSY_PARTS >= since.life_ns;
        add(&times->all, &since);
        if (balanced || busy)
            add(&times->workers, &since);
        if (pin && since.run_ns + since.wait_ns > 0) {
            add(&times->pinned, &since);
            cpu_mask_unite(&times->pinned_cpus, pin);
        }
    }
    *entry = (struct tally_entry){.info = *info, .seen_ns = now_ns};
}

void program_times_add(struct program_times *sum, const struct program_times *more)
{
    add(&sum->all, &more->all);
    add(&sum->workers, &more->workers);
    add(&sum->pinned, &more->pinned);
    cpu_mask_unite(&sum->pinned_cpus, &more->pinned_cpus);
}

const struct program_times *tally_times(const struct tally *tally)
{
    return &tally->times;
}
