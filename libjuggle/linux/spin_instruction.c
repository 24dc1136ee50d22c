/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin_instruction.h"

#include <string.h>

enum { RAX = 0, RSP = 4, RBP = 5, ALU_OR = 1, ALU_ADC = 2, ALU_SBB = 3, ALU_CMP = 7 };

/* An instruction without its prefixes. */
struct coded {
    const uint8_t *code;
    size_t left;
    uint8_t rex; /* 0: there is none */
    bool narrow; /* 16 bits wide */
    bool locked;
};

/* The two operands that follow an opcode. */
struct operands {
    size_t length; /* of the bytes that name them; 0: cut off */
    int extension; /* of the opcode, where the register is none */
    bool in_memory;
    uint32_t reg;   /* the mask of the register */
    uint32_t other; /* of the other one, or of those of its address */
    struct spin_load load;
};

static uint32_t register_bit(int number, bool high)
{
    return UINT32_C(1) << (number + (high ? 8 : 0));
}

/* Without a REX prefix the byte registers 4 to 7 are the second bytes of 0 to 3. */
static uint32_t byte_bit(const struct coded *coded, int number, bool high)
{
    return register_bit(!coded->rex && number >= RSP ? number - RSP : number, high);
}

static int register_number(int number, bool high)
{
    return number + (high ? 8 : 0);
}

static int32_t displacement_at(const uint8_t *code, size_t size)
{
    int32_t wide = 0;

    if (size == 1)
        return code[0] < 0x80 ? code[0] : code[0] - 0x100;
    memcpy(&wide, code, size);
    return wide;
}

/* The bytes that name an address in memory, with what is added to the registers; 0: cut off. */
static size_t address_at(const struct coded *coded, const uint8_t *modrm, size_t left,
                         struct spin_load *load)
{
    const int mode = modrm[0] >> 6, low = modrm[0] & 7;
    const bool indexed = low == RSP;
    size_t length = indexed ? 2 : 1;
    size_t added = mode == 1 ? 1 : mode == 2 ? 4 : 0;

    if (length > left)
        return 0;
    const int base = indexed ? modrm[1] & 7 : low, index = indexed ? modrm[1] >> 3 & 7 : RSP;
    *load = (struct spin_load){.base = SPIN_REGISTER_NONE, .index = SPIN_REGISTER_NONE};
    if (mode == 0 && base == RBP) {
        added = 4;
        load->beside_code = !indexed;
    } else {
        load->base = register_number(base, coded->rex & 1);
    }
    if (indexed && (index != RSP || coded->rex & 2)) {
        load->index = register_number(index, coded->rex & 2);
        load->scale_log2 = modrm[1] >> 6;
    }
    if (length + added > left)
        return 0;
    load->displacement = displacement_at(modrm + length, added);
    return length + added;
}

uint32_t spin_load_registers(const struct spin_load *load)
{
    return (load->base < 0 ? 0 : register_bit(load->base, false)) |
           (load->index < 0 ? 0 : register_bit(load->index, false));
}

bool spin_load_is_of_stack(const struct spin_load *load)
{
    return load->base == RSP || load->base == RBP;
}

static struct operands operands_at(const struct coded *coded, size_t at, bool bytes)
{
    struct operands operands = {0};

    if (at >= coded->left)
        return operands;
    const uint8_t *modrm = coded->code + at;
    const int mode = modrm[0] >> 6;
    operands.length = 1;
    operands.extension = modrm[0] >> 3 & 7;
    operands.in_memory = mode != 3;
    operands.reg = bytes ? byte_bit(coded, operands.extension, coded->rex & 4)
                         : register_bit(operands.extension, coded->rex & 4);
    if (!operands.in_memory) {
        operands.other = bytes ? byte_bit(coded, modrm[0] & 7, coded->rex & 1)
                               : register_bit(modrm[0] & 7, coded->rex & 1);
        return operands;
    }
    operands.length = address_at(coded, modrm, coded->left - at, &operands.load);
    operands.load.size = bytes ? 1 : coded->narrow ? 2 : coded->rex & 8 ? 8 : 4;
    operands.other = spin_load_registers(&operands.load);
    return operands;
}

static void load_note(struct spin_effect *effect, const struct operands *operands)
{
    effect->loads = operands->in_memory;
    effect->load = operands->load;
}

/* Bytes and words leave the rest of a register as it was. */
static void write_note(struct spin_effect *effect, uint32_t bits, bool whole)
{
    effect->writes |= bits;
    if (!whole)
        effect->reads |= bits;
}

/* add, or, and, sub, xor, cmp between a register and a register or memory. */
static size_t alu_at(const struct coded *coded, struct spin_effect *effect)
{
    const int operation = coded->code[0] >> 3, form = coded->code[0] & 7;
    const bool bytes = !(form & 1);

    if (operation == ALU_ADC || operation == ALU_SBB || form > 5)
        return 0;
    if (form >= 4) {
        effect->reads = register_bit(RAX, false);
        effect->writes = operation == ALU_CMP ? 0 : effect->reads;
        return bytes ? 2 : coded->narrow ? 3 : 5;
    }
    const struct operands operands = operands_at(coded, 1, bytes);
    const uint32_t target = form < 2 ? operands.other : operands.reg;
    if (!operands.length || (operation != ALU_CMP && operands.in_memory && form < 2))
        return 0;
    effect->reads = operands.reg | operands.other;
    effect->writes = operation == ALU_CMP ? 0 : target;
    load_note(effect, &operands);
    return 1 + operands.length;
}

/* The same with a number: 80, 81, 83. A locked `or` with zero is a fence. */
static size_t alu_number_at(const struct coded *coded, struct spin_effect *effect)
{
    const uint8_t opcode = coded->code[0];
    const struct operands operands = operands_at(coded, 1, opcode == 0x80);
    const int operation = operands.extension;
    const size_t length = 1 + operands.length + (opcode != 0x81 ? 1 : coded->narrow ? 2 : 4);

    if (!operands.length || length > coded->left || operation == ALU_ADC || operation == ALU_SBB)
        return 0;
    effect->reads = operands.other;
    if (operands.in_memory && operation != ALU_CMP)
        return coded->locked && operation == ALU_OR && opcode == 0x83 &&
                       coded->code[length - 1] == 0
                   ? length
                   : 0;
    effect->writes = operation == ALU_CMP ? 0 : operands.other;
    load_note(effect, &operands);
    return length;
}

/* mov and its like, into a register. */
static size_t load_at(const struct coded *coded, size_t opcode_size, bool bytes, bool whole,
                      struct spin_effect *effect)
{
    const struct operands operands = operands_at(coded, opcode_size, bytes);

    if (!operands.length)
        return 0;
    effect->reads = operands.other;
    load_note(effect, &operands);
    write_note(effect, operands.reg, whole && !coded->narrow);
    return opcode_size + operands.length;
}

/* test between two registers, or of memory. */
static size_t test_at(const struct coded *coded, bool bytes, struct spin_effect *effect)
{
    const struct operands operands = operands_at(coded, 1, bytes);

    effect->reads = operands.reg | operands.other;
    load_note(effect, &operands);
    return operands.length ? 1 + operands.length : 0;
}

static size_t test_number_at(const struct coded *coded, bool bytes, struct spin_effect *effect)
{
    const struct operands operands = operands_at(coded, 1, bytes);

    if (!operands.length || operands.extension > 1)
        return 0;
    effect->reads = operands.other;
    load_note(effect, &operands);
    return 1 + operands.length + (bytes ? 1 : coded->narrow ? 2 : 4);
}

/* nop, the fences, movzx and movsx. */
static size_t two_bytes_at(const struct coded *coded, struct spin_effect *effect)
{
    if (coded->left < 3)
        return 0;
    switch (coded->code[1]) {
    case 0x1f: {
        const struct operands operands = operands_at(coded, 2, false);
        return operands.length ? 2 + operands.length : 0;
    }
    case 0xae:
        return coded->code[2] >= 0xe8 ? 3 : 0;
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf: {
        const size_t length = load_at(coded, 2, false, true, effect);
        effect->load.size = coded->code[1] & 1 ? 2 : 1;
        /* The second byte of a register, perhaps. */
        if (!effect->loads && !coded->rex)
            effect->reads |= effect->reads >> RSP;
        return length;
    }
    default:
        return 0;
    }
}

/* A move between registers, or the address alone of what would be loaded. */
static size_t move_at(const struct coded *coded, struct spin_effect *effect)
{
    const struct operands operands = operands_at(coded, 1, false);
    const bool address = coded->code[0] == 0x8d;

    if (!operands.length || address != operands.in_memory)
        return 0;
    effect->reads = address ? operands.other : operands.reg;
    write_note(effect, address ? operands.reg : operands.other, !coded->narrow);
    return 1 + operands.length;
}

/* A register by a number of bits, or by one. */
static size_t shift_at(const struct coded *coded, struct spin_effect *effect)
{
    const struct operands operands = operands_at(coded, 1, false);

    if (!operands.length || operands.in_memory)
        return 0;
    effect->reads = effect->writes = operands.other;
    return 1 + operands.length + (coded->code[0] == 0xc1);
}

static size_t opcode_at(const struct coded *coded, struct spin_effect *effect)
{
    const uint8_t opcode = coded->code[0];

    if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
        return alu_number_at(coded, effect);
    if (coded->locked)
        return 0;
    if (opcode == 0x0f)
        return two_bytes_at(coded, effect);
    if (opcode < 0x40)
        return alu_at(coded, effect);
    switch (opcode) {
    case 0x63: {
        const size_t length = load_at(coded, 1, false, true, effect);
        effect->load.size = 4;
        return length;
    }
    case 0x84:
    case 0x85:
        return test_at(coded, opcode == 0x84, effect);
    case 0x89:
    case 0x8d:
        return move_at(coded, effect);
    case 0x8a:
    case 0x8b:
        return load_at(coded, 1, opcode == 0x8a, opcode == 0x8b, effect);
    case 0x90:
        return coded->rex & 1 ? 0 : 1; /* one that exchanges registers; or none */
    case 0x98:
        effect->reads = effect->writes = register_bit(RAX, false);
        return 1;
    case 0xc1:
    case 0xd1:
        return shift_at(coded, effect);
    case 0xa8:
    case 0xa9:
        effect->reads = register_bit(RAX, false);
        return opcode == 0xa8 ? 2 : coded->narrow ? 3 : 5;
    case 0xf6:
    case 0xf7:
        return test_number_at(coded, opcode == 0xf6, effect);
    default:
        return 0;
    }
}

size_t spin_instruction_at(const uint8_t *code, size_t left, struct spin_effect *effect)
{
    struct coded coded = {.code = code, .left = left};
    size_t length;

    *effect = (struct spin_effect){0};
    for (; coded.left > 1 && (coded.code[0] == 0x66 || coded.code[0] == 0xf0);
         coded.code++, coded.left--) {
        coded.narrow |= coded.code[0] == 0x66;
        coded.locked |= coded.code[0] == 0xf0;
    }
    if (coded.left > 1 && (coded.code[0] & 0xf0) == 0x40) {
        coded.rex = coded.code[0];
        coded.code++;
        coded.left--;
    }
    if (!coded.left)
        return 0;
    length = opcode_at(&coded, effect);
    return length && length <= coded.left ? left - coded.left + length : 0;
}

/* ---- any instruction ---- */

/* What follows each opcode: `m` operands, `b` a byte, `w` two, `d` four, `z` four or, where it is
 * narrow, two, `v` the same or, where it is wide, eight, `q` eight, `e` three; `M` and `Z` operands
 * and a byte, or as `z`; `t` and `T` the same for those that test; `.` nothing. */
static const char one_byte[] = "mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  "
                               "                ................   m    zZbM....bbbbbbbbbbbbbbbb"
                               "MZ Mmmmmmmmmmmmm.......... .....qqqq....bz......bbbbbbbbvvvvvvvv"
                               "MMw.  MZe.w..b .mmmm   .mmmmmmmmbbbbbbbbdd b.... .  ..tT......mm";
static const char behind_0f[] = "mmmm ..... . m.Mmmmmmmmmmmmmmmmmmmmm    mmmmmmmm...... .        "
                                "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmMMMMmmm.mmmmmmmm"
                                "ddddddddddddddddmmmmmmmmmmmmmmmm...mMm  ...mMmmmmmmmmmmmmmMmmmmm"
                                "mmMmMMMm........mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";

_Static_assert(sizeof(one_byte) == 257 && sizeof(behind_0f) == 257, "each opcode has its form");

/* Segments, sizes, and what locks or repeats. */
static bool is_prefix(uint8_t byte)
{
    return (byte & 0xe7) == 0x26 || (byte & 0xfc) == 0x64 || byte == 0xf0 || (byte & 0xfe) == 0xf2;
}

static bool has_operands(char form)
{
    return form == 'm' || form == 'M' || form == 'Z' || form == 't' || form == 'T';
}

/* The bytes before an opcode that say of which map it is. */
static size_t escape_at(const struct coded *coded, int *map)
{
    enum { OF_0F = 1, OF_0F38, OF_0F3A, VEX_MAPS = 0x1f, EVEX_MAPS = 7 };
    const uint8_t next = coded->left > 1 ? coded->code[1] : 0;

    switch (coded->code[0]) {
    case 0x0f:
        *map = next == 0x38 ? OF_0F38 : next == 0x3a ? OF_0F3A : OF_0F;
        return *map == OF_0F ? 1 : 2;
    case 0xc5:
        *map = OF_0F;
        return 2;
    case 0xc4:
        *map = next & VEX_MAPS;
        return 3;
    case 0x62:
        *map = next & EVEX_MAPS;
        return 4;
    default:
        *map = 0;
        return 0;
    }
}

static char form_of(int map, uint8_t opcode)
{
    static const char maps[] = "  mM mm";

    return map == 0                      ? one_byte[opcode]
           : map == 1                    ? behind_0f[opcode]
           : map < (int)sizeof(maps) - 1 ? maps[map]
                                         : ' ';
}

static size_t number_size(const struct coded *coded, char form, int extension)
{
    const size_t wide = coded->narrow && !(coded->rex & 8) ? 2 : 4;

    switch (form) {
    case 'b':
    case 'M':
        return 1;
    case 'w':
        return 2;
    case 'e':
        return 3;
    case 'd':
        return 4;
    case 'z':
    case 'Z':
        return wide;
    case 'v':
        return coded->rex & 8 ? 8 : wide;
    case 'q':
        return 8;
    case 't':
        return extension < 2 ? 1 : 0;
    case 'T':
        return extension < 2 ? wide : 0;
    default:
        return 0;
    }
}

size_t spin_instruction_length(const uint8_t *code, size_t left)
{
    struct coded coded = {.code = code, .left = left};
    struct operands operands = {0};
    int map;

    for (; coded.left && is_prefix(coded.code[0]); coded.code++, coded.left--)
        coded.narrow |= coded.code[0] == 0x66;
    if (coded.left && (coded.code[0] & 0xf0) == 0x40) {
        coded.rex = coded.code[0];
        coded.code++;
        coded.left--;
    }
    if (!coded.left)
        return 0;
    const size_t opcode = escape_at(&coded, &map);
    if (opcode >= coded.left)
        return 0;
    const char form = form_of(map, coded.code[opcode]);
    if (has_operands(form))
        operands = operands_at(&coded, opcode + 1, false);
    if (form == ' ' || (has_operands(form) && !operands.length))
        return 0;
    const size_t length = opcode + 1 + operands.length +
                          number_size(&coded, form, operands.extension);
    return length <= coded.left ? left - coded.left + length : 0;
}
