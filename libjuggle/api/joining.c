/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/join.h"
#include "libjuggle/api/options.h"

#include <errno.h>

int juggle_join(const char *name, const struct juggle_options *options,
                struct juggle_membership **membership, struct juggle_error *error)
{
    char problem[JOIN_PROBLEM_SIZE];
    struct juggle_error unread;
    struct wish wish;

    if (!error)
        error = &unread;
    if (!membership)
        return options_refuse(error, -EINVAL, "there is no place for the membership: it is NULL");
    int failed = options ? options_convert(options, &wish, error) : 0;
    if (failed)
        return failed;
    const struct join_request request = {.name = name, .wish = options ? &wish : NULL};
    failed = join_begin(&request, problem, membership);
    return failed ? options_refuse(error, failed, problem) : 0;
}

void juggle_leave(struct juggle_membership *membership)
{
    join_end(membership);
}
