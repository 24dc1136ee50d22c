/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the transport over MPI share: the rank's end of it. */
#ifndef JUGGLE_STEAL_TRANSPORT_MPI_TRANSPORT_H
#define JUGGLE_STEAL_TRANSPORT_MPI_TRANSPORT_H

#include "libjuggle/steal/runtime/transport.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>

enum { MAILBOXES = 2 };

/* Messages have the numbers of mailboxes. */
enum { TAG_TELL = MAILBOXES };

struct mailbox {
    struct letter *letter;
    MPI_Request request;
    bool posted;
};

struct mpi_transport {
    struct transport transport;
    MPI_Comm comm; /* MPI_COMM_NULL: none yet */
    MPI_Comm node; /* of the ranks that share memory; the same */
    bool initialized_here;
    MPI_Win shared;                       /* MPI_WIN_NULL: not yet */
    struct juggle_membership *membership; /* of the node's job, if the user wishes that */
    struct mailbox mailbox[MAILBOXES];
    struct outgoing *outbox;
    int outgoing;
    int filling; /* of outbox: the letter that room() gave out */
};

static inline int status_of(int mpi_result)
{
    return mpi_result == MPI_SUCCESS ? 0 : -EIO;
}

/* Makes room for what is sent, and posts the receives that messages arrive at. */
int mailboxes_open(struct mpi_transport *mpi) MUST_CHECK;

/* Where ranks share processors, an MPI that waits in a loop keeps one from the rank that it waits
 * for. Naps are short: a collective has several steps. */
int mpi_await(struct mpi_transport *mpi, MPI_Request *request) MUST_CHECK;

/* Leaves all others, and frees what it holds, however much of it is there. */
void mpi_release(struct mpi_transport *mpi);

extern const struct transport_ops mpi_transport_ops;

#endif
