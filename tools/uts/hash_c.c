/* SPDX-License-Identifier: BSD-3-Clause */
/* Four lanes: what every machine with vectors has, without asking. */
#define LANES 4
#include "tools/uts/lanes.h"

const struct hasher hasher_c = {"c", 4, prepare_4, digest_4};
