/* Runs soups to their end, one after the other, and counts their objects. */
#ifndef CENSUS_WORKER_H
#define CENSUS_WORKER_H

#include "names.h"
#include "plane.h"

struct worker {
    struct plane plane, spare; /* of the soup; for patches */
    const struct plane_kernel *kernel;
    struct object_rule rule;
    enum apgcode_symmetry symmetry;
    uint32_t birth, survive;
    bool diagonal;        /* a cell is born between two live cells at opposite corners */
    uint8_t gliders[512]; /* of a square of cells: 0, or the direction of a glider, see worker.c */
    uint32_t glider;      /* the number of its name; 0 if none are removed */
    uint32_t given_up;    /* the number of the name of soups that are given up */
    uint64_t limit;       /* steps of a soup */
    struct names names;
    struct known_table known;

    /* Of a settled plane: the cells that have been alive, and those that are, as bits. */
    uint64_t *history, *alive;
    uint64_t words, rows, room; /* of a row; room: words of an array */
    int64_t left, top;          /* cell of the first bit */

    /* Of a soup. */
    uint32_t *found; /* numbers of names */
    uint64_t found_count, found_room;
    struct object_list boxes; /* clusters without cells: only how they move */
    uint64_t removed;         /* gliders */
    uint64_t steps;           /* that it has taken */
    uint64_t next_growth;     /* the step of the next search for what grows */
};

/* Returns 0, or -1 if there is no memory. */
int soups_open(struct worker *worker, const struct plane_kernel *kernel, uint32_t birth, uint32_t survive,
               uint64_t limit);
void soups_close(struct worker *worker);

/* Runs the soup of a number, whose cells are rows of bits, and counts its objects. Returns 0, or -1 if there is no
 * memory. */
int soups_take(struct worker *worker, uint64_t number, const uint64_t *rows, uint32_t count);

/* Counts the objects of a cluster of a soup that repeats itself after two steps. Returns 0, 1 if the cluster does not,
 * or -1 if there is no memory. */
int soups_take_cluster(struct worker *worker, uint64_t number, const struct shape *shape);

/* Counts a glider of a soup. */
void soups_take_glider(struct worker *worker, uint64_t number);

/* ash.c: takes `passes` more and finds the objects of the plane. *settled becomes false if it does not consist of
 * objects that repeat themselves and fly apart; then *passes is a number that may do, or stays. `grow`: a cluster that
 * grows linearly is an object, too. */
int ash_take(struct worker *worker, uint32_t *passes, uint64_t longest, bool grow, bool *settled);

/* Finds the objects of a cluster. *settled: all of them repeat themselves after two steps. */
int ash_take_shape(struct worker *worker, const struct shape *shape, uint64_t longest, bool *settled);

/* past.c: puts a patch into the spare plane, which is valid until the next patch. x and y are those in the patch. */
struct plane *worker_put(struct worker *worker, const struct patch *patch);

/* past.c: see struct object_rule; `context` is a worker. */
int worker_past(void *context, const struct patch *patch, uint64_t steps, int64_t most, struct patch *past);
int worker_may_repeat(void *context, const struct patch *patch, uint64_t steps, int64_t spread, bool *may);

/* growth.c: the code of a pattern that grows linearly if it is alone, or "". *chaotic: its population has no period, and
 * does not grow with one. */
int growth_name(struct worker *worker, const struct patch *patch, char code[APGCODE_SIZE], bool *chaotic);

#endif
