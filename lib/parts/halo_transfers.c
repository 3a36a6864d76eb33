#include "parts/halo_transfers.h"
#include "parts/divided.h"
#include "parts/parts.h"

#include <stdlib.h>

static void free_elements(struct halo_transfers *halo)
{
    for (struct elements *elements; (elements = halo->elements);) {
        halo->elements = elements->next;
        free(elements);
    }
}

int halo_transfers_begin(const struct state *state, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    if (!ranks->halo && !(ranks->halo = calloc(1, sizeof *ranks->halo)))
        return error_memory(error, sizeof *ranks->halo, "the margins of the parts");
    for (uint32_t i = 0; i < state->plan->settings.parts; i++)
        if (parts_is_here(state->plan, i))
            ranks->halo->staging.device = state_parts(state)[i]->plan->device;
    free_elements(ranks->halo);
    ranks->halo->count = 0;
    return 0;
}

void halo_transfers_release(struct state *state)
{
    struct halo_transfers *halo = state_ranks(state) ? state_ranks(state)->halo : NULL;
    if (!halo)
        return;
    staging_release(&halo->staging);
    free_elements(halo);
    free(halo->transfers);
    free(halo);
    state_ranks(state)->halo = NULL;
}

static int add_transfer(struct halo_transfers *halo, struct transfer transfer, struct engine_error *error)
{
    if (halo->count == halo->room) {
        const uint32_t room = halo->room ? 2 * halo->room : 16;
        struct transfer *list = realloc(halo->transfers, room * sizeof *list);
        if (!list)
            return error_memory(error, room * sizeof *list, "the margins of the parts");
        halo->transfers = list;
        halo->room = room;
    }
    halo->transfers[halo->count++] = transfer;
    return 0;
}

static int add_elements(struct halo_transfers *halo, struct state *here, uint32_t field, uint64_t begin, uint64_t count,
                        struct transfer transfer, struct engine_error *error)
{
    transfer.bytes = count * type_bytes(here->plan->shapes[field].type);
    struct elements *elements = malloc(sizeof *elements + transfer.bytes);
    if (!elements)
        return error_memory(error, transfer.bytes, "the margins of the parts");
    *elements = (struct elements){halo->elements, here, transfer.sends, field, begin, count};
    halo->elements = elements;
    transfer.at = elements->memory;
    transfer.host = true;
    if (transfer.sends && state_read(here, field, begin, count, transfer.at, error) != 0)
        return error->status;
    return add_transfer(halo, transfer, error);
}

int halo_transfers_add(struct halo_transfers *halo, struct state *here, uint32_t field, uint64_t at, uint64_t count,
                       bool alike, uint64_t slab, struct transfer transfer, struct engine_error *error)
{
    const struct geometry *geometry = state_geometry(here, field);
    if (!alike)
        return add_elements(halo, here, field, at * slab, count * slab, transfer, error);
    transfer.bytes = count * geometry_slab_bytes(geometry);
    for (uint64_t a = 0; a < geometry_slab_arrays(geometry); a++) {
        transfer.at = (char *) state_buffer(here, field) + geometry_slab_offset(geometry, a, at);
        if (add_transfer(halo, transfer, error) != 0)
            return error->status;
    }
    return 0;
}

int halo_transfers_end(struct halo_transfers *halo, struct engine_error *error)
{
    for (const struct elements *elements = halo->elements; elements; elements = elements->next)
        if (!elements->sends && state_write(elements->here, elements->field, elements->begin, elements->count,
                                            elements->memory, error) != 0)
            return error->status;
    return 0;
}
