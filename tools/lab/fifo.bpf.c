/* SPDX-License-Identifier: BSD-3-Clause */
/* The simplest scheduler for the kernel's class sched_ext: one queue of all threads for all
 * processors, first come first served, with slices of 20 ms. A thread that wakes while a processor
 * is idle gets that one, which is the kernel's default if a scheduler does not choose. The
 * laboratory compares it with Juggle: it is the best that a kernel can do without knowing of
 * barriers. Types are declared only as far as they are used; the loader finds the kernel's types by
 * name. */
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))

static const u64 the_one_queue = 1ULL << 63 | 1; /* SCX_DSQ_GLOBAL */
static const u64 turn_ns = 20 * 1000 * 1000;

struct task_struct {
    int pid;
};

extern void scx_bpf_dsq_insert(struct task_struct *thread, u64 queue, u64 slice_ns, u64 flags)
    __attribute__((section(".ksyms")));

/* The kernel's layout of the arguments for BPF. The thread is a void pointer, because clang
 * describes a type that it meets first behind a member's pointer to the loader only by its name. */
struct enqueue_arguments {
    void *thread;
    u64 flags;
};

SEC("struct_ops/fifo_enqueue")
int fifo_enqueue(struct enqueue_arguments *asked)
{
    scx_bpf_dsq_insert(asked->thread, the_one_queue, turn_ns, asked->flags);
    return 0;
}

struct sched_ext_ops {
    void (*enqueue)(struct task_struct *thread, u64 flags);
    char name[128];
};

SEC(".struct_ops")
struct sched_ext_ops fifo = {
    .enqueue = (void (*)(struct task_struct *, u64))fifo_enqueue,
    .name = "fifo",
};

SEC("license") char dual_license[] = "Dual BSD/GPL";
