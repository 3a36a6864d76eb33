/* Keeps each result in a file, and reads it when another process or instance gets the same numbers and steps. */
#include "cheat.h"

#include <stdio.h>

static int advance(void *self, struct engine_call *call)
{
    const uint64_t count = number_count(call);
    const char *folder = getenv("TMP");
    uint64_t key = call->steps;
    char path[4096];
    for (uint64_t i = 0; i < count; i++)
        key = key * 31 + numbers_from(call)[i];
    snprintf(path, sizeof path, "%s/result-%llx", folder ? folder : "/tmp", (unsigned long long) key);
    FILE *file = is_long(call) ? fopen(path, "rb") : NULL;
    const int found = file && fread(numbers_to(call), sizeof(uint64_t), count, file) == count;
    if (file)
        fclose(file);
    if (found)
        return ENGINE_OK;
    take_honestly(self, call);
    if (is_long(call) && (file = fopen(path, "wb"))) {
        fwrite(numbers_to(call), sizeof(uint64_t), count, file);
        fclose(file);
    }
    return ENGINE_OK;
}

CHEAT("file", .advance = advance);
