/* The names of objects that a worker has met, and how often; and the objects that it knows. */
#ifndef CENSUS_NAMES_H
#define CENSUS_NAMES_H

#include "objects/objects.h"

enum { NAME_SAMPLES = 10 }; /* soups that are kept of an object, as in apgsearch */

struct name {
    char *code;
    uint64_t count;
    uint64_t samples[NAME_SAMPLES]; /* the first soups that have it, in order */
    uint32_t sample_count;
    uint32_t same; /* the next name with the same hash, or 0 */
};

struct names {
    struct name *at; /* at[0] is not used */
    uint32_t count, room;
    uint32_t *first; /* of each hash */
    uint32_t hashes; /* a power of 2 */
};

/* All functions that return int return 0, or -1 if there is no memory. */
int names_open(struct names *names);
void names_close(struct names *names);

/* The number of a code, or 0. */
uint32_t names_look(const struct names *names, const char *code);

/* Finds the number of a code, and adds the code if it is new. */
int names_find(struct names *names, const char *code, uint32_t *number);

/* Keeps a soup that has the object, if its number is among the lowest. */
void names_sample(struct name *name, uint64_t soup);

/* ---- Objects that are known by their cells ----------------------------------------------------------------------- */

enum { SHAPE_SIDE = 64 };

/* The live cells of a cluster: bit x of row y. The box is as small as the cells. */
struct shape {
    uint32_t width, height;
    uint64_t rows[SHAPE_SIDE];
};

/* What a cluster consists of. */
struct known {
    uint64_t hash;
    uint64_t *rows;
    uint32_t width, height;
    uint32_t *numbers; /* of the names of its objects */
    uint32_t count;
    uint64_t period; /* the longest of its objects */
    int64_t dx, dy;  /* of a cluster that is one spaceship */
};

struct known_table {
    struct known *at;
    uint32_t count, room; /* room: a power of 2 */
};

int known_open(struct known_table *table);
void known_close(struct known_table *table);

/* Finds a shape, or the free place where it belongs, whose `rows` are NULL. */
struct known *known_find(const struct known_table *table, const struct shape *shape);

/* Adds a shape with the names of `count` objects, which the table then owns. */
int known_add(struct known_table *table, const struct shape *shape, const struct known *known);

#endif
