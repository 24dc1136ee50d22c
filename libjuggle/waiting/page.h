/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of shared memory on which threads report what the kernel does not know: that they wait for
 * other threads, and how many units of their work they have done.
 *
 * The balancer makes the page and names it in the program's environment. Each thread that has
 * something to report takes a seat on it. Nothing on the page is trusted: page_read limits all
 * times to what is possible.
 */
#ifndef JUGGLE_WAITING_PAGE_H
#define JUGGLE_WAITING_PAGE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

/* How many threads can have a seat. */
enum { PAGE_SEATS_MAX = 8192 };

/* The environment variable with the path of the balancer's page, as page_path writes it. */
#define PAGE_VARIABLE "LIBJUGGLE_PAGE"

enum { PAGE_PATH_SIZE = 64 };

struct page;

/* Makes a page, whose size nobody can change. `processors_count` is the number of processors that
 * the threads of the program share. -ENOMEM, -EMFILE; -EFBIG: the limit of file sizes is too
 * low. */
int page_create(int processors_count, struct page **page) MUST_CHECK;
/* Makes a page that no other process can find, for systems on which memory cannot be shared.
 * -ENOMEM. */
int page_create_alone(int processors_count, struct page **page) MUST_CHECK;
/* Maps the page of another process of this user. -ENOENT, -EACCES: it cannot be opened; -EINVAL:
 * the file is no page, or one of another version. */
int page_attach(const char *path, struct page **page) MUST_CHECK;
/* The same with the path in PAGE_VARIABLE. -ENOENT: it is not set, or this is a setuid program. */
int page_attach_named(struct page **page) MUST_CHECK;
/* Unmaps the page. Accepts NULL. Seats stay taken as long as another process has the page: leave
 * them first. */
void page_destroy(struct page *page);

/* Writes the path by which other processes find the page, as long as the process that made it
 * lives. */
void page_path(const struct page *page, char path[PAGE_PATH_SIZE]);

/* Called by the maker: changes the number of processors that the threads share. */
void page_set_processors(struct page *page, int processors_count);
/* That number, as the maker has set it last; at least 1. */
int page_processors(const struct page *page);

/* What the maker asks of an OpenMP runtime that loads our tool (libjuggle/preload/ompt.c). */
enum page_asked {
    PAGE_ASKS_BARRIERS = 1, /* threads report that they wait at barriers */
    PAGE_ASKS_PATIENCE = 2, /* threads sleep in their waits if that is better */
};

/* Called by the maker, before any program has the page: asks for all of these bits. */
void page_ask(struct page *page, unsigned asked);
bool page_asks(const struct page *page, enum page_asked asked);

/* Reports that phases are too short for moves within them. This holds until until_ns. */
void page_phases_short(struct page *page, int64_t until_ns);
bool page_phases_are_short(const struct page *page, int64_t now_ns);

/* Adds the time for which the threads of a process have slept in their waits instead of polling. */
void page_slept(struct page *page, int64_t slept_ns);
int64_t page_slept_ns(const struct page *page);

/* Counts that a thread that was found spinning has given way. page_gave_way_count returns the
 * total. */
void page_gave_way(struct page *page);
int64_t page_gave_way_count(const struct page *page);

/* ---- masks ---- */

/* Called around code that may set a mask for a move only. Several threads may be in such code at
 * once. */
void page_move_begin(struct page *page);
void page_move_end(struct page *page);

/* How many of these have ended; 0 without a page. */
uint32_t page_moves_ended(const struct page *page);
/* True if a mask that was read after page_moves_ended() returned `ended` may have been set by a
 * move of ours. */
bool page_moved(const struct page *page, uint32_t ended);

/* ---- reporting ---- */

/* The seat of one thread. Only this thread reports its waits; any thread may report its units. */
struct seat;

/* Returns the seat that a thread has, or a new one. -ENOSPC: none is free. The seats of dead
 * threads are given out again. */
int page_seat(struct page *page, pid_t tid, struct seat **seat) MUST_CHECK;
/* Call it once for each page_seat. The seat is free when all its users have left. */
void seat_leave(struct seat *seat);

/* The thread waits from now on. False if it waits already: a wait within a wait adds nothing. */
bool seat_wait_begin(struct seat *seat, int64_t now_ns);
void seat_wait_end(struct seat *seat, int64_t now_ns);

/* The last wait that has ended; all zero if there is none. */
struct ended_wait {
    int64_t from_ns, until_ns;
};

void seat_ended(const struct seat *seat, struct ended_wait *ended);
/* Continues the wait that has just ended, because it was not over. `before` is the wait that ended
 * before that one. False if the thread waits already, and if no wait has ended. */
bool seat_wait_resume(struct seat *seat, const struct ended_wait *before, int64_t now_ns);

/* Only one caller may report the units of a thread: this claims them. -EEXIST: another caller has
 * them. */
int seat_claim(struct seat *seat) MUST_CHECK;
void seat_disclaim(struct seat *seat);
/* Adds units. From the first call on they are the thread's progress, instead of its processor
 * time. */
void seat_add(struct seat *seat, int64_t units);

/* ---- reading ---- */

struct seat_report {
    bool waits; /* now */
    bool reports;
    /* since_ns: when the current wait began. from_ns, until_ns: when the last wait that has ended
     * began and ended. 0 if there is none, or if it is not known. */
    int64_t since_ns, from_ns, until_ns;
    int64_t wait_ns; /* total, with the current wait */
    int64_t units;   /* total */
};

/* The seat that page_find has found for a thread; all zero before the first search. */
struct place {
    int index; /* -1: it had no seat */
    uint32_t changes;
    pid_t tid;
};

/*
 * Looks for the seat of a thread that began born_ticks after boot; false while it has none. A seat
 * that was taken earlier belonged to an earlier thread with the same id. Costs next to nothing
 * while no new seat is taken.
 */
bool page_find(const struct page *page, pid_t tid, uint64_t born_ticks, struct place *place);

/* Reads the seat that was found. No time in `report` is later, and no wait longer, than is possible
 * at now_ns. */
void page_read(const struct page *page, const struct place *place, int64_t now_ns,
               struct seat_report *report);

#endif
