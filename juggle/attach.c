/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/balance.h"
#include "juggle/command/program.h"
#include "cli/options.h"
#include "libjuggle/ground/decimal.h"
#include "libjuggle/job/job.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIDS_MAX = 256, PID_ALL = 1 };

struct pids {
    int count;
    pid_t list[PIDS_MAX];
    struct attached root_names[PIDS_MAX];
    int all_count; /* how often the user named process 1, the ancestor of all others */
};

static int pid_parse(const char *text, const char *end, pid_t *pid)
{
    char *stop;

    errno = 0;
    const long number = strtol(text, &stop, 10);
    if (stop != end || !decimal_digits(text) || errno || number < 1 || number > INT_MAX) {
        complain("juggle", "'%.*s' is no process id: pgrep(1) finds those of a name",
                 (int)(end - text), text);
        return -EINVAL;
    }
    *pid = (pid_t)number;
    return 0;
}

/* Finds out the name of the process; complains if it cannot be balanced. */
static int pid_look(pid_t pid, struct attached *attached)
{
    struct thread_stat stat;
    int proc_fd;

    if (kill(pid, 0)) {
        complain("juggle",
                 errno == EPERM ? "process %d is another user's, which only root may balance"
                                : "there is no process %d",
                 (int)pid);
        return -EINVAL;
    }
    *attached = (struct attached){.pid = pid};
    if (procfs_open(&proc_fd))
        return 0;
    const int error = procfs_stat_read(proc_fd, pid, pid, &stat);
    close(proc_fd);
    if (error)
        return 0;
    if (stat.kernel) {
        complain("juggle", "process %d is a thread of the kernel, which no program may balance",
                 (int)pid);
        return -EINVAL;
    }
    attached->comm = stat.comm;
    return 0;
}

static bool pids_have(const struct pids *pids, pid_t pid)
{
    for (int i = 0; i < pids->count; i++)
        if (pids->list[i] == pid)
            return true;
    return false;
}

static int pid_add(struct pids *pids, const char *text, const char *end)
{
    pid_t pid;
    int error = pid_parse(text, end, &pid);

    if (error)
        return error;
    pids->all_count += pid == PID_ALL;
    if (pids_have(pids, pid))
        return 0;
    if (pids->count == PIDS_MAX) {
        complain("juggle", "more than %d pids", PIDS_MAX);
        return -EINVAL;
    }
    error = pid_look(pid, &pids->root_names[pids->count]);
    if (!error)
        pids->list[pids->count++] = pid;
    return error;
}

/* Process 1 must be named twice, because a single 1 may be the mistake of a script. */
static int check_all(const struct pids *pids)
{
    if (pids->all_count != 1)
        return 0;
    complain("juggle",
             "process 1 stands for all that runs here: to balance the whole machine, name "
             "it twice (--attach 1,1)");
    return -EINVAL;
}

/* Accepts "12,34,56", "12 34", and the output of pgrep, one pid per line. */
static int pids_add(struct pids *pids, const char *text)
{
    static const char blanks[] = " \t\n";

    for (;;) {
        text += strspn(text, blanks);
        const char *end = text + strcspn(text, ", \t\n");
        if (pid_add(pids, text, end))
            return -EINVAL;
        end += strspn(end, blanks);
        if (!*end)
            return 0;
        text = end + (*end == ',');
    }
}

/* True for signals that end the balancing: all but SIGCHLD, SIGUSR1, SIGUSR2, and those that
 * stop or continue. */
static bool ends_balancing(int number)
{
    return number != SIGCHLD && number != SIGUSR1 && number != SIGUSR2 && number != SIGTSTP &&
           number != SIGCONT;
}

/* True when juggle is to let go. */
static bool signals_serve(struct signals *signals, struct balance *balance)
{
    struct signal_news news;
    bool end = false;

    while (!signals_read(signals, &news)) {
        if (news.ignored)
            continue;
        end |= ends_balancing(news.number);
        if (news.number == SIGTSTP) {
            balance_suspend(balance);
            signals_stop();
        }
    }
    return end;
}

static int run(struct balance *balance, struct signals *signals)
{
    int error = 0;

    balance_begin(balance);
    while (!job_is_over(error) && !signals_serve(signals, balance))
        error = balance_wait(balance, signals);
    if (balance_finish(balance, NULL, NULL) || error == -EPROTO)
        return EXIT_JUGGLE_FAILED;
    return 0;
}

int attach(const struct settings *settings, char *const *more)
{
    struct balance *balance;
    struct signals signals;
    const char *call;
    struct pids pids = {0};
    int status = EXIT_JUGGLE_FAILED;

    if (pids_add(&pids, settings->pids))
        return EXIT_USAGE;
    for (; *more; more++)
        if (pids_add(&pids, *more))
            return EXIT_USAGE;
    if (check_all(&pids))
        return EXIT_USAGE;
    int error = signals_take(&signals, &call);
    if (error) {
        complain("juggle", "cannot handle signals (%s): %s", call, strerror(-error));
        return status;
    }
    (void)program_files_allow();
    error = balance_create(settings, NULL, &balance);
    if (error == -ENOMEM)
        complain("juggle", "cannot balance: %s", strerror(ENOMEM));
    if (error)
        return error == -EEXIST ? EXIT_USAGE : status;
    const struct balance_subject subject = {.roots = pids.list,
                                            .roots_count = pids.count,
                                            .roots_included = true,
                                            .root_names = pids.root_names};
    error = balance_start(balance, &subject);
    if (error == -EINVAL)
        status = EXIT_USAGE;
    else if (!error)
        status = run(balance, &signals);
    balance_destroy(balance);
    return status;
}
