#include "parts/parcels.h"
#include "parts/divided.h"
#include "parts/parts.h"

#include <stdlib.h>

static void free_elements(struct ranks_parcels *parcels)
{
    for (struct elements *elements; (elements = parcels->elements);) {
        parcels->elements = elements->next;
        free(elements);
    }
}

int parcels_begin(const struct state *state, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    if (!ranks->parcels && !(ranks->parcels = calloc(1, sizeof *ranks->parcels)))
        return error_memory(error, sizeof *ranks->parcels, "the margins of the parts");
    for (uint32_t i = 0; i < state->plan->settings.parts; i++)
        if (parts_is_here(state->plan, i))
            ranks->parcels->staging.device = state_parts(state)[i]->plan->device;
    free_elements(ranks->parcels);
    ranks->parcels->count = 0;
    return 0;
}

void parcels_release(struct state *state)
{
    struct ranks_parcels *parcels = state_ranks(state) ? state_ranks(state)->parcels : NULL;
    if (!parcels)
        return;
    staging_release(&parcels->staging);
    free_elements(parcels);
    free(parcels->transfers);
    free(parcels);
    state_ranks(state)->parcels = NULL;
}

static int add_transfer(struct ranks_parcels *parcels, struct transfer transfer, struct engine_error *error)
{
    if (parcels->count == parcels->room) {
        const uint32_t room = parcels->room ? 2 * parcels->room : 16;
        struct transfer *list = realloc(parcels->transfers, room * sizeof *list);
        if (!list)
            return error_memory(error, room * sizeof *list, "the margins of the parts");
        parcels->transfers = list;
        parcels->room = room;
    }
    parcels->transfers[parcels->count++] = transfer;
    return 0;
}

static int add_elements(struct ranks_parcels *parcels, struct state *here, uint32_t field, uint64_t begin,
                        uint64_t count, struct transfer transfer, struct engine_error *error)
{
    transfer.bytes = count * type_bytes(here->plan->shapes[field].type);
    struct elements *elements = malloc(sizeof *elements + transfer.bytes);
    if (!elements)
        return error_memory(error, transfer.bytes, "the margins of the parts");
    *elements = (struct elements){parcels->elements, here, transfer.sends, field, begin, count};
    parcels->elements = elements;
    transfer.at = elements->memory;
    transfer.host = true;
    if (transfer.sends && state_read(here, field, begin, count, transfer.at, error) != 0)
        return error->status;
    return add_transfer(parcels, transfer, error);
}

int parcels_add(struct ranks_parcels *parcels, struct state *here, uint32_t field, uint64_t at, uint64_t count,
                bool alike, uint64_t slab, struct transfer transfer, struct engine_error *error)
{
    const struct geometry *geometry = state_geometry(here, field);
    if (!alike)
        return add_elements(parcels, here, field, at * slab, count * slab, transfer, error);
    transfer.bytes = count * geometry_slab_bytes(geometry);
    for (uint64_t a = 0; a < geometry_slab_arrays(geometry); a++) {
        transfer.at = (char *) state_buffer(here, field) + geometry_slab_offset(geometry, a, at);
        if (add_transfer(parcels, transfer, error) != 0)
            return error->status;
    }
    return 0;
}

int parcels_end(struct ranks_parcels *parcels, struct engine_error *error)
{
    for (const struct elements *elements = parcels->elements; elements; elements = elements->next)
        if (!elements->sends && state_write(elements->here, elements->field, elements->begin, elements->count,
                                            elements->memory, error) != 0)
            return error->status;
    return 0;
}
