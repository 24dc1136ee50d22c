/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/work_account.h"

static void add(struct thread_work *thread, int64_t ran_ns, int64_t work_ns)
{
    thread->ran_ns += ran_ns;
    thread->work_ns += work_ns;
}

static int find(const struct work_account *account, const struct thread_id *id)
{
    int i = 0;

    while (i < account->threads_count && !thread_id_equal(&account->threads[i].id, id))
        i++;
    return i;
}

void work_account_add(struct work_account *account, const struct thread_id *id, int64_t ran_ns,
                      int64_t work_ns)
{
    const int i = find(account, id);

    add(&account->all, ran_ns, work_ns);
    if (i == WORK_ACCOUNT_THREADS_MAX)
        return;
    if (i == account->threads_count)
        account->threads[account->threads_count++] = (struct thread_work){.id = *id};
    add(&account->threads[i], ran_ns, work_ns);
}

/* `all` is added by itself, because it includes threads for which there is no room. */
void work_account_add_all(struct work_account *account, const struct work_account *other,
                          double weight)
{
    struct thread_work all = account->all;

    add(&all, (int64_t)(weight * (double)other->all.ran_ns),
        (int64_t)(weight * (double)other->all.work_ns));
    for (int i = 0; i < other->threads_count; i++)
        work_account_add(account, &other->threads[i].id,
                         (int64_t)(weight * (double)other->threads[i].ran_ns),
                         (int64_t)(weight * (double)other->threads[i].work_ns));
    account->all = all;
}

double work_account_share(const struct work_account *account, const struct thread_id *id)
{
    const int i = find(account, id);
    const bool own = i < account->threads_count && account->threads[i].ran_ns > 0;
    const struct thread_work *thread = own ? &account->threads[i] : &account->all;

    if (thread->ran_ns <= 0)
        return 0;
    const double share = (double)thread->work_ns / (double)thread->ran_ns;
    return share < 1 ? share : 1;
}
