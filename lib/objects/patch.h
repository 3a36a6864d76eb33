/* A patch: a small array of cells, 0 or 1, with its place in a plane. The plane outside the patch is dead. */
#ifndef OBJECTS_PATCH_H
#define OBJECTS_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patch {
    int64_t x, y; /* of the first cell */
    int64_t width, height;
    uint8_t *cells; /* in rows; NULL if the patch is empty */
};

/* A rule of two states: the next state of a cell for each of its neighbourhoods. Bit 3 * (dy + 1) + dx + 1 of the index
 * is the neighbour at (dx, dy); bit 4 is the cell. */
struct object_rule {
    uint8_t next[512];

    /* Set by object_rule_count: `counts`: only the number of live neighbours and the cell matter. Bit n of `birth` and
     * `survive`: a dead cell with n neighbours is born, and a live one survives. */
    bool counts;
    uint16_t birth, survive;

    /* Optional: a faster islands_history. 1: it has made nothing, and the usual one is taken. */
    int (*past)(void *context, const struct patch *patch, uint64_t steps, int64_t most, struct patch *history);
    /* Optional: whether a trimmed patch may repeat itself within so many steps while its area is at most `spread`. */
    int (*may_repeat)(void *context, const struct patch *patch, uint64_t steps, int64_t spread, bool *may);
    void *context;
};

/* Finds whether a rule counts neighbours, which makes patch_step faster. */
void object_rule_count(struct object_rule *rule);

/* All functions that return int return 0, or -1 if there is no memory; then the patches stay as they were. */

/* Makes a dead patch. */
int patch_make(struct patch *patch, int64_t x, int64_t y, int64_t width, int64_t height);
int patch_copy(const struct patch *from, struct patch *to);
void patch_free(struct patch *patch);

/* A cell of the plane. */
static inline uint8_t patch_get(const struct patch *patch, int64_t x, int64_t y)
{
    const bool inside = x >= patch->x && y >= patch->y && x - patch->x < patch->width && y - patch->y < patch->height;
    return inside ? patch->cells[(y - patch->y) * patch->width + x - patch->x] : 0;
}

static inline uint8_t *patch_cell(const struct patch *patch, int64_t x, int64_t y)
{
    return &patch->cells[(y - patch->y) * patch->width + x - patch->x];
}

uint64_t patch_population(const struct patch *patch);

/* Makes the patch as small as its live cells. */
int patch_trim(struct patch *patch);

/* Adds the live cells of `other`. The patch grows where they lie outside it. */
int patch_add(struct patch *patch, const struct patch *other);

/* Takes a step. The rule makes no birth beside no live cell. The patch is as small as its live cells afterwards. */
int patch_step(struct patch *patch, const struct object_rule *rule);

/* Says whether two trimmed patches have the same cells, wherever they lie; at the same place. */
bool patch_has_form(const struct patch *patch, const struct patch *other);
bool patch_is(const struct patch *patch, const struct patch *other);

/* Says whether two patches share a live cell. */
bool patch_meets(const struct patch *patch, const struct patch *other);

#endif
