/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/spectrum.h"

enum { SUB_BITS = 3 };

static int class_of(int64_t length_ns)
{
    uint64_t scaled = (uint64_t)max_i64(length_ns, 0) + SPECTRUM_PER_OCTAVE;
    int octave = 63 - __builtin_clzll(scaled) - SUB_BITS;
    int sub = (int)(scaled >> octave) - SPECTRUM_PER_OCTAVE;

    return (int)min_i64(octave * SPECTRUM_PER_OCTAVE + sub, SPECTRUM_CLASSES - 1);
}

/* The least length of a class. */
static int64_t class_begin(int class)
{
    int octave = class / SPECTRUM_PER_OCTAVE, sub = class % SPECTRUM_PER_OCTAVE;

    return ((int64_t)(SPECTRUM_PER_OCTAVE + sub) << octave) - SPECTRUM_PER_OCTAVE;
}

void spectrum_add(int64_t spectrum[SPECTRUM_CLASSES], int64_t length_ns)
{
    spectrum[class_of(length_ns)]++;
}

int64_t spectrum_quantile(const int64_t spectrum[SPECTRUM_CLASSES], double share)
{
    int64_t count = 0, seen = 0;

    for (int i = 0; i < SPECTRUM_CLASSES; i++)
        count += spectrum[i];
    for (int i = 0; i < SPECTRUM_CLASSES; i++) {
        seen += spectrum[i];
        if (seen > 0 && (double)seen >= share * (double)count)
            return class_begin(i);
    }
    return 0;
}
