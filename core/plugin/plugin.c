#include "plugin/plugin.h"
#include "plugin/descriptor.h"
#include "plugin/trust.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Does the file contain all bytes that its program headers map? dlopen maps also a file that was cut short, and the
 * process dies when it reads beyond the end. A file that is not ELF of this machine's word size is left to dlopen and
 * its message. */
static int check_length(const char *path, struct engine_error *error)
{
    ElfW(Ehdr) head = {0};
    ElfW(Phdr) part;
    FILE *file = fopen(path, "rb");
    struct stat about;
    bool whole = true;
    if (!file || fstat(fileno(file), &about)) {
        if (file)
            fclose(file);
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    }
    bool known = fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                 head.e_phentsize == sizeof part && fseek(file, (long) head.e_phoff, SEEK_SET) == 0;
    for (unsigned i = 0; known && whole && i < head.e_phnum && fread(&part, sizeof part, 1, file) == 1; i++)
        whole = part.p_type != PT_LOAD || (part.p_offset <= (uint64_t) about.st_size &&
                                           part.p_filesz <= (uint64_t) about.st_size - part.p_offset);
    fclose(file);
    return whole ? 0 : error_set(error, ENGINE_STATUS_PLUGIN, "the file ends too early; build or copy it again");
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Finds the descriptor and its size. */
static int find_descriptor(struct plugin *plugin, const struct engine_abi **abi, uint64_t *bytes,
                           struct engine_error *error)
{
    Dl_info unused;
    void *symbol = NULL;
    plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->handle)
        return error_set(error, ENGINE_STATUS_PLUGIN, "cannot be loaded: %s", dlerror());
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
    stem_of(path, stem);
    int status = trust_resolve(path, &plugin->path, error);
    if (status == 0)
        status = check_length(plugin->path, error);
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
