/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/results.h"

#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct result_head) + STEAL_RESULT_SIZE_MAX <= TRANSPORT_ROOM,
               "any result fits a message");

/* Portions that rank 0 takes from its own spool before it looks for messages of others again. */
enum { PARTS = 64 };

static void note(struct results *results, int status)
{
    if (results->status == 0)
        results->status = status;
}

static void note_loss(struct results *results, int status)
{
    note(results, status);
    results->lost |= status < 0;
}

void results_note_unkept(struct results *results, int status)
{
    if (status == 0)
        return;
    results->unkept |= results->status == 0;
    note_loss(results, status);
}

bool results_are_stuck(const struct results *results)
{
    return results->status < 0 && !results->lost;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int sink_open(struct results *results, const struct steal_properties *properties)
{
    struct stat status;

    results->sink = properties->result;
    results->local = properties->local;
    results->order = properties->results;
    results->buffer = malloc((size_t)2 * TRANSPORT_ROOM);
    if (!results->buffer)
        return -ENOMEM;
    results->unwritten = results->buffer + TRANSPORT_ROOM;
    if (!properties->results_path)
        return 0;
    results->path = strdup(properties->results_path);
    if (!results->path)
        return -ENOMEM;
    /* The file is not emptied: the run may resume an earlier one. */
    results->fd = open(results->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (results->fd < 0)
        return -errno;
    results->named = fstat(results->fd, &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_nlink > 0;
    return 0;
}

int results_open(const struct steal_properties *properties, bool is_sink, struct results **out)
{
    struct results *results;
    int result;

    *out = NULL;
    if (!properties->result && !properties->results_path)
        return 0;
    results = calloc(1, sizeof(*results));
    if (!results)
        return -ENOMEM;
    results->fd = -1;
    result = spool_open(&results->spool, properties->results_memory);
    if (result < 0) {
        free(results);
        return result;
    }
    shelf_init(&results->shelf, properties->results_memory);
    result = is_sink ? sink_open(results, properties) : 0;
    if (result < 0)
        results_close(results);
    else
        *out = results;
    return result;
}

void results_close(struct results *results)
{
    if (!results)
        return;
    spool_close(&results->spool);
    shelf_close(&results->shelf);
    if (results->fd >= 0)
        close(results->fd);
    free(results->path);
    free(results->buffer);
    free(results);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Writes `unwritten` to the file. Without a file it is empty. */
static int file_flush(struct results *results)
{
    size_t done = 0;
    int result = 0;

    while (done < results->unwritten_size && result == 0) {
        const ssize_t written = write(results->fd, results->unwritten + done,
                                      results->unwritten_size - done);

        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            result = written == 0 ? -EIO : -errno;
    }
    results->end += (off_t)done;
    results->unwritten_size -= done;
    if (done > 0)
        memmove(results->unwritten, results->unwritten + done, results->unwritten_size);
    return result;
}

static int file_add(struct results *results, const void *data, size_t size)
{
    const bool fits = results->unwritten_size + size <= TRANSPORT_ROOM;
    const int result = fits ? 0 : file_flush(results);

    if (result < 0)
        return result;
    memcpy(results->unwritten + results->unwritten_size, data, size);
    results->unwritten_size += size;
    return 0;
}

/* -ESTALE if somebody else has removed or changed the file, as a second job with the same file
 * does. */
static int check_file(struct results *results)
{
    struct stat status;

    if (!results->named || fstat(results->fd, &status) < 0)
        return 0;
    if (status.st_nlink == 0)
        results->wrong = "was removed while it was written";
    else if (status.st_size != results->end)
        results->wrong = "was changed while it was written";
    return results->wrong ? -ESTALE : 0;
}

/* A network file system may say only when a descriptor is closed that it could not write, because
 * a disk or a quota is full. A local one has nothing to do then. */
static int file_settle(const struct results *results)
{
    const int fd = results->named ? fcntl(results->fd, F_DUPFD_CLOEXEC, 0) : -1;

    return fd >= 0 && close(fd) < 0 ? -errno : 0;
}

int results_check_regular(const struct results *results)
{
    struct stat status;

    if (results->fd < 0)
        return 0;
    if (fstat(results->fd, &status) < 0)
        return -errno;
    return S_ISREG(status.st_mode) ? 0 : -EINVAL;
}

int results_mark(struct results *results, uint64_t *next, uint64_t *length)
{
    /* Results that were kept since the file could not be written are in no checkpoint. */
    const int result = results->status < 0 ? results->status : file_flush(results);

    *next = results->next;
    *length = (uint64_t)results->end;
    if (result < 0 || results->fd < 0)
        return result;
    return fsync(results->fd) < 0 ? -errno : check_file(results);
}

/* Cuts the file to the length that it had at the checkpoint. */
static int file_cut(struct results *results, off_t length)
{
    struct stat status;

    if (fstat(results->fd, &status) < 0)
        return -errno;
    if (status.st_size < length) {
        results->wrong = "is shorter than it was at the checkpoint";
        return -EBADMSG;
    }
    if (ftruncate(results->fd, length) < 0 || lseek(results->fd, length, SEEK_SET) < 0)
        return -errno;
    results->end = length;
    return 0;
}

int results_resume(struct results *results, uint64_t next, uint64_t length)
{
    const int result = results->fd < 0 ? 0 : file_cut(results, (off_t)length);

    if (result < 0)
        return result;
    results->next = next;
    results->begun = true;
    return 0;
}

void results_begin(struct results *results, bool anew)
{
    const bool goes_on = !anew || results_are_stuck(results);

    results->status = 0;
    results->lost = results->unkept = false;
    results->wrong = NULL;
    if (goes_on)
        return;
    results->next = 0;
    results->under_way = 0;
    /* A device or a pipe has no length: EINVAL is no failure. */
    if (results->fd >= 0 && !results->begun && ftruncate(results->fd, 0) < 0 && errno != EINVAL)
        note_loss(results, -errno);
    results->begun = true;
}

/* ---- rank 0 -------------------------------------------------------------------------------- */

/* Keeps a result that cannot be delivered before the file can be written again. */
static void keep(struct results *results, uint64_t id, const void *data, size_t size)
{
    results_note_unkept(results, spool_add(&results->spool, id, data, size));
}

static void deliver(struct results *results, uint64_t id, const void *data, size_t size)
{
    if (results->fd >= 0)
        note(results, file_add(results, data, size));
    if (results->status < 0) {
        keep(results, id, data, size);
        return;
    }
    if (results->sink)
        results->sink(results->local, id, data, size);
    results->next += id == results->next;
}

static void deliver_least(struct results *results)
{
    size_t size;
    uint64_t id = 0;
    int result;

    (void)shelf_least(&results->shelf, &id);
    result = shelf_take(&results->shelf, results->buffer, &size);
    if (result < 0)
        results_note_unkept(results, result);
    else
        deliver(results, id, results->buffer, size);
}

/* Delivers a result, or puts it on the shelf if lower numbers are missing. A number that comes
 * again is delivered at once. */
static void accept(struct results *results, uint64_t id, const void *data, size_t size)
{
    if (results->status < 0)
        keep(results, id, data, size);
    else if (results->order == STEAL_RESULTS_ARRIVED || id <= results->next)
        deliver(results, id, data, size);
    else
        results_note_unkept(results, shelf_put(&results->shelf, id, data, size));
}

static void deliver_due(struct results *results)
{
    uint64_t id;

    while (results->status == 0 && shelf_least(&results->shelf, &id) && id <= results->next)
        deliver_least(results);
}

void results_handle(struct results *results, const void *records, size_t size)
{
    for (size_t at = 0; at < size;) {
        const unsigned char *record = (const unsigned char *)records + at;
        struct result_head head;

        memcpy(&head, record, sizeof(head));
        if (head.size > STEAL_RESULT_SIZE_MAX || result_room(head.size) > size - at) {
            note_loss(results, -EPROTO);
            return;
        }
        accept(results, head.id, record + sizeof(head), head.size);
        at += result_room(head.size);
    }
}

size_t results_take_own(struct results *results)
{
    unsigned char *records = results->buffer;
    size_t size, taken = 0;

    for (int part = 0; part < PARTS && results->status == 0 && spool_occupied(&results->spool);
         part++) {
        results_note_unkept(results, spool_take(&results->spool, records, TRANSPORT_ROOM, &size));
        results_handle(results, records, size);
        deliver_due(results);
        taken += size;
    }
    deliver_due(results);
    return taken;
}

void results_flush(struct results *results)
{
    note(results, file_flush(results));
}

void results_end(struct results *results)
{
    while (results->status == 0 && results->shelf.count > 0)
        deliver_least(results);
    results_flush(results);
    if (results->status == 0)
        note_loss(results, file_settle(results));
    if (results->status == 0)
        note_loss(results, check_file(results));
    if (results->lost)
        results_drop(results);
}

void results_drop(struct results *results)
{
    spool_clear(&results->spool);
    shelf_clear(&results->shelf);
}

/* ---- for the program ----------------------------------------------------------------------- */

static int result_refuse(struct steal_worker *worker, const struct steal_collection *collection,
                         size_t size)
{
    if (!collection)
        return worker_fail(worker, -EINVAL, "steal_result() outside of a task");
    if (!collection->results)
        return worker_fail(worker, -EINVAL,
                           "the collection was created without result or results_path");
    if (size > STEAL_RESULT_SIZE_MAX)
        return worker_fail(worker, -EMSGSIZE, "a result of %zu bytes is larger than %d", size,
                           STEAL_RESULT_SIZE_MAX);
    return worker_fail(worker, -EINVAL, "data is NULL");
}

int steal_result(struct steal_worker *worker, uint64_t id, const void *data, size_t size)
{
    struct steal_collection *collection;
    int result;

    if (!worker)
        return -EINVAL;
    collection = worker->runtime->processing;
    if (!collection || !collection->results || worker->closed || size > STEAL_RESULT_SIZE_MAX ||
        (!data && size > 0))
        return result_refuse(worker, worker->closed ? NULL : collection, size);
    result = spool_add(&collection->results->spool, id, data, size);
    if (result < 0)
        return worker_fail(worker, result,
                           "results beyond results_memory cannot be kept in TMPDIR: %s",
                           strerror(-result));
    worker_succeed(worker);
    return 0;
}
