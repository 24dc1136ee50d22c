/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>

#define LANES             16
#define LANES_ABOVE(a, b) _mm512_cmpgt_epi32_mask((__m512i)(a), (__m512i)(b))
#include "tools/uts/lanes.h"

const struct hasher hasher_avx512 = {"avx512", 16, prepare_16, digest_16};
