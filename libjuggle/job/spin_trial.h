/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides when threads that spin are made to give way, and how: looks at them for a moment, tries
 * one means after the other for a moment each if some spin, goes on with the one that brought most
 * work, and looks again after a while. Threads that spin for a moment and then sleep are only
 * caught where they spin, so that they yield instead of sleeping. Pure.
 *
 * A wrong answer costs one trial: there are four times as long until the next after each in vain.
 */
#ifndef JUGGLE_JOB_SPIN_TRIAL_H
#define JUGGLE_JOB_SPIN_TRIAL_H

#include "libjuggle/policy/policy.h"

#include <stdbool.h>

enum spin_stage {
    SPIN_RESTS,
    SPIN_LOOKS,  /* threads are sampled */
    SPIN_TRIES,  /* threads are sampled, and caught or nudged */
    SPIN_SERVES, /* threads are caught or nudged */
};

/* Why threads are looked at; the first of these goes before the others. */
enum spin_reason {
    SPIN_STRETCHES, /* some stand in line behind others that run for long at a stretch */
    SPIN_SLEEPERS,  /* most sleep all the time */
    SPIN_ACCOUNT,   /* nobody is suspected: to know how much of their time is work */
};
enum { SPIN_REASONS_COUNT = SPIN_ACCOUNT + 1 };

/* The means that are tried: traps; nudges at two intervals, with the shortest of them; and open
 * masks, for who has a processor for each thread, with traps or alone. */
enum { SPIN_MEANS_COUNT = 4 };
#define SPIN_INTERVAL_MIN_NS (120 * NSEC_PER_USEC)

struct spin_trial {
    enum spin_stage stage;
    int64_t until_ns; /* when the stage ends */
    int64_t watch_ns; /* how long it rests next, until it is seen whether there is a reason */
    int64_t look_ns;  /* how long the last look was: twice as long where it saw too little */
    int64_t serve_ns; /* and how long the next service is */
    enum spin_reason reason; /* for the last look */
    struct spin_rest {
        int64_t until_ns; /* no look for this reason before */
        int64_t next_ns;  /* how long the next such rest is */
    } rests[SPIN_REASONS_COUNT];
    bool untold;         /* those who sleep all the time could not tell what they do */
    bool unaccounted;    /* nobody is looked at without suspicion any more */
    bool slow;           /* samples are few */
    bool oversubscribed; /* there are more threads than processors */
    bool hinders;        /* they switch so often that samples cost more than they tell */
    /* At the last look: traps would catch somebody; and who spins does other things, too, in its
     * waits, such as yielding. */
    bool trappable, gives_way;
    double alone; /* work per time without any of them */
    int means;    /* the index of the one that is tried or serves */
    bool again;   /* it served before, and is tried alone */
    int best;     /* -1: none of those tried was worth it */
    double best_gain;
};

/* What was seen in the stage that ends. */
struct spin_sight {
    bool suspect; /* threads stand in line behind others that run for long */
    /* Most of them sleep and wake all the time: they may spin before. */
    bool sleepers;
    bool trappable; /* some would be caught by traps, as far as was looked for */
    int threads_count;
    bool oversubscribed; /* there are more threads than processors */
    bool hinders;        /* a probe at each switch would take longer than what is run between two */
    int samples_count, spinning_count;
    int waiting_count;  /* of the others, those in which they waited otherwise */
    int64_t sampled_ns; /* for how long */
    int64_t work_ns;    /* what those were of that neither spun nor waited */
    /* The time that their processes ran meanwhile, and the part of it of the sampled threads; the
     * rest is of threads that have come since. 0: not known. */
    int64_t ran_ns, sampled_ran_ns;
    bool elsewhere;       /* some spin where there was no trap yet */
    int64_t caught_count; /* how often a trap caught somebody */
};

/* Whether threads spin enough to make run times useless as a measure of work, or hardly any does.
 */
enum spinning spin_sight_tells(const struct spin_sight *sight);

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns);

/* Whether it is about threads that others stand in line behind. */
bool spin_trial_suspects(const struct spin_trial *trial);

/* The look that has begun is none: those who sleep all the time cannot tell. */
void spin_trial_look_not(struct spin_trial *trial, int64_t now_ns);

/* Nobody is looked at without suspicion any more. */
void spin_trial_account_no_more(struct spin_trial *trial);

/* Samples are few, and cost the program a signal each: from the stage that has begun on they take
 * longer, and nobody is looked at without suspicion. */
void spin_trial_slow_down(struct spin_trial *trial);

/* The next stage, when one is over. */
void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns);

/* Whether threads are to sample themselves, as who sleeps all the time does it at less cost. */
bool spin_trial_tells(const struct spin_trial *trial);

/* By which factor stages in which threads are sampled are longer than usual. */
int spin_trial_pace(const struct spin_trial *trial);

bool spin_trial_samples(const struct spin_trial *trial);

/* Whether threads are caught where they spin. */
bool spin_trial_traps(const struct spin_trial *trial);

/* Whether masks are to be open. */
bool spin_trial_opens(const struct spin_trial *trial);

/* How often threads are nudged; 0: they are not. */
int64_t spin_trial_interval_ns(const struct spin_trial *trial);

#endif
