/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells its balancer that it waits; ends with 1 if no balancer listens, with 2 if a promise is
 * broken. */
#include "libjuggle/juggle.h"

#include <errno.h>

int main(void)
{
    struct juggle_thread *self, *again;
    int error = juggle_thread_create(NULL, 0, &self);

    if (error)
        return error == -ENOENT ? 1 : 2;
    if (juggle_thread_create(NULL, 0, &again) != -EEXIST)
        return 2;
    for (int i = 0; i < 1000; i++) {
        juggle_wait_begin(self);
        juggle_wait_end(self);
        juggle_progress(self, 1);
    }
    juggle_thread_destroy(self);
    error = juggle_thread_create(NULL, 0, &again);
    juggle_thread_destroy(error ? NULL : again);
    return error ? 2 : 0;
}
