#include "base/error.h"
#include "identify/identity.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PERIOD = 512 }; /* the least limit of the period of an object; later it is half of the steps taken */

int search_step(struct search *search, bool *full, struct engine_error *error)
{
    struct trace *trace = &search->trace;
    if (trace->count == trace->room) {
        const uint64_t room = 2 * trace->room + 1024;
        struct sight *at = realloc(trace->at, room * sizeof *at);
        if (!at)
            return error_memory(error, room * sizeof *at, "the states that have been seen");
        trace->at = at;
        trace->room = room;
    }
    *full = false;
    if (trace->count > 0 && plane_step(&search->plane, full, error) != 0)
        return error->status;
    if (!*full)
        trace->at[trace->count++] = search->plane.sight;
    return 0;
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

int search_patch(const struct search *search, struct patch *patch, struct engine_error *error)
{
    const struct sight *sight = &search->plane.sight;
    if (patch_make(patch, sight->at[0], sight->at[1], sight->extent[0], sight->extent[1]) != 0)
        return error_memory(error, (uint64_t) (sight->extent[0] * sight->extent[1]), "the cells of the pattern");
    for (int64_t y = 0; y < patch->height; y++)
        for (int64_t x = 0; x < patch->width; x++)
            patch->cells[y * patch->width + x] =
                plane_cell(&search->plane, patch->x + x, patch->y + y, 0) ^ sight->empty;
    return 0;
}

int search_objects(const struct search *search, uint64_t window, struct object_list *list, struct engine_error *error)
{
    const uint64_t least = window > LEAST_PERIOD ? window : LEAST_PERIOD, half = search->trace.count / 2;
    const struct object_limits limits = {.window = window, .period = half > least ? half : least, .cells = 1 << 24};
    struct patch patch;
    *list = (struct object_list){0};
    if (search_patch(search, &patch, error) != 0)
        return error->status;
    const int status = objects_separate(&search->rule, search->symmetry, &limits, &patch, list);
    patch_free(&patch);
    return status == 0 ? 0 : error_memory(error, 1, "the objects of the pattern");
}

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->code, y->code);
}

int tally_make(const struct object_list *list, struct tally *tally, struct engine_error *error)
{
    *tally = (struct tally){.at = calloc(list->count + 1, sizeof *tally->at)};
    for (size_t i = 0; tally->at && i < list->count; i++) {
        size_t k = 0;
        while (k < tally->count && strcmp(tally->at[k].code, list->at[i].code) != 0)
            k++;
        if (k == tally->count && !(tally->at[tally->count++].code = strdup(list->at[i].code)))
            return error_memory(error, 1, "the table of objects");
        tally->at[k].count++;
    }
    if (!tally->at)
        return error_memory(error, list->count * sizeof *tally->at, "the table of objects");
    qsort(tally->at, tally->count, sizeof *tally->at, by_count);
    return 0;
}

void tally_free(struct tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        free(tally->at[i].code);
    free(tally->at);
    *tally = (struct tally){0};
}
