/* The objects of a universe of two states that has settled: still lifes, oscillators and spaceships that do not
 * interact. The functions work on patches alone and know no run.
 *
 * The method is that of apgsearch. Two cells belong to the same cluster if both have been alive at times so near to each
 * other that a dead cell could have both as neighbours. A cluster that repeats itself is cut further: into islands, of
 * which those are joined where one prevents a birth that another one would cause, and then into sets of islands that
 * live alone as they do together. */
#ifndef OBJECTS_OBJECTS_H
#define OBJECTS_OBJECTS_H

#include "objects/apgcode.h"

struct object {
    uint64_t period; /* 0: the cells do not repeat themselves within the limit */
    int64_t dx, dy;  /* how far it moves in a period */
    uint64_t population;
    struct patch cells;
    char *code; /* its apgcode; "" if it has no period */
};

struct object_list {
    struct object *at;
    size_t count, room;
};

/* How far to look. */
struct object_limits {
    uint64_t window; /* steps in which cells of one object have met; at least the period of the universe */
    uint64_t period; /* the longest period of one object */
    int64_t cells;   /* the most cells of a patch */
};

/* Appends the objects of a universe to a list that is {0} at first. The rule makes no birth beside no live cell, and
 * apgcode_symmetry has found its symmetry.
 * Returns 0, or -1 if there is no memory; the caller frees the list in both cases. */
int objects_separate(const struct object_rule *rule, enum apgcode_symmetry symmetry, const struct object_limits *limits,
                     const struct patch *universe, struct object_list *list);
void objects_free(struct object_list *list);

/* Finds the period of a trimmed patch, and how far it moves in a period. *period is 0 if it has none within the
 * limits. Returns 0, or -1 if there is no memory. */
int object_period(const struct object_rule *rule, const struct object_limits *limits, const struct patch *patch,
                  uint64_t *period, int64_t *dx, int64_t *dy);

/* Says whether each spaceship of a list keeps away from all other objects from now on. Only the boxes of the patches and
 * how the objects move count. */
bool objects_fly_apart(const struct object_list *list);

#endif
