#include "run/parcels.h"
#include "plan/parts.h"
#include "run/divided.h"

#include <stdlib.h>

int parcels_begin(const struct state *state, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    if (!ranks->parcels && !(ranks->parcels = calloc(1, sizeof *ranks->parcels)))
        return error_memory(error, sizeof *ranks->parcels, "the margins of the parts");
    for (uint32_t i = 0; i < state->plan->settings.parts; i++)
        if (parts_is_here(state->plan, i))
            ranks->parcels->device = state_parts(state)[i]->plan->device;
    ranks->parcels->bytes = ranks->parcels->count = 0;
    return 0;
}

void parcels_release(struct state *state)
{
    struct ranks_parcels *parcels = state_ranks(state) ? state_ranks(state)->parcels : NULL;
    if (!parcels)
        return;
    if (parcels->memory)
        parcels->device->release_host(parcels->device, parcels->memory);
    free(parcels->list);
    free(parcels->cargo);
    free(parcels);
    state_ranks(state)->parcels = NULL;
}

struct parcel *parcels_add(struct ranks_parcels *parcels, struct engine_error *error)
{
    if (parcels->count == parcels->room) {
        const uint64_t room = parcels->room ? 2 * parcels->room : 16;
        struct parcel *list = realloc(parcels->list, room * sizeof *list);
        if (!list) {
            error_memory(error, room * sizeof *list, "the margins of the parts");
            return NULL;
        }
        parcels->list = list;
        parcels->room = room;
    }
    return &parcels->list[parcels->count++];
}

int parcels_make_memory(struct ranks_parcels *parcels, struct engine_error *error)
{
    struct device *device = parcels->device;
    void *memory;
    if (parcels->bytes <= parcels->memory_bytes)
        return 0;
    if (device->allocate_host(device, parcels->bytes, &memory, error) != 0)
        return error->status;
    if (parcels->memory)
        device->release_host(device, parcels->memory);
    parcels->memory = memory;
    parcels->memory_bytes = parcels->bytes;
    return 0;
}

int parcel_copy_slabs(const struct parcel *parcel, char *memory, struct engine_error *error)
{
    struct device *device = parcel->here->plan->device;
    const struct geometry *geometry = state_geometry(parcel->here, parcel->field);
    const uint64_t bytes = parcel->count * geometry_slab_bytes(geometry);
    for (uint64_t a = 0; a < geometry_slab_arrays(geometry); a++) {
        char *at = (char *) state_buffer(parcel->here, parcel->field) + geometry_slab_offset(geometry, a, parcel->at);
        if ((parcel->sends ? device->download(device, memory + a * bytes, at, bytes, 1, error)
                           : device->upload(device, at, memory + a * bytes, bytes, 1, error)) != 0)
            return error->status;
    }
    return 0;
}

/* Lists the pieces of memory that the parcels are. Returns their number. */
static uint64_t list_cargo(const struct ranks_parcels *parcels, struct cargo *cargo)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < parcels->count; i++) {
        const struct parcel *parcel = &parcels->list[i];
        const struct geometry *geometry = state_geometry(parcel->here, parcel->field);
        char *buffer = state_buffer(parcel->here, parcel->field);
        for (uint64_t a = 0; a < geometry_slab_arrays(geometry); a++, count++)
            if (cargo)
                cargo[count] = (struct cargo){.at = buffer + geometry_slab_offset(geometry, a, parcel->at),
                                              .bytes = parcel->count * geometry_slab_bytes(geometry),
                                              .other = parcel->other,
                                              .sends = parcel->sends};
    }
    return count;
}

int parcels_make_cargo(struct ranks_parcels *parcels, uint32_t *count, struct engine_error *error)
{
    const uint64_t pieces = list_cargo(parcels, NULL);
    if (pieces > parcels->cargo_room) {
        struct cargo *cargo = realloc(parcels->cargo, pieces * sizeof *cargo);
        if (!cargo)
            return error_memory(error, pieces * sizeof *cargo, "the margins of the parts");
        parcels->cargo = cargo;
        parcels->cargo_room = pieces;
    }
    *count = (uint32_t) list_cargo(parcels, parcels->cargo);
    return 0;
}
