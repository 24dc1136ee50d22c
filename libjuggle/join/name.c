/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/name.h"

#include "libjuggle/join/launcher.h"
#include "libjuggle/ground/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same in every locale, because names are sent as JSON, which takes UTF-8 only. */
static const char right[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._:-";

bool join_name_is_right(const char *name)
{
    const size_t length = strspn(name, right);

    return length > 0 && length < JOIN_NAME_SIZE && !name[length] && *name != '-' && *name != '.';
}

/* Makes a name of KIND-TEXT or KIND-TEXT.STEP. Characters that a name may not hold become dots. A
 * text that is too long keeps its end, because that tells it from other texts. */
static void name_set(char name[JOIN_NAME_SIZE], const char *kind, const char *text,
                     const char *step)
{
    const size_t others = strlen(kind) + strlen("-.") + strlen(step), length = strlen(text);

    if (others + length >= JOIN_NAME_SIZE)
        text += min_i64(length, others + length - (JOIN_NAME_SIZE - 1));
    snprintf(name, JOIN_NAME_SIZE, "%s-%s%s%s", kind, text, *step ? "." : "", step);
    for (char *byte = name; *(byte += strspn(byte, right));)
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
        snprintf(parent, sizeof(parent), "%d", (int)launcher_find());
        name_set(name, "parent", parent, "");
    }
}

bool join_wish(const char **name)
{
    const char *wish = variable("JUGGLE");

    *name = strcmp(wish, "1") ? wish : NULL;
    return *wish && strcmp(wish, "0") != 0;
}
