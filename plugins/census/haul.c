#include "haul.h"

#include "objects/md5.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Room -------------------------------------------------------------------------------------------------------- */

enum { DIGITS = 20, HEAD = 288 }; /* of any number; bytes of a head and the titles of the tables at most */

static uint64_t bytes_of_code(const char *code)
{
    return 2 * strlen(code) + sizeof "  \n\n" - 1 + DIGITS;
}

static uint64_t bytes_of_soup(uint64_t soup)
{
    uint64_t bytes = 2;
    while (soup /= 10)
        bytes++;
    return bytes;
}

int haul_clear(struct haul *haul)
{
    names_close(&haul->names);
    haul->soups = 0;
    haul->used = HEAD + bytes_of_code(HAUL_GIVEN_UP) + bytes_of_code(HAUL_OTHERS) + 2 * NAME_SAMPLES * (DIGITS + 1);
    return names_open(&haul->names) == 0 && names_find(&haul->names, HAUL_GIVEN_UP, &haul->given_up) == 0 &&
                   names_find(&haul->names, HAUL_OTHERS, &haul->others) == 0
               ? 0
               : -1;
}

/* Finds the name under which an object is counted, and makes a line for it if there is room. */
static int find_line(struct haul *haul, const char *code, uint64_t soup, uint32_t *number)
{
    const uint64_t bytes = bytes_of_code(code);
    *number = names_look(&haul->names, code);
    if (*number)
        return 0;
    *number = haul->others;
    if (bytes + bytes_of_soup(soup) > haul->room - haul->used)
        return 0;
    haul->used += bytes;
    return names_find(&haul->names, code, number);
}

/* Keeps a soup of an object if there is room and it is one of the first. */
static void add_soup(struct haul *haul, uint32_t number, uint64_t soup)
{
    struct name *name = &haul->names.at[number];
    const bool counts =
        number != haul->given_up && number != haul->others; /* HEAD has room for the soups of these two */
    const bool full = name->sample_count == NAME_SAMPLES;
    const uint64_t last = full ? name->samples[NAME_SAMPLES - 1] : 0, bytes = counts ? bytes_of_soup(soup) : 0;
    if (full ? soup >= last : bytes > haul->room - haul->used)
        return;
    const uint32_t before = name->sample_count;
    names_sample(name, soup);
    haul->used += name->sample_count > before ? bytes : 0;
    if (full && counts && name->samples[NAME_SAMPLES - 1] != last)
        haul->used += bytes - bytes_of_soup(last);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

struct sight {
    uint64_t soup;
    const char *code;
};

static int by_soup(const void *a, const void *b)
{
    const struct sight *x = a, *y = b;
    return x->soup != y->soup ? (x->soup > y->soup ? 1 : -1) : strcmp(x->code, y->code);
}

/* Lists where workers have seen objects, in the order of the soups. */
static int list_sights(struct names *const *counted, uint32_t count, struct sight **sights, uint64_t *sight_count)
{
    uint64_t room = 1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < counted[i]->count; k++)
            room += counted[i]->at[k].sample_count;
    *sights = malloc(room * sizeof **sights);
    *sight_count = 0;
    if (!*sights)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < counted[i]->count; k++) {
            struct name *name = &counted[i]->at[k];
            for (uint32_t sample = 0; sample < name->sample_count; sample++)
                (*sights)[(*sight_count)++] = (struct sight){name->samples[sample], name->code};
            name->sample_count = 0;
        }
    qsort(*sights, *sight_count, sizeof **sights, by_soup);
    return 0;
}

int haul_add(struct haul *haul, struct names *const *counted, uint32_t count)
{
    struct sight *sights;
    uint64_t sight_count;
    uint32_t number;
    int status = list_sights(counted, count, &sights, &sight_count);
    for (uint64_t i = 0; status == 0 && i < sight_count; i++) {
        status = find_line(haul, sights[i].code, sights[i].soup, &number);
        if (status == 0)
            add_soup(haul, number, sights[i].soup);
    }
    free(sights);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        for (uint32_t k = 1; k < counted[i]->count; k++) {
            number = names_look(&haul->names, counted[i]->at[k].code);
            haul->names.at[number ? number : haul->others].count += counted[i]->at[k].count;
            counted[i]->at[k].count = 0;
        }
    return status;
}

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

int haul_write(const struct haul *haul, char *text)
{
    struct output out = {text, haul->room};
    const struct name **sorted = malloc(haul->names.count * sizeof *sorted);
    uint32_t count = 0;
    uint64_t objects = 0;
    if (!sorted)
        return -1;
    for (uint32_t i = 1; i < haul->names.count; i++) {
        const struct name *name = &haul->names.at[i];
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
    return 0;
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
static int read_row(struct haul *haul, char *line, bool samples)
{
    char *rest = strchr(line, ' ');
    uint32_t number;
    if (!rest)
        return 1;
    *rest = '\0';
    if (find_line(haul, line, 0, &number) != 0)
        return -1;
    for (rest++; *rest;) {
        char *end;
        const uint64_t value = strtoull(rest, &end, 10);
        if (end == rest)
            return 1;
        if (samples)
            add_soup(haul, number, value);
        else
            haul->names.at[number].count += value;
        rest = *end == ' ' ? end + 1 : end;
    }
    return 0;
}

int haul_read(struct haul *haul, const char *text)
{
    char line[LINE];
    bool table = false, samples = false;
    int status = haul_clear(haul);
    while (status == 0 && next_line(&text, line)) {
        samples |= strcmp(line, "@SAMPLE_SOUPIDS") == 0;
        table |= strcmp(line, "@CENSUS TABLE") == 0;
        if (strncmp(line, "@NUM_SOUPS ", 11) == 0)
            haul->soups = strtoull(line + 11, NULL, 10);
        else if (*line && *line != '@')
            status = table ? read_row(haul, line, samples) : 1;
    }
    return status;
}
