#include "haul.h"

#include "objects/md5.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct output {
    char *at;
    uint64_t room;
};

static void put(struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct output *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(out->at, out->room, format, arguments);
    va_end(arguments);
    const uint64_t used = (uint64_t) length < out->room ? (uint64_t) length : out->room;
    out->at += used;
    out->room -= used;
}

/* The most frequent one first, and those of the same number from z to a, as in apgsearch. */
static int by_count(const void *a, const void *b)
{
    const struct name *x = *(const struct name *const *) a, *y = *(const struct name *const *) b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(y->code, x->code);
}

static void put_head(struct output *out, const struct haul *haul, uint64_t objects)
{
    char sum[33];
    md5_text(haul->root, sum);
    put(out, "@VERSION engine-census\n@MD5 %s\n@ROOT %s\n@RULE %s\n@SYMMETRY %s\n", sum, haul->root, haul->rule,
        haul->symmetry);
    put(out, "@NUM_SOUPS %" PRIu64 "\n@NUM_OBJECTS %" PRIu64 "\n", haul->soups, objects);
}

int haul_write(const struct haul *haul, char *text, uint64_t room)
{
    struct output out = {text, room};
    const struct name **sorted = malloc(haul->names->count * sizeof *sorted);
    uint32_t count = 0;
    uint64_t objects = 0;
    if (!sorted)
        return -1;
    for (uint32_t i = 1; i < haul->names->count; i++) {
        const struct name *name = &haul->names->at[i];
        objects += name->count;
        if (name->count)
            sorted[count++] = name;
    }
    qsort(sorted, count, sizeof *sorted, by_count);
    put_head(&out, haul, objects);
    put(&out, "\n@CENSUS TABLE\n");
    for (uint32_t i = 0; i < count; i++)
        put(&out, "%s %" PRIu64 "\n", sorted[i]->code, sorted[i]->count);
    put(&out, "\n@SAMPLE_SOUPIDS\n");
    for (uint32_t i = 0; i < count; i++) {
        put(&out, "%s", sorted[i]->code);
        for (uint32_t k = 0; k < sorted[i]->sample_count; k++)
            put(&out, " %" PRIu64, sorted[i]->samples[k]);
        put(&out, "\n");
    }
    free(sorted);
    return out.room > 0 ? 0 : 1;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

enum { LINE = APGCODE_SIZE + 21 * NAME_SAMPLES + 2 };

/* Copies the next line. Returns false at the end of the text. */
static bool next_line(const char **text, char line[LINE])
{
    const size_t length = strcspn(*text, "\n"), kept = length < LINE ? length : LINE - 1;
    if (!**text)
        return false;
    memcpy(line, *text, kept);
    line[kept] = '\0';
    *text += length + ((*text)[length] != '\0');
    return true;
}

/* A line of one of the two tables: a code and numbers. */
static int read_row(struct names *names, char *line, bool samples)
{
    char *rest = strchr(line, ' ');
    uint32_t number;
    if (!rest)
        return 1;
    *rest = '\0';
    if (names_find(names, line, &number) != 0)
        return -1;
    for (rest++; *rest;) {
        char *end;
        const uint64_t value = strtoull(rest, &end, 10);
        if (end == rest)
            return 1;
        if (samples)
            names_sample(&names->at[number], value);
        else
            names->at[number].count += value;
        rest = *end == ' ' ? end + 1 : end;
    }
    return 0;
}

int haul_read(struct haul *haul, const char *text)
{
    char line[LINE];
    bool table = false, samples = false;
    int status = 0;
    haul->soups = 0;
    while (status == 0 && next_line(&text, line)) {
        samples |= strcmp(line, "@SAMPLE_SOUPIDS") == 0;
        table |= strcmp(line, "@CENSUS TABLE") == 0;
        if (strncmp(line, "@NUM_SOUPS ", 11) == 0)
            haul->soups = strtoull(line + 11, NULL, 10);
        else if (*line && *line != '@')
            status = table ? read_row(haul->names, line, samples) : 1;
    }
    return status;
}
