/* What a pattern is, and how it is found. */
#ifndef IDENTIFY_IDENTITY_H
#define IDENTIFY_IDENTITY_H

#include "identify/plane.h"
#include "objects/objects.h"

/* In the order of the table of words in print.c. */
enum kind {
    KIND_UNKNOWN = 0,
    KIND_DIES,
    KIND_STILL,
    KIND_OSCILLATOR,
    KIND_SPACESHIP,
    KIND_SETTLES, /* into objects, of which spaceships fly away */
    KIND_GUN,
    KIND_PUFFER,
    KIND_RAKE,
    KIND_LINEAR, /* growth of another kind */
    KIND_QUADRATIC
};

/* Objects of the same code. */
struct counted {
    char *code;
    uint64_t count;
};

struct tally {
    struct counted *at;
    size_t count;
};

struct engine_identity {
    enum kind kind;
    char *path;
    char *plugin;
    bool bounded;
    uint32_t rank, values;
    uint64_t steps;        /* that were taken */
    struct sight first;    /* the pattern itself */
    uint64_t settled;      /* the step from which on the state is periodic, or the pattern is dead */
    uint64_t population;   /* at this step */
    uint64_t period;       /* of the pattern, of what it settles into, or of the growth */
    int64_t move[3];       /* in a period */
    double growth;         /* of the population in a period, on average */
    uint64_t fewest, most; /* live cells of a phase */
    bool measured;         /* rotor, stator and heat are known, and `fewest` and `most` are those of the whole period */
    uint64_t rotor, stator;  /* cells that change in a period; cells that live all the time */
    double heat;             /* changes in a step */
    char code[APGCODE_SIZE]; /* "": none is defined, or there are several objects */
    struct tally objects;    /* at the end, or what it settles into */
    struct tally emitted;    /* in a period of linear growth */
    const char *why;         /* why it is not known; a constant */
};

/* The states that have been seen, one for each step from 0 on. */
struct trace {
    struct sight *at;
    uint64_t count, room;
};

/* What a search works with. */
struct search {
    struct plane plane;
    struct trace trace;
    struct object_rule rule;
    enum apgcode_symmetry symmetry;
    bool has_objects; /* the rule is known, and makes no birth beside no live cell */
    bool has_rule;
    uint64_t most_steps;
    uint64_t looks;   /* for objects, while the population has no period */
    uint64_t growing; /* the period of growth that the last look has found; 0: none */
    struct engine_identity *identity;
};

/* ---- search.c ---- */

/* Takes a step and appends what is seen. */
int search_step(struct search *search, bool *full, struct engine_error *error);

/* Copies the live cells of a plane into a patch, which the caller frees. States are seen from that of empty cells. */
int search_patch(const struct search *search, struct patch *patch, struct engine_error *error);

/* Separates the present state. `window` is that of struct object_limits. The caller frees the list. */
int search_objects(const struct search *search, uint64_t window, struct object_list *list, struct engine_error *error);

/* Counts the objects of a list by their codes, the most frequent first. Objects without a period have the code "". */
int tally_make(const struct object_list *list, struct tally *tally, struct engine_error *error);
void tally_free(struct tally *tally);

/* ---- cycle.c: the state that comes again ---- */

/* Looks whether the newest state has been seen before. Then fills in the identity and sets *done. */
int cycle_find(struct search *search, bool *done, struct engine_error *error);

/* ---- settled.c: all but departing spaceships is periodic ---- */
int settled_find(struct search *search, bool *done, struct engine_error *error);

/* ---- growth.c: the population grows linearly or quadratically ---- */
int growth_find(struct search *search, bool *done, struct engine_error *error);

#endif
