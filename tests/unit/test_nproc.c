/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "juggle/nproc.h"
#include "libjuggle/juggle.h"
#include "libjuggle/linux/bindings.h"
#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/nproc.h"
#include "libjuggle/linux/pins.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 12 };

/* A machine as /proc and /sys describe it, in one tree, and the expected result. */
struct scene {
    const char *name;
    const char *mask;      /* NULL: the mask is not known */
    const char *recording; /* from tests/data/sys, or NULL */
    bool cores, fast;
    int count;
    enum nproc_limit_kind set_by;
    const char *files[FILES_MAX]; /* path, contents, path, contents... */
};

#define ONLINE     "devices/system/cpu/online"
#define ISOLATED   "devices/system/cpu/isolated"
#define SIBLINGS_0 "devices/system/cpu/cpu0/topology/thread_siblings_list"
#define SIBLINGS_1 "devices/system/cpu/cpu1/topology/thread_siblings_list"
#define GROUP      "self/cgroup"
#define MOUNTS     "self/mountinfo"
#define ROOT_V2    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

static const char hybrid_mounts[] =
    "31 30 0:9 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "32 30 0:8 / /sys/fs/cgroup/unified rw shared:1 master:2 - cgroup2 cgroup2 rw\n";

static const struct scene scenes[] = {
    /* ---- masks and processors ---- */
    {"all are online", "0-7", .count = 8, .set_by = NPROC_ONLINE, .files = {ONLINE, "0-7\n"}},
    {"the mask is narrower", "2-4", .count = 3, .set_by = NPROC_AFFINITY,
     .files = {ONLINE, "0-7\n"}},
    {"the mask names what is offline", "0-7", .count = 5, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-2,5-6\n"}},
    {"one processor", "0", .count = 1, .set_by = NPROC_ONLINE, .files = {ONLINE, "0\n"}},
    {"more than 1,024 processors", "0-2047", .count = 2048, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-2047\n"}},
    {"a mask beyond 1,024", "1500-1531", .count = 32, .set_by = NPROC_AFFINITY,
     .files = {ONLINE, "0-2047\n"}},
    {"a mask that is not known", NULL, .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n"}},
    {"a list of processors that is none", "0-3", .count = 4, .set_by = NPROC_AFFINITY,
     .files = {ONLINE, "all\n"}},
    {"no /proc and no /sys, but a mask", "0-3", .count = 4, .set_by = NPROC_AFFINITY},
    {"nothing at all", NULL, .count = 6, .set_by = NPROC_ONLINE},
    {"isolated processors are not spread over", "0-7", .count = 6, .set_by = NPROC_ISOLATED,
     .files = {ONLINE, "0-7\n", ISOLATED, "6-7\n"}},
    {"bound to isolated ones alone", "6-7", .count = 2, .set_by = NPROC_AFFINITY,
     .files = {ONLINE, "0-7\n", ISOLATED, "6-7\n"}},
    {"nothing is isolated", "0-7", .count = 8, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-7\n", ISOLATED, "\n"}},

    /* ---- siblings and kinds ---- */
    {"siblings count once", "0-15", "smt-server", .cores = true, .count = 8, .set_by = NPROC_CORES},
    {"half of each core", "0-3", .cores = true, .count = 4, .set_by = NPROC_AFFINITY,
     .files = {ONLINE, "0-7\n", SIBLINGS_0, "0,4\n", SIBLINGS_1, "1,5\n"}},
    {"cores of which nothing is told", "0-3", .cores = true, .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n"}},
    {"the fast kind of a hybrid", "0-19", "hybrid-two-kinds", .fast = true, .count = 12,
     .set_by = NPROC_FAST},
    {"fast cores of a hybrid", "0-19", "hybrid-two-kinds", .cores = true, .fast = true, .count = 6,
     .set_by = NPROC_CORES},
    {"a hybrid whole", "0-19", "hybrid-two-kinds", .count = 20, .set_by = NPROC_ONLINE},
    {"the slow kind alone is the fastest there is", "16-19", "hybrid-two-kinds", .fast = true,
     .count = 4, .set_by = NPROC_AFFINITY},
    {"no kinds are told", "0-3", .fast = true, .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n"}},

    /* ---- cgroups, version 2 ---- */
    {"v2: a quota of two", "0-63", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "200000 100000\n"}},
    {"v2: two and a half are two", "0-63", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "250000 100000\n"}},
    {"v2: less than one is one", "0-63", .count = 1, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "30000 100000\n"}},
    {"v2: another period", "0-63", .count = 5, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "50000 10000\n"}},
    {"v2: no quota", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "max 100000\n"}},
    {"v2: a group above has less", "0-63", .count = 3, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/a/b/c\n", "fs/cgroup/a/b/c/cpu.max", "800000 100000\n",
               "fs/cgroup/a/b/cpu.max", "max 100000\n", "fs/cgroup/a/cpu.max", "30000 10000\n"}},
    {"v2: a quota of more than there are", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "800000 100000\n"}},
    {"v2: zero is no quota", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "0 100000\n"}},
    {"v2: garbage, and a quota above", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "0::/a/b\n", "fs/cgroup/a/b/cpu.max", "lots\n",
               "fs/cgroup/a/cpu.max", "200000 100000\n"}},
    {"v2: a period of zero", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "100000 0\n"}},
    {"v2: a number that overflows", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max",
               "99999999999999999999 100000\n"}},
    {"v2: a group that has vanished, one above is there", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "0::/a/gone\n", "fs/cgroup/a/cpu.max", "200000 100000\n"}},
    {"v2: a cpuset and a mask that is wider", "0-63", .count = 8, .set_by = NPROC_CPUSET,
     .files = {ONLINE, "0-63\n", GROUP, "0::/batch/job\n", "fs/cgroup/batch/cpuset.cpus.effective",
               "8-15\n"}},
    {"v2: a cpuset, a mask in it and a quota below", "9-12", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/batch/job\n", "fs/cgroup/batch/cpuset.cpus.effective",
               "8-15\n", "fs/cgroup/batch/job/cpu.max", "200000 100000\n"}},
    {"v2: siblings, and a quota of fewer", "0-15", "smt-server", .cores = true, .count = 3,
     .set_by = NPROC_QUOTA,
     .files = {GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "300000 100000\n"}},

    /* ---- cgroups, version 1, and both ---- */
    {"v1: a quota", "0-63", .count = 4, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "4:memory:/x\n3:cpu,cpuacct:/docker/1\n",
               "fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "400000\n",
               "fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n"}},
    {"v1: no quota", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "3:cpu,cpuacct:/docker/1\n",
               "fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1\n",
               "fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n"}},
    {"v1: zero and garbage", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "3:cpu:/a/b\n", "fs/cgroup/cpu/a/cpu.cfs_quota_us", "0\n",
               "fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n",
               "fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-7\n", "fs/cgroup/cpu/a/b/cpu.cfs_period_us",
               "?\n"}},
    {"hybrid: the first version holds the controller", "0-7", .count = 3, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "3:cpu,cpuacct:/a\n0::/b\n",
               "fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n", "fs/cgroup/cpu/a/cpu.cfs_period_us",
               "100000\n", "fs/cgroup/unified/b/cpu.max", "100000 100000\n"}},
    {"hybrid: the second version holds it, mounted aside", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "2:memory:/m\n0::/b\n", MOUNTS, hybrid_mounts,
               "fs/cgroup/unified/b/cpu.max", "200000 100000\n"}},
    {"v1: mounted under both names", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "3:cpu,cpuacct:/a\n", MOUNTS,
               "32 30 0:8 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
               "fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n",
               "fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}},

    /* ---- containers and namespaces ---- */
    {"a container that sees its own group as the root", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "0::/\n", MOUNTS, ROOT_V2, "fs/cgroup/cpu.max",
               "200000 100000\n"}},
    {"a container that knows its name on the host", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "3:cpu:/docker/1/part\n", MOUNTS,
               "32 30 0:8 /docker/1 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
               "fs/cgroup/cpu/part/cpu.cfs_quota_us", "200000\n",
               "fs/cgroup/cpu/part/cpu.cfs_period_us", "100000\n"}},
    {"a container whose name has a blank and a backslash", "0-7", .count = 2, .set_by = NPROC_QUOTA,
     .files =
         {ONLINE, "0-7\n", GROUP, "3:cpu:/lxc-1\\x2da b.scope/part\n", MOUNTS,
          "32 30 0:8 /lxc-1\\134x2da\\040b.scope /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
          "fs/cgroup/cpu/part/cpu.cfs_quota_us", "200000\n", "fs/cgroup/cpu/part/cpu.cfs_period_us",
          "100000\n"}},
    {"a group beside those that are shown", "0-7", .count = 8, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-7\n", GROUP, "3:cpu:/docker/2\n", MOUNTS,
               "32 30 0:8 /docker/1 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
               "fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n", "fs/cgroup/cpu/cpu.cfs_period_us",
               "100000\n"}},
    {"a group outside of the namespace", "0-7", .count = 8, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-7\n", GROUP, "0::/../other\n", MOUNTS, ROOT_V2, "fs/cgroup/cpu.max",
               "200000 100000\n"}},
    {"the host's groups, seen from a namespace", "0-7", .count = 4, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "0::/\n", MOUNTS,
               "30 23 0:26 /.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "fs/cgroup/cpu.max",
               "400000 100000\n"}},
    {"v2: max, and no period", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "max\n"}},
    {"v2: a quota with words behind it", "0-3", .count = 4, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-3\n", GROUP, "0::/app\n", "fs/cgroup/app/cpu.max", "100000us 100000\n"}},
    {"v1: a group that has vanished, one above is there", "0-7", .count = 3, .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-7\n", GROUP, "3:cpu:/a/gone\n", "fs/cgroup/cpu/a/cpu.cfs_quota_us",
               "300000\n", "fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
    {"v1: a cpuset beyond 1,024", "0-2047", .count = 16, .set_by = NPROC_CPUSET,
     .files = {ONLINE, "0-2047\n", GROUP, "5:cpuset:/batch\n",
               "fs/cgroup/cpuset/batch/cpuset.effective_cpus", "1536-1551\n"}},
    {"nested: a container's quota within a pod's that is less", "0-63", .count = 2,
     .set_by = NPROC_QUOTA,
     .files = {ONLINE, "0-63\n", GROUP, "0::/kubepods/pod1/c1\n",
               "fs/cgroup/kubepods/pod1/c1/cpu.max", "400000 100000\n",
               "fs/cgroup/kubepods/pod1/cpu.max", "250000 100000\n", "fs/cgroup/kubepods/cpu.max",
               "max 100000\n"}},
    {"cut off in the middle", "0-7", .count = 8, .set_by = NPROC_ONLINE,
     .files = {ONLINE, "0-7\n", GROUP, "0::/ap", MOUNTS, "30 23 0:26 / /sys/fs/cg",
               "fs/cgroup/cpu.max", "200000 100000\n"}},
};

static int scene_make(const struct scene *scene)
{
    char recording[64];

    snprintf(recording, sizeof(recording), "tests/data/sys/%s",
             scene->recording ? scene->recording : "");
    const int tree = scene->recording ? tree_unpack(recording) : tree_create();
    for (int i = 0; i < FILES_MAX && scene->files[i]; i += 2)
        tree_write(tree, scene->files[i], scene->files[i + 1]);
    return tree;
}

static void scene_read(const struct scene *scene, int tree, struct nproc *nproc)
{
    struct nproc_question question = {
        .proc_fd = tree,
        .sys_fd = tree,
        .who = "self",
        .fallback = 6,
        .cores = scene->cores,
        .fast = scene->fast,
    };
    struct cpu_mask mask;

    if (scene->mask) {
        ck_assert_int_eq(cpu_mask_parse(scene->mask, &mask), 0);
        question.mask = &mask;
    }
    nproc_read(&question, nproc);
}

START_TEST(machines_of_every_kind_are_counted)
{
    struct nproc nproc;

    ck_assert_int_ge((int)ARRAY_COUNT(scenes), 40);
    for (size_t i = 0; i < ARRAY_COUNT(scenes); i++) {
        const struct scene *scene = &scenes[i];
        const int tree = scene_make(scene);
        scene_read(scene, tree, &nproc);
        ck_assert_msg(nproc.count == scene->count && nproc.set_by == scene->set_by,
                      "%s: %d by %s instead of %d by %s", scene->name, nproc.count,
                      nproc_limit_name(nproc.set_by), scene->count,
                      nproc_limit_name(scene->set_by));
        tree_remove(tree, ".");
    }
}

static void explanation_of(const struct nproc *nproc, char text[1024])
{
    FILE *file = fmemopen(text, 1024, "w");

    ck_assert_ptr_nonnull(file);
    nproc_print(nproc, file);
    fclose(file);
}

START_TEST(an_explanation_has_a_line_for_each_limit)
{
    const struct scene scene = {
        .mask = "8-9",
        .files = {ONLINE, "0-63\n", GROUP, "0::/a/b\n", "fs/cgroup/a/cpuset.cpus.effective",
                  "8-15\n", "fs/cgroup/a/b/cpu.max", "150000 100000\n", ISOLATED, "60-63\n"}};
    const int tree = scene_make(&scene);
    struct nproc nproc;
    char text[1024];

    scene_read(&scene, tree, &nproc);
    explanation_of(&nproc, text);
    ck_assert_str_eq(text, "  online      64  /sys/devices/system/cpu/online: 0-63\n"
                           "  cpuset       8  /sys/fs/cgroup/a/cpuset.cpus.effective: 8-15\n"
                           "  affinity     2  sched_getaffinity(2): 8-9\n"
                           "  isolated     2  /sys/devices/system/cpu/isolated: 60-63\n"
                           "* quota        1  /sys/fs/cgroup/a/b/cpu.max: 150000 us in each 100000 "
                           "us\n");
    tree_write(tree, "fs/cgroup/a/b/cpu.max", "0\n");
    scene_read(&scene, tree, &nproc);
    explanation_of(&nproc, text);
    ck_assert_ptr_nonnull(strstr(text, "* affinity     2"));
    ck_assert_ptr_nonnull(strstr(text, "  quota        -  /sys/fs/cgroup/a/b/cpu.max: contains no "
                                       "valid quota: ignored\n"));
    tree_remove(tree, ".");
}

START_TEST(without_proc_and_sys_the_plain_count_is_told)
{
    const struct nproc_question question = {
        .proc_fd = -1, .sys_fd = -1, .who = "self", .cores = true, .fast = true};
    struct nproc nproc;
    char text[1024];

    nproc_read(&question, &nproc);
    ck_assert_int_eq(nproc.count, 1);
    explanation_of(&nproc, text);
    ck_assert_str_eq(text, "* online       1  sysconf(3): number of online processors, because no "
                           "limit could be read\n");
}

START_TEST(the_library_counts_the_callers_own)
{
    struct nproc nproc;

    nproc_read_own(false, false, &nproc);
    ck_assert_int_eq(juggle_nproc(0), nproc.count);
    ck_assert_int_le(juggle_nproc(JUGGLE_NPROC_CORES), nproc.count);
    ck_assert_int_ge(juggle_nproc(JUGGLE_NPROC_CORES | JUGGLE_NPROC_FAST), 1);
    ck_assert_int_eq(juggle_nproc(4), -EINVAL);
}

/* With sanitizers each variable needs more room. */
#ifdef __SANITIZE_ADDRESS__
enum { SMALL_STACK_SIZE = 1 << 20 };
#else
enum { SMALL_STACK_SIZE = 64 << 10 };
#endif

static void *count_on_a_small_stack(void *count)
{
    *(int *)count = juggle_nproc(JUGGLE_NPROC_CORES | JUGGLE_NPROC_FAST);
    return NULL;
}

START_TEST(a_thread_with_a_small_stack_may_count)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int count = 0;

    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    /* The least size that is allowed, if it is larger: 128 KiB on AArch64. */
    ck_assert_int_eq(
        pthread_attr_setstacksize(&attributes,
                                  (size_t)max_i64(sysconf(_SC_THREAD_STACK_MIN), SMALL_STACK_SIZE)),
        0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, count_on_a_small_stack, &count), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_ge(count, 1);
    pthread_attr_destroy(&attributes);
}

/* ---- pins of other programs ---- */

/* Writes a thread called `name`, whose last processor was 3. */
static void flagged_write(int tree, const char *path, const char *comm, char state, int parent,
                          unsigned flags, const char *list)
{
    char name[64], text[256];

    snprintf(name, sizeof(name), "%s/stat", path);
    snprintf(
        text, sizeof(text),
        "1 (%s) %c %d 0 0 0 0 %u 0 0 0 0 1 1 0 0 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 0 "
        "0 0 0\n",
        comm, state, parent, flags);
    tree_write(tree, name, text);
    snprintf(name, sizeof(name), "%s/status", path);
    snprintf(text, sizeof(text), "Name:\tx\nCpus_allowed_list:\t%s\n", list);
    tree_write(tree, name, text);
}

static void named_write(int tree, const char *path, const char *comm, char state, int parent,
                        const char *list)
{
    flagged_write(tree, path, comm, state, parent, 0, list);
}

static void thread_write(int tree, const char *path, char state, int parent, const char *list)
{
    named_write(tree, path, "x", state, parent, list);
}

START_TEST(running_threads_with_one_processor_are_pinned)
{
    const int tree = tree_create();
    struct cpu_mask processors;
    struct pins pins;
    char list[32];

    ck_assert_int_eq(cpu_mask_parse("0-3", &processors), 0);
    pins_read(tree, &processors, &pins);
    ck_assert_int_eq(pins.threads_count, 0);
    thread_write(tree, "70/task/70", 'R', 1, "2");
    thread_write(tree, "70/task/71", 'R', 1, "2");
    thread_write(tree, "80/task/80", 'R', 1, "1");
    thread_write(tree, "80/task/81", 'S', 1, "0"); /* sleeps */
    thread_write(tree, "80/task/82", 'R', 1, "0-1");
    thread_write(tree, "80/task/83", 'R', 1, "5");                   /* pinned elsewhere */
    flagged_write(tree, "90/task/90", "x", 'R', 2, 0x00200000, "3"); /* a kernel thread */
    /* In a container these numbers are those of ordinary processes. */
    thread_write(tree, "2/task/2", 'R', 1, "0");
    thread_write(tree, "91/task/91", 'R', 2, "0");
    tree_write(tree, "95/task/95/stat", "no such format");
    pins_read(tree, &processors, &pins);
    ck_assert_int_eq(pins.threads_count, 5);
    cpu_mask_format(&pins.processors, list, sizeof(list));
    ck_assert_str_eq(list, "0-2");
    cpu_mask_format(&pins.busy, list, sizeof(list));
    ck_assert_str_eq(list, "3");
    tree_remove(tree, ".");
}

START_TEST(ranks_of_two_launchers_on_one_processor_are_seen)
{
    const int tree = tree_create();
    struct cpu_mask processors;
    struct bindings bindings;
    char list[32];

    ck_assert_int_eq(cpu_mask_parse("0-3", &processors), 0);
    named_write(tree, "60/task/60", "mpirun", 'S', 1, "0-3");
    named_write(tree, "61/task/61", "app", 'R', 60, "0");
    named_write(tree, "62/task/62", "app", 'R', 60, "1");
    named_write(tree, "63/task/63", "sh", 'S', 60, "2-3");
    named_write(tree, "70/task/70", "hydra_pmi_proxy", 'S', 1, "0-3");
    named_write(tree, "71/task/71", "sh", 'S', 70, "0-3");   /* has the full mask: not bound */
    named_write(tree, "80/task/80", "taskset", 'R', 1, "0"); /* a user's own pin, not a rank */
    ck_assert_int_eq(bindings_read(tree, &processors, &bindings), 0);
    ck_assert_int_eq(cpu_mask_count(&bindings.shared), 0);
    ck_assert_int_eq(bindings.launchers[0], 0);
    named_write(tree, "72/task/72", "app", 'S', 71, "1-2");
    ck_assert_int_eq(bindings_read(tree, &processors, &bindings), 0);
    cpu_mask_format(&bindings.shared, list, sizeof(list));
    ck_assert_str_eq(list, "1-2");
    ck_assert_int_eq(bindings.launchers[0] + bindings.launchers[1], 60 + 70);
    /* In a container a launcher may have PID 1. */
    named_write(tree, "1/task/1", "mpirun", 'S', 0, "0-3");
    named_write(tree, "80/task/80", "app", 'R', 1, "0");
    ck_assert_int_eq(bindings_read(tree, &processors, &bindings), 0);
    cpu_mask_format(&bindings.shared, list, sizeof(list));
    ck_assert_str_eq(list, "0-2");
    tree_remove(tree, ".");
}

SUITE("nproc")
