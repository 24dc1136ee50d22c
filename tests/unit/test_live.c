/* SPDX-License-Identifier: BSD-3-Clause */
/* The live view on the largest possible terminal. */
#include "tests/lib/suite.h"

#include "juggle/report/live.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINES = 600, THREADS = 590 };

static char last[2]; /* bytes of the last draw */

/* Stands in for write(): keeps the last bytes of large writes, because nobody reads from the
 * terminal. */
ssize_t write(int fd, const void *bytes, size_t size)
{
    if (size < 4096)
        return syscall(SYS_write, fd, bytes, size);
    memcpy(last, (const char *)bytes + size - sizeof(last), sizeof(last));
    return (ssize_t)size;
}

START_TEST(each_draw_gives_the_cursor_back)
{
    static struct job_thread threads[THREADS];
    struct report report = {.threads = threads, .threads_count = THREADS};
    struct winsize size = {.ws_row = LINES};
    struct live *live;

    setenv("TERM", "xterm", 1);
    report.statistics.source = "schedstat";
    for (int i = 0; i < THREADS; i++)
        threads[i].progress_ns = NSEC_PER_SEC;
    for (int columns = 70; columns < 2000; columns += 170) {
        /* Each view gets a terminal of its own: unread output of the last view would block it. */
        const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
        ck_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
        size.ws_col = (unsigned short)columns;
        ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
        const int error = live_create(ptsname(terminal), true, &live);
        if (error == -ENOTSUP)
            return; /* built without ncurses */
        ck_assert_int_eq(error, 0);
        memset(last, 0, sizeof(last));
        live_draw(live, &report);
        ck_assert_mem_eq(last, "\0338", sizeof(last));
        live_destroy(live);
        close(terminal);
    }
}

SUITE("live")
