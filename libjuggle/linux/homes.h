/* SPDX-License-Identifier: BSD-3-Clause */
/* What affinity masks say of where a thread belongs: a home is a processor of the machine, and how
 * far the mask of who lives there opens.
 *
 * Masks that are narrower than the domain are inherited by whatever the thread creates, and keep
 * the kernel from filling a processor that runs dry. So they can be left open: a thread is pinned
 * for the moment of a move only, and is moved again when it was found elsewhere. */
#ifndef JUGGLE_LINUX_HOMES_H
#define JUGGLE_LINUX_HOMES_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/policy/policy.h"

struct homes {
    const struct machine *machine;
    bool open; /* no pin lasts longer than a move */
    struct cpu_mask machine_mask;
    struct cpu_mask domain_masks[MACHINE_DOMAINS_MAX];
    short indexes[CPU_MASK_CPUS_MAX]; /* of the machine's processors, by the kernel's number; -1 */
};

/* The machine outlives them. */
void homes_init(struct homes *homes, const struct machine *machine, bool open);

/* Homes are numbers from 0 on. */
enum { HOME_NONE = -1 };

int home_of(const struct move *move);
int home_processor(int home);

/* Kept there by moves alone: its mask is open, and it was not set free. */
bool homes_are_kept(const struct homes *homes, int home);

/* The home's processor alone; and the mask that lasts. */
void homes_pin(const struct homes *homes, int home, struct cpu_mask *mask);
void homes_mask(const struct homes *homes, int home, struct cpu_mask *mask);

/* True if such a mask may have been set for some home. */
bool homes_have(const struct homes *homes, const struct cpu_mask *mask);

/* The machine's processor with this number of the kernel's, or -1. */
int homes_processor(const struct homes *homes, int cpu);

#endif
