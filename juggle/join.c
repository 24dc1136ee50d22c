/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/join.h"

#include "juggle/coordinator.h"
#include "juggle/program.h"
#include "tools/cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

/* What a job's name may not hold becomes a dot. */
static void name_set(char name[JOIN_NAME_SIZE], const char *kind, const char *text,
                     const char *step)
{
    snprintf(name, JOIN_NAME_SIZE, "%s-%s%s%s", kind, text, *step ? "." : "", step);
    for (char *byte = name; *byte; byte++)
        if (!isalnum((unsigned char)*byte) && !strchr("._:-", *byte))
            *byte = '.';
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

void join_name(char name[JOIN_NAME_SIZE])
{
    char parent[JOIN_NAME_SIZE];

    if (*variable("SLURM_JOB_ID")) {
        name_set(name, "slurm", variable("SLURM_JOB_ID"), variable("SLURM_STEP_ID"));
    } else if (*variable("PMIX_NAMESPACE")) {
        name_set(name, "pmix", variable("PMIX_NAMESPACE"), "");
    } else if (*variable("OMPI_MCA_orte_hnp_uri")) {
        snprintf(parent, sizeof(parent), "%s", variable("OMPI_MCA_orte_hnp_uri"));
        parent[strcspn(parent, ";.")] = '\0';
        name_set(name, "ompi", parent, "");
    } else {
        snprintf(parent, sizeof(parent), "%d", (int)getppid());
        name_set(name, "parent", parent, "");
    }
}

/* ---- joining ---- */

/* The node's service, or one of the user's own. */
static int connect_any(const struct settings *settings, const char *name, struct client **client,
                       char *problem)
{
    int error = settings->service == SERVICE_NEVER ? -ENOENT : service_connect(client);

    if (!error)
        return 0;
    if (settings->service == SERVICE_ALWAYS) {
        snprintf(problem, SERVICE_PROBLEM_SIZE, "no service at %s: %s", CLIENT_SOCKET,
                 strerror(-error));
        return error;
    }
    error = coordinator_connect(name, client);
    if (error)
        snprintf(problem, SERVICE_PROBLEM_SIZE, "no service, and none of one's own: %s",
                 strerror(-error));
    return error;
}

static int join_job(const struct settings *settings, char *problem)
{
    char name[JOIN_NAME_SIZE], job[SERVICE_NAME_SIZE];
    struct client *client;

    if (*settings->join)
        snprintf(name, sizeof(name), "%s", settings->join);
    else
        join_name(name);
    int error = connect_any(settings, name, &client, problem);
    if (error)
        return error;
    error = service_join(client, name, &settings->job, job, problem);
    client_close(client);
    if (!error && settings->verbose)
        complain("juggle", "process %d joined job %s", (int)getpid(), job);
    return error;
}

int join(const struct settings *settings, char *const *command)
{
    char problem[SERVICE_PROBLEM_SIZE];

    if (join_job(settings, problem)) {
        if (!settings->quiet || settings->strict)
            complain("juggle", "cannot join: %s", problem);
        if (settings->strict)
            return EXIT_JUGGLE_FAILED;
    }
    execvp(command[0], command);
    const int error = errno;
    complain("juggle", "cannot run '%s': %s", command[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
