/* SPDX-License-Identifier: BSD-3-Clause */
/* The balancer's half of a page: makes it, and reads what threads report. Programs report with the
 * other half (page.c), which is separate so that no more code is loaded into them. */
#include "libjuggle/waiting/page.h"

#include "libjuggle/waiting/page_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NAME_OF_PAGE "juggle-page"

/* ---- making a page ---- */

static void page_begin(struct page *page, int processors_count)
{
    page->shared->magic = PAGE_MAGIC;
    page_set_processors(page, processors_count);
}

void page_set_processors(struct page *page, int processors_count)
{
    page->shared->processors_count = processors_count;
}

/* False if the page is larger than the limit of file sizes allows: setting the size would kill this
 * process by SIGXFSZ. */
static bool size_is_allowed(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= sizeof(struct shared);
}

int page_create(int processors_count, struct page **page)
{
    int fd = memfd_create(NAME_OF_PAGE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct page *made = NULL;
    int error = 0;

    if (fd < 0)
        return -errno;
    if (!size_is_allowed())
        error = -EFBIG;
    else if (ftruncate(fd, sizeof(struct shared)) || fcntl(fd, F_ADD_SEALS, SEALS))
        error = -errno;
    if (!error)
        error = page_map(fd, &made);
    if (error || !made) {
        close(fd);
        return error;
    }
    made->fd = fd;
    page_begin(made, processors_count);
    *page = made;
    return 0;
}

int page_create_alone(int processors_count, struct page **page)
{
    const int error = page_map(-1, page);

    if (!error)
        page_begin(*page, processors_count);
    return error;
}

void page_path(const struct page *page, char path[PAGE_PATH_SIZE])
{
    snprintf(path, PAGE_PATH_SIZE, "/proc/%d/fd/%d", (int)getpid(), page->fd);
}

void page_ask(struct page *page, unsigned asked)
{
    page->shared->asked = asked;
}

bool page_phases_are_short(const struct page *page, int64_t now_ns)
{
    return atomic_load_explicit(&page->shared->short_until_ns, memory_order_relaxed) > now_ns;
}

int64_t page_slept_ns(const struct page *page)
{
    return atomic_load_explicit(&page->shared->slept_ns, memory_order_relaxed);
}

int64_t page_gave_way_count(const struct page *page)
{
    return atomic_load_explicit(&page->shared->gave_way_count, memory_order_relaxed);
}

/* ---- reading ---- */

static bool seat_fits(const struct page *page, int index, pid_t tid, uint64_t born_ticks)
{
    const struct seat *seat = &page->shared->seats[index];

    return seat_tid(seat) == tid && seat->taken_ticks >= born_ticks;
}

static int seat_search(const struct page *page, pid_t tid, uint64_t born_ticks)
{
    for (int step = 0; step < SEATS_SEARCHED; step++) {
        const int index = seat_index(tid, step);
        if (seat_fits(page, index, tid, born_ticks))
            return index;
    }
    return -1;
}

bool page_find(const struct page *page, pid_t tid, uint64_t born_ticks, struct place *place)
{
    const uint32_t changes = atomic_load_explicit(&page->shared->changes, memory_order_acquire);

    if (place->tid != tid || place->changes != changes)
        *place = (struct place){seat_search(page, tid, born_ticks), changes, tid};
    if (changes == 0 || place->index < 0)
        return false;
    return seat_fits(page, place->index, tid, born_ticks);
}

void page_read(const struct page *page, const struct place *place, int64_t now_ns,
               struct seat_report *report)
{
    const struct seat *seat = &page->shared->seats[place->index];
    const uint64_t word = atomic_load_explicit(&seat->waited, memory_order_acquire);
    const int64_t since_ns = atomic_load_explicit(&seat->since_ns, memory_order_acquire);
    const int64_t from_ns = atomic_load_explicit(&seat->from_ns, memory_order_acquire);
    const int64_t until_ns = atomic_load_explicit(&seat->until_ns, memory_order_acquire);
    const bool same = word == atomic_load_explicit(&seat->waited, memory_order_relaxed);
    const bool waits = word & WAITS_BIT;
    int64_t wait_ns = waited_decode(word);

    /* The word may hold anything: the sum must not overflow. */
    if (waits && __builtin_add_overflow(wait_ns, now_ns, &wait_ns))
        wait_ns = 0;
    *report = (struct seat_report){
        .waits = waits,
        .reports = seat->reports,
        .since_ns = same && waits ? clamp_i64(since_ns, 0, now_ns) : 0,
        .from_ns = same ? clamp_i64(from_ns, 0, now_ns) : 0,
        .until_ns = same ? clamp_i64(until_ns, 0, now_ns) : 0,
        .wait_ns = clamp_i64(wait_ns, 0, now_ns),
        .units = atomic_load_explicit(&seat->units, memory_order_relaxed),
    };
}
