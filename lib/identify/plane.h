/* A pattern in a plane: a run whose grid grows before the pattern meets an edge. */
#ifndef IDENTIFY_PLANE_H
#define IDENTIFY_PLANE_H

#include <engine/engine.h>

#include <stdbool.h>

/* What is known of a state. Cells that have not the state of the empty plane are live. */
struct sight {
    uint64_t form, place; /* hashes of the live cells (place_hash.h): wherever they are; where they are */
    uint64_t population;
    int64_t at[3]; /* the smallest box of the live cells: its first cell, and its extents */
    int64_t extent[3];
    uint8_t empty; /* the state of the empty plane */
};

struct plane {
    struct engine_config *config;
    struct engine_run *run;
    uint64_t most_cells;
    uint32_t field, rank, values;
    uint32_t reach[3];
    bool bounded; /* the file states the grid, which is the whole universe */
    uint64_t step;
    int64_t origin[3]; /* of cell (0, 0, 0) of the grid in the plane */
    int64_t extent[3]; /* of the grid */
    struct sight sight;
    /* The cells of a box that contains the live ones. */
    uint8_t *cells;
    int64_t cells_at[3], cells_extent[3];
    uint64_t room;        /* bytes of `cells` */
    uint64_t states[256]; /* their numbers in the hash */
    uint64_t *powers;     /* of the hash, for each x of the box */
    int64_t power_count;
};

/* Opens the run of a pattern at step 0. The plane is closed in any case. ENGINE_STATUS_… */
int plane_open(struct engine_context *context, const char *path, const struct engine_question *question,
               struct plane *plane, struct engine_error *error);
void plane_close(struct plane *plane);

/* Takes a step. Sets *full, and takes none, if the pattern has no room in the largest grid. */
int plane_step(struct plane *plane, bool *full, struct engine_error *error);

/* The state of a cell of the plane. */
uint8_t plane_cell(const struct plane *plane, int64_t x, int64_t y, int64_t z);

/* Fills in next[], 1: alive, for all 512 neighbourhoods of a rule in two dimensions that looks at neighbours alone and has
 * two states, or more as the rules of Generations. Sets *known to whether the rule is one. */
int plane_rule(const struct plane *plane, uint8_t next[512], bool *known, struct engine_error *error);

#endif
