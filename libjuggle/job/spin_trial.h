/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides when threads that spin are made to give way, and by which means: looks at them for a
 * moment; if some spin, tries one means after the other for a moment each; goes on with the one
 * that brought most work, and looks again after a while. Threads that spin for a moment and then
 * sleep are only caught where they spin, so that they yield instead of sleeping. Pure.
 *
 * A wrong answer costs one trial: after each in vain, it is four times as long until the next. */
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

/* Why threads are looked at, in the order of precedence. */
enum spin_reason {
    SPIN_STRETCHES, /* some wait in run queues behind others that run for long at a stretch */
    SPIN_SLEEPERS,  /* most sleep all the time, for short whiles */
    SPIN_ACCOUNT,   /* no thread is suspected: to know how much of their time is work */
};
enum { SPIN_REASONS_COUNT = SPIN_ACCOUNT + 1 };

/* The means that are tried: traps; nudges at two intervals, of which this is the shorter; and open
 * masks, with traps or alone, if there is a processor for each thread. */
enum { SPIN_MEANS_COUNT = 4 };
#define SPIN_INTERVAL_MIN_NS (120 * NSEC_PER_USEC)

struct spin_trial {
    enum spin_stage stage;
    int64_t until_ns;        /* when the stage ends */
    int64_t watch_ns;        /* length of the next rest, before reasons to look are sought again */
    int64_t look_ns;         /* length of the last look; doubled if that saw too little */
    int64_t serve_ns;        /* length of the next service */
    enum spin_reason reason; /* for the last look */
    struct spin_rest {
        int64_t until_ns; /* no look for this reason before */
        int64_t next_ns;  /* length of the next such rest */
    } rests[SPIN_REASONS_COUNT];
    bool no_self_sampling; /* threads that sleep all the time could not sample themselves */
    bool unaccounted;      /* there are no looks without suspicion any more */
    bool slow;             /* samples are few */
    bool oversubscribed;   /* there are more threads than processors */
    bool hinders;          /* threads switch so often that samples cost more than they tell */
    /* At the last look: traps would catch a thread; and threads waited otherwise, such as by
     * yielding, at least as often as they spun. */
    bool trappable, gives_way;
    double work_rate_without; /* work per time without any means */
    int means;                /* the index of the one that is tried or serves */
    bool again;               /* it served before, and is tried alone */
    int best;                 /* -1: none of those tried was worth it */
    double best_gain;
};

/* What was seen in the stage that ends. */
struct spin_sight {
    bool suspect; /* threads wait in run queues behind others that run for long */
    /* Most threads sleep and wake all the time: they may spin before they sleep. */
    bool sleepers;
    bool trappable; /* traps would catch some, as far as was looked for */
    int threads_count;
    bool oversubscribed; /* there are more threads than processors */
    bool hinders;        /* a probe at each switch takes longer than threads run between two */
    int samples_count, spinning_count;
    int waiting_count;  /* samples, other than those, in which they waited */
    int64_t sampled_ns; /* the length of the stage */
    int64_t work_ns;    /* the time of samples in which they neither spun nor waited */
    /* The time that the threads' processes ran meanwhile, and the part of it of the sampled
     * threads; the rest is of threads that have come since. 0: not known. */
    int64_t ran_ns, sampled_ran_ns;
    bool elsewhere;       /* some spin where there was no trap yet */
    int64_t caught_count; /* how often a trap caught a thread */
};

/* SPINNING_SEEN if threads spin so much that run times are no measure of work, SPINNING_NONE if
 * hardly any sample shows a wait of any kind. */
enum spinning spin_sight_verdict(const struct spin_sight *sight);

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns);

/* True if the last look is for threads that others wait behind (SPIN_STRETCHES). */
bool spin_trial_suspects(const struct spin_trial *trial);

/* Gives up the look that has begun: threads that sleep all the time cannot sample themselves. */
void spin_trial_give_up_look(struct spin_trial *trial, int64_t now_ns);

/* Ends looks without suspicion. */
void spin_trial_account_no_more(struct spin_trial *trial);

/* Samples are few, and cost the program a signal each: from the stage that has begun on, stages
 * with samples take longer, and there are no looks without suspicion. */
void spin_trial_slow_down(struct spin_trial *trial);

/* Begins the next stage; to be called when one is over. */
void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns);

/* True if threads are to sample themselves, which costs less than perf if they sleep all the
 * time. */
bool spin_trial_wants_self_sampling(const struct spin_trial *trial);

/* The factor by which stages with samples are longer than usual. */
int spin_trial_pace(const struct spin_trial *trial);

bool spin_trial_samples(const struct spin_trial *trial);

/* Whether threads are caught where they spin. */
bool spin_trial_traps(const struct spin_trial *trial);

/* Whether masks are to be open. */
bool spin_trial_opens(const struct spin_trial *trial);

/* The interval at which threads are nudged; 0: they are not. */
int64_t spin_trial_interval_ns(const struct spin_trial *trial);

#endif
