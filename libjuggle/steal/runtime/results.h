/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results on their way to rank 0. Tasks put them into the rank's spool, and the thread that talks
 * to other ranks sends them from there. A few messages may be under way until rank 0 says that it
 * took one: so neither rank 0 nor the network holds more than a few of each rank, however late rank
 * 0 looks for messages. A rank whose results are not all with rank 0 sets `results_pending` of its
 * peer, which keeps the process from ending.
 */
#ifndef JUGGLE_STEAL_RUNTIME_RESULTS_H
#define JUGGLE_STEAL_RUNTIME_RESULTS_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/runtime/shelf.h"
#include "libjuggle/steal/runtime/spool.h"

struct results {
    struct spool spool;
    int under_way; /* messages that rank 0 has not taken */
    int status;    /* the first failure here, -errno */
    bool lost;     /* a result was lost by it; otherwise only the file cannot be written */
    bool unkept;   /* that was in TMPDIR, not in the file */

    /* On rank 0. */
    void (*sink)(void *local, uint64_t id, const void *data, size_t size);
    void *local;
    int fd; /* of the file at `path`; -1: there is none */
    char *path;
    bool named;        /* the file had a name when it was opened, and is no device or pipe */
    const char *wrong; /* what is wrong with the file, if that is why something failed */
    bool begun;        /* the file holds results of this run, or of one that this run resumes */
    enum steal_results order;
    uint64_t next; /* the number that comes next */
    struct shelf shelf;
    unsigned char *buffer; /* for one result, or for results taken from the spool */
    /* Bytes for the file that are not written yet. They stay here while they cannot be written. */
    unsigned char *unwritten;
    size_t unwritten_size;
    off_t end; /* length of the file, as far as it is written */
    int64_t write_due_ns;
};

/* Opens the results of a collection and, if `is_sink`, which rank 0 is, the file. `results` becomes
 * NULL if the collection has no results. */
int results_open(const struct steal_properties *properties, bool is_sink,
                 struct results **results) MUST_CHECK;

/* Accepts NULL. */
void results_close(struct results *results);

/* At the beginning of a process: forgets an earlier failure. `anew`: numbers count from 0 again,
 * and the first time the file is emptied, unless it is one that this run resumes. If the last
 * process could not write the file, this one writes the rest, and the numbers go on. */
void results_begin(struct results *results, bool anew);

/* Rank 0: -EINVAL if results are written to a device or a pipe, which a checkpoint cannot resume.
 */
int results_check_regular(const struct results *results) MUST_CHECK;

/* Rank 0: writes the file to the disk, and says which number comes next and how long the file is.
 * -ESTALE: somebody else has removed or changed it. */
int results_mark(struct results *results, uint64_t *next, uint64_t *length) MUST_CHECK;

/* Rank 0: goes on with a file that had `length` bytes at the checkpoint. Cuts off what is behind
 * them: these results come again. -EBADMSG if the file is shorter. */
int results_resume(struct results *results, uint64_t next, uint64_t length) MUST_CHECK;

/* Rank 0: delivers results from its own spool, and those of the shelf that are due. Returns how
 * many bytes were in the spool. */
size_t results_take_own(struct results *results);

/* Rank 0: delivers results that have arrived, or puts them on the shelf if lower numbers are
 * missing. */
void results_handle(struct results *results, const void *records, size_t size);

/* Notes that a result could not be put aside, or not be read back: it is lost. */
void results_note_unkept(struct results *results, int status);

/* Rank 0: true if the file cannot be written and no result is lost yet. Results that come from now
 * on are kept in the spool, and the process must stop: the next one writes them. */
bool results_are_stuck(const struct results *results);

/* Writes delivered results to the file. */
void results_flush(struct results *results);

/* At the end of any other process: delivers results that still wait for lower numbers, which never
 * came, and writes them to the file. Drops them if one was lost. */
void results_end(struct results *results);

/* Drops all results of the spool and the shelf. */
void results_drop(struct results *results);

#endif
