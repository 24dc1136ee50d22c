/* SPDX-License-Identifier: BSD-3-Clause */
/* A run on disk: the machine, the options, every event that the policy saw and every plan that it
 * answered. Fed to the same policy again, the events yield the identical plans.
 *
 * The format, version 4. A file begins with the eight bytes RECORDING_MAGIC; all that follows are
 * signed integers of variable length: zigzag-coded (0, -1, 1, -2 become 0, 1, 2, 3), seven bits a
 * byte, the lowest first, the top bit of a byte says that more follow.
 *
 * Header:
 *   version; processors count, domains count;
 *   per processor: os_index, core, domain;
 *   smt_rate; per processor: rate;
 *   policy kind, period_ns, jitter as its IEEE 754 bits, margin_ns, seed, threads_max
 *
 * Record:
 *   1 + event type; subject; domain; now_ns as the difference to the record before;
 *   samples count; per sample: thread, now_ns as the difference to the event's, run_ns,
 *   wait_ns, slices_count, state, processor, told_wait_ns, work_ns, told_since_ns, told_from_ns,
 *   told_until_ns;
 *   moves count; per move: thread, from, to, scope;
 *   for EVENT_START and EVENT_PERIOD alone: next_ns as the difference to the event's, or -1
 *   for never
 *
 * End:
 *   0; how many events were lost because they did not fit the writer's buffer */
#ifndef JUGGLE_ENGINE_RECORDING_H
#define JUGGLE_ENGINE_RECORDING_H

#include "libjuggle/engine/engine.h"
#include "libjuggle/policy/policy.h"

#include <stdio.h>

#define RECORDING_MAGIC "JUGGLE\r\n"

enum { RECORDING_VERSION = 4 };

/* No count and no time is above this or below its negative: nine years of nanoseconds, so that
 * policies may take differences. */
#define RECORDING_TOTAL_MAX (INT64_C(1) << 58)

/* ---- writing ---- */

struct recording_writer;

/* Writes the header to `file`, which stays the caller's, and whose buffer keeps the header if there
 * is room. `buffer_size` bounds what the turns may record between two flushes: a power of two, at
 * least 256. -EINVAL, -ENOMEM; -errno of writing. */
int recording_writer_create(const struct machine *machine, const struct policy_options *options,
                            size_t buffer_size, FILE *file,
                            struct recording_writer **writer) MUST_CHECK;

void recording_writer_destroy(struct recording_writer *writer);

/* The recorder to give to engine_create(). Recording an event copies it into the buffer: no call to
 * the system. */
struct engine_recorder recording_writer_port(struct recording_writer *writer);

/* Moves the buffer's content to the file, while turns may go on; from one thread at a time.
 * -errno of writing; -ENOBUFS: the buffer was too small, the recording ends before the event
 * that did not fit. */
int recording_writer_flush(struct recording_writer *writer) MUST_CHECK;

/* When nothing records any more: flushes and writes the end mark. Errors as in flush. */
int recording_writer_finish(struct recording_writer *writer) MUST_CHECK;

/* ---- reading ---- */

struct recording_reader;

/* -EBADMSG: not a recording, or a damaged one; -EPROTONOSUPPORT: of another version; -ENOMEM;
 * -errno of reading. */
int recording_reader_create(FILE *file, struct recording_reader **reader) MUST_CHECK;
void recording_reader_destroy(struct recording_reader *reader);

/* The version of a recording, which must be a file that can be read again: 0 otherwise. */
int64_t recording_version(FILE *file);

const struct machine *recording_reader_machine(const struct recording_reader *reader);
const struct policy_options *recording_reader_options(const struct recording_reader *reader);

/* The next event and the plan that was recorded with it; their arrays belong to the reader until
 * the next call. -ENODATA: the end; -ENOBUFS: the end, but the writer lost what came after;
 * -EBADMSG: damaged or cut off here. */
int recording_reader_next(struct recording_reader *reader, struct event *event,
                          struct plan *plan) MUST_CHECK;

#endif
