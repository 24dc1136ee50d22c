/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a hostile service given to a client: messages are cut out and accepted, or refused. The
 * first byte says how the stream is cut.
 */
#include "libjuggle/varlink/frames.h"
#include "libjuggle/varlink/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE_MAX = 384 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void take_reply(const char *message, size_t length)
{
    struct reply reply;

    if (reply_parse(message, length, &reply))
        return;
    if (!json_is_object(reply.parameters))
        abort();
    reply_release(&reply);
}

/* Returns false if nothing that follows can be understood. */
static bool take_all(struct frames *frames)
{
    const char *message;
    size_t length;
    int error;

    while (!(error = frames_take(frames, &message, &length))) {
        if (length >= MESSAGE_SIZE_MAX || message[length])
            abort();
        take_reply(message, length);
    }
    return error == -EAGAIN;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t cut = size ? 1 + (size_t)bytes[0] : 1;
    struct frames *frames;
    bool goes_on = true;

    if (frames_create(MESSAGE_SIZE_MAX, &frames))
        abort();
    for (size_t done = 1, room; goes_on && done < size; done += room) {
        char *space;
        if (frames_space(frames, &space, &room))
            abort();
        if (room > cut)
            room = cut;
        if (room > size - done)
            room = size - done;
        if (!room)
            abort();
        memcpy(space, bytes + done, room);
        frames_fill(frames, room);
        goes_on = take_all(frames);
    }
    frames_destroy(frames);
    return 0;
}
