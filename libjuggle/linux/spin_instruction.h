/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells what one x86 instruction reads and writes, for the instructions that are found in loops
 * that wait for memory to change. Pure.
 *
 * Instructions are those of 64-bit mode. Instructions that store, call or jump are not known here,
 * nor are most of those that compute: a loop that holds one of them works.
 */
#ifndef JUGGLE_LINUX_SPIN_INSTRUCTION_H
#define JUGGLE_LINUX_SPIN_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIN_REGISTER_NONE = -1 };

/* Where an instruction loads from. Registers have the numbers of `rax` to `r15`. */
struct spin_load {
    int base, index; /* SPIN_REGISTER_NONE: there is none */
    int scale_log2;
    int32_t displacement;
    bool rip_relative; /* relative to the end of the instruction */
    int size;          /* in bytes */
};

/* What an instruction does: masks of registers, and whether it loads. */
struct spin_effect {
    uint32_t reads, writes;
    bool loads;
    struct spin_load load; /* from where, if it loads */
};

/* The mask of the registers that an address is made of. */
uint32_t spin_load_registers(const struct spin_load *load);

/* True if the load is from the stack, provided that registers are used as usual. */
bool spin_load_is_of_stack(const struct spin_load *load);

/* The length of the instruction at the beginning of some code; 0: it is not known. */
size_t spin_instruction_at(const uint8_t *code, size_t left, struct spin_effect *effect);

/* Returns the length of any instruction, including those that store, call or compute; 0: it is
 * none. */
size_t spin_instruction_length(const uint8_t *code, size_t left);

#endif
