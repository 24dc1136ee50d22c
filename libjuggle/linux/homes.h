/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates homes to affinity masks. A home is a processor of the machine and how wide the mask of
 * a thread there is: that processor or the whole domain.
 *
 * A thread's mask is inherited by the threads and processes that it creates. If it is narrower than
 * the domain, it also keeps the kernel from moving the thread to a processor that has become idle.
 * So masks can be left open: a thread is then pinned only for the moment of a move, and is moved
 * again if it is found elsewhere. */
#ifndef JUGGLE_LINUX_HOMES_H
#define JUGGLE_LINUX_HOMES_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/policy/policy.h"

struct homes {
    const struct machine *machine;
    bool open; /* no pin lasts longer than a move */
    struct cpu_mask machine_mask;
    struct cpu_mask domain_masks[MACHINE_DOMAINS_MAX];
    /* Of the machine's processors, by the kernel's number; -1: not in the machine. */
    short indexes[CPU_MASK_CPUS_MAX];
};

/* The machine outlives them. */
void homes_init(struct homes *homes, const struct machine *machine, bool open);

/* Homes are numbers from 0 on. */
enum { HOME_NONE = -1 };

int home_of(const struct move *move);
int home_processor(int home);

/* True if a thread is kept at this home only by repeated moves: masks are open, and it was not set
 * free in its domain. */
bool homes_are_kept(const struct homes *homes, int home);

/* Fill in a mask: homes_pin that of the home's processor alone, homes_mask the one that a thread
 * has after a move. */
void homes_pin(const struct homes *homes, int home, struct cpu_mask *mask);
void homes_mask(const struct homes *homes, int home, struct cpu_mask *mask);

/* True if the mask is one of those for some home. */
bool homes_may_set(const struct homes *homes, const struct cpu_mask *mask);

/* The machine's processor with this number of the kernel's, or -1. */
int homes_processor(const struct homes *homes, int cpu);

#endif
