/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/record.h"

#include "cli/chart.h"
#include "cli/foreign.h"

#include <errno.h>
#include <stdlib.h>

enum { TITLE_SIZE = 640 };

struct drawing {
    FILE *file;
    chart_writer write;
    const struct job *job;
    struct run_history *history;
};

static int create(const struct output *output, const struct job *job, void **record)
{
    struct drawing *drawing = calloc(1, sizeof(*drawing));

    if (!drawing)
        return -ENOMEM;
    *drawing = (struct drawing){.file = output->file, .write = chart_for(output->path), .job = job};
    const int error = run_history_create(job_machine(job), job_policy(job)->threads_max,
                                         &drawing->history);
    if (error) {
        free(drawing);
        return error;
    }
    *record = drawing;
    return 0;
}

static void destroy(void *record)
{
    struct drawing *drawing = record;

    run_history_destroy(drawing->history);
    free(drawing);
}

static void name_thread(const struct drawing *drawing, int engine_index)
{
    char label[RUN_HISTORY_LABEL_SIZE];
    struct job_thread thread;

    if (job_engine_thread(drawing->job, engine_index, &thread))
        return;
    snprintf(label, sizeof(label), "%s %d", FOREIGN(thread.comm), (int)thread.tid);
    run_history_name(drawing->history, engine_index, label);
}

static void observe(void *record, const struct event *event, const struct plan *plan)
{
    const struct drawing *drawing = record;

    run_history_add(drawing->history, event, plan);
    if (event->type == EVENT_THREAD_ARRIVED)
        name_thread(drawing, event->subject);
}

static void renew(void *record)
{
    const struct drawing *drawing = record;

    run_history_renew(drawing->history, job_machine(drawing->job));
}

static int finish(void *record, const char *program)
{
    const struct drawing *drawing = record;
    char title[TITLE_SIZE];

    snprintf(title, sizeof(title), "%s under juggle: who ran where, threads: %d",
             FOREIGN((struct foreign){program}), run_history_rows(drawing->history));
    return drawing->write(drawing->history, title, drawing->file);
}

const struct record_kind record_drawing = {create, observe, NULL, renew, finish, destroy};
