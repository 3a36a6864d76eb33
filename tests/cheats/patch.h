/* Puts a function in the place of one that the program imports. */
#ifndef TESTS_CHEATS_PATCH_H
#define TESTS_CHEATS_PATCH_H

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct patch {
    const char *name;
    void (*function)(void);
};

static inline void patch_slots(const struct patch *patch, uintptr_t base, const Elf64_Rela *slots, size_t bytes,
                               const Elf64_Sym *symbols, const char *texts)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < bytes / sizeof *slots; i++) {
        const uint64_t number = ELF64_R_SYM(slots[i].r_info);
        if (number == 0 || strcmp(texts + symbols[number].st_name, patch->name) != 0)
            continue;
        const uintptr_t slot = base + slots[i].r_offset;
        mprotect((void *) (slot / page * page), page, PROT_READ | PROT_WRITE);
        *(uintptr_t *) slot = (uintptr_t) patch->function;
    }
}

/* The first object is the program. */
static inline int patch_object(struct dl_phdr_info *info, size_t size, void *patch)
{
    uintptr_t at[DT_NUM] = {0};
    (void) size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            for (const Elf64_Dyn *entry = (const Elf64_Dyn *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
                 entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag < DT_NUM)
                    at[entry->d_tag] = entry->d_un.d_ptr;
    const Elf64_Sym *symbols = (const Elf64_Sym *) at[DT_SYMTAB];
    const char *texts = (const char *) at[DT_STRTAB];
    patch_slots(patch, info->dlpi_addr, (const Elf64_Rela *) at[DT_JMPREL], at[DT_PLTRELSZ], symbols, texts);
    patch_slots(patch, info->dlpi_addr, (const Elf64_Rela *) at[DT_RELA], at[DT_RELASZ], symbols, texts);
    return 1;
}

static inline void patch_program(const char *name, void (*function)(void))
{
    struct patch patch = {name, function};
    dl_iterate_phdr(patch_object, &patch);
}

#endif
