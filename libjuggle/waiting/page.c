/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. Any thread of any process may take a seat. The thread that changes `tid` from free
 * to SEAT_TAKEN clears the seat and then stores the thread's id (release). page_find reads the id
 * (acquire), and so never sees a new thread with the words of an old one.
 *
 * Only the seat's own thread writes `waited`, which is one word, so that no reader ever sees half
 * of a change. While the thread works, the word holds the total time waited. While it waits, the
 * word holds the time waited before, minus the time at which this wait began; a reader adds the
 * present time. The lowest bit is set while the thread waits. `since_ns` is written before the word
 * that announces its wait (release), `from_ns` and `until_ns` before the word that ends it. If a
 * reader finds the same word before and after it has read these (acquire), they belong to that
 * word, with one exception: the last wait that has ended may be the one that is just ending.
 *
 * A program that writes nonsense harms only what is known of the threads of its own job: all is
 * checked against the clock, no word is an index or a length, and the size of the memory is sealed.
 */
#include "libjuggle/waiting/page.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Waits that follow each other within this time count as one, such as those for the messages of an
 * exchange. */
#define APART_NS (20 * NSEC_PER_USEC)

/* ---- finding a page ---- */

int page_map(int fd, struct page **page)
{
    const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    struct page *made = calloc(1, sizeof(*made));

    if (!made)
        return -ENOMEM;
    made->shared = mmap(NULL, sizeof(*made->shared), PROT_READ | PROT_WRITE, flags, fd, 0);
    if (made->shared == MAP_FAILED) {
        int error = -errno;
        free(made);
        return error;
    }
    made->fd = -1;
    *page = made;
    return 0;
}

/* True if the file has the size of a page and can neither shrink nor grow. A reader of memory that
 * has shrunk would be killed. */
static bool is_sealed(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    struct stat stat;

    return seals >= 0 && (seals & SEALS) == SEALS && !fstat(fd, &stat) &&
           stat.st_size == sizeof(struct shared);
}

int page_attach(const char *path, struct page **page)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct page *found = NULL;

    if (fd < 0)
        return -errno;
    int error = is_sealed(fd) ? page_map(fd, &found) : -EINVAL;
    close(fd);
    if (error || !found)
        return error;
    if (found->shared->magic != PAGE_MAGIC) {
        page_destroy(found);
        return -EINVAL;
    }
    *page = found;
    return 0;
}

int page_attach_named(struct page **page)
{
    const char *path = secure_getenv(PAGE_VARIABLE);

    return path && *path ? page_attach(path, page) : -ENOENT;
}

void page_destroy(struct page *page)
{
    if (!page)
        return;
    munmap(page->shared, sizeof(*page->shared));
    if (page->fd >= 0)
        close(page->fd);
    free(page);
}

int page_processors(const struct page *page)
{
    return (int)max_i64(1, page->shared->processors_count);
}

bool page_asks(const struct page *page, enum page_asked asked)
{
    return page->shared->asked & asked;
}

void page_phases_short(struct page *page, int64_t until_ns)
{
    atomic_store_explicit(&page->shared->short_until_ns, until_ns, memory_order_relaxed);
}

void page_slept(struct page *page, int64_t slept_ns)
{
    atomic_fetch_add_explicit(&page->shared->slept_ns, slept_ns, memory_order_relaxed);
}

void page_gave_way(struct page *page)
{
    atomic_fetch_add_explicit(&page->shared->gave_way_count, 1, memory_order_relaxed);
}

/* ---- masks ---- */

/*
 * These are sequentially consistent; masks are set and read by system calls in between. A reader
 * takes `moves_ended`, then the mask, then `moves_begun`. If both counts are equal, all moves that
 * had begun by then had ended before the mask was read.
 */
void page_move_begin(struct page *page)
{
    page->shared->moves_begun++;
}

void page_move_end(struct page *page)
{
    page->shared->moves_ended++;
}

uint32_t page_moves_ended(const struct page *page)
{
    return page ? page->shared->moves_ended : 0;
}

bool page_moved(const struct page *page, uint32_t ended)
{
    return page && page->shared->moves_begun != ended;
}

/* ---- seats ---- */

/* Returns a mark of the program that this process executes; it changes when the process executes
 * another program. The mark is made of a part of the random bytes that the kernel draws for each
 * program, too small to guess the value that guards the stack. */
static uint32_t program_mark(void)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): as the kernel hands it on */
    const void *drawn = (const void *)getauxval(AT_RANDOM);
    uint32_t words[4] = {0};

    if (drawn)
        memcpy(words, drawn, sizeof(words));
    return words[1] ^ words[3];
}

/* Adds a user to a seat that is in use. False if the seat is given up at this moment. */
static bool seat_share(struct seat *seat)
{
    int users = seat->users;

    while (users > 0 && !atomic_compare_exchange_weak(&seat->users, &users, users + 1))
        continue;
    /* The seat may be that of a dead thread with the same id: page_find takes it for this thread's
     * from now on. */
    if (users > 0)
        seat->taken_ticks = clock_boot_ticks();
    return users > 0;
}

/* Takes a seat whose id is `before`. False if another thread was faster. */
static bool seat_take(struct seat *seat, pid_t before, pid_t tid)
{
    if (!atomic_compare_exchange_strong(&seat->tid, &before, SEAT_TAKEN))
        return false;
    seat->users = 1;
    seat->claimed = seat->reports = false;
    seat->program = program_mark();
    seat->taken_ticks = clock_boot_ticks();
    seat->waited = 0;
    seat->since_ns = seat->from_ns = seat->until_ns = 0;
    seat->units = 0;
    atomic_store_explicit(&seat->tid, tid, memory_order_release);
    return true;
}

/* True if the seat was taken by the program that this thread executed before the present one, or by
 * a dead thread with the same id. */
static bool is_of_another(const struct seat *seat, pid_t tid)
{
    return tid == gettid() && seat->program != program_mark();
}

static struct seat *seat_of(struct page *page, pid_t tid)
{
    for (int step = 0; step < SEATS_SEARCHED; step++) {
        struct seat *seat = &page->shared->seats[seat_index(tid, step)];
        if (seat_tid(seat) != tid)
            continue;
        if (is_of_another(seat, tid) ? seat_take(seat, tid, tid) : seat_share(seat))
            return seat;
    }
    return NULL;
}

/* True if the seat is free, or if its thread died without giving it up. */
static bool is_vacant(pid_t tid)
{
    return tid == SEAT_FREE || (tid != SEAT_TAKEN && kill(tid, 0) && errno == ESRCH);
}

int page_seat(struct page *page, pid_t tid, struct seat **result)
{
    struct seat *seat = seat_of(page, tid);

    for (int step = 0; !seat && step < SEATS_SEARCHED; step++) {
        struct seat *candidate = &page->shared->seats[seat_index(tid, step)];
        const pid_t before = seat_tid(candidate);
        if (is_vacant(before) && seat_take(candidate, before, tid))
            seat = candidate;
    }
    if (!seat)
        return -ENOSPC;
    atomic_fetch_add_explicit(&page->shared->changes, 1, memory_order_release);
    *result = seat;
    return 0;
}

void seat_leave(struct seat *seat)
{
    if (atomic_fetch_sub(&seat->users, 1) == 1)
        atomic_store_explicit(&seat->tid, SEAT_FREE, memory_order_release);
}

/* ---- reporting ---- */

static uint64_t waited_encode(int64_t wait_ns, bool waits)
{
    return (uint64_t)wait_ns << 1 | (waits ? WAITS_BIT : 0);
}

static bool wait_begin(struct seat *seat, int64_t since_ns, int64_t now_ns)
{
    const uint64_t word = atomic_load_explicit(&seat->waited, memory_order_relaxed);

    if (word & WAITS_BIT)
        return false;
    atomic_store_explicit(&seat->since_ns, since_ns, memory_order_release);
    atomic_store_explicit(&seat->waited, waited_encode(waited_decode(word) - now_ns, true),
                          memory_order_release);
    return true;
}

bool seat_wait_begin(struct seat *seat, int64_t now_ns)
{
    return wait_begin(seat, now_ns, now_ns);
}

void seat_ended(const struct seat *seat, struct ended_wait *ended)
{
    ended->from_ns = atomic_load_explicit(&seat->from_ns, memory_order_relaxed);
    ended->until_ns = atomic_load_explicit(&seat->until_ns, memory_order_relaxed);
}

bool seat_wait_resume(struct seat *seat, const struct ended_wait *before, int64_t now_ns)
{
    const int64_t from_ns = atomic_load_explicit(&seat->from_ns, memory_order_relaxed);

    if (!from_ns || atomic_load_explicit(&seat->waited, memory_order_relaxed) & WAITS_BIT)
        return false;
    atomic_store_explicit(&seat->from_ns, before->from_ns, memory_order_release);
    atomic_store_explicit(&seat->until_ns, before->until_ns, memory_order_release);
    return wait_begin(seat, from_ns, now_ns);
}

void seat_wait_end(struct seat *seat, int64_t now_ns)
{
    const uint64_t word = atomic_load_explicit(&seat->waited, memory_order_relaxed);

    const int64_t since_ns = atomic_load_explicit(&seat->since_ns, memory_order_relaxed);
    const int64_t until_ns = atomic_load_explicit(&seat->until_ns, memory_order_relaxed);

    if (!(word & WAITS_BIT))
        return;
    if (!until_ns || since_ns - until_ns > APART_NS)
        atomic_store_explicit(&seat->from_ns, since_ns, memory_order_release);
    atomic_store_explicit(&seat->until_ns, now_ns, memory_order_release);
    atomic_store_explicit(&seat->waited, waited_encode(waited_decode(word) + now_ns, false),
                          memory_order_release);
}

int seat_claim(struct seat *seat)
{
    return atomic_exchange(&seat->claimed, true) ? -EEXIST : 0;
}

void seat_disclaim(struct seat *seat)
{
    seat->reports = false;
    seat->claimed = false;
}

void seat_add(struct seat *seat, int64_t units)
{
    atomic_fetch_add_explicit(&seat->units, units, memory_order_relaxed);
    if (!atomic_load_explicit(&seat->reports, memory_order_relaxed))
        seat->reports = true;
}
