/* SPDX-License-Identifier: BSD-3-Clause */
/* Four lanes, which every machine with vector instructions has. */
#define LANES 4
#include "tools/uts/lanes.h"

const struct hasher hasher_c = {"c", 4, prepare_4, digest_4};
