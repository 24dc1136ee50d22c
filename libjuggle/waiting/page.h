/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of shared memory on which threads tell what no kernel knows: that they wait for others,
 * and how many units of their work they have done.
 *
 * The balancer makes the page and names it in the program's environment; each thread that has
 * something to tell takes a seat on it. Nothing that it says is trusted: page_read believes no more
 * than could be true.
 */
#ifndef JUGGLE_WAITING_PAGE_H
#define JUGGLE_WAITING_PAGE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

/* Threads that can be seated. */
enum { PAGE_SEATS_MAX = 8192 };

/* Where a program finds the page of whoever balances it: a path, as page_path tells it. */
#define PAGE_VARIABLE "LIBJUGGLE_PAGE"

enum { PAGE_PATH_SIZE = 64 };

struct page;

/* A new page, whose size nobody can change. It says for how many processors there is work to share.
 * -ENOMEM, -EMFILE. */
int page_create(int processors_count, struct page **page) MUST_CHECK;
/* One that nobody can find: where memory cannot be shared. -ENOMEM. */
int page_create_alone(int processors_count, struct page **page) MUST_CHECK;
/* The page of another process of this user. -ENOENT, -EACCES: it is not to be had; -EINVAL: that is
 * no page, or one of another version. */
int page_attach(const char *path, struct page **page) MUST_CHECK;
/* The same, from the environment; -ENOENT where that names none, and in setuid programs. */
int page_attach_named(struct page **page) MUST_CHECK;
/* Accepts NULL. Seats stay taken while the page lives elsewhere: leave them first. */
void page_destroy(struct page *page);

/* Other processes find the page by this as long as the one that made it lives. */
void page_path(const struct page *page, char path[PAGE_PATH_SIZE]);

/* By the maker: from now on it is for so many. */
void page_share(struct page *page, int processors_count);
/* As its maker said last, at least 1. */
int page_processors(const struct page *page);

/* What is asked of a runtime that loads a tool (libjuggle/preload/ompt.c). */
enum page_asked {
    PAGE_ASKS_BARRIERS = 1, /* threads that wait at barriers say so */
    PAGE_ASKS_PATIENCE = 2, /* they sleep in their waits where that is better */
};

/* By the maker, before any program has the page: all of these. */
void page_ask(struct page *page, unsigned asked);
bool page_asks(const struct page *page, enum page_asked asked);

/* Phases are too short for anybody to be moved within them, until then as far as is known. */
void page_phases_short(struct page *page, int64_t until_ns);
bool page_phases_are_short(const struct page *page, int64_t now_ns);

/* For slept_ns more, the threads of a process have slept in their waits instead of looking on. */
void page_slept(struct page *page, int64_t slept_ns);
int64_t page_slept_ns(const struct page *page);

/* A thread that was found spinning has given way; how often that happened in all. */
void page_gave_way(struct page *page);
int64_t page_gave_way_count(const struct page *page);

/* ---- masks ---- */

/* Around what may set a mask that does not last; several may do so at once. */
void page_move_begin(struct page *page);
void page_move_end(struct page *page);

/* How many such have ended; without a page none ever begins. */
uint32_t page_moves_ended(const struct page *page);
/* True if what was read since page_moves_ended said `ended` may be of a move. */
bool page_moved(const struct page *page, uint32_t ended);

/* ---- telling ---- */

/* A thread's place. What it tells of its waiting, it tells itself; units may come from any thread.
 */
struct seat;

/* The seat of a thread, the one that it has or a new one. -ENOSPC. The seats of dead threads are
 * given out again. */
int page_seat(struct page *page, pid_t tid, struct seat **seat) MUST_CHECK;
/* Once for each page_seat: it is free when all have left. */
void seat_leave(struct seat *seat);

/* False if the thread waits already: who waits within a wait has nothing to add. */
bool seat_wait_begin(struct seat *seat, int64_t now_ns);
void seat_wait_end(struct seat *seat, int64_t now_ns);

/* The last wait that has ended; all zero without one. */
struct ended_wait {
    int64_t from_ns, until_ns;
};

void seat_ended(const struct seat *seat, struct ended_wait *ended);
/* The wait that has just ended was not over: `before` is the one that ended before it. False as
 * above, and where none has ended. */
bool seat_wait_resume(struct seat *seat, const struct ended_wait *before, int64_t now_ns);

/* Units are one caller's to report. -EEXIST: they are another's. */
int seat_claim(struct seat *seat) MUST_CHECK;
void seat_disclaim(struct seat *seat);
/* From the first of them on units are the thread's progress, not its processor time. */
void seat_add(struct seat *seat, int64_t units);

/* ---- reading ---- */

struct told {
    bool waits; /* now */
    bool reports;
    /* When the wait began that goes on, and when the last began that has ended, and ended; 0
     * without one, and where it is not known. */
    int64_t since_ns, from_ns, until_ns;
    int64_t wait_ns; /* in all, a wait that goes on included */
    int64_t units;   /* in all */
};

/* Where a thread sat when it was looked for last; all zero before that. */
struct place {
    int index; /* -1: it had no seat */
    uint32_t changes;
    pid_t tid;
};

/*
 * Looks for the seat of a thread that was born born_ticks after boot: false while it has none. An
 * older seat belonged to an earlier thread of the same number. Costs next to nothing while no new
 * seat is taken.
 */
bool page_find(const struct page *page, pid_t tid, uint64_t born_ticks, struct place *place);

/* What is told at the place that was found: never more waiting than there was time until now. */
void page_read(const struct page *page, const struct place *place, int64_t now_ns,
               struct told *told);

#endif
