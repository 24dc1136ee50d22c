/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/refusal.h"

#include "libjuggle/ground/units.h"
#include "tests/lib/suite.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

void refuse_call(int number, int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {ARRAY_COUNT(code), code};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

rlim_t limit_set(int resource, rlim_t soft)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) < 0)
        abort();
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = soft;
    if (setrlimit(resource, &limit) < 0)
        abort();
    return before;
}
