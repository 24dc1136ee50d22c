/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/checkpoint.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/delivery.h"
#include "libjuggle/steal/runtime/replacement_file.h"
#include "libjuggle/steal/runtime/settings.h"
#include "libjuggle/steal/runtime/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the settings ------------------------------------------------------------------ */

static int program_read(struct steal_runtime *runtime, const struct steal_checkpoint *given,
                        struct steal_checkpoint *settings, struct checkpoint_wish *wish)
{
    int result = 0;

    *settings = (struct steal_checkpoint){.size = sizeof(*settings)};
    if (given)
        result = versioned_read(&versioned_checkpoint, given, settings, runtime->message);
    if (result < 0)
        return result;
    result = settings->path ? runtime_need_path(runtime, settings->path, "path") : 0;
    if (result < 0)
        return result;
    snprintf(wish->path, sizeof(wish->path), "%s", settings->path ? settings->path : "");
    wish->every_ns = settings->every_ns;
    if (settings->data_size > 0 && !settings->data)
        return runtime_need(runtime, settings->data, "data");
    return parameters_check(&checkpoint_parameters, wish, runtime->message);
}

/* Reads the program's settings, and the user's, which override them. If the user's text asks for no
 * file, the program's interval is meaningless, and is dropped. */
static int wish_read(struct steal_runtime *runtime, const struct steal_checkpoint *given,
                     struct steal_checkpoint *settings, struct checkpoint_wish *wish)
{
    const char *text = runtime->transport->settings;
    int result = program_read(runtime, given, settings, wish);

    if (result == 0)
        result = settings_over(text, SECTION_CHECKPOINT, wish, runtime->message);
    if (result < 0)
        return result;
    if (!*wish->path && settings_name(text, "checkpoint") && !settings_name(text, "every"))
        wish->every_ns = 0;
    if (!*wish->path && wish->every_ns > 0)
        return runtime_fail(runtime, -EINVAL, "every does nothing without checkpoint");
    return 0;
}

static struct checkpoint *checkpoint_new(const struct steal_checkpoint *settings,
                                         const struct checkpoint_wish *wish)
{
    struct checkpoint *checkpoint = malloc(sizeof(*checkpoint));

    if (!checkpoint)
        return NULL;
    *checkpoint = (struct checkpoint){.path = strdup(wish->path),
                                      .every_ns = wish->every_ns,
                                      .data = {settings->data, settings->data_size}};
    if (checkpoint->path)
        return checkpoint;
    free(checkpoint);
    return NULL;
}

/* Says nothing if the program called steal_checkpoint() for any collection, because the user may
 * mean that one, nor if the user wants no file. */
void checkpoint_warn_unused(const struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    struct checkpoint_wish wish = {0};
    char message[STEAL_MESSAGE_MAX];

    if (runtime->checkpoints_considered || !runtime->transport->settings)
        return;
    runtime->checkpoints_considered = true;
    if (settings_over(runtime->transport->settings, SECTION_CHECKPOINT, &wish, message) == 0 &&
        *wish.path)
        runtime_print(runtime,
                      "JUGGLE_STEAL=checkpoint does nothing for '%s': the program did not call "
                      "steal_checkpoint()",
                      collection_name(collection));
}

/* ---- the first call ------------------------------------------------------------------------ */

static int check_empty(struct steal_collection *collection)
{
    if (image_has_tasks(collection) || collection->stopped)
        return runtime_fail(collection->runtime, -EBUSY,
                            "steal_checkpoint() comes before tasks are added");
    if (collection->processes > 0)
        return runtime_fail(collection->runtime, -EBUSY,
                            "steal_checkpoint() comes before the first steal_process()");
    return 0;
}

/* Checks that the file can be written, and that results go to a file whose length it can tell,
 * because an error is better reported now than after hours. */
static int check_place(struct steal_collection *collection, const char *path)
{
    struct replacement_file file;
    int result;

    if (steal_rank(collection->runtime) > 0)
        return 0;
    result = collection->results ? results_check_regular(collection->results) : 0;
    if (result < 0)
        return delivery_fail(collection, result);
    replacement_file_sweep(path);
    result = replacement_file_open(&file, path);
    replacement_file_close(&file);
    return result < 0 ? runtime_fail_path(collection->runtime, result, path) : 0;
}

static int checkpoint_begin(struct steal_collection *collection,
                            const struct checkpoint *checkpoint)
{
    struct steal_runtime *runtime = collection->runtime;
    int result = ranks_succeed(runtime, check_empty(collection));

    if (result == 0)
        result = ranks_share_failure(runtime, check_place(collection, checkpoint->path));
    return result < 0 ? result : checkpoint_load(collection, checkpoint);
}

/* ---- for the program ----------------------------------------------------------------------- */

static int checkpoint_set(struct steal_collection *collection,
                          const struct steal_checkpoint *settings,
                          const struct checkpoint_wish *wish)
{
    struct steal_runtime *runtime = collection->runtime;
    struct checkpoint *checkpoint = *wish->path ? checkpoint_new(settings, wish) : NULL;
    int result = 0;

    if (*wish->path && !checkpoint)
        result = runtime_fail(runtime, -ENOMEM, "no memory for a checkpoint");
    result = ranks_succeed(runtime, result);
    if (result == 0 && checkpoint && !collection->checkpoint)
        result = checkpoint_begin(collection, checkpoint);
    if (result < 0) {
        checkpoint_close(checkpoint);
        return result;
    }
    if (checkpoint)
        checkpoint_schedule(checkpoint, runtime_now(runtime));
    checkpoint_close(collection->checkpoint);
    collection->checkpoint = checkpoint;
    return result;
}

int steal_checkpoint(struct steal_collection *collection, const struct steal_checkpoint *given)
{
    struct steal_checkpoint settings;
    struct checkpoint_wish wish;
    struct steal_runtime *runtime;
    int result;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    runtime->checkpoints_considered = true;
    result = runtime->processing ? 0 : wish_read(runtime, given, &settings, &wish);
    result = ranks_meet(runtime, CALL_CHECKPOINT, collection->id, result);
    if (result == 0)
        result = ranks_agree(runtime, 0, "data_size", (int64_t)settings.data_size,
                             &checkpoint_parameters, &wish);
    return result < 0 ? result : checkpoint_set(collection, &settings, &wish);
}
