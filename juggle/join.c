/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/command/not_run.h"
#include "juggle/command/program.h"
#include "juggle/prepare/waiting.h"
#include "cli/foreign.h"
#include "cli/options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int join(const struct settings *settings, char *const *command)
{
    const struct join_request request = {
        .name = *settings->join ? settings->join : NULL,
        .wish = &settings->wish,
        .use = settings->service,
    };
    struct juggle_membership *membership = NULL;
    char problem[JOIN_PROBLEM_SIZE];

    if (join_begin(&request, problem, &membership)) {
        if (!settings->quiet || settings->strict)
            complain("juggle", "cannot join: %s", problem);
        if (settings->strict)
            return EXIT_JUGGLE_FAILED;
    } else if (settings->verbose) {
        complain("juggle", "process %d joined job %s", (int)getpid(), membership_job(membership));
    }
    const bool ignores = membership && *membership_ignored(membership);
    const struct foreign ignored = {ignores ? membership_ignored(membership) : ""};
    if (ignores && !settings->quiet)
        complain("juggle", "%s is ignored: job %s is balanced as who joined it first has asked",
                 FOREIGN(ignored), membership_job(membership));
    /* The command does not report its waits, because no process here would read them. */
    waiting_destroy(waiting_tell(settings, command, false));
    execvp(command[0], command);
    const int error = -errno;
    join_end(membership);
    return not_run_tell(command[0], error);
}
