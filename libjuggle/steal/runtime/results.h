/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results on their way to rank 0. Tasks put them into the rank's spool; the thread that talks sends
 * what lies there, a few messages at a time until rank 0 has said that it took one: so neither rank
 * 0 nor the network holds more than a few of each rank, however late rank 0 looks. A rank that has
 * any that rank 0 has not taken `holds` them, which keeps the process from being over.
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

    /* On rank 0. */
    void (*sink)(void *local, uint64_t id, const void *data, size_t size);
    void *local;
    int fd; /* of the file at `path`; -1: there is none */
    char *path;
    bool named;        /* the file had a name when it was opened, and is no device or pipe */
    const char *wrong; /* with the file, if that is why something failed */
    bool begun;        /* what the file holds is of this run, or of the one that it goes on with */
    enum steal_results order;
    uint64_t next; /* the number that comes next */
    struct shelf shelf;
    unsigned char *buffer; /* of one result, or of what is taken from the spool */
    /* What was handed on and is not in the file yet; it stays here until it can be written. */
    unsigned char *unwritten;
    size_t unwritten_size;
    off_t end; /* of the file, as far as it is written */
};

/* Of a collection that has some; otherwise NULL. On rank 0 the file is made. */
int results_open(const struct steal_properties *properties, bool is_sink,
                 struct results **results) MUST_CHECK;

/* Accepts NULL. */
void results_close(struct results *results);

/* What failed before does not count. `anew`: numbers count from 0 again, and the first time the
 * file is made empty. */
void results_begin(struct results *results, bool anew);

/* Rank 0: which number comes next, and how long the file is, which is on the disk then. -ESTALE:
 * somebody has removed or changed it. */
int results_mark(struct results *results, uint64_t *next, uint64_t *length) MUST_CHECK;

/* Rank 0: goes on with a file that had this length then. What it holds beyond that comes again. */
int results_resume(struct results *results, uint64_t next, uint64_t length) MUST_CHECK;

/* Rank 0: hands on what lies in its own spool; how many bytes that were. */
size_t results_take_own(struct results *results);

/* Rank 0: these arrived. */
void results_hear(struct results *results, const void *records, size_t size);

/* What was handed on is in the file, of a process that was stopped. */
void results_flush(struct results *results);

/* What is left that waits for numbers that never came; dropped where something has failed. */
void results_end(struct results *results);

/* What is under way or waits is wanted no more. */
void results_drop(struct results *results);

#endif
