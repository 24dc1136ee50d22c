/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Events come from the engine's threads, one at a time under its lock; all else is
 * called by the thread that polls the job, drawing_renew when no engine runs and drawing_finish
 * when the job has ended. */
#include "juggle/files/drawing.h"

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

static void name_thread(const struct drawing *drawing, int engine_index)
{
    char label[RUN_HISTORY_LABEL_SIZE];
    struct job_thread thread;

    if (job_engine_thread(drawing->job, engine_index, &thread))
        return;
    snprintf(label, sizeof(label), "%s %d", FOREIGN(thread.comm), (int)thread.tid);
    run_history_name(drawing->history, engine_index, label);
}

static void observe(void *context, const struct event *event, const struct plan *plan)
{
    const struct drawing *drawing = context;

    run_history_add(drawing->history, event, plan);
    if (event->type == EVENT_THREAD_ARRIVED)
        name_thread(drawing, event->subject);
}

struct engine_recorder drawing_port(struct drawing *drawing)
{
    return (struct engine_recorder){observe, drawing};
}

void drawing_renew(struct drawing *drawing)
{
    run_history_renew(drawing->history, job_machine(drawing->job));
}

int drawing_finish(struct drawing *drawing, const char *program)
{
    char title[TITLE_SIZE];

    snprintf(title, sizeof(title), "%s under juggle: who ran where, threads: %d",
             FOREIGN((struct foreign){program}), run_history_rows(drawing->history));
    const int error = drawing->write(drawing->history, title, drawing->file);
    if (error)
        return error;
    if (fflush(drawing->file))
        return -errno;
    return ferror(drawing->file) ? -EIO : 0;
}

int drawing_create(const char *path, FILE *file, const struct job *job, struct drawing **result)
{
    struct drawing *drawing = calloc(1, sizeof(*drawing));

    if (!drawing)
        return -ENOMEM;
    *drawing = (struct drawing){.file = file, .write = chart_for(path), .job = job};
    const int error = run_history_create(job_machine(job), job_policy(job)->threads_max,
                                         &drawing->history);
    if (error) {
        free(drawing);
        return error;
    }
    *result = drawing;
    return 0;
}

void drawing_destroy(struct drawing *drawing)
{
    if (!drawing)
        return;
    run_history_destroy(drawing->history);
    free(drawing);
}
