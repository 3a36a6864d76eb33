#include "plugin/object.h"
#include "plugin/trust.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Versions ----------------------------------------------------------------------------------------------- */

#define REFUSE(error, ...) error_set((error), ENGINE_STATUS_PLUGIN, __VA_ARGS__)

int object_check_abi(const struct object_interface *interface, const struct engine_abi *abi, uint64_t readable,
                     struct engine_error *error)
{
    const char *kind = interface->kind;
    const unsigned major = interface->major, minor = interface->minor;
    if (readable < sizeof *abi || memcmp(abi->magic, interface->magic, sizeof abi->magic) != 0)
        return REFUSE(error, "its symbol %s does not start with %s: %s", interface->symbol, interface->magic,
                      interface->question);
    if (abi->major != major)
        return REFUSE(error, "built for %s interface %u, this engine has %u; rebuild it with this engine's header",
                      kind, abi->major, major);
    if (abi->pointer_size != sizeof(void *))
        return REFUSE(error, "built for pointers of %u bytes, this engine has %zu; rebuild it for this machine",
                      abi->pointer_size, sizeof(void *));
    if (abi->minor > minor)
        return REFUSE(error, "needs %s interface %u.%u, this engine has %u.%u; use a newer engine", kind, abi->major,
                      abi->minor, major, minor);
    if (abi->struct_size < interface->first_size)
        return REFUSE(error, "its descriptor has %u bytes, expected at least %u; it is damaged", abi->struct_size,
                      interface->first_size);
    if (abi->struct_size > readable)
        return REFUSE(error, "its descriptor claims %u bytes but has %llu; it is damaged", abi->struct_size,
                      (unsigned long long) readable);
    return 0;
}

/* ---- The file ----------------------------------------------------------------------------------------------- */

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{EM_X86_64, "x86-64"}, {EM_AARCH64, "AArch64"}, {EM_386, "x86"},
                 {EM_ARM, "ARM"},       {EM_PPC64, "POWER"},     {EM_RISCV, "RISC-V"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another machine";
}

static int bits_of(const ElfW(Ehdr) * head)
{
    return head->e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
}

/* Refuses a file for another machine, with the names of both; dlopen says "No such file or directory". The members that
 * this reads are at the same places in files of 32 and of 64 bits. The engine's own header is in memory. */
static int check_machine(const ElfW(Ehdr) * head, struct engine_error *error)
{
    static const char here = 0;
    Dl_info about;
    const ElfW(Ehdr) *own = dladdr(&here, &about) ? about.dli_fbase : NULL;
    if (!own || memcmp(own->e_ident, ELFMAG, SELFMAG) != 0 ||
        (own->e_ident[EI_CLASS] == head->e_ident[EI_CLASS] && own->e_ident[EI_DATA] == head->e_ident[EI_DATA] &&
         own->e_machine == head->e_machine))
        return 0;
    return error_set(error, ENGINE_STATUS_PLUGIN, "built for %s with %d bits; this engine needs %s with %d bits",
                     machine_name(head->e_machine), bits_of(head), machine_name(own->e_machine), bits_of(own));
}

/* Does the file contain all bytes that its program headers map? dlopen maps also a file that was cut short, and the
 * process dies when it reads beyond the end. */
static int check_length(int file, const ElfW(Ehdr) * head, struct engine_error *error)
{
    ElfW(Phdr) part;
    struct stat about;
    bool whole = true;
    if (TEMP_FAILURE_RETRY(fstat(file, &about)) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    for (unsigned i = 0; whole && i < head->e_phnum && head->e_phentsize == sizeof part; i++) {
        if (pread(file, &part, sizeof part, (off_t) (head->e_phoff + i * sizeof part)) != sizeof part)
            break;
        whole = part.p_type != PT_LOAD || (part.p_offset <= (uint64_t) about.st_size &&
                                           part.p_filesz <= (uint64_t) about.st_size - part.p_offset);
    }
    return whole ? 0 : error_set(error, ENGINE_STATUS_PLUGIN, "the file ends too early; build or copy it again");
}

/* A file that is not ELF is left to dlopen and its message. */
static int check_content(int file, struct engine_error *error)
{
    ElfW(Ehdr) head = {0};
    if (pread(file, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return 0;
    return check_machine(&head, error) != 0 ? error->status : check_length(file, &head, error);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Finds the device and inode that the system shows for the mapping at an address; "": it shows none. */
static void find_mapping(const void *address, char file[64])
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128], device[24], inode[24];
    file[0] = '\0';
    while (maps && !*file && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %23s %23s", &begin, &end, device, inode) == 4 &&
            begin <= (uintptr_t) address && (uintptr_t) address < end)
            snprintf(file, 64, "%s %s", device, inode);
    }
    if (maps)
        fclose(maps);
}

/* Is the loaded object the open file? The numbers of fstat only serve where there is no /proc, because some file
 * systems show others in /proc/self/maps. So this compares the mapping of the object with a mapping of the file. */
static bool is_loaded_from(const struct link_map *object, const void *page, int file)
{
    char loaded[64], opened[64];
    struct stat there, checked;
    find_mapping(object->l_ld, loaded);
    find_mapping(page, opened);
    if (*loaded && *opened)
        return strcmp(loaded, opened) == 0;
    return stat(object->l_name, &there) == 0 && fstat(file, &checked) == 0 && there.st_dev == checked.st_dev &&
           there.st_ino == checked.st_ino;
}

static int check_object(const struct object *opened, int file, struct engine_error *error)
{
    struct link_map *object;
    void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0);
    if (page == MAP_FAILED)
        return error_set(error, ENGINE_STATUS_PLUGIN, "cannot be mapped: %s", strerror(errno));
    const bool same = dlinfo(opened->handle, RTLD_DI_LINKMAP, &object) == 0 && is_loaded_from(object, page, file);
    munmap(page, 1);
    return same ? 0
                : error_set(error, ENGINE_STATUS_PLUGIN,
                            "the file was replaced while it was loaded; start the program again");
}

/* Loads the file at the path, which is open as `file`, and refuses another file that has taken its place since. dlopen
 * takes no descriptor, and a path such as /proc/self/fd/7 would break $ORIGIN, dladdr and debuggers. If this process
 * has loaded a file of that path before, dlopen returns that one, which was checked then. */
static int load_object(struct object *object, int file, struct engine_error *error)
{
    const bool known = dlopen(object->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != NULL;
    object->handle = dlopen(object->path, RTLD_NOW | RTLD_LOCAL);
    if (!object->handle)
        return error_set(error, ENGINE_STATUS_PLUGIN, "cannot be loaded: %s", dlerror());
    return known ? 0 : check_object(object, file, error);
}

/* Finds the descriptor and its size. */
static int find_descriptor(struct object *object, const char *symbol, const char *kind, struct engine_error *error)
{
    Dl_info unused;
    void *found = NULL;
    object->abi = dlsym(object->handle, symbol);
    if (!object->abi)
        return error_set(error, ENGINE_STATUS_PLUGIN, "exports no symbol %s: is this a %s?", symbol, kind);
    if (!dladdr1(object->abi, &unused, &found, RTLD_DL_SYMENT) || !found)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its symbol %s is not in its symbol table", symbol);
    const ElfW(Sym) *entry = found;
    if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its symbol %s is not data, expected a struct %s", symbol,
                         symbol);
    object->bytes = entry->st_size;
    return 0;
}

int object_open(const char *path, const char *symbol, const char *kind, struct object *object,
                struct engine_error *error)
{
    int file = -1;
    *object = (struct object){.path = NULL};
    int status = trust_open(path, &object->path, &file, error);
    if (status == 0)
        status = check_content(file, error);
    if (status == 0)
        status = load_object(object, file, error);
    if (file >= 0)
        close(file);
    return status != 0 ? status : find_descriptor(object, symbol, kind, error);
}
