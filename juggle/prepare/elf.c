/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/elf.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

struct program_file {
    const char *bytes;
    size_t size;
    ElfW(Ehdr) header;
};

/* Copies a part of the file, because it may not be aligned. False if it lies outside of the
 * file. */
static bool part_read(const struct program_file *file, uint64_t offset, void *part, size_t size)
{
    if (offset > file->size || size > file->size - offset)
        return false;
    memcpy(part, file->bytes + offset, size);
    return true;
}

static bool segment_read(const struct program_file *file, int index, ElfW(Phdr) * segment)
{
    return index < file->header.e_phnum &&
           part_read(file, file->header.e_phoff + (uint64_t)index * sizeof(*segment), segment,
                     sizeof(*segment));
}

static bool is_for_this_machine(const struct program_file *file)
{
    const unsigned char class = sizeof(void *) == sizeof(uint64_t) ? ELFCLASS64 : ELFCLASS32;

    return !memcmp(file->header.e_ident, ELFMAG, SELFMAG) &&
           file->header.e_ident[EI_CLASS] == class &&
           file->header.e_phentsize == sizeof(ElfW(Phdr));
}

/* Finds the offset in the file that is mapped to an address of the running program. */
static bool offset_find(const struct program_file *file, uint64_t address, uint64_t *offset)
{
    ElfW(Phdr) segment;

    for (int i = 0; segment_read(file, i, &segment); i++) {
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz) {
            *offset = segment.p_offset + (address - segment.p_vaddr);
            return true;
        }
    }
    return false;
}

/* Reads the entry of that index; false at the end. */
static bool entry_read(const struct program_file *file, const ElfW(Phdr) * dynamic, uint64_t index,
                       ElfW(Dyn) * entry)
{
    return index < dynamic->p_filesz / sizeof(*entry) &&
           part_read(file, dynamic->p_offset + index * sizeof(*entry), entry, sizeof(*entry)) &&
           entry->d_tag != DT_NULL;
}

static bool names_find(const struct program_file *file, const ElfW(Phdr) * dynamic,
                       uint64_t *names_offset)
{
    ElfW(Dyn) entry;

    for (uint64_t i = 0; entry_read(file, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB)
            return offset_find(file, entry.d_un.d_ptr, names_offset);
    return false;
}

static bool begins_with(const struct program_file *file, uint64_t offset, const char *prefix)
{
    const size_t length = strlen(prefix);

    return offset <= file->size && length <= file->size - offset &&
           !memcmp(file->bytes + offset, prefix, length);
}

static bool any_needed(const struct program_file *file, const ElfW(Phdr) * dynamic,
                       const char *prefix)
{
    uint64_t names_offset;
    ElfW(Dyn) entry;

    if (!names_find(file, dynamic, &names_offset))
        return false;
    for (uint64_t i = 0; entry_read(file, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED && begins_with(file, names_offset + entry.d_un.d_val, prefix))
            return true;
    return false;
}

bool elf_needs(const char *image, size_t size, const char *prefix)
{
    struct program_file file = {.bytes = image, .size = size};
    ElfW(Phdr) segment;

    if (!part_read(&file, 0, &file.header, sizeof(file.header)) || !is_for_this_machine(&file))
        return false;
    for (int i = 0; segment_read(&file, i, &segment); i++)
        if (segment.p_type == PT_DYNAMIC)
            return any_needed(&file, &segment, prefix);
    return false;
}
