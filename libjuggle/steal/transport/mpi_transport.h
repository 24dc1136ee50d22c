/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the transport over MPI: one rank's state. */
#ifndef JUGGLE_STEAL_TRANSPORT_MPI_TRANSPORT_H
#define JUGGLE_STEAL_TRANSPORT_MPI_TRANSPORT_H

#include "libjuggle/steal/runtime/transport.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>

enum { MAILBOXES = 2 };

/* Messages use the numbers of the mailboxes as tags; this tag is for mpi_send_data() and
 * mpi_receive_data(). */
enum { TAG_DATA = MAILBOXES };

struct mailbox {
    struct letter *letter;
    MPI_Request request;
    bool posted;
};

struct mpi_transport {
    struct transport transport;
    MPI_Comm comm; /* MPI_COMM_NULL: none yet */
    MPI_Comm node; /* of the ranks of this node; MPI_COMM_NULL: none yet */
    bool initialized_here;
    MPI_Win shared;                       /* MPI_WIN_NULL: not yet */
    struct juggle_membership *membership; /* in the job of the node, if the user wants one */
    struct mailbox mailbox[MAILBOXES];
    struct outgoing *outbox;
    int outgoing;
    int filling; /* index in outbox of the letter that mpi_room() returned last */
};

static inline int status_of(int mpi_result)
{
    return mpi_result == MPI_SUCCESS ? 0 : -EIO;
}

/* Allocates the send buffers, and posts the receives for messages. */
int mailboxes_open(struct mpi_transport *mpi) MUST_CHECK;

/* Waits for the request. If ranks share processors it sleeps between tests, because an MPI that
 * waits in a loop takes the processor from the rank that it waits for. The naps are short, because
 * a collective has several steps. */
int mpi_await(struct mpi_transport *mpi, MPI_Request *request) MUST_CHECK;

/* Leaves the other ranks, and frees everything that is open, even if it was opened only in part. */
void mpi_release(struct mpi_transport *mpi);

extern const struct transport_ops mpi_transport_ops;

#endif
