/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/spin_traps.h"

#include "libjuggle/linux/code_map.h"
#include "libjuggle/waiting/page_traps.h"

_Static_assert((int)SPIN_PLACES_MAX == (int)PAGE_TRAPS_MAX, "a place's number is its trap's");

/* How long traps hold on: the balancer may be stopped or have no processor for a while. */
#define HOLD_NS NSEC_PER_SEC

static void drop(struct spin_traps *traps, int i)
{
    traps->wanted[i] = false;
    page_trap_drop(traps->page, i);
}

void spin_traps_clear(struct spin_traps *traps)
{
    spin_traps_lift(traps);
    for (int i = 0; i < traps->places.count; i++)
        drop(traps, i);
}

static int place_index(const struct spin_traps *traps, const struct spin_place *place)
{
    int i = 0;

    while (i < traps->places.count && (traps->places.list[i].pid != place->pid ||
                                       traps->places.list[i].address != place->address))
        i++;
    return i;
}

/* The number of a place that is no longer wanted, such as one of a process that has ended;
 * SPIN_PLACES_MAX: there is none. */
static int place_make_room(const struct spin_traps *traps)
{
    int i = 0;

    while (i < SPIN_PLACES_MAX && traps->wanted[i])
        i++;
    return i;
}

bool spin_traps_add(struct spin_traps *traps, const struct spin_place *place)
{
    int i = place_index(traps, place);

    if (i < traps->places.count && traps->wanted[i])
        return false;
    if (i == SPIN_PLACES_MAX)
        i = place_make_room(traps);
    if (i == SPIN_PLACES_MAX ||
        !code_is_of_private_file(traps->proc_fd, place->pid, place->address))
        return false;
    traps->places.count = (int)max_i64(traps->places.count, i + 1);
    traps->places.list[i] = *place;
    traps->wanted[i] = true;
    page_trap_ask(traps->page, i, place->pid, place->address);
    return true;
}

static bool is_of(const struct spin_traps *traps, int i, pid_t pid)
{
    return traps->wanted[i] && traps->places.list[i].pid == pid;
}

bool spin_traps_fit(const struct spin_traps *traps, const struct thread_id *id)
{
    for (int i = 0; i < traps->places.count; i++)
        if (is_of(traps, i, id->pid)) {
            const struct spin_hearing hearing = spin_hearing_read(traps->proc_fd, id);
            return hearing.hears && !hearing.is_debugged;
        }
    return false;
}

void spin_traps_hold(struct spin_traps *traps, int64_t now_ns)
{
    page_traps_hold(traps->page, now_ns + HOLD_NS);
}

void spin_traps_lift(struct spin_traps *traps)
{
    page_traps_hold(traps->page, 0);
}

int spin_traps_due(const struct spin_traps *traps, pid_t pid)
{
    int i = 0;

    while (i < traps->places.count && !(is_of(traps, i, pid) && page_trap_is_due(traps->page, i)))
        i++;
    return i < traps->places.count ? i : -1;
}

void spin_traps_spare(struct spin_traps *traps, const struct thread_id *id)
{
    bool known = false;

    for (int i = 0; i < traps->places.count; i++) {
        if (!is_of(traps, i, id->pid))
            continue;
        if (!known && !spin_hearing_read(traps->proc_fd, id).is_debugged)
            return;
        known = true;
        drop(traps, i);
        spin_place_clean(traps->proc_fd, &traps->places.list[i]);
    }
}
