/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduler for the kernel's class sched_ext, the simplest that there is: one queue of all
 * threads for all processors, first come first served, turns of 20 ms. Whoever wakes while a
 * processor is idle gets that one, which is what the kernel does where a scheduler does not choose.
 * It is a rival in the laboratory: the best that a kernel can do without knowing of barriers. Types
 * are told as far as they are used; the loader finds the kernel's own by their names. */
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))

static const u64 the_one_queue = 1ULL << 63 | 1; /* SCX_DSQ_GLOBAL */
static const u64 turn_ns = 20 * 1000 * 1000;

struct task_struct {
    int pid;
};

extern void scx_bpf_dsq_insert(struct task_struct *thread, u64 queue, u64 slice_ns, u64 flags)
    __attribute__((section(".ksyms")));

/* As the kernel lays them out for BPF. The thread has no type here: of a type that clang meets
 * first behind a member's pointer it tells the loader no more than the name. */
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
