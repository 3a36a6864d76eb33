#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_NAMES = 1024, FIRST_KNOWN = 1 << 14, MOST_KNOWN = 1 << 20 };

int names_open(struct names *names)
{
    *names = (struct names){.count = 1, .room = FIRST_NAMES, .hashes = FIRST_NAMES};
    names->at = calloc(names->room, sizeof *names->at);
    names->first = calloc(names->hashes, sizeof *names->first);
    if (names->at && names->first)
        return 0;
    names_close(names);
    return -1;
}

void names_close(struct names *names)
{
    for (uint32_t i = 1; names->at && i < names->count; i++)
        free(names->at[i].code);
    free(names->at);
    free(names->first);
    *names = (struct names){0};
}

static uint32_t hash_of(const struct names *names, const char *code)
{
    uint32_t hash = 2166136261;
    for (; *code; code++)
        hash = (hash ^ (uint8_t) *code) * 16777619;
    return hash & (names->hashes - 1);
}

static void link_name(struct names *names, uint32_t number)
{
    uint32_t *first = &names->first[hash_of(names, names->at[number].code)];
    names->at[number].same = *first;
    *first = number;
}

static int grow(struct names *names)
{
    struct name *at = realloc(names->at, 2 * (size_t) names->room * sizeof *at);
    uint32_t *first = calloc(2 * (size_t) names->hashes, sizeof *first);
    names->at = at ? at : names->at;
    if (!at || !first) {
        free(first);
        return -1;
    }
    free(names->first);
    names->first = first;
    names->room *= 2;
    names->hashes *= 2;
    for (uint32_t i = 1; i < names->count; i++)
        link_name(names, i);
    return 0;
}

uint32_t names_look(const struct names *names, const char *code)
{
    uint32_t number = names->first[hash_of(names, code)];
    while (number && strcmp(names->at[number].code, code) != 0)
        number = names->at[number].same;
    return number;
}

int names_find(struct names *names, const char *code, uint32_t *number)
{
    *number = names_look(names, code);
    if (*number)
        return 0;
    char *copy = strdup(code);
    if (!copy || (names->count == names->room && grow(names) != 0)) {
        free(copy);
        return -1;
    }
    *number = names->count++;
    names->at[*number] = (struct name){.code = copy};
    link_name(names, *number);
    return 0;
}

void names_sample(struct name *name, uint64_t soup)
{
    uint32_t place = name->sample_count;
    while (place > 0 && name->samples[place - 1] > soup)
        place--;
    if (place == NAME_SAMPLES || (place > 0 && name->samples[place - 1] == soup))
        return;
    name->sample_count += name->sample_count < NAME_SAMPLES;
    for (uint32_t i = name->sample_count - 1; i > place; i--)
        name->samples[i] = name->samples[i - 1];
    name->samples[place] = soup;
}

/* ---- Objects that are known by their cells ----------------------------------------------------------------------- */

int known_open(struct known_table *table)
{
    *table = (struct known_table){.room = FIRST_KNOWN, .at = calloc(FIRST_KNOWN, sizeof *table->at)};
    return table->at ? 0 : -1;
}

static void forget(struct known_table *table)
{
    for (uint32_t i = 0; i < table->room; i++) {
        free(table->at[i].rows);
        free(table->at[i].numbers);
    }
}

void known_close(struct known_table *table)
{
    if (table->at)
        forget(table);
    free(table->at);
    *table = (struct known_table){0};
}

static uint64_t hash_of_shape(const struct shape *shape)
{
    uint64_t hash = shape->width * 64 + shape->height;
    for (uint32_t y = 0; y < shape->height; y++) {
        hash = (hash ^ shape->rows[y]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static struct known *find(const struct known_table *table, const struct shape *shape, uint64_t hash)
{
    uint64_t i = hash & (table->room - 1);
    for (;; i = (i + 1) & (table->room - 1)) {
        struct known *known = &table->at[i];
        if (!known->rows || (known->hash == hash && known->width == shape->width && known->height == shape->height &&
                             memcmp(known->rows, shape->rows, shape->height * sizeof *known->rows) == 0))
            return known;
    }
}

struct known *known_find(const struct known_table *table, const struct shape *shape)
{
    return find(table, shape, hash_of_shape(shape));
}

/* Makes the table larger, or forgets everything. */
static int make_room(struct known_table *table)
{
    if (table->room == MOST_KNOWN) {
        forget(table);
        memset(table->at, 0, table->room * sizeof *table->at);
        table->count = 0;
        return 0;
    }
    const struct known_table old = *table;
    struct known *at = calloc(2 * (size_t) old.room, sizeof *at);
    if (!at)
        return -1;
    table->at = at;
    table->room *= 2;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.at[i].rows) {
            uint64_t k = old.at[i].hash & (table->room - 1);
            while (at[k].rows)
                k = (k + 1) & (table->room - 1);
            at[k] = old.at[i];
        }
    free(old.at);
    return 0;
}

int known_add(struct known_table *table, const struct shape *shape, const struct known *known)
{
    if (2 * table->count >= table->room && make_room(table) != 0)
        return -1;
    uint64_t *rows = malloc(shape->height * sizeof *rows);
    if (!rows)
        return -1;
    memcpy(rows, shape->rows, shape->height * sizeof *rows);
    const uint64_t hash = hash_of_shape(shape);
    struct known *place = find(table, shape, hash);
    *place = *known;
    place->hash = hash;
    place->rows = rows;
    place->width = shape->width;
    place->height = shape->height;
    table->count++;
    return 0;
}
