/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loaded into a program by LD_PRELOAD: the FAIL_AT-th call of the kind FAIL_KIND fails in each of
 * its processes. That call creates the file FAIL_TOLD and writes the name of its function into it.
 * When the first process ends, it writes into the file FAIL_LEFT which callers have not freed their
 * memory.
 *
 * Programs that the program executes run without it.
 */
#include "tests/lib/blocks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <dlfcn.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum kind { MEMORY, THREAD, FILES, READING, SYSTEM, SIGNALS, KINDS_COUNT };

static const char *const kind_names[] = {"memory", "thread", "file", "reading", "system", "signal"};
static enum kind wanted = KINDS_COUNT;
static long at;
static const char *told, *leak_path;
static pid_t first;
static atomic_long calls;

/* glibc's own functions, which can be called before dlsym() can look up anything. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

__attribute__((constructor)) static void fail_prepare(void)
{
    const char *kind = getenv("FAIL_KIND"), *number = getenv("FAIL_AT");

    told = getenv("FAIL_TOLD");
    leak_path = getenv("FAIL_LEFT");
    first = getpid();
    unsetenv("LD_PRELOAD");
    if (!kind || !number || !told)
        return;
    at = atol(number);
    for (int i = 0; i < KINDS_COUNT; i++)
        if (!strcmp(kind, kind_names[i]))
            wanted = (enum kind)i;
}

__attribute__((destructor)) static void fail_end(void)
{
    if (leak_path && getpid() == first)
        blocks_write(leak_path);
}

/* Writes FAIL_TOLD. A breakpoint here stops where a call is made to fail. */
__attribute__((noinline)) static void fail_now(const char *name)
{
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, told, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    syscall(SYS_write, fd, name, strlen(name));
    syscall(SYS_close, fd);
}

/* hwloc 2.9 and the name service of glibc 2.36 crash without memory: memory calls of these
 * libraries neither count nor fail. Their calls of the functions wrapped below do. */
static int is_fragile(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname &&
           (strstr(info.dli_fname, "libhwloc") || strstr(info.dli_fname, "libc.so") ||
            strstr(info.dli_fname, "ld-linux"));
}

static int fails(enum kind kind, const char *name, int error)
{
    if (kind != wanted || atomic_fetch_add(&calls, 1) + 1 != at)
        return 0;
    fail_now(name);
    errno = error;
    return 1;
}

static int memory_fails(const char *name, const void *caller)
{
    return wanted == MEMORY && !is_fragile(caller) && fails(MEMORY, name, ENOMEM);
}

EXPORTED void *malloc(size_t size)
{
    const void *caller = __builtin_return_address(0);

    return memory_fails("malloc", caller) ? NULL : blocks_add(__libc_malloc(size), caller);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);

    return memory_fails("calloc", caller) ? NULL : blocks_add(__libc_calloc(count, size), caller);
}

/* The block is forgotten before the call, because another thread may be given it before
 * realloc() returns here. */
EXPORTED void *realloc(void *memory, size_t size)
{
    const void *caller = __builtin_return_address(0);

    if (memory_fails("realloc", caller))
        return NULL;
    blocks_remove(memory);
    return blocks_add(__libc_realloc(memory, size), caller);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    const void *caller = __builtin_return_address(0);

    return memory_fails("aligned_alloc", caller)
               ? NULL
               : blocks_add(__libc_memalign(alignment, size), caller);
}

EXPORTED void free(void *memory)
{
    blocks_remove(memory);
    __libc_free(memory);
}

/* nss-systemd asserts that it may block signals, so calls of name service modules do not count. */
static bool is_not_name_service(const void *caller)
{
    Dl_info info;

    return !dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "/libnss_");
}

/* Defines NAME(PARAMETERS), which calls the real function with ARGUMENTS. */
#define WRAP(kind, error, failure, type, name, parameters, arguments)                   \
    EXPORTED type name parameters                                                       \
    {                                                                                   \
        static type(*real) parameters;                                                  \
        if (!real)                                                                      \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                         \
        return (kind != SIGNALS || is_not_name_service(__builtin_return_address(0))) && \
                       fails(kind, #name, error)                                        \
                   ? (failure)                                                          \
                   : real arguments;                                                    \
    }

WRAP(MEMORY, ENOMEM, NULL, char *, strdup, (const char *text), (text))
WRAP(MEMORY, ENOMEM, NULL, DIR *, fdopendir, (int fd), (fd))
WRAP(THREAD, EAGAIN, EAGAIN, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument),
     (thread, attributes, run, argument))
WRAP(FILES, EMFILE, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(FILES, EMFILE, -1, int, pipe2, (int ends[2], int flags), (ends, flags))
WRAP(FILES, EMFILE, -1, int, eventfd, (unsigned value, int flags), (value, flags))
WRAP(FILES, EMFILE, -1, int, timerfd_create, (int clock, int flags), (clock, flags))
WRAP(FILES, EMFILE, -1, int, epoll_create1, (int flags), (flags))
WRAP(FILES, EMFILE, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))
WRAP(FILES, EMFILE, -1, int, dup, (int fd), (fd))
WRAP(FILES, EMFILE, -1, int, accept4,
     (int fd, struct sockaddr *address, socklen_t *size, int flags), (fd, address, size, flags))
WRAP(READING, EIO, -1, ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size))
WRAP(READING, EIO, -1, ssize_t, pread, (int fd, void *buffer, size_t size, off_t offset),
     (fd, buffer, size, offset))
WRAP(SYSTEM, ENOMEM, MAP_FAILED, void *, mmap,
     (void *wish, size_t size, int protection, int flags, int fd, off_t offset),
     (wish, size, protection, flags, fd, offset))
WRAP(SYSTEM, EPERM, -1, int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *mask),
     (pid, size, mask))
WRAP(SYSTEM, EPERM, -1, int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *mask),
     (pid, size, mask))
WRAP(SYSTEM, EBADF, -1, int, epoll_ctl, (int fd, int operation, int of, struct epoll_event *event),
     (fd, operation, of, event))
WRAP(SYSTEM, EACCES, -1, int, bind, (int fd, const struct sockaddr *address, socklen_t size),
     (fd, address, size))
WRAP(SYSTEM, EPIPE, -1, ssize_t, send, (int fd, const void *buffer, size_t size, int flags),
     (fd, buffer, size, flags))
WRAP(SYSTEM, EPERM, -1, int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit),
     (resource, limit))
WRAP(SYSTEM, EINVAL, -1, int, ftruncate, (int fd, off_t size), (fd, size))

WRAP(SIGNALS, EPERM, -1, int, sigprocmask, (int how, const sigset_t *set, sigset_t *before),
     (how, set, before))
WRAP(SIGNALS, EPERM, EPERM, int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before),
     (how, set, before))
WRAP(SIGNALS, EPERM, -1, int, sigaction,
     (int number, const struct sigaction *action, struct sigaction *before),
     (number, action, before))
WRAP(SIGNALS, EMFILE, -1, int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))

EXPORTED pid_t fork(void)
{
    static pid_t (*real)(void);
    pid_t pid = -1;

    if (!real)
        real = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    if (fails(THREAD, "fork", EAGAIN))
        return pid;
    blocks_lock();
    pid = real();
    blocks_unlock();
    return pid;
}

EXPORTED int openat(int directory, const char *path, int flags, ...)
{
    static int (*real)(int directory, const char *path, int flags, ...);
    va_list arguments;

    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!real)
        real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    return fails(FILES, "openat", EMFILE) ? -1 : real(directory, path, flags, mode);
}

EXPORTED int open(const char *path, int flags, ...)
{
    static int (*real)(const char *path, int flags, ...);
    va_list arguments;

    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!real)
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return fails(FILES, "open", EMFILE) ? -1 : real(path, flags, mode);
}
