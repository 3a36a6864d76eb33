#include "parts/nccl.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libnccl.so.2"

static const struct {
    const char *symbol;
    size_t offset;
} functions[] = {
#define NCCL_ENTRY(member, symbol, arguments) {symbol, offsetof(struct nccl, member)},
    NCCL_FUNCTIONS(NCCL_ENTRY)
#undef NCCL_ENTRY
        {"ncclGetErrorString", offsetof(struct nccl, error_string)},
};

int nccl_load(struct nccl *nccl, struct engine_error *error)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no NCCL (" LIBRARY " does not load)");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].symbol);
        if (!function)
            return error_set(error, ENGINE_STATUS_DEVICE, "NCCL is too old: " LIBRARY " has no %s",
                             functions[i].symbol);
        memcpy((char *) nccl + functions[i].offset, &function, sizeof function);
    }
    if (NCCL_CHECK(nccl, error, get_version(&nccl->version)) != 0)
        return error->status;
    if (nccl->version < NCCL_OLDEST)
        return error_set(error, ENGINE_STATUS_DEVICE, "NCCL is too old: version %d; expected 2.19 or later",
                         nccl->version);
    return 0;
}

int nccl_error(const struct nccl *nccl, ncclResult_t result, const char *call, struct engine_error *error)
{
    if (result == 0)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE, "NCCL: %s: %.*s", nccl->error_string(result),
                     (int) strcspn(call, "("), call);
}
