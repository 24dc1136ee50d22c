/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/program.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Interval of looking for stops until the child has executed. Other signals are handled later. */
enum { LOOK_INTERVAL_MS = 50 };

/* The environment of a child. */
struct birth {
    char *const *argv;
    const struct signals *signals;
    const int *streams;      /* NULL: juggle's own */
    struct rlimit files;     /* as when juggle was started */
    int parent_death_signal; /* that juggle was started with; a fork clears it */
};

static int streams_take(const int *streams)
{
    for (int fd = 0; streams && fd < STREAMS_COUNT; fd++)
        if (dup2(streams[fd], fd) < 0)
            return -errno;
    return 0;
}

static _Noreturn void child_run(const struct birth *birth, int gate_fd)
{
    char go;

    prctl(PR_SET_PDEATHSIG, birth->parent_death_signal);
    if (read(gate_fd, &go, sizeof(go)) != sizeof(go))
        _exit(EXIT_JUGGLE_FAILED);
    int error = streams_take(birth->streams);
    setrlimit(RLIMIT_NOFILE, &birth->files);
    signals_give_back(birth->signals);
    if (!error) {
        execvp(birth->argv[0], birth->argv);
        error = -errno;
    }
    if (write(gate_fd, &error, sizeof(error)) < 0)
        _exit(EXIT_JUGGLE_FAILED);
    _exit(EXIT_NOT_EXECUTABLE);
}

static int child_start(const struct birth *birth, struct program *program, char *problem)
{
    int gate[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate))
        return problem_of(problem, PROGRAM_PROBLEM_SIZE, -errno,
                          "cannot make a socket to the program");
    program->pid = fork();
    if (program->pid < 0) {
        const int error = -errno;
        close(gate[0]);
        close(gate[1]);
        return problem_of(problem, PROGRAM_PROBLEM_SIZE, error, "cannot fork");
    }
    if (program->pid == 0) {
        close(gate[0]);
        child_run(birth, gate[1]);
    }
    close(gate[1]);
    program->gate_fd = gate[0];
    return 0;
}

struct rlimit program_files_allow(void)
{
    /* Without getrlimit these limits remain, which setrlimit refuses: restoring them changes
     * nothing. */
    struct rlimit before = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

    if (getrlimit(RLIMIT_NOFILE, &before))
        return before;
    const struct rlimit allowed = {.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &allowed);
    return before;
}

int program_start(char *const *argv, const struct signals *signals, const int *streams,
                  struct program *program, char problem[PROGRAM_PROBLEM_SIZE])
{
    struct program made = {.files = program_files_allow()};
    struct birth birth = {argv, signals, streams, made.files, 0};
    sigset_t set;

    prctl(PR_GET_PDEATHSIG, &birth.parent_death_signal);
    signals_set(&set);
    int error = witness_start(&set, &made.witness);
    if (error) {
        problem_of(problem, PROGRAM_PROBLEM_SIZE, error, "cannot start the witness of signals");
        goto fail;
    }
    error = child_start(&birth, &made, problem);
    if (error) {
        witness_end(&made.witness);
        goto fail;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1))
        made.adoption_error = -errno;
    *program = made;
    return 0;

fail:
    setrlimit(RLIMIT_NOFILE, &made.files);
    return error;
}

void program_destroy(struct program *program)
{
    if (program->gate_fd >= 0)
        close(program->gate_fd);
    witness_end(&program->witness);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    setrlimit(RLIMIT_NOFILE, &program->files);
}

static bool is_child(pid_t pid)
{
    struct thread_stat stat;
    int proc_fd;

    if (pid == 0 || procfs_open(&proc_fd))
        return false;
    const bool known = !procfs_stat_read(proc_fd, pid, pid, &stat);
    close(proc_fd);
    return known && stat.parent == getpid();
}

/* The process that the sender means; 0: none. Without juggle the program's parent would be the
 * process that started juggle, so a signal of the program to its parent is meant for that. An
 * adopted orphan would be a child of the first process, which ignores such signals. */
static pid_t signal_target(const struct program *program, pid_t sender)
{
    if (sender == program->pid)
        return getppid();
    return is_child(sender) ? 0 : program->pid;
}

static void signal_pass_on(const struct program *program, const struct signal_news *news)
{
    /* Asks the witness in any case, because it has to forget signals of the terminal, too. */
    const bool group_has_it = witness_saw(&program->witness, news->number);

    /* A child at the gate may have been forked after the group got the signal, so it is sent the
     * signal again. A signal that is already pending there is delivered only once. */
    const bool at_gate = program->gate_fd >= 0;

    if (news->own || (!at_gate && (news->from_terminal || group_has_it)))
        return;
    const pid_t pid = signal_target(program, news->sender);
    if (pid <= 0)
        return;
    if (news->queued)
        sigqueue(pid, news->number, news->value);
    else
        kill(pid, news->number);
}

static void note_stop(struct program *program, bool stopped)
{
    const int64_t now_ns = clock_now_ns();

    if (program->stop_ns)
        program->stopped_ns += now_ns - program->stop_ns;
    program->stop_ns = stopped ? now_ns : 0;
}

static void reap(struct program *program)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid != program->pid) {
            if (!WIFSTOPPED(status) && !WIFCONTINUED(status))
                witness_reaped(&program->witness, pid);
            continue;
        }
        note_stop(program, WIFSTOPPED(status));
        if (WIFCONTINUED(status))
            continue;
        if (WIFSTOPPED(status)) {
            /* SIGSTOP was sent to the program alone, so juggle need not stop: the sender will
             * continue the program in the same way. */
            program->stopped = WSTOPSIG(status) != SIGSTOP;
            continue;
        }
        program->ended = true;
        program->death_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        program->exit_status = WIFSIGNALED(status) ? EXIT_SIGNAL_BASE + WTERMSIG(status)
                                                   : WEXITSTATUS(status);
    }
}

static bool is_interruption(const struct signal_news *news)
{
    return !news->ignored && (news->number == SIGINT || news->number == SIGTERM ||
                              news->number == SIGHUP || news->number == SIGQUIT);
}

int program_serve(struct program *program, const struct signals *signals)
{
    struct signal_news news;
    int interruption = 0;

    while (!signals_read(signals, &news)) {
        if (news.number == SIGCHLD)
            reap(program);
        else
            signal_pass_on(program, &news);
        if (is_interruption(&news))
            interruption = news.number;
        /* A program that has been stopped already, as by its own SIGSTOP, does not stop again. */
        if (news.number == SIGTSTP && !news.ignored && program->stop_ns)
            program->stopped = true;
    }
    return interruption;
}

void program_follow_stop(struct program *program)
{
    program->stopped = false;
    signals_stop();
}

/* The terminal may stop the child before it has executed. */
static void look_for_stop(struct program *program)
{
    reap(program);
    if (program->stopped)
        program_follow_stop(program);
}

/* False if the child is dead. MSG_NOSIGNAL, because writing to a dead child's socket may raise
 * SIGPIPE. */
static bool gate_open(int gate_fd)
{
    const char go = 0;

    if (send(gate_fd, &go, sizeof(go), MSG_NOSIGNAL) == sizeof(go))
        return true;
    return errno != EPIPE && write(gate_fd, &go, sizeof(go)) == sizeof(go);
}

int program_release(struct program *program)
{
    struct pollfd gate = {.fd = program->gate_fd, .events = POLLIN};
    int error = 0;

    /* If the child was killed at the gate, exec has not failed: reaping it shows its end. */
    if (gate_open(gate.fd)) {
        while (poll(&gate, 1, LOOK_INTERVAL_MS) == 0)
            look_for_stop(program);
        if (recv(gate.fd, &error, sizeof(error), 0) != sizeof(error))
            error = 0; /* closed by exec */
    }
    close(program->gate_fd);
    program->gate_fd = -1;
    return error;
}

void program_die_alike(const struct program *program)
{
    const struct rlimit no_core = {0};
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t set;

    if (!program->death_signal)
        return;
    /* The program has dumped its core; a core of juggle itself would only hide that. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    sigaction(program->death_signal, &by_default, NULL);
    sigemptyset(&set);
    sigaddset(&set, program->death_signal);
    raise(program->death_signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
