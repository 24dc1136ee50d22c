/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls all kinds of MPI functions in which ranks wait, and prints their results: the same with and
 * without a library that is loaded before MPI. With the word "told" it prints instead whether its
 * waits are on the page.
 */
/* MPICH's header promises arrays, but its own MPI_STATUSES_IGNORE is not one. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page.h"

#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TALKERS = 3, TALKS = 10, LATE_US = 30000, OUTPUT_SIZE = 1 << 13 };

static int rank, size, right, left;

static char said[OUTPUT_SIZE];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Launchers mix the output of ranks, so one rank prints all of it, see said_print(). */
static void say(const char *format, ...)
{
    size_t length = strlen(said);
    va_list arguments;

    va_start(arguments, format);
    length += (size_t)snprintf(said + length, OUTPUT_SIZE - length, "%d ", rank);
    length += (size_t)vsnprintf(said + length, OUTPUT_SIZE - length, format, arguments);
    snprintf(said + length, OUTPUT_SIZE - length, "\n");
    va_end(arguments);
}

static void said_print(void)
{
    char *all = calloc((size_t)size, OUTPUT_SIZE);

    MPI_Gather(said, OUTPUT_SIZE, MPI_CHAR, all, OUTPUT_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        fputs(all + (long)i * OUTPUT_SIZE, stdout);
    free(all);
}

static int class_of(int error)
{
    int class;

    MPI_Error_class(error, &class);
    return class;
}

/* ---- messages ---- */

static void try_messages(void)
{
    int in = -1, out = rank, count;
    MPI_Status status;
    MPI_Request request;

    MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    say("send %d from %d tag %d", in, status.MPI_SOURCE, status.MPI_TAG);

    MPI_Irecv(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
    MPI_Ssend(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, right, 4, &in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status);
    say("sendrecv %d from %d", in, status.MPI_SOURCE);
    MPI_Sendrecv_replace(&out, 1, MPI_INT, right, 5, left, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    say("replace %d count %d", out, count);

    MPI_Isend(&rank, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("probed %d", in);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
    say("nobody: source %d", status.MPI_SOURCE == MPI_PROC_NULL);
}

/* More than MPI sends without waiting for the receiver. */
static void try_much(void)
{
    enum { MUCH = 1 << 20 };
    char *out = malloc(MUCH), *in = malloc(MUCH);
    MPI_Request request;

    memset(out, 'a' + rank, MUCH);
    MPI_Irecv(in, MUCH, MPI_CHAR, left, 7, MPI_COMM_WORLD, &request);
    if (rank == 0)
        usleep(LATE_US);
    MPI_Send(out, MUCH, MPI_CHAR, right, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("much %c %c", in[0], in[MUCH - 1]);
    free(out);
    free(in);
}

/* ---- requests ---- */

static void try_requests(void)
{
    int in[3] = {-1, -1, -1}, out[3] = {rank, rank + 10, rank + 20}, index, count, flag;
    int indices[3];
    MPI_Request requests[6];
    MPI_Status statuses[6];

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, left, 20 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&out[i], 1, MPI_INT, right, 20 + i, MPI_COMM_WORLD, &requests[3 + i]);
    }
    MPI_Waitall(6, requests, statuses);
    say("waitall %d %d %d", in[0], in[1], in[2]);
    MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    say("nothing to wait for: %d %d", index == MPI_UNDEFINED, count == MPI_UNDEFINED);

    requests[0] = MPI_REQUEST_NULL;
    MPI_Wait(&requests[0], &statuses[0]);
    say("null: source %d", statuses[0].MPI_SOURCE == MPI_ANY_SOURCE);

    MPI_Irecv(&in[0], 1, MPI_INT, left, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Test_cancelled(&statuses[0], &flag);
    say("cancelled %d", flag);
}

static void try_persistent(void)
{
    int in = -1, out = rank;
    MPI_Request requests[2];

    MPI_Recv_init(&in, 1, MPI_INT, left, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, right, 30, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* inactive: returns at once */
    for (int round = 0; round < 3; round++) {
        out = 100 * round + rank;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        say("persistent %d", in);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void try_errors(void)
{
    int in = -1, out[4] = {rank, rank, rank, rank};
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(out, 4, MPI_INT, right, 40, MPI_COMM_WORLD, &request);
    say("truncated: %d", class_of(MPI_Recv(&in, 1, MPI_INT, left, 40, MPI_COMM_WORLD,
                                           MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("no such rank: %d",
        class_of(MPI_Send(&in, 1, MPI_INT, size, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* ---- collective calls ---- */

/* Compares every bit of the sums, which another order of adding would change. */
static void try_reductions(void)
{
    double own = 1.0 / (3 + rank), sum = 0, parts[16], some[16], place;

    for (int i = 0; i < 16; i++)
        parts[i] = some[i] = own * (i + 1) * 1e-3 + 1e10 * (rank % 2);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("allreduce %a", sum);
    MPI_Allreduce(MPI_IN_PLACE, some, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("allreduce in place %a %a", some[0], some[15]);
    MPI_Reduce(rank ? &own : MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_PROD, 0, MPI_COMM_WORLD);
    say("reduce %a", own);
    MPI_Scan(parts, some, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("scan %a", some[7]);
    some[3] = 0;
    MPI_Exscan(parts, some, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("exscan %a", rank ? some[3] : 0);
    MPI_Reduce_scatter_block(parts, &place, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("reduce scatter %a", place);
}

static void try_collectives(void)
{
    int all[16] = {0}, more[16] = {0}, root = rank == 1 ? 77 : 0;

    if (rank == size - 1)
        usleep(LATE_US);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&root, 1, MPI_INT, 1 % size, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_INT, more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    say("bcast %d scatter %d", root, more[0]);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD);
    say("allgather %d alltoall %d", all[size - 1], more[size - 1]);
}

static void try_communicators(void)
{
    MPI_Comm duplicate, half, node;
    int count, in = -1;

    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_split(duplicate, rank % 2, -rank, &half);
    MPI_Comm_split_type(duplicate, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(half, &in);
    MPI_Comm_size(node, &count);
    say("split %d node %d", in, count);
    MPI_Comm_free(&half);
    MPI_Comm_free(&node);
    MPI_Comm_free(&duplicate);
}

/* If one rank puts to a cell and all add to it, the result differs between runs of MPICH 4.0,
 * with or without us. */
static void try_windows(void)
{
    int *cell, one = 1;
    MPI_Win window;

    MPI_Win_allocate(sizeof(*cell), sizeof(*cell), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    say("windows are through");
}

/* ---- threads ---- */

static MPI_Comm talks[TALKERS];

static void *talk(void *argument)
{
    MPI_Comm *comm = argument;
    long heard = 0;

    for (int i = 0; i < TALKS; i++) {
        int in, out = i * rank;
        MPI_Sendrecv(&out, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, *comm,
                     MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_MAX, *comm);
        heard += in;
    }
    return (void *)heard;
}

static void try_threads(void)
{
    pthread_t threads[TALKERS];
    void *heard[TALKERS];

    for (int i = 0; i < TALKERS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &talks[i]);
    for (int i = 0; i < TALKERS; i++)
        pthread_create(&threads[i], NULL, talk, &talks[i]);
    for (int i = 0; i < TALKERS; i++)
        pthread_join(threads[i], &heard[i]);
    for (int i = 0; i < TALKERS; i++)
        say("thread %d heard %ld", i, (long)heard[i]);
    for (int i = 0; i < TALKERS; i++)
        MPI_Comm_free(&talks[i]);
}

/* ---- waits on the page ---- */

static void tell(void)
{
    struct page *page;
    struct place place = {0};
    struct seat_report report = {0};

    if (rank == 0)
        usleep(LATE_US);
    MPI_Barrier(MPI_COMM_WORLD);
    if (page_attach_named(&page)) {
        say("no page");
        return;
    }
    const bool sits = page_find(page, gettid(), 0, &place);
    if (sits)
        page_read(page, &place, clock_now_ns(), &report);
    if (rank != 0)
        say("sits %d, waits %d, has waited %d", sits, report.waits, report.wait_ns > 0);
    page_destroy(page);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    if (argc > 1) {
        tell();
    } else {
        try_messages();
        try_much();
        try_requests();
        try_persistent();
        try_errors();
        try_reductions();
        try_collectives();
        try_communicators();
        try_windows();
        if (provided == MPI_THREAD_MULTIPLE)
            try_threads();
    }
    said_print();
    MPI_Finalize();
    return 0;
}
