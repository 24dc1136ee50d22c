/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/trial.h"

#include "libjuggle/linux/await.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of bytes shown from the end of a failed run's output. */
enum { TAIL_SIZE = 4096 };

/* ---- input ---- */

/* Makes an empty file with an old access time. A process that reads it finds its end at once,
 * and updates the access time. */
static int empty_open(void)
{
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 2}};
    const int fd = memfd_create("juggle-no-input", MFD_CLOEXEC);

    if (fd >= 0)
        (void)!futimens(fd, long_ago);
    return fd;
}

static bool is_read(int fd)
{
    struct stat stat;

    return !fstat(fd, &stat) && stat.st_atim.tv_sec > 1;
}

/* True for a terminal, a pipe or a socket. A device such as /dev/null holds nothing. */
static bool may_hold_something(int fd)
{
    struct stat stat;

    return isatty(fd) || (!fstat(fd, &stat) && (S_ISFIFO(stat.st_mode) || S_ISSOCK(stat.st_mode)));
}

static int input_begin(struct trials *trials)
{
    struct stat stat;

    trials->input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    trials->rewinds = trials->input_at >= 0 && !fstat(STDIN_FILENO, &stat) && S_ISREG(stat.st_mode);
    trials->input_is_empty_anyway = !may_hold_something(STDIN_FILENO);
    trials->input_fd = trials->rewinds ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STREAMS_COUNT)
                                       : empty_open();
    return trials->input_fd < 0 ? -errno : 0;
}

bool trials_lacked_input(const struct trials *trials)
{
    return !trials->rewinds && !trials->input_is_empty_anyway && is_read(trials->input_fd);
}

int trials_begin(struct trials *trials)
{
    const char *call;
    int error = input_begin(trials);

    if (error)
        return error;
    error = signals_take(&trials->signals, &call);
    if (error)
        close(trials->input_fd);
    return error;
}

void trials_end(struct trials *trials)
{
    signals_give_back(&trials->signals);
    close(trials->signals.fd);
    close(trials->input_fd);
}

/* ---- the run ---- */

/* Shows the last TAIL_SIZE bytes, from the beginning of a line if there is one among them. */
static void tail_show(int output_fd)
{
    char text[TAIL_SIZE + 1];
    const off_t end = lseek(output_fd, 0, SEEK_END);
    const off_t from = end > TAIL_SIZE ? end - TAIL_SIZE : 0;
    const ssize_t length = pread(output_fd, text, TAIL_SIZE, from);

    if (length <= 0)
        return;
    text[length] = '\0';
    const char *line = from > 0 ? strchr(text, '\n') : NULL;
    const char *start = line && line[1] ? line + 1 : text;
    (void)!write(STDERR_FILENO, start, (size_t)(text + length - start));
}

static void serve(const struct trials *trials, struct program *program, struct timed_run *trial)
{
    const int interruption = program_serve(program, &trials->signals);

    if (interruption)
        trial->interrupted = interruption;
}

static void run_watch(struct trials *trials, struct program *program, struct timed_run *trial)
{
    struct pollfd news = {.fd = trials->signals.fd, .events = POLLIN};

    while (!program->ended) {
        (void)!await_until(&news, 1, INT64_MAX);
        serve(trials, program, trial);
        if (program->stopped)
            program_follow_stop(program);
    }
}

static int run(struct trials *trials, char *const *argv, const int streams[STREAMS_COUNT],
               struct timed_run *trial, char *problem)
{
    struct program program;

    if (trials->rewinds)
        lseek(trials->input_fd, trials->input_at, SEEK_SET);
    int error = program_start(argv, &trials->signals, streams, &program, problem);
    if (error)
        return error;
    serve(trials, &program, trial);
    const int64_t started_ns = clock_now_ns();
    error = program_release(&program);
    if (!error)
        run_watch(trials, &program, trial);
    trial->time_ns = clock_now_ns() - started_ns - program.stopped_ns;
    trial->exit_status = program.exit_status;
    trial->death_signal = program.death_signal;
    program_destroy(&program);
    return error;
}

int trial_run(struct trials *trials, char *const *argv, bool shown, struct timed_run *trial,
              char problem[PROGRAM_PROBLEM_SIZE])
{
    const int words_fd = shown ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STREAMS_COUNT)
                               : memfd_create("juggle-errors", MFD_CLOEXEC);
    const int output_fd = shown ? words_fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int streams[] = {trials->input_fd, output_fd, words_fd};
    struct timed_run made = {0};
    int error = 0;

    *problem = '\0';
    if (words_fd < 0 || output_fd < 0)
        error = problem_of(problem, PROGRAM_PROBLEM_SIZE, -errno,
                           "cannot make a file for its output");
    if (!error)
        error = run(trials, argv, streams, &made, problem);
    if (!error && !shown && made.exit_status && !made.interrupted)
        tail_show(words_fd);
    if (output_fd >= 0 && output_fd != words_fd)
        close(output_fd);
    if (words_fd >= 0)
        close(words_fd);
    if (!error)
        *trial = made;
    return error;
}
