/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/run_files.h"

#include "tools/sim/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { RECORDING_BUFFER_SIZE = 1 << 24 };

FILE *run_file_open(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);

    if (!file)
        complain(settings_command.name, "cannot open %s: %s", path, strerror(errno));
    return file;
}

bool run_file_is(FILE *file, const char *path)
{
    struct stat open, named;

    return !fstat(fileno(file), &open) && !stat(path, &named) && S_ISREG(open.st_mode) &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

static void flush_recording(void *context, struct rig *rig, struct engine *engine, int domain)
{
    struct run_files *files = context;

    (void)rig, (void)engine, (void)domain;
    if (!files->error)
        files->error = recording_writer_flush(files->writer);
}

int run_files_open(const struct settings *settings, const struct scenario *scenario,
                   struct run_files *files, struct run_observers *observers)
{
    if (settings->trace_path) {
        files->trace_file = run_file_open(settings->trace_path, "w");
        if (!files->trace_file)
            return -EINVAL;
        files->observer = trace_begin(files->trace_file);
        observers->observer = &files->observer;
    }
    if (settings->record_path && files->trace_file &&
        run_file_is(files->trace_file, settings->record_path)) {
        complain(settings_command.name,
                 "'%s' and '%s' are one file: name another one for one of them",
                 settings->trace_path, settings->record_path);
        return -EINVAL;
    }
    if (settings->record_path) {
        files->record_file = run_file_open(settings->record_path, "wb");
        if (!files->record_file)
            return -EINVAL;
        const int error = recording_writer_create(&scenario->machine, &scenario->policy,
                                                  RECORDING_BUFFER_SIZE, files->record_file,
                                                  &files->writer);
        if (error) {
            complain(settings_command.name, "cannot write %s: %s", settings->record_path,
                     strerror(-error));
            return error;
        }
        files->recorder = recording_writer_port(files->writer);
        observers->recorder = &files->recorder;
        observers->context = files;
        observers->after_turn = flush_recording;
    }
    return 0;
}

int run_files_finish(const struct settings *settings, struct run_files *files)
{
    int error = 0;

    if (files->trace_file && (fflush(files->trace_file) || ferror(files->trace_file))) {
        complain(settings_command.name, "cannot write all of %s", settings->trace_path);
        error = -EIO;
    }
    if (files->writer) {
        if (!files->error)
            files->error = recording_writer_finish(files->writer);
        if (files->error) {
            complain(settings_command.name, "cannot write all of %s", settings->record_path);
            error = files->error;
        }
    }
    return error;
}

void run_files_close(struct run_files *files)
{
    recording_writer_destroy(files->writer);
    if (files->record_file)
        fclose(files->record_file);
    if (files->trace_file)
        fclose(files->trace_file);
}
