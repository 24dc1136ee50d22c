/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. The balancer writes `pid` and `tid`. While a thread is sampled, `count` and the
 * list belong to it. A sample that was noted for an earlier request may count for this one, and
 * what is read may be incomplete. So samples are only hints: code that acts on them checks them
 * itself.
 */
#include "libjuggle/waiting/page_samples.h"

#include "libjuggle/waiting/page_state.h"

/* ---- for the balancer ---- */

void page_sample_ask(struct page *page, int index, pid_t pid, pid_t tid)
{
    struct sampled *sampled = &page->shared->sampled[index];

    sampled->pid = 0;
    sampled->tid = tid;
    sampled->count = 0;
    sampled->due = true;
    sampled->pid = pid;
}

void page_samples_hold(struct page *page, int64_t until_ns)
{
    page->shared->samples_until_ns = until_ns;
}

bool page_sample_is_due(const struct page *page, int index)
{
    return page->shared->sampled[index].due;
}

int page_samples_read(const struct page *page, int index, uint64_t addresses[PAGE_SAMPLES_MAX])
{
    const struct sampled *sampled = &page->shared->sampled[index];
    const int count = (int)min_i64(sampled->count, PAGE_SAMPLES_MAX);

    for (int i = 0; i < count; i++)
        addresses[i] = sampled->addresses[i];
    return count;
}

/* ---- for the program ---- */

pid_t page_sample_due(const struct page *page, int index, pid_t pid)
{
    const struct sampled *sampled = &page->shared->sampled[index];

    return sampled->pid == pid && sampled->due ? sampled->tid : 0;
}

void page_sample_is_answered(struct page *page, int index)
{
    page->shared->sampled[index].due = false;
}

bool page_samples_are_wanted(const struct page *page, int64_t now_ns)
{
    return now_ns < page->shared->samples_until_ns;
}

void page_sample_note(struct page *page, int index, pid_t tid, uint64_t address)
{
    struct sampled *sampled = &page->shared->sampled[index];
    const uint32_t count = sampled->count;

    if (sampled->tid != tid || count >= PAGE_SAMPLES_MAX)
        return;
    sampled->addresses[count] = address;
    sampled->count = count + 1;
}
