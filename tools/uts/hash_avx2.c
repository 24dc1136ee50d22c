/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>

#define LANES             8
#define LANES_ABOVE(a, b) ((uint32_t)_mm256_movemask_ps((__m256)((a) > (b))))
#include "tools/uts/lanes.h"

const struct hasher hasher_avx2 = {"avx2", 8, prepare_8, digest_8};
