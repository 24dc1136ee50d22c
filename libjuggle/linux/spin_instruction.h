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

/* What an instruction does: masks of registers, and whether it loads. */
struct spin_effect {
    uint32_t reads, writes;
    bool loads;
};

/* The length of the instruction at the beginning of some code; 0: it is not known. */
size_t spin_instruction_at(const uint8_t *code, size_t left, struct spin_effect *effect);

#endif
