#include "tiles/section_tiles.h"
#include "plan/section.h"

struct tiles_settings {
    uint64_t side; /* 0: not given */
};

static const struct engine_param keys[] = {
    KEY_INTEGER("side", KEY_FREE, "0", 0, 1 << 20,
                "cells of a tile along each axis; 0: the engine chooses, and only an unbounded grid lies in tiles"),
};

static int read_tiles(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct tiles_settings *settings = own;
    (void) reading;
    settings->side = (uint64_t) values[0].integer;
    return 0;
}

static bool has_tiles(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return run->tiling != NULL;
}

static const struct key_use uses[] = {
    {"run", "memory", has_tiles, "the grid lies neither in tiles nor in a tree", {NULL, NULL}, 0}, {.keys = NULL}};

const struct section tiles_section = {
    .about = {"tiles", "a grid that has memory only where its cells differ from the background", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct tiles_settings),
    .read = read_tiles,
    .uses = uses,
};

uint64_t tiling_side(const struct plan *plan)
{
    const struct tiles_settings *settings = settings_section(&plan->settings, &tiles_section);
    return settings ? settings->side : 0;
}

bool plan_wants_tiles(const struct plan *plan)
{
    return !plan->run && (plan_is_unbounded(plan) || tiling_side(plan) > 0);
}
