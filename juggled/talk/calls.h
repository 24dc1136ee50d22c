/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of io.juggle: who may call them, and their answers. */
#ifndef JUGGLE_JUGGLED_CALLS_H
#define JUGGLE_JUGGLED_CALLS_H

#include "juggled/care/jobs.h"
#include "juggled/talk/credentials.h"
#include "libjuggle/varlink/message.h"

/* The objects on which calls act. */
struct calls {
    int proc_fd;
    struct jobs *jobs;
    /* Makes the interface's Service. Of other users' jobs it contains what the peer may see. */
    json_t *(*statistics)(void *context, const struct credentials *peer);
    /* Reads the configuration again. -EINVAL, with the reason in words; -ENOTSUP: there is no
     * configuration. */
    int (*reload)(void *context, char *reason, size_t size);
    void *context;
    const char *admin_group; /* the privileged group, for messages; NULL: only root is */
    bool own_user_only;      /* only the service's own user and the privileged are served */
};

/* Returns the answer, a reply or an error; NULL if there is no memory. Monitor's answer is its
 * first picture. */
json_t *calls_answer(const struct calls *calls, const struct credentials *peer,
                     const struct call *call);

/* What a client watches, and how often it wants a picture. */
struct monitor {
    char job_name[JOB_NAME_SIZE]; /* empty: all jobs */
    int64_t interval_ns;
};

/* True if the call is a Monitor with `more` and its answer is no error, so that further pictures
 * follow. */
bool calls_monitor(const struct call *call, const json_t *answer, struct monitor *monitor);

/* Returns the next picture. *ended: the watched job is gone, and no picture follows. */
json_t *calls_picture(const struct calls *calls, const struct credentials *peer,
                      const struct monitor *monitor, bool *ended);

#endif
