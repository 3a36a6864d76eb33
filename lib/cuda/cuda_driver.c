#include "cuda/cuda_driver.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

static const struct {
    const char *symbol;
    size_t offset;
} functions[] = {
#define CUDA_DRIVER_ENTRY(member, symbol, arguments) {symbol, offsetof(struct cuda_driver, member)},
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_ENTRY)
#undef CUDA_DRIVER_ENTRY
};

int cuda_driver_load(struct cuda_driver *driver, struct engine_error *error)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no NVIDIA driver (" LIBRARY " does not load)");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].symbol);
        if (!function)
            return error_set(error, ENGINE_STATUS_DEVICE, "the NVIDIA driver is too old: " LIBRARY " has no %s",
                             functions[i].symbol);
        memcpy((char *) driver + functions[i].offset, &function, sizeof function);
    }
    return CUDA_CHECK(driver, error, init(0));
}

int cuda_error(const struct cuda_driver *driver, CUresult result, const char *call, const char *file, int line,
               struct engine_error *error)
{
    const char *name = "an unknown error", *text = "";
    if (result == 0)
        return 0;
    driver->error_name(result, &name);
    driver->error_string(result, &text);
    return error_set(error, ENGINE_STATUS_DEVICE, "%s: %s: %.*s (%s:%d)", name, text, (int) strcspn(call, "("), call,
                     file, line);
}
