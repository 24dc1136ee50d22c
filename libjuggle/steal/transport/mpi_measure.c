/* SPDX-License-Identifier: BSD-3-Clause */
/* How far ranks are from each other, by how long probes take. */
#include "libjuggle/steal/transport/mpi_transport.h"

#include <math.h>

enum { PROBES = 4 }; /* of which the fastest counts */

/* Round trips to a rank that answers all others' probes. */
static int probe_host(struct mpi_transport *mpi, int host, float *latency)
{
    int64_t least_ns = INT64_MAX;
    char probe = 0;

    for (int i = 0; i < PROBES; i++) {
        int64_t begin_ns = mpi_transport_ops.now_ns(&mpi->transport);

        if (MPI_Sendrecv(&probe, 1, MPI_CHAR, host, TAG_PROBE, &probe, 1, MPI_CHAR, host, TAG_ECHO,
                         mpi->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -EIO;
        least_ns = min_i64(least_ns, mpi_transport_ops.now_ns(&mpi->transport) - begin_ns);
    }
    *latency = (float)least_ns;
    return 0;
}

static int answer_probes(struct mpi_transport *mpi, int others)
{
    MPI_Status status;
    char probe;

    for (int i = 0; i < others * PROBES; i++)
        if (MPI_Recv(&probe, 1, MPI_CHAR, MPI_ANY_SOURCE, TAG_PROBE, mpi->comm, &status) !=
                MPI_SUCCESS ||
            MPI_Send(&probe, 1, MPI_CHAR, status.MPI_SOURCE, TAG_ECHO, mpi->comm) != MPI_SUCCESS)
            return -EIO;
    return 0;
}

/* One host after the other, so that probes do not wait for each other more than they must. */
int mpi_measure(struct transport *transport, const struct places *places, const int32_t *host,
                int hosts, float *latency)
{
    struct mpi_transport *mpi = (struct mpi_transport *)transport;
    const int node = places->node[transport->rank];
    const bool speaks = places->member[places->first[node]] == transport->rank;
    float least = INFINITY;
    int result = 0;

    for (int i = 0; i < hosts && speaks && result == 0; i++)
        result = host[i] == transport->rank ? answer_probes(mpi, places->nodes - 1)
                                            : probe_host(mpi, host[i], &latency[node * hosts + i]);
    if (MPI_Allreduce(MPI_IN_PLACE, latency, places->nodes * hosts, MPI_FLOAT, MPI_MAX,
                      mpi->comm) != MPI_SUCCESS)
        return -EIO;
    for (int i = 0; i < places->nodes * hosts; i++)
        if (latency[i] > 0 && latency[i] < least)
            least = latency[i];
    for (int i = 0; i < places->nodes * hosts; i++)
        latency[i] /= least;
    return result;
}
