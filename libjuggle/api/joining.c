/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/join.h"
#include "libjuggle/api/options.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/topology_mistake.h"

#include <errno.h>

/* Refuses domains that are wrong on any machine. The service would refuse them, too, but as a job
 * that cannot be balanced. */
static int domains_check(const struct wish *wish, struct juggle_error *error)
{
    const struct topology_options options = {.domains = wish->domains};
    char words[TOPOLOGY_MISTAKE_SIZE];
    struct cpu_mask named, twice;

    if (!*wish->domains ||
        (!cpu_mask_parse_lists(wish->domains, &named, &twice) && !cpu_mask_count(&twice)))
        return 0;
    topology_mistake(&options, -EDOM, words);
    return options_refuse(error, -EINVAL, words);
}

int juggle_join(const char *name, const struct juggle_options *options,
                struct juggle_membership **membership, struct juggle_error *error)
{
    char problem[JOIN_PROBLEM_SIZE];
    struct juggle_error unread;
    struct wish wish;

    if (!error)
        error = &unread;
    if (!membership)
        return options_refuse(error, -EINVAL, "the argument `membership` must not be NULL");
    int failed = options ? options_convert(options, &wish, error) : 0;
    if (!failed && options)
        failed = domains_check(&wish, error);
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
