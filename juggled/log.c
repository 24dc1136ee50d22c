/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sd_journal_send a function. The macro of the same name adds the place in the source from
 * where it was called. */
#define SD_JOURNAL_SUPPRESS_LOCATION

#include "juggled/log.h"

#include "cli/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 1024 };

/* True if stderr goes to the journal. systemd sets device and inode of the journal's socket in
 * JOURNAL_STREAM, but stderr may have been redirected. */
static int stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat stat;

    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &stat) == 0 && stat.st_dev == device && stat.st_ino == inode;
}

void log_tell(int priority, const char *job, const char *format, ...)
{
    char message[MESSAGE_SIZE], shown[MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    foreign_text(message, shown, sizeof(shown));
    if (!stderr_is_journal())
        fprintf(stderr, "juggled: %s%s%s\n", job ? job : "", job ? ": " : "", shown);
    else if (job)
        sd_journal_send("PRIORITY=%d", priority, "MESSAGE=%s: %s", job, shown, "JUGGLE_JOB=%s", job,
                        NULL);
    else
        sd_journal_send("PRIORITY=%d", priority, "MESSAGE=%s", shown, NULL);
}
