/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/attach.h"

#include "juggle/balance.h"
#include "juggle/program.h"
#include "libjuggle/cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PIDS_MAX = 256 };

struct pids {
    int count;
    pid_t list[PIDS_MAX];
};

static int pid_add(struct pids *pids, const char *text, const char *end)
{
    char *stop;

    errno = 0;
    long pid = strtol(text, &stop, 10);
    if (stop != end || stop == text || errno || pid < 1 || pid > INT_MAX) {
        complain("juggle", "'%.*s' is no pid", (int)(end - text), text);
        return -EINVAL;
    }
    if (pids->count == PIDS_MAX) {
        complain("juggle", "more than %d pids", PIDS_MAX);
        return -EINVAL;
    }
    if (kill((pid_t)pid, 0)) {
        complain("juggle",
                 errno == EPERM ? "process %ld is another user's" : "there is no process %ld", pid);
        return -EINVAL;
    }
    pids->list[pids->count++] = (pid_t)pid;
    return 0;
}

/* "12,34,56" */
static int pids_add(struct pids *pids, const char *text)
{
    for (;;) {
        const char *end = text + strcspn(text, ",");
        if (pid_add(pids, text, end))
            return -EINVAL;
        if (!*end)
            return 0;
        text = end + 1;
    }
}

/* True when juggle is to let go. What the program is stopped or continued by is not ours. */
static bool signals_serve(struct signals *signals, struct balance *balance)
{
    struct signal_news news;
    bool end = false;

    while (!signals_read(signals, &news)) {
        if (news.number == SIGINT || news.number == SIGTERM || news.number == SIGHUP ||
            news.number == SIGQUIT)
            end = true;
        if (news.number == SIGTSTP) {
            balance_suspend(balance);
            raise(SIGSTOP);
        }
    }
    return end;
}

static int run(struct balance *balance, struct signals *signals)
{
    balance_begin(balance);
    while (!signals_serve(signals, balance))
        if (balance_wait(balance, signals))
            break;
    return balance_finish(balance, NULL, NULL) ? EXIT_JUGGLE_FAILED : 0;
}

int attach(const struct settings *settings, char *const *more)
{
    struct balance *balance;
    struct signals signals;
    struct pids pids = {0};
    int status = EXIT_JUGGLE_FAILED;

    if (pids_add(&pids, settings->pids))
        return EXIT_USAGE;
    for (; *more; more++)
        if (pids_add(&pids, *more))
            return EXIT_USAGE;
    int error = signals_take(&signals);
    if (error) {
        complain("juggle", "cannot take signals: %s", strerror(-error));
        return status;
    }
    if (balance_create(settings, &balance))
        return status;
    const struct balance_subject subject = {
        .roots = pids.list, .roots_count = pids.count, .roots_included = true};
    error = balance_start(balance, &subject);
    if (error == -EINVAL)
        status = EXIT_USAGE;
    else if (!error)
        status = run(balance, &signals);
    balance_destroy(balance);
    return status;
}
