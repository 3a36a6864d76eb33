/* Memory and threads, interposed by name. The allocations inside libc, such as those of fopen and strdup, also come
 * here. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What these libraries ask for themselves is let through. libgomp ends the program where it gets no memory and no
 * thread, and the dynamic loader where it gets none for a library's thread-local variables, when they are first used;
 * iniparser writes to what it did not get. */
static const char *const spared[] = {"/libgomp.so", "/libiniparser.so", "/ld-linux"};

enum { SPARED = sizeof spared / sizeof spared[0] };

static struct range {
    uintptr_t begin, end;
} ranges[SPARED];

static void note_range(const struct dl_phdr_info *object, struct range *range)
{
    range->begin = object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t end = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && end > range->end)
            range->end = end;
    }
}

static int note_object(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void) size, (void) unused;
    for (int i = 0; i < SPARED; i++)
        if (strstr(object->dlpi_name, spared[i]))
            note_range(object, &ranges[i]);
    return 0;
}

__attribute__((constructor)) static void find_spared(void)
{
    dl_iterate_phdr(note_object, NULL);
}

static bool is_spared(uintptr_t caller)
{
    bool inside = false;
    for (int i = 0; i < SPARED; i++)
        inside = inside || (caller >= ranges[i].begin && caller < ranges[i].end);
    return inside;
}

/* In a thread's creation, which asks for memory on its own, or while a library is loaded: the CUDA runtime in a plugin
 * crashes where it gets none. That a library cannot be loaded is tried by failing to open its file. */
static _Thread_local bool within_spared;

/* errno, where the call is to fail; else 0. */
static int fails(enum fault_call call, const void *caller)
{
    if (within_spared || is_spared((uintptr_t) caller))
        return 0;
    if (call == FAULT_ALLOC)
        fault_note_callers();
    const struct fault fault = fault_next(call);
    return fault.kind == FAULT_NONE ? 0 : fault.error;
}

/* The next function of the name, in `pointer`. */
#define NEXT(pointer, name) \
    do { \
        if (!(pointer)) \
            *(void **) &(pointer) = dlsym(RTLD_NEXT, name); \
    } while (0)

#define FAIL_NULL(call) \
    do { \
        const int error = fails(call, __builtin_return_address(0)); \
        if (error) { \
            errno = error; \
            return NULL; \
        } \
    } while (0)

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    NEXT(next, "malloc");
    FAIL_NULL(FAULT_ALLOC);
    return next(size);
}

void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    NEXT(next, "calloc");
    FAIL_NULL(FAULT_ALLOC);
    return next(count, size);
}

void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);
    NEXT(next, "realloc");
    FAIL_NULL(FAULT_ALLOC);
    return next(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static void *(*next)(size_t, size_t);
    NEXT(next, "aligned_alloc");
    FAIL_NULL(FAULT_ALLOC);
    return next(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    static int (*next)(void **, size_t, size_t);
    NEXT(next, "posix_memalign");
    const int error = fails(FAULT_ALLOC, __builtin_return_address(0));
    return error ? error : next(memory, alignment, size);
}

void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *, int);
    NEXT(next, "dlopen");
    within_spared = true;
    void *library = next(file, mode);
    within_spared = false;
    return library;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);
    NEXT(next, "pthread_create");
    const int error = fails(FAULT_THREAD, __builtin_return_address(0));
    if (error)
        return error;
    within_spared = is_spared((uintptr_t) __builtin_return_address(0));
    const int status = next(thread, attributes, run, argument);
    within_spared = false;
    return status;
}
