/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/coordinator.h"

#include "libjuggle/varlink/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A name is bound some microseconds before its socket listens, or longer if other threads have the
 * processor. */
enum { LOOKS_MAX = 200 };

#define LOOK_INTERVAL_NS (10 * NSEC_PER_MSEC)

void coordinator_address(const char *name, char address[COORDINATOR_ADDRESS_SIZE])
{
    snprintf(address, COORDINATOR_ADDRESS_SIZE, "@juggle/%u/%s", (unsigned)geteuid(), name);
}

/* ---- starting ---- */

/* True if only root and the user can have put the file there. Others may add files to a sticky
 * directory, but cannot replace those that are there. */
static bool is_trusted(const char *path, mode_t kind)
{
    struct stat stat;

    if (lstat(path, &stat) || (stat.st_mode & S_IFMT) != kind ||
        (stat.st_uid != 0 && stat.st_uid != geteuid()))
        return false;
    return !(stat.st_mode & (S_IWGRP | S_IWOTH)) || (kind == S_IFDIR && stat.st_mode & S_ISVTX);
}

/* Finds the juggled beside the running program, where it lies in a tree that was built and not
 * installed. False if there is none that is trusted, and if the program runs with more rights than
 * its user has: that user must not choose what it starts. */
static bool program_beside(char path[PATH_MAX])
{
    static const char name[] = "/juggled";
    const ssize_t length = getauxval(AT_SECURE)
                               ? -1
                               : readlink("/proc/self/exe", path, PATH_MAX - sizeof(name));
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;

    if (!slash)
        return false;
    *slash = '\0';
    const bool trusted = is_trusted(slash == path ? "/" : path, S_IFDIR);
    memcpy(slash, name, sizeof(name));
    return trusted && is_trusted(path, S_IFREG);
}

static int attributes_set(posix_spawnattr_t *attributes)
{
    const short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, all;
    int error = posix_spawnattr_init(attributes);

    if (error)
        return -error;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setflags(attributes, flags);
    return 0;
}

/* The coordinator gets its listening socket as standard input. It gets none of our outputs. */
static int files_set(posix_spawn_file_actions_t *files, int listener)
{
    int error = posix_spawn_file_actions_init(files);

    if (error)
        return -error;
    error = posix_spawn_file_actions_adddup2(files, listener, STDIN_FILENO);
    for (int fd = STDOUT_FILENO; !error && fd <= STDERR_FILENO; fd++)
        error = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_WRONLY, 0);
    if (error)
        posix_spawn_file_actions_destroy(files);
    return -error;
}

/* Starts the juggled beside the program, else the installed one, else the first one in PATH. */
static int spawn_any(const posix_spawn_file_actions_t *files, const posix_spawnattr_t *attributes,
                     pid_t *pid)
{
    char *const arguments[] = {"juggled", "--coordinate", NULL};
    char beside[PATH_MAX];

    int error = ENOENT;
    if (program_beside(beside))
        error = posix_spawn(pid, beside, files, attributes, arguments, environ);
    if (error)
        error = posix_spawn(pid, JUGGLED_PATH, files, attributes, arguments, environ);
    if (error && !getauxval(AT_SECURE))
        error = posix_spawnp(pid, "juggled", files, attributes, arguments, environ);
    return error == ENOENT ? -ENOTSUP : -error;
}

/* Starts the coordinator. It detaches itself, so the process that is started here ends at once. */
static int coordinator_start(int listener)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid;
    int error = attributes_set(&attributes);

    if (error)
        return error;
    error = files_set(&files, listener);
    if (!error) {
        error = spawn_any(&files, &attributes, &pid);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    while (!error && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return error;
}

/* ---- connecting ---- */

/* Any user can bind an abstract name. So this sends nothing to a listener of another user:
 * -EPERM. */
static int connect_own(const char *address, struct varlink_client **result)
{
    struct varlink_client *client;
    uid_t uid;
    int error = client_connect(address, &client);

    if (error)
        return error;
    error = client_peer(client, &uid);
    if (!error && uid != geteuid())
        error = -EPERM;
    if (error) {
        client_close(client);
        return error;
    }
    *result = client;
    return 0;
}

/* -ECONNREFUSED: the process that has bound the name does not listen yet, or does so no more. */
static int connect_or_start(const char *address, struct varlink_client **client)
{
    int listener;

    /* The first process can bind the name; calls of the others wait in the socket until the service
     * runs. */
    int error = listener_open(address, 0, &listener);
    if (error)
        return error == -EADDRINUSE ? connect_own(address, client) : error;
    error = coordinator_start(listener);
    if (!error)
        error = connect_own(address, client);
    close(listener);
    return error;
}

int coordinator_connect(const char *address, struct varlink_client **client)
{
    const struct timespec interval = {.tv_nsec = LOOK_INTERVAL_NS};
    int error = connect_or_start(address, client);

    for (int looks = 1; error == -ECONNREFUSED && looks < LOOKS_MAX; looks++) {
        nanosleep(&interval, NULL);
        error = connect_or_start(address, client);
    }
    return error;
}
