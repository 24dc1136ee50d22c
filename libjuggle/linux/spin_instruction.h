/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one x86 instruction reads and writes, of those that loops consist of which wait for memory
 * to change. Pure.
 *
 * Instructions are those of 64-bit mode. What stores, calls or jumps is not known here, nor is most
 * of what computes: a loop that holds it is one that works.
 */
#ifndef JUGGLE_LINUX_SPIN_INSTRUCTION_H
#define JUGGLE_LINUX_SPIN_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIN_REGISTER_NONE = -1 };

/* Where an instruction loads from: registers by their number, those of `rax` to `r15`. */
struct spin_load {
    int base, index; /* SPIN_REGISTER_NONE: there is none */
    int scale_log2;
    int32_t displacement;
    bool beside_code; /* from the end of the instruction on */
    int size;         /* in bytes */
};

/* What an instruction does: masks of registers, and whether it loads. */
struct spin_effect {
    uint32_t reads, writes;
    bool loads;
    struct spin_load load; /* where it does */
};

/* The mask of the registers that an address is made of. */
uint32_t spin_load_registers(const struct spin_load *load);

/* Whether it is from the stack, as far as registers are used as usual. */
bool spin_load_is_of_stack(const struct spin_load *load);

/* The length of the instruction at the beginning of some code; 0: it is not known. */
size_t spin_instruction_at(const uint8_t *code, size_t left, struct spin_effect *effect);

/* The same of any instruction, be it one that stores, calls or computes; 0: it is none. */
size_t spin_instruction_length(const uint8_t *code, size_t left);

#endif
