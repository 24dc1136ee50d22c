/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/frames.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most messages fit into this; a larger one doubles the room until it does. */
enum { ROOM_MIN = 4096 };

struct frames {
    struct fault fault;
    size_t size_max;
    size_t room;
    size_t begin; /* of the first message that was not taken */
    size_t end;   /* of all bytes */
    char *bytes;
};

int frames_create(size_t size_max, struct frames **result)
{
    struct frames *frames = calloc(1, sizeof(*frames));

    if (!frames)
        return -ENOMEM;
    frames->size_max = size_max;
    *result = frames;
    return 0;
}

void frames_destroy(struct frames *frames)
{
    if (!frames)
        return;
    free(frames->bytes);
    free(frames);
}

static int room_grow(struct frames *frames)
{
    size_t room = frames->room ? 2 * frames->room : ROOM_MIN;

    if (room > frames->size_max)
        room = frames->size_max;
    if (room == frames->room)
        return 0;
    char *bytes = realloc(frames->bytes, room);
    if (!bytes)
        return -ENOMEM;
    frames->bytes = bytes;
    frames->room = room;
    return 0;
}

const char *frames_fault(const struct frames *frames)
{
    return fault_text(&frames->fault);
}

/* Bytes of a client are read and written only within these bounds. */
static bool bounds_hold(struct frames *frames)
{
    return HOLDS(&frames->fault, frames->begin <= frames->end) &&
           HOLDS(&frames->fault, frames->end <= frames->room) &&
           HOLDS(&frames->fault, frames->room <= frames->size_max);
}

int frames_space(struct frames *frames, char **space, size_t *size)
{
    if (!bounds_hold(frames))
        return -EPROTO;
    if (frames->begin) {
        memmove(frames->bytes, frames->bytes + frames->begin, frames->end - frames->begin);
        frames->end -= frames->begin;
        frames->begin = 0;
    }
    if (frames->end == frames->room) {
        int error = room_grow(frames);
        if (error)
            return error;
    }
    *space = frames->bytes + frames->end;
    *size = frames->room - frames->end;
    return 0;
}

void frames_fill(struct frames *frames, size_t size)
{
    if (HOLDS(&frames->fault, size <= frames->room - frames->end))
        frames->end += size;
}

/* The NUL that ends the first message, or NULL. */
static const char *first_end(const struct frames *frames)
{
    const size_t waiting = frames->end - frames->begin;

    return waiting ? memchr(frames->bytes + frames->begin, '\0', waiting) : NULL;
}

bool frames_waiting(const struct frames *frames)
{
    return first_end(frames) || frames->end - frames->begin == frames->size_max;
}

int frames_take(struct frames *frames, const char **message, size_t *length)
{
    if (!bounds_hold(frames) || frames_fault(frames))
        return -EPROTO;
    const char *nul = first_end(frames);
    if (!nul)
        return frames_waiting(frames) ? -EMSGSIZE : -EAGAIN;
    *message = frames->bytes + frames->begin;
    *length = (size_t)(nul - *message);
    frames->begin += *length + 1;
    return 0;
}
