#include "plugin/plugin.h"
#include "plugin/descriptor.h"
#include "plugin/trust.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (fstat(file, &about) != 0)
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

static int check_object(const struct plugin *plugin, int file, struct engine_error *error)
{
    struct link_map *object;
    void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0);
    if (page == MAP_FAILED)
        return error_set(error, ENGINE_STATUS_PLUGIN, "cannot be mapped: %s", strerror(errno));
    const bool same = dlinfo(plugin->handle, RTLD_DI_LINKMAP, &object) == 0 && is_loaded_from(object, page, file);
    munmap(page, 1);
    return same ? 0
                : error_set(error, ENGINE_STATUS_PLUGIN,
                            "the file was replaced while it was loaded; start the program again");
}

/* Loads the file at the path, which is open as `file`, and refuses another file that has taken its place since. dlopen
 * takes no descriptor, and a path such as /proc/self/fd/7 would break $ORIGIN, dladdr and debuggers. If this process
 * has loaded a file of that path before, dlopen returns that one, which was checked then. */
static int load_object(struct plugin *plugin, int file, struct engine_error *error)
{
    const bool known = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != NULL;
    plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->handle)
        return error_set(error, ENGINE_STATUS_PLUGIN, "cannot be loaded: %s", dlerror());
    return known ? 0 : check_object(plugin, file, error);
}

/* Finds the descriptor and its size. */
static int find_descriptor(struct plugin *plugin, const struct engine_abi **abi, uint64_t *bytes,
                           struct engine_error *error)
{
    Dl_info unused;
    void *symbol = NULL;
    *abi = dlsym(plugin->handle, "engine_plugin");
    if (!*abi)
        return error_set(error, ENGINE_STATUS_PLUGIN, "exports no symbol engine_plugin: is this a plugin?");
    if (!dladdr1(*abi, &unused, &symbol, RTLD_DL_SYMENT) || !symbol)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its symbol engine_plugin is not in its symbol table");
    const ElfW(Sym) *entry = symbol;
    if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT)
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "its symbol engine_plugin is not data, expected a struct engine_plugin");
    *bytes = entry->st_size;
    return 0;
}

/* The name of the file without its ending, as the caller gave it. The name behind a symlink would be a surprise. */
static void stem_of(const char *path, char stem[256])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".so") == 0)
        length -= 3;
    snprintf(stem, 256, "%.*s", (int) length, name);
}

static int load(struct plugin *plugin, const char *path, struct engine_error *error)
{
    char stem[256];
    uint64_t bytes = 0;
    const struct engine_abi *abi = NULL;
    int file = -1;
    stem_of(path, stem);
    int status = trust_open(path, &plugin->path, &file, error);
    if (status == 0)
        status = check_content(file, error);
    if (status == 0)
        status = load_object(plugin, file, error);
    if (file >= 0)
        close(file);
    if (status == 0)
        status = find_descriptor(plugin, &abi, &bytes, error);
    if (status == 0)
        status = descriptor_check_abi(abi, bytes, error);
    if (status == 0)
        status = descriptor_copy(abi, &plugin->about, error);
    if (status == 0)
        status = descriptor_check(&plugin->about, stem, error);
    return status;
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int plugin_load(const char *path, struct plugin **result, struct engine_error *error)
{
    *result = NULL;
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return error_memory(error, sizeof *plugin, "a plugin");
    int status = load(plugin, path, error);
    if (status == 0) {
        *result = plugin;
        return 0;
    }
    plugin_free(plugin);
    return error_prefix(error, "%s: ", path);
}

void plugin_free(struct plugin *plugin)
{
    if (!plugin)
        return;
    descriptor_release(&plugin->about);
    free(plugin->path);
    free(plugin);
}

const struct engine_impl *plugin_impl(const struct plugin *plugin, const char *name)
{
    for (uint32_t i = 0; i < plugin->about.impls.count; i++)
        if (strcmp(plugin->about.impls.at[i].name, name) == 0)
            return &plugin->about.impls.at[i];
    return NULL;
}

const struct engine_impl *plugin_reference(const struct plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->about.impls.count; i++)
        if (plugin->about.impls.at[i].flags & ENGINE_REFERENCE)
            return &plugin->about.impls.at[i];
    return plugin->about.impls.at;
}

const char *plugin_impl_missing(const struct engine_impl *impl)
{
    if (impl->advance)
        return NULL;
    return impl->memory == ENGINE_CUDA_MEMORY ? "not compiled into this build, because there was no CUDA compiler"
                                              : "not compiled into this build";
}

bool plugin_param_decides_bits(const struct engine_impl *impl, const struct engine_param *param)
{
    if (impl->flags & ENGINE_EXACT || param->flags & ENGINE_PARAM_TUNING || param->type != ENGINE_PARAM_CHOICE)
        return false;
    for (const char *const *choice = param->choices; *choice; choice++)
        if (strcmp(*choice, "auto") == 0)
            return true;
    return false;
}

bool plugin_param_is_tuning(const struct plugin *plugin, const char *name)
{
    const struct engine_param_array *params = &plugin->about.params;
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, name) == 0)
            return params->at[i].flags & ENGINE_PARAM_TUNING;
    return false;
}
