#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct fuzz_target targets[] = {
    {"rle", fuzz_document},     {"rle3", fuzz_document}, {"cells", fuzz_document},        {"life105", fuzz_document},
    {"life106", fuzz_document}, {"npy", fuzz_document},  {"xyz", fuzz_document},          {"lammpstrj", fuzz_document},
    {"tipsy", fuzz_document},   {"dcd", fuzz_document},  {"snapshot", fuzz_snapshot},     {"convert", fuzz_convert},
    {"config", fuzz_config},    {"set", fuzz_set},       {"rules", fuzz_rules},           {"mcl", fuzz_document},
    {"mc", fuzz_document},      {"zip", fuzz_any},       {"ruletables", fuzz_ruletables}, {"xtc", fuzz_library},
    {"gro", fuzz_library},      {"trr", fuzz_library},   {"pdb", fuzz_library},           {"gsd", fuzz_library},
    {"nc", fuzz_library},       {"g96", fuzz_library},   {"lammpsdata", fuzz_library},
};

const struct fuzz_target *fuzz_target_at(uint32_t index)
{
    return index < sizeof targets / sizeof targets[0] ? &targets[index] : NULL;
}

const struct fuzz_target *fuzz_target_named(const char *name)
{
    const struct fuzz_target *target;
    for (uint32_t i = 0; (target = fuzz_target_at(i)); i++)
        if (strcmp(target->name, name) == 0)
            return target;
    return NULL;
}

void fuzz_expect(bool holds, const char *format, ...)
{
    va_list arguments;
    if (holds)
        return;
    va_start(arguments, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0)
        file = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    fuzz_expect(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t) size, "no file in memory");
    return path;
}
