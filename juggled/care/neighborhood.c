/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/neighborhood.h"

enum { JOBS_RADIX = 1 << 20 }; /* more than there can be jobs */

long neighborhood_company(const struct neighborhood *neighborhood,
                          const struct processes *processes)
{
    return processes_threads(processes, neighborhood->proc_fd) * JOBS_RADIX +
           neighborhood->charges.count;
}
