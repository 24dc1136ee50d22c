/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport over MPI: messages between ranks, and collective operations.
 *
 * Messages of even and of odd epochs have different tags, and a receive is always posted for each
 * tag. When an epoch ends, none of its messages is left except EXIT; early messages of the next
 * epoch wait under the other tag until this rank has reached that epoch. So no message is ever
 * probed for, no receive is canceled between epochs, and a poll without a message is one MPI_Test.
 *
 * Nothing depends on MPI making progress while a rank computes. No send is waited for: each has its
 * own buffer until it is complete.
 *
 * The parts, in this order:
 * - sending, receiving
 * - collective operations
 * - memory shared on a node
 * - closing
 */
#include "libjuggle/steal/transport/mpi_transport.h"

#include "libjuggle/join/join.h"
#include "libjuggle/steal/runtime/nap.h"

#include <stdlib.h>
#include <time.h>

enum {
    LINE = 64,        /* bytes of a cache line */
    OUTBOX_FIRST = 8, /* buffers for sends at first; more are added as needed */
    OUTBOX_KEPT = 3,  /* of these, kept for MESSAGE_BROKEN, because a rank that must tell its
                         neighbors in the tree may have no memory for more buffers */
};

/* A message as it is sent. */
struct letter {
    struct message message;
    _Alignas(LINE) unsigned char tasks[TRANSPORT_ROOM];
};

struct outgoing {
    struct letter *letter;
    MPI_Request request;
};

/* ---- sending ------------------------------------------------------------------------------- */

static int outbox_grow(struct mpi_transport *mpi)
{
    int count = mpi->outgoing > 0 ? 2 * mpi->outgoing : OUTBOX_FIRST;
    struct outgoing *outbox = realloc(mpi->outbox, (size_t)count * sizeof(*outbox));

    if (!outbox)
        return -ENOMEM;
    mpi->outbox = outbox;
    for (; mpi->outgoing < count; mpi->outgoing++) {
        struct outgoing *outgoing = &outbox[mpi->outgoing];

        *outgoing = (struct outgoing){.request = MPI_REQUEST_NULL};
        if (posix_memalign((void **)&outgoing->letter, LINE, sizeof(*outgoing->letter)))
            return -ENOMEM;
    }
    return 0;
}

/* Returns the index of a buffer, from `from` on, whose send is complete; adds buffers if there is
 * none. */
static int outbox_find(struct mpi_transport *mpi, int from)
{
    for (int i = from; i < mpi->outgoing; i++) {
        int complete = 0;

        if (MPI_Test(&mpi->outbox[i].request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -EIO;
        if (complete)
            return i;
    }
    int first = mpi->outgoing;
    int result = outbox_grow(mpi);
    return result < 0 ? result : first;
}

static void *mpi_room(struct transport *transport)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;

    mpi->filling = outbox_find(mpi, OUTBOX_KEPT);
    return mpi->filling < 0 ? NULL : mpi->outbox[mpi->filling].letter->tasks;
}

static int mpi_send(struct transport *transport, const struct message *message, size_t size)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    const int from = message->kind == MESSAGE_BROKEN ? 0 : OUTBOX_KEPT;
    int which = size > 0 ? mpi->filling : outbox_find(mpi, from);

    if (which < 0)
        return which;
    struct outgoing *outgoing = &mpi->outbox[which];
    size_t length = size > 0 ? offsetof(struct letter, tasks) + size : sizeof(*message);
    outgoing->letter->message = *message;
    return status_of(MPI_Isend(outgoing->letter, (int)length, MPI_BYTE, message->peer,
                               (int)(message->epoch % MAILBOXES), mpi->comm, &outgoing->request));
}

/* ---- receiving ----------------------------------------------------------------------------- */

static int mailbox_post(struct mpi_transport *mpi, int tag)
{
    struct mailbox *mailbox = &mpi->mailbox[tag];
    int result = MPI_Irecv(mailbox->letter, sizeof(*mailbox->letter), MPI_BYTE, MPI_ANY_SOURCE, tag,
                           mpi->comm, &mailbox->request);

    mailbox->posted = result == MPI_SUCCESS;
    return status_of(result);
}

int mailboxes_open(struct mpi_transport *mpi)
{
    int result = outbox_grow(mpi);

    for (int tag = 0; tag < MAILBOXES && result == 0; tag++) {
        mpi->mailbox[tag].letter = aligned_alloc(LINE, sizeof(struct letter));
        result = mpi->mailbox[tag].letter ? mailbox_post(mpi, tag) : -ENOMEM;
    }
    return result;
}

static int mpi_receive(struct transport *transport, uint32_t epoch, struct message *message,
                       const void **tasks)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    int tag = (int)(epoch % MAILBOXES);
    struct mailbox *mailbox = &mpi->mailbox[tag];
    MPI_Status status;
    int arrived;

    if (!mailbox->posted && mailbox_post(mpi, tag) < 0)
        return -EIO;
    if (MPI_Test(&mailbox->request, &arrived, &status) != MPI_SUCCESS)
        return -EIO;
    if (!arrived)
        return 0;
    mailbox->posted = false;
    *message = mailbox->letter->message;
    message->peer = status.MPI_SOURCE;
    *tasks = mailbox->letter->tasks;
    return 1;
}

/* ---- collective operations ----------------------------------------------------------------- */

int mpi_await(struct mpi_transport *mpi, MPI_Request *request)
{
    struct nap nap = {0};
    int complete = 0;

    if (mpi->transport.neighbors <= mpi->transport.processors)
        return status_of(MPI_Wait(request, MPI_STATUS_IGNORE));
    for (;;) {
        if (MPI_Test(request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -EIO;
        if (complete)
            return 0;
        nap_take(&nap, false);
    }
}

static int64_t mpi_now(struct transport *transport)
{
    struct timespec now;

    (void)transport;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static int mpi_reduce(struct transport *transport, enum transport_reduction reduction,
                      int64_t *values, size_t count)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    MPI_Request request;
    int finalized;

    /* The program may have finalized MPI before it destroyed its runtime: then MPI would end the
     * process. */
    MPI_Finalized(&finalized);
    if (finalized || MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T,
                                    reduction == REDUCE_SUM ? MPI_SUM : MPI_MAX, mpi->comm,
                                    &request) != MPI_SUCCESS)
        return -EIO;
    return mpi_await(mpi, &request);
}

static int mpi_send_data(struct transport *transport, int to, const void *data, size_t size)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    MPI_Request request;

    if (MPI_Isend(data, (int)size, MPI_BYTE, to, TAG_DATA, mpi->comm, &request) != MPI_SUCCESS)
        return -EIO;
    return mpi_await(mpi, &request);
}

static int mpi_receive_data(struct transport *transport, int from, void *data, size_t size)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    MPI_Request request;

    if (MPI_Irecv(data, (int)size, MPI_BYTE, from, TAG_DATA, mpi->comm, &request) != MPI_SUCCESS)
        return -EIO;
    return mpi_await(mpi, &request);
}

/* ---- memory shared on a node --------------------------------------------------------------- */

/* The first rank of a node allocates all of the memory. */
static int mpi_share(struct transport *transport, void **memory)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    const bool first = transport->rank == transport->node;
    MPI_Aint size;
    void *own;
    int unit;

    if (mpi->shared == MPI_WIN_NULL &&
        MPI_Win_allocate_shared(first ? TRANSPORT_SHARED : 0, 1, MPI_INFO_NULL, mpi->node, &own,
                                &mpi->shared) != MPI_SUCCESS)
        return -EIO;
    return status_of(MPI_Win_shared_query(mpi->shared, 0, &size, &unit, memory));
}

/* ---- closing ------------------------------------------------------------------------------- */

static void mailbox_leave(struct mailbox *mailbox)
{
    if (!mailbox->posted)
        return;
    MPI_Cancel(&mailbox->request);
    MPI_Wait(&mailbox->request, MPI_STATUS_IGNORE);
}

/* Takes messages that no rank will read; returns whether there were any. Otherwise they could be
 * received by the next runtime, because an MPI may give its communicator the same number. */
static bool mailboxes_empty(struct mpi_transport *mpi)
{
    bool taken = false;
    int arrived;

    for (int tag = 0; tag < MAILBOXES; tag++) {
        struct mailbox *mailbox = &mpi->mailbox[tag];

        if (!mailbox->letter || (!mailbox->posted && mailbox_post(mpi, tag) < 0) ||
            MPI_Test(&mailbox->request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS || !arrived)
            continue;
        mailbox->posted = false;
        taken = true;
    }
    return taken;
}

/* Waits for the request, and empties the mailboxes meanwhile. */
static void mpi_drain(struct mpi_transport *mpi, MPI_Request *request)
{
    const bool crowded = mpi->transport.neighbors > mpi->transport.processors;
    struct nap nap = {0};
    int complete = 0;

    while (MPI_Test(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && !complete)
        if (!mailboxes_empty(mpi) && crowded)
            nap_take(&nap, false);
    while (mailboxes_empty(mpi))
        continue;
}

/* The receives stay posted until all ranks get here, so that pending sends can complete. */
static void mpi_leave(struct mpi_transport *mpi)
{
    MPI_Request met;

    for (int i = 0; i < mpi->outgoing; i++)
        mpi_drain(mpi, &mpi->outbox[i].request);
    if (mpi->comm != MPI_COMM_NULL && MPI_Ibarrier(mpi->comm, &met) == MPI_SUCCESS)
        mpi_drain(mpi, &met);
    for (int tag = 0; tag < MAILBOXES; tag++)
        mailbox_leave(&mpi->mailbox[tag]);
    if (mpi->shared != MPI_WIN_NULL)
        MPI_Win_free(&mpi->shared);
    if (mpi->node != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->node);
    if (mpi->comm != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->comm);
    if (mpi->initialized_here)
        MPI_Finalize();
}

void mpi_release(struct mpi_transport *mpi)
{
    int finalized;

    join_end(mpi->membership);
    MPI_Finalized(&finalized);
    if (!finalized)
        mpi_leave(mpi);
    for (int i = 0; i < mpi->outgoing; i++)
        free(mpi->outbox[i].letter);
    free(mpi->outbox);
    for (int tag = 0; tag < MAILBOXES; tag++)
        free(mpi->mailbox[tag].letter);
}

static void mpi_close(struct transport *transport)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;

    mpi_release(mpi);
    free(mpi);
}

const struct transport_ops mpi_transport_ops = {
    .room = mpi_room,
    .send = mpi_send,
    .receive = mpi_receive,
    .now_ns = mpi_now,
    .reduce = mpi_reduce,
    .share = mpi_share,
    .send_data = mpi_send_data,
    .receive_data = mpi_receive_data,
    .close = mpi_close,
};
