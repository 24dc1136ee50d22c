/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of io.juggle: who may do what, and what is answered. */
#ifndef JUGGLE_JUGGLED_CALLS_H
#define JUGGLE_JUGGLED_CALLS_H

#include "juggled/care/jobs.h"
#include "juggled/talk/credentials.h"
#include "libjuggle/varlink/message.h"

/* What the calls act on. */
struct calls {
    int proc_fd;
    struct jobs *jobs;
    /* As the interface's Service: of other users' jobs what the peer may see. */
    json_t *(*statistics)(void *context, const struct credentials *peer);
    /* Reads the configuration again. -EINVAL after putting the reason into words; -ENOTSUP: there
     * is none. */
    int (*reload)(void *context, char *reason, size_t size);
    void *context;
    const char *admin_group; /* whose members are privileged, for words; NULL: root alone is */
    bool own_user_only;      /* nobody but the service's own user and the privileged is answered */
};

/* The answer: a reply or an error; NULL without memory. Monitor's is its first picture. */
json_t *calls_answer(const struct calls *calls, const struct credentials *peer,
                     const struct call *call);

/* A client that watches: what it watches and how often. */
struct monitor {
    char job_name[JOB_NAME_SIZE]; /* empty: all jobs */
    int64_t interval_ns;
};

/* True if the call is a Monitor with `more`, and its answer no error: other pictures follow. */
bool calls_monitor(const struct call *call, const json_t *answer, struct monitor *monitor);

/* The next picture; *ended if what is watched is gone, and nothing follows. */
json_t *calls_picture(const struct calls *calls, const struct credentials *peer,
                      const struct monitor *monitor, bool *ended);

#endif
