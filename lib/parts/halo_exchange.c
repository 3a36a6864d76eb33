#include "parts/halo_exchange.h"
#include "base/machine.h"
#include "parts/divided.h"
#include "parts/halo_transfers.h"
#include "parts/parts.h"
#include "parts/sharing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Margins ------------------------------------------------------------------------------------------------ */

/* Copies canonical elements of one part to another. */
static int copy_elements(const struct state *from, uint64_t at, struct state *to, uint64_t there, uint32_t field,
                         uint64_t count, void *piece, struct engine_error *error)
{
    const uint64_t most = STATE_PIECE / type_bytes(from->plan->shapes[field].type);
    for (uint64_t done = 0; done < count; done += most) {
        const uint64_t n = count - done < most ? count - done : most;
        if (state_read(from, field, at + done, n, piece, error) != 0 ||
            state_write(to, field, there + done, n, piece, error) != 0)
            return error->status;
    }
    return 0;
}

/* The part that owns a row or plane of the whole grid. */
static struct state *owner_of(const struct state *state, uint64_t row)
{
    uint32_t i = 0;
    while (state->plan->parts[i]->slab.first + state->plan->parts[i]->slab.count <= row)
        i++;
    return state_parts(state)[i];
}

/* A range of a margin that one part owns: `count` rows or planes, from index `at` of the owner on, go to index
 * `there` of the part. */
struct range {
    struct state *owner, *part;
    uint64_t at, there, count;
};

typedef int range_function(const struct state *state, const struct range *range, uint32_t field,
                           struct engine_error *error);

/* The devices that copy wait for those whose steps they read, and these wait for the copies before they go on. */
static int wait_for_owner(const struct state *state, const struct range *range, uint32_t field,
                          struct engine_error *error)
{
    (void) state, (void) field;
    struct device *device = range->part->plan->device;
    return sharing_of(device)->follow(device, range->owner->plan->device, error);
}

static int release_owner(const struct state *state, const struct range *range, uint32_t field,
                         struct engine_error *error)
{
    (void) state, (void) field;
    struct device *device = range->owner->plan->device;
    return sharing_of(device)->follow(device, range->part->plan->device, error);
}

static int copy_range(const struct state *state, const struct range *range, uint32_t field, struct engine_error *error)
{
    const struct state *owner = range->owner, *part = range->part;
    const struct geometry *source = state_geometry(owner, field), *target = state_geometry(part, field);
    const uint64_t elements = parts_slab_elements(state->plan, field, 0);
    struct device *device = part->plan->device;
    if (!geometry_slabs_alike(source, target))
        return copy_elements(owner, range->at * elements, range->part, range->there * elements, field,
                             range->count * elements, state_divided(state)->piece, error);
    for (uint64_t a = 0; a < geometry_slab_arrays(source); a++)
        if (sharing_of(device)->fetch(
                device, (char *) state_buffer(part, field) + geometry_slab_offset(target, a, range->there),
                owner->plan->device, (char *) state_buffer(owner, field) + geometry_slab_offset(source, a, range->at),
                range->count * geometry_slab_bytes(source), error) != 0)
            return error->status;
    return 0;
}

/* ---- Margins from other processes ------------------------------------------------------------------------------ */

/* Copies the range, or adds it to the transfers, or leaves it to others. All processes go through all ranges in the
 * same order, so that the messages between two of them match. */
static int carry_range(const struct state *state, const struct range *range, uint32_t field, struct engine_error *error)
{
    const uint32_t owner = range->owner->plan->for_plugin.part.index, user = range->part->plan->for_plugin.part.index;
    const bool owns = parts_is_here(state->plan, owner), wants = parts_is_here(state->plan, user);
    if (owns && wants)
        return copy_range(state, range, field, error);
    if (!owns && !wants)
        return 0;
    return halo_transfers_add(
        state_ranks(state)->halo, owns ? range->owner : range->part, field, owns ? range->at : range->there,
        range->count, geometry_slabs_alike(state_geometry(range->owner, field), state_geometry(range->part, field)),
        parts_slab_elements(state->plan, field, 0),
        (struct transfer){.other = parts_rank(state->plan, owns ? user : owner), .sends = owns}, error);
}

/* ---- Transports ------------------------------------------------------------------------------------------------- */

/* Do all parts have their cells in the same order, so that rows or planes can be copied as they lie in memory? */
static bool are_alike(const struct state *state)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        for (uint32_t p = 1; p < state->plan->settings.parts; p++)
            if (!geometry_slabs_alike(&state->plan->parts[0]->fields[i].geometry[0],
                                      &state->plan->parts[p]->fields[i].geometry[0]))
                return false;
    return true;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

/* Calls a function for the ranges of rows or planes [begin, begin + count) of a part. A margin may be deeper than
 * its neighbour, or than the whole grid, around which it then goes several times. */
static int each_range(const struct state *state, struct state *part, uint32_t field, uint64_t begin, uint64_t count,
                      range_function *function, struct engine_error *error)
{
    const uint32_t axis = part->plan->slab.axis;
    const uint64_t extent = state->plan->shapes[field].extent[axis];
    for (uint64_t n, done = 0; done < count; done += n) {
        const uint64_t row = (part->plan->for_plugin.part.offset[axis] + begin + done) % extent;
        struct state *owner = owner_of(state, row);
        const struct plan_slab *own = &owner->plan->slab;
        const uint64_t left = own->first + own->count - row;
        n = left < count - done ? left : count - done;
        const struct range range = {owner, part, row - own->first + own->before, begin + done, n};
        if (function(state, &range, field, error) != 0)
            return error->status;
    }
    return 0;
}

static int each_margin(const struct state *state, uint32_t field, range_function *function, struct engine_error *error)
{
    for (uint32_t p = 0; p < state->plan->settings.parts; p++) {
        struct state *part = state_parts(state)[p];
        const struct plan_slab *own = &part->plan->slab;
        if (each_range(state, part, field, 0, own->before, function, error) != 0 ||
            each_range(state, part, field, own->before + own->count, own->after, function, error) != 0)
            return error->status;
    }
    return 0;
}

static int exchange(const struct state *state, bool inputs, range_function *copy, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        const uint32_t role = field->about->role;
        if (!field->absent && (role == ENGINE_STATE || (inputs && role == ENGINE_INPUT)) &&
            each_margin(state, i, copy, error) != 0)
            return error->status;
    }
    return 0;
}

/* The memory of the transfers is free again when the steps that follow are done, or the next exchange waits for the
 * device. */
static int carry_by_host(struct ranks *ranks, struct engine_error *error)
{
    struct halo_transfers *halo = ranks->halo;
    return staging_exchange(&halo->staging, ranks->link, ranks->patience, halo->transfers, halo->count, error) != 0
               ? error->status
               : halo_transfers_end(halo, error);
}

static int carry_all(const struct state *state, bool inputs, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    if (halo_transfers_begin(state, error) != 0 || exchange(state, inputs, carry_range, error) != 0)
        return error->status;
    return ranks->transport
               ? device_transport_exchange(ranks->transport, ranks->halo->transfers, ranks->halo->count, error)
               : carry_by_host(ranks, error);
}

/* A device takes its steps until it is synchronised, so the time of the exchange begins then. A device transport that
 * only enqueues its work takes no time here: instance_time_exchange measures it. */
static int exchange_with_ranks(const struct state *state, bool inputs, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    int status = device_transport_enqueues(ranks->transport) ? 0 : state_synchronise(state, error);
    const double begin = machine_clock();
    if (status == 0)
        status = carry_all(state, inputs, error);
    if (status != 0)
        link_break(ranks->link); /* the others wait for messages that do not come */
    ranks->exchange_seconds += machine_clock() - begin;
    ranks->exchanges++;
    return status;
}

int halo_exchange(struct state *state, bool inputs, struct engine_error *error)
{
    if (plan_shares_work(state->plan))
        return 0;
    if (state_ranks(state))
        return exchange_with_ranks(state, inputs, error);
    if (each_margin(state, 0, wait_for_owner, error) != 0 || exchange(state, inputs, copy_range, error) != 0)
        return error->status;
    return each_margin(state, 0, release_owner, error);
}

bool halo_exchange_enqueues(const struct state *state)
{
    if (state_ranks(state) && !device_transport_enqueues(state_ranks(state)->transport))
        return false;
    if (!are_alike(state))
        return false;
    for (uint32_t p = 0; p < state->plan->settings.parts; p++)
        for (uint32_t q = 0; q < state->plan->settings.parts; q++) {
            struct device *device = state->plan->parts[p]->device;
            if (!sharing_of(device)->reaches(device, state->plan->parts[q]->device))
                return false;
        }
    return true;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* The name of the host: a number that its system chose when it started. */
static void find_host(char text[48])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(text, 48, file))
        snprintf(text, 48, "unknown");
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

static struct device_transport_facts find_facts(const struct state *state, struct device *device)
{
    struct device_transport_facts facts = {
        .cuda = device->memory == ENGINE_CUDA_MEMORY, .sums = plan_shares_work(state->plan), .alike = are_alike(state)};
    find_host(facts.host);
    sharing_of(device)->identify(device, facts.device);
    return facts;
}

static int open_transport(struct state *state, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    const struct plan *plan = state->plan;
    if (halo_transfers_begin(state, error) != 0 || exchange(state, true, carry_range, error) != 0) {
        link_break(ranks->link); /* the others wait for this process */
        return error->status;
    }
    struct device *device = ranks->halo->staging.device;
    const struct communicator comm = {ranks->link, device, ranks->patience, link_rank(ranks->link), ranks->count};
    const struct device_transport_facts facts = find_facts(state, device);
    const int status =
        device_transport_open(&comm, plan->settings.transport, config_place(plan->config, "run", "transport"), &facts,
                              ranks->halo->transfers, ranks->halo->count, &ranks->transport, error);
    ranks->agreed = status != 0;
    return status;
}

/* Matrices and universes have no margins, and nothing else to carry. */
int halo_exchange_open(struct state *state, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    if (!state_ranks(state) || state_ranks(state)->opened)
        return 0;
    if (!plan_shares_work(plan) && plan->parts[0]->slab.margin == 0)
        return 0;
    if (open_transport(state, error) != 0)
        return error->status;
    state_ranks(state)->opened = true;
    return 0;
}

int halo_exchange_wait(const struct state *state, struct engine_error *error)
{
    if (state_ranks(state) && device_transport_enqueues(state_ranks(state)->transport) &&
        device_transport_wait(state_ranks(state)->transport, error) != 0)
        return error->status;
    return state_synchronise(state, error);
}
