/* SPDX-License-Identifier: BSD-3-Clause */
/* Any instruction is taken apart into prefixes, an opcode, operands and a number, which tells its
 * length. What it does is only known of a few. */
#include "libjuggle/linux/spin_instruction.h"

#include <string.h>

enum { RAX = 0, RSP = 4, RBP = 5 };

/* The two operands that follow an opcode. */
struct operands {
    size_t length; /* of the bytes that name them; 0: there are none */
    int extension; /* of the opcode, if no register is named */
    bool in_memory;
    uint32_t reg;   /* the mask of the register */
    uint32_t other; /* the mask of the other register, or of the registers of its address */
    struct spin_load load;
};

struct coded {
    const uint8_t *code; /* behind the prefixes */
    size_t left;
    size_t length; /* without the prefixes */
    uint8_t rex;   /* 0: there is none */
    bool narrow;   /* 16 bits wide */
    bool locked;
    bool altered; /* by another prefix, which repeats or names a segment */
    int map;      /* the number of the opcode's map */
    struct operands operands;
};

/* ---- operands ---- */

static int register_number(int number, bool high)
{
    return number + (high ? 8 : 0);
}

static uint32_t register_bit(int number, bool high)
{
    return UINT32_C(1) << register_number(number, high);
}

/* Without a REX prefix the byte registers 4 to 7 are the second bytes of 0 to 3. */
static uint32_t byte_bit(const struct coded *coded, int number, bool high)
{
    return register_bit(!coded->rex && number >= RSP ? number - RSP : number, high);
}

static int32_t displacement_at(const uint8_t *code, size_t size)
{
    int32_t wide = 0;

    if (size == 1)
        return code[0] < 0x80 ? code[0] : code[0] - 0x100;
    memcpy(&wide, code, size);
    return wide;
}

/* Returns the number of bytes that name an address in memory, and the address; 0: they are cut
 * off. */
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
        load->rip_relative = !indexed;
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

/* Decodes operands. Their length is 0 if they are cut off. */
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

/* ---- any instruction ---- */

/* The bytes that follow each opcode: `m` operands, `b` one byte, `w` two, `d` four, `z` four or, if
 * the instruction is narrow, two, `v` as `z` or, if it is wide, eight, `q` eight, `e` three; `M`
 * operands and one byte, `Z` operands and the bytes of `z`; `t` and `T` as `M` and `Z`, with the
 * number only in a test; `.` none. A blank: there is no such instruction. */
static const char one_byte[] = "mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  mmmmbz  "
                               "                ................   m    zZbM....bbbbbbbbbbbbbbbb"
                               "MZ Mmmmmmmmmmmmm.......... .....qqqq....bz......bbbbbbbbvvvvvvvv"
                               "MMw.  MZe.w..b .mmmm   .mmmmmmmmbbbbbbbbdd b.... .  ..tT......mm";
static const char behind_0f[] = "mmmm ..... . m.Mmmmmmmmmmmmmmmmmmmmm    mmmmmmmm...... .        "
                                "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmMMMMmmm.mmmmmmmm"
                                "ddddddddddddddddmmmmmmmmmmmmmmmm...mMm  ...mMmmmmmmmmmmmmmMmmmmm"
                                "mmMmMMMm........mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";

_Static_assert(sizeof(one_byte) == 257 && sizeof(behind_0f) == 257, "each opcode has its form");

enum { OF_ONE_BYTE, OF_0F, OF_0F38, OF_0F3A, VEX_MAPS = 0x1f, EVEX_MAPS = 7 };

/* True for a prefix of a segment or a size, or one that locks or repeats. */
static bool is_prefix(uint8_t byte)
{
    return (byte & 0xe7) == 0x26 || (byte & 0xfc) == 0x64 || byte == 0xf0 || (byte & 0xfe) == 0xf2;
}

static void prefixes_take(struct coded *coded)
{
    for (; coded->left && is_prefix(coded->code[0]); coded->code++, coded->left--) {
        coded->narrow |= coded->code[0] == 0x66;
        coded->locked |= coded->code[0] == 0xf0;
        coded->altered |= coded->code[0] != 0x66 && coded->code[0] != 0xf0;
    }
    if (coded->left && (coded->code[0] & 0xf0) == 0x40) {
        coded->rex = coded->code[0];
        coded->code++;
        coded->left--;
    }
}

static bool has_operands(char form)
{
    return form == 'm' || form == 'M' || form == 'Z' || form == 't' || form == 'T';
}

/* Returns the number of bytes before an opcode that say of which map it is, and the map. */
static size_t escape_at(const struct coded *coded, int *map)
{
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
        *map = OF_ONE_BYTE;
        return 0;
    }
}

static char form_of(int map, uint8_t opcode)
{
    static const char maps[] = "  mM mm";

    return map == OF_ONE_BYTE            ? one_byte[opcode]
           : map == OF_0F                ? behind_0f[opcode]
           : map < (int)sizeof(maps) - 1 ? maps[map]
                                         : ' ';
}

static size_t number_size(const struct coded *coded, char form)
{
    const size_t wide = coded->narrow && !(coded->rex & 8) ? 2 : 4;
    const bool tests = coded->operands.extension < 2;

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
        return tests ? 1 : 0;
    case 'T':
        return tests ? wide : 0;
    default:
        return 0;
    }
}

/* Takes an instruction apart. False: it is none, or cut off. */
static bool take_apart(const uint8_t *code, size_t left, struct coded *coded)
{
    *coded = (struct coded){.code = code, .left = left};
    prefixes_take(coded);
    if (!coded->left)
        return false;
    const size_t at = escape_at(coded, &coded->map);
    if (at >= coded->left)
        return false;
    const uint8_t opcode = coded->code[at];
    const char form = form_of(coded->map, opcode);
    if (has_operands(form))
        coded->operands = operands_at(coded, at + 1, coded->map == OF_ONE_BYTE && !(opcode & 1));
    if (form == ' ' || (has_operands(form) && !coded->operands.length))
        return false;
    coded->length = at + 1 + coded->operands.length + number_size(coded, form);
    return coded->length <= coded->left;
}

size_t spin_instruction_length(const uint8_t *code, size_t left)
{
    struct coded coded;

    return take_apart(code, left, &coded) ? left - coded.left + coded.length : 0;
}

/* ---- what it does ---- */

/* Notes that registers are written. A byte or word leaves the rest of its register as it was, which
 * counts as reading it. */
static void write_note(struct spin_effect *effect, uint32_t bits, bool whole)
{
    effect->writes |= bits;
    if (!whole)
        effect->reads |= bits;
}

/* True for add, or, and, sub, xor, cmp: of a register and a register or memory, of rax and a
 * number, or of a register or memory and a number. Sums that add a carry bit are not known, nor are
 * those that store, except for a locked `or` with zero, which is a fence. */
static bool is_known_sum(const struct coded *coded, struct spin_effect *effect)
{
    enum { OR = 1, ADC = 2, SBB = 3, CMP = 7 };
    const struct operands *operands = &coded->operands;
    const uint8_t opcode = coded->code[0];
    const bool of_number = opcode >= 0x80, of_rax = !of_number && (opcode & 7) >= 4;
    const bool to_reg = !of_number && opcode & 2;
    const int operation = of_number ? operands->extension : opcode >> 3;
    uint32_t target = to_reg ? operands->reg : operands->other;

    if (operation == ADC || operation == SBB)
        return false;
    if (of_rax)
        effect->reads = target = register_bit(RAX, false);
    else if (!of_number)
        effect->reads |= operands->reg;
    if (operation == CMP)
        return true;
    if (operands->in_memory && !to_reg) {
        effect->loads = false;
        return coded->locked && operation == OR && opcode == 0x83 &&
               coded->code[coded->length - 1] == 0;
    }
    effect->writes = target;
    return true;
}

/* True for nop, the fences, movzx and movsx. */
static bool is_known_0f(const struct coded *coded, struct spin_effect *effect)
{
    const uint8_t opcode = coded->code[1];

    switch (opcode) {
    case 0x1f:
    case 0xae:
        *effect = (struct spin_effect){0};
        return opcode == 0x1f || coded->code[2] >= 0xe8;
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
        write_note(effect, coded->operands.reg, !coded->narrow);
        effect->load.size = opcode & 1 ? 2 : 1;
        /* The source may be the second byte of a register, such as ah. */
        if (!effect->loads && !coded->rex)
            effect->reads |= effect->reads >> RSP;
        return true;
    default:
        return false;
    }
}

static bool is_known(const struct coded *coded, struct spin_effect *effect)
{
    const struct operands *operands = &coded->operands;
    const uint8_t opcode = coded->code[0];

    /* This is what most instructions do; exceptions are below. */
    *effect = (struct spin_effect){
        .reads = operands->other, .loads = operands->in_memory, .load = operands->load};
    if (coded->altered)
        return false;
    if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
        return is_known_sum(coded, effect);
    if (coded->locked)
        return false;
    if (opcode == 0x0f)
        return coded->map == OF_0F && is_known_0f(coded, effect);
    if (opcode < 0x40)
        return is_known_sum(coded, effect);
    switch (opcode) {
    case 0x63: /* movsxd */
        write_note(effect, operands->reg, !coded->narrow);
        effect->load.size = 4;
        return true;
    case 0x84: /* test */
    case 0x85:
        effect->reads |= operands->reg;
        return true;
    case 0x89: /* mov from a register */
        effect->reads = operands->reg;
        write_note(effect, operands->other, !coded->narrow);
        return !operands->in_memory;
    case 0x8a: /* mov to a register */
    case 0x8b:
        write_note(effect, operands->reg, opcode == 0x8b && !coded->narrow);
        return true;
    case 0x8d: /* lea */
        effect->loads = false;
        write_note(effect, operands->reg, !coded->narrow);
        return operands->in_memory;
    case 0x90: /* nop, or an exchange of registers */
        return !(coded->rex & 1);
    case 0x98: /* cdqe */
        effect->reads = effect->writes = register_bit(RAX, false);
        return true;
    case 0xa8: /* test of rax and a number */
    case 0xa9:
        effect->reads = register_bit(RAX, false);
        return true;
    case 0xc1: /* shifts */
    case 0xd1:
        effect->writes = operands->other;
        return !operands->in_memory;
    case 0xf6: /* test of either and a number */
    case 0xf7:
        return operands->extension <= 1;
    default:
        return false;
    }
}

size_t spin_instruction_at(const uint8_t *code, size_t left, struct spin_effect *effect)
{
    struct coded coded;

    if (!take_apart(code, left, &coded) || !is_known(&coded, effect))
        return 0;
    return left - coded.left + coded.length;
}
