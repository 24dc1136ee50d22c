/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in words what was wrong with the processors and domains that a user has asked for. */
#ifndef JUGGLE_LINUX_TOPOLOGY_MISTAKE_H
#define JUGGLE_LINUX_TOPOLOGY_MISTAKE_H

#include "libjuggle/linux/topology.h"

enum { TOPOLOGY_MISTAKE_SIZE = 192 };

/* Says why topology_load has refused these options with this error: "cpus: 99 may not be used here,
 * only 0-1". Reads the topology again. */
void topology_mistake(const struct topology_options *options, int error,
                      char words[TOPOLOGY_MISTAKE_SIZE]);

#endif
