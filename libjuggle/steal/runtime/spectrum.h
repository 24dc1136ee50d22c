/* SPDX-License-Identifier: BSD-3-Clause */
/* How often lengths of time occurred: classes of an eighth of an octave. */
#ifndef JUGGLE_STEAL_RUNTIME_SPECTRUM_H
#define JUGGLE_STEAL_RUNTIME_SPECTRUM_H

#include "libjuggle/ground/units.h"

enum { SPECTRUM_PER_OCTAVE = 8, SPECTRUM_CLASSES = 40 * SPECTRUM_PER_OCTAVE };

void spectrum_add(int64_t spectrum[SPECTRUM_CLASSES], int64_t length_ns);

/* The length that a share of them does not exceed, to a ninth; 0 if there are none. */
int64_t spectrum_quantile(const int64_t spectrum[SPECTRUM_CLASSES], double share);

#endif
