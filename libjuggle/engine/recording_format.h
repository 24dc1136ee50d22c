/* SPDX-License-Identifier: BSD-3-Clause */
/* The constants that writer and reader of a recording share, besides the order in recording.h.
 * Internal to engine/. */
#ifndef JUGGLE_ENGINE_RECORDING_FORMAT_H
#define JUGGLE_ENGINE_RECORDING_FORMAT_H

#include "libjuggle/engine/recording.h"

enum {
    MARK_END = 0,
    MARK_EVENT = 1, /* plus the event's type */
    GROUP_BITS = 7,
    GROUP_MORE = 0x80,
};

#define NEXT_NEVER (-1)

static inline bool event_is_timed(enum event_type type)
{
    return type == EVENT_START || type == EVENT_PERIOD;
}

#endif
