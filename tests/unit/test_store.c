/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that outlive the service, and the processes that they mean: tricks with directories,
 * links and PIDs are refused. */
#include "tests/lib/refusal.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "juggled/care/process.h"
#include "juggled/care/store.h"
#include "juggled/rules/trusted.h"
#include "libjuggle/linux/procfs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 128, NOBODY = 65534 };

static char root[64];
static int proc_fd;
static bool is_unlisted; /* no directory can be read now */

struct dirent *readdir(DIR *directory)
{
    if (!is_unlisted)
        return ((struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir"))(directory);
    errno = EIO;
    return NULL;
}

/* A path below the scratch directory; valid until the fourth call after this one. */
static const char *at(const char *name)
{
    static char paths[4][PATH_SIZE];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, PATH_SIZE, "%s/%s", root, name);
    return path;
}

static void setup(void)
{
    umask(022);
    scratch_folder(root, sizeof(root));
    ck_assert_int_eq(chmod(root, 0755), 0);
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
}

static void teardown(void)
{
    scratch_remove(root);
    close(proc_fd);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "w");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* Returns how many of the files have this ending. */
static int count_of(const char *ending)
{
    const size_t length = strlen(ending);
    DIR *directory = opendir(at("state"));
    int count = 0;

    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const size_t size = strlen(entry->d_name);
        count += size > length && !strcmp(entry->d_name + size - length, ending);
    }
    closedir(directory);
    return count;
}

/* Reads all records as a starting service does; returns how many are valid. The others are
 * refused. */
static int records_read(struct store *store)
{
    char job[STORE_JOB_SIZE], *text;
    const json_t *file;
    int count = 0;
    size_t i, length;
    json_t *files;

    ck_assert_int_eq(store_files(store, &files), 0);
    json_array_foreach(files, i, file)
    {
        int error = store_read(store, json_string_value(file), job, &text, &length);
        if (error) {
            store_refuse(store, json_string_value(file), trusted_problem(error));
            continue;
        }
        ck_assert_str_eq(job, "0/work");
        free(text);
        count++;
    }
    json_decref(files);
    return count;
}

START_TEST(directories_that_others_could_have_made_are_refused)
{
    struct store *store = NULL;

    setup();
    ck_assert_int_eq(mkdir(at("real"), 0700), 0);
    ck_assert_int_eq(symlink(at("real"), at("link")), 0);
    ck_assert_int_eq(store_open(at("link"), proc_fd, &store), -ELOOP);
    ck_assert_int_eq(store_open(at("link/state"), proc_fd, &store), -ELOOP);
    put("file", "");
    ck_assert_int_lt(store_open(at("file"), proc_fd, &store), 0);
    ck_assert_int_eq(chmod(at("real"), 0770), 0);
    ck_assert_int_eq(store_open(at("real"), proc_fd, &store), -EPERM);
    ck_assert_str_eq(store_problem(-EPERM), trusted_problem(-EPERM));
    ck_assert_int_eq(chmod(at("real"), 0700), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(at("real"), NOBODY, NOBODY), 0);
        ck_assert_int_eq(store_open(at("real"), proc_fd, &store), -EPERM);
    }
    ck_assert_ptr_null(store);
    teardown();
}

START_TEST(records_stay_until_they_are_forgotten_and_links_are_no_records)
{
    struct store *store;
    json_t *record;

    setup();
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    record = json_pack("{s:s}", "job", "0/work");
    ck_assert_int_eq(store_record(store, "0/work", record), 0);
    ck_assert_int_eq(store_record(store, "0/work", record), 0);
    json_decref(record);
    put("elsewhere", "{\"job\":\"0/other\"}");
    ck_assert_int_eq(symlink(at("elsewhere"), at("state/0-other.json")), 0);
    ck_assert_int_eq(mkfifo(at("state/0-pipe.json"), 0600), 0);
    put("state/0-open.json", "{\"job\":\"0/open\"}");
    ck_assert_int_eq(chmod(at("state/0-open.json"), 0666), 0);
    ck_assert_int_eq(records_read(store), 1);
    ck_assert_int_eq(count_of(".refused"), 3);
    ck_assert_int_eq(count_of(".json"), 1);
    /* If the service ends before it takes a job up again, the record is left to the next
     * service. */
    ck_assert_int_eq(records_read(store), 1);
    store_forget(store, "0/work");
    ck_assert_int_eq(records_read(store), 0);
    ck_assert_int_eq(access(at("elsewhere"), F_OK), 0);
    store_close(store);
    teardown();
}

START_TEST(what_is_refused_is_kept_for_a_look_but_not_without_end)
{
    struct store *store;
    char name[PATH_SIZE];

    setup();
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    for (int i = 0; i < STORE_REFUSED_MAX + 4; i++) {
        snprintf(name, sizeof(name), "state/0-%d.json", i);
        put(name, "this is no record");
        store_refuse(store, name + strlen("state/"), "origin");
    }
    put("state/\xff\033[31m.json", "{}");
    ck_assert_int_eq(records_read(store), 0);
    ck_assert_int_eq(count_of(".json"), 0);
    ck_assert_int_eq(count_of(".refused"), STORE_REFUSED_MAX);
    store_close(store);
    teardown();
}

/* A link may have the name of any file: the file that it leads to is never written. */
START_TEST(links_are_not_written_through)
{
    struct store *store;
    struct stat stat;
    int fd;

    setup();
    put("victim", "precious");
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    ck_assert_int_eq(symlink(at("victim"), at("state/draft")), 0);
    json_t *record = json_object();
    ck_assert_int_eq(store_record(store, "0/work", record), -ELOOP);
    json_decref(record);
    ck_assert_int_eq(symlink(at("victim"), at("state/0-work.masks")), 0);
    ck_assert_int_eq(store_table(store, "0/work", &fd), 0);
    ck_assert_int_eq(write(fd, "masks", 5), 5);
    close(fd);
    ck_assert_int_eq(lstat(at("state/0-work.masks"), &stat), 0);
    ck_assert(S_ISREG(stat.st_mode));
    ck_assert_int_eq(lstat(at("victim"), &stat), 0);
    ck_assert_int_eq(stat.st_size, strlen("precious"));
    store_close(store);
    teardown();
}

START_TEST(tables_of_anything_restore_nothing)
{
    struct store *store;

    setup();
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    put("state/0-noise.masks", "this was never a table of masks, whatever it is");
    put("state/0-empty.masks", "");
    put("elsewhere", "untouched");
    ck_assert_int_eq(symlink(at("elsewhere"), at("state/0-link.masks")), 0);
    ck_assert_int_eq(mkfifo(at("state/0-pipe.masks"), 0600), 0);
    ck_assert_int_eq(store_restore(store), 0);
    ck_assert_int_ne(access(at("state/0-noise.masks"), F_OK), 0);
    ck_assert_int_eq(access(at("elsewhere"), F_OK), 0);
    store_close(store);
    teardown();
}

/* What was left for the next service is removed before the first table is made. */
static void expect_removal_by_next_table(struct store *store)
{
    int fd;

    ck_assert_int_eq(store_table(store, "0/other", &fd), 0);
    ck_assert_int_ne(access(at("state/0-work.masks"), F_OK), 0);
    close(fd);
}

/* Both with a directory that cannot be listed and with a table that cannot be opened. */
START_TEST(tables_that_cannot_be_read_are_left_to_the_next_service)
{
    struct store *store;
    json_t *files;
    int fd;

    setup();
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    put("state/0-work.masks", "");
    const int next = dup(proc_fd);
    close(next);
    for (int count = next; count < next + 2; count++) {
        limit_set(RLIMIT_NOFILE, (rlim_t)count);
        ck_assert_int_eq(store_restore(store), 0);
        ck_assert_int_eq(store_table(store, "0/work", &fd), -EMFILE);
        store_forget(store, "0/work");
        ck_assert_int_eq(access(at("state/0-work.masks"), F_OK), 0);
    }
    limit_set(RLIMIT_NOFILE, (rlim_t)next);
    ck_assert_int_eq(store_files(store, &files), -EMFILE);
    limit_set(RLIMIT_NOFILE, (rlim_t)(next + 16));
    expect_removal_by_next_table(store);
    store_forget_table(store, "0/other");
    ck_assert_int_ne(access(at("state/0-other.masks"), F_OK), 0);
    store_close(store);
    teardown();
}

/* The end of a directory that could not be read on is not its end. */
START_TEST(tables_that_cannot_be_listed_to_the_end_are_left_to_the_next_service)
{
    struct store *store;
    json_t *files;

    setup();
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), 0);
    put("state/0-work.masks", "");
    is_unlisted = true;
    ck_assert_int_eq(store_restore(store), 0);
    ck_assert_int_eq(store_files(store, &files), -EIO);
    is_unlisted = false;
    ck_assert_int_eq(access(at("state/0-work.masks"), F_OK), 0);
    expect_removal_by_next_table(store);
    store_close(store);
    teardown();
}

/* ---- processes ---- */

/* Executes another program, because a fork of this one would inherit a sanitizer's thread. */
static pid_t sleeper_start(void)
{
    static char *const arguments[] = {"sleep", "1000", NULL};
    pid_t pid;

    ck_assert_int_eq(posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ), 0);
    return pid;
}

static void sleeper_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

START_TEST(another_process_with_the_number_is_not_opened)
{
    const pid_t pid = sleeper_start();
    struct process process;
    int pidfd = -1;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(process_identify(proc_fd, pid, &process), 0);
    process.start_ticks--;
    ck_assert_int_eq(process_open(proc_fd, &process, &pidfd), -ESRCH);
    ck_assert_int_eq(pidfd, -1);
    process.start_ticks++;
    ck_assert_int_eq(process_open(proc_fd, &process, &pidfd), 0);
    ck_assert(!process_ended(pidfd));
    ck_assert_int_eq(process_threads(proc_fd, &process), 1);
    sleeper_end(pid);
    ck_assert(process_ended(pidfd));
    ck_assert_int_eq(process_threads(proc_fd, &process), 0);
    close(pidfd);
    ck_assert_int_eq(process_open(proc_fd, &process, &pidfd), -ESRCH);
    ck_assert_int_eq(process_identify(proc_fd, pid, &process), -ESRCH);
    close(proc_fd);
}

/* Stands in for nanosleep(): the guardian ends while the service waits, and then nobody else may
 * hold a lock. */
static int guardian_fd = -1, other_fd;

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    if (guardian_fd < 0)
        return 0;
    close(guardian_fd);
    guardian_fd = -1;
    ck_assert_int_eq(flock(other_fd, LOCK_EX | LOCK_NB), 0);
    return 0;
}

static int state_locked(int how)
{
    const int fd = open(at("state"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    ck_assert_int_eq(flock(fd, how), 0);
    return fd;
}

/* A guardian that restores masks holds a shared lock. Two services that waited for it once held
 * shared locks against each other when it had ended. */
START_TEST(who_waits_for_a_guardian_is_in_nobodys_way)
{
    struct store *store;

    setup();
    ck_assert_int_eq(mkdir(at("state"), 0700), 0);
    other_fd = state_locked(LOCK_UN);
    guardian_fd = state_locked(LOCK_SH);
    ck_assert_int_eq(store_open(at("state"), proc_fd, &store), -EBUSY);
    ck_assert_int_eq(guardian_fd, -1);
    close(other_fd);
    teardown();
}

SUITE("store")
