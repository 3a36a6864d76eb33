#include "run/exchange.h"
#include "base/machine.h"
#include "plan/parts.h"

#include <stdlib.h>

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
    return state->parts[i];
}

/* A stretch of a margin that one part owns: `count` rows or planes, from index `at` of the owner on, go to index `there`
 * of the part. */
struct stretch {
    struct state *owner, *part;
    uint64_t at, there, count;
};

typedef int stretch_function(const struct state *state, const struct stretch *stretch, uint32_t field,
                             struct engine_error *error);

/* The devices that copy wait for those whose steps they read, and these wait for the copies before they go on. */
static int wait_for_owner(const struct state *state, const struct stretch *stretch, uint32_t field,
                          struct engine_error *error)
{
    (void) state, (void) field;
    struct device *device = stretch->part->plan->device;
    return device->follow(device, stretch->owner->plan->device, error);
}

static int release_owner(const struct state *state, const struct stretch *stretch, uint32_t field,
                         struct engine_error *error)
{
    (void) state, (void) field;
    struct device *device = stretch->owner->plan->device;
    return device->follow(device, stretch->part->plan->device, error);
}

static int copy_stretch(const struct state *state, const struct stretch *stretch, uint32_t field,
                        struct engine_error *error)
{
    const struct state *owner = stretch->owner, *part = stretch->part;
    const struct geometry *source = state_geometry(owner, field), *target = state_geometry(part, field);
    const uint64_t elements = parts_slab_elements(state->plan, field);
    struct device *device = part->plan->device;
    if (!geometry_slabs_alike(source, target))
        return copy_elements(owner, stretch->at * elements, stretch->part, stretch->there * elements, field,
                             stretch->count * elements, state->piece, error);
    for (uint64_t a = 0; a < geometry_slab_arrays(source); a++)
        if (device->fetch(device, (char *) state_buffer(part, field) + geometry_slab_offset(target, a, stretch->there),
                          owner->plan->device,
                          (char *) state_buffer(owner, field) + geometry_slab_offset(source, a, stretch->at),
                          stretch->count * geometry_slab_bytes(source), error) != 0)
            return error->status;
    return 0;
}

/* ---- Margins from other processes ------------------------------------------------------------------------------ */

/* Cells on their way between processes, as canonical elements. */
struct ranks_parcel {
    struct ranks_parcel *next;
    struct state *part; /* that receives them; NULL: this process sends them */
    uint32_t field;
    uint64_t begin, count;
    char elements[];
};

static int post(const struct state *state, const struct stretch *stretch, bool sends, void *data, uint64_t bytes,
                struct engine_error *error)
{
    const struct state *there = sends ? stretch->part : stretch->owner;
    const uint32_t other = parts_rank(state->plan, there->plan->for_plugin.part.index);
    return sends ? link_send(state->ranks->link, other, data, bytes, error)
                 : link_receive(state->ranks->link, other, data, bytes, error);
}

/* Begins to send, or to receive, rows or planes as they lie in memory. */
static int post_slabs(const struct state *state, const struct stretch *stretch, bool sends, uint32_t field,
                      struct engine_error *error)
{
    const struct state *here = sends ? stretch->owner : stretch->part;
    const struct geometry *geometry = state_geometry(here, field);
    char *buffer = state_buffer(here, field);
    for (uint64_t a = 0; a < geometry_slab_arrays(geometry); a++)
        if (post(state, stretch, sends,
                 buffer + geometry_slab_offset(geometry, a, sends ? stretch->at : stretch->there),
                 stretch->count * geometry_slab_bytes(geometry), error) != 0)
            return error->status;
    return 0;
}

/* The same where the two parts order their cells in different ways. */
static int post_parcel(const struct state *state, const struct stretch *stretch, bool sends, uint32_t field,
                       struct engine_error *error)
{
    const uint64_t elements = parts_slab_elements(state->plan, field), count = stretch->count * elements;
    const uint64_t bytes = count * type_bytes(state->plan->shapes[field].type);
    struct ranks_parcel *parcel = malloc(sizeof *parcel + bytes);
    if (!parcel)
        return error_memory(error, bytes, "the margins of the parts");
    *parcel = (struct ranks_parcel){state->ranks->parcels, sends ? NULL : stretch->part, field,
                                    stretch->there * elements, count};
    state->ranks->parcels = parcel;
    if (sends && state_read(stretch->owner, field, stretch->at * elements, count, parcel->elements, error) != 0)
        return error->status;
    return post(state, stretch, sends, parcel->elements, bytes, error);
}

/* Copies the stretch, or sends or receives it, or leaves it to others. All processes go through all stretches in the same
 * order, so that the messages between two of them match. */
static int carry_stretch(const struct state *state, const struct stretch *stretch, uint32_t field,
                         struct engine_error *error)
{
    const bool owns = parts_is_here(state->plan, stretch->owner->plan->for_plugin.part.index);
    const bool wants = parts_is_here(state->plan, stretch->part->plan->for_plugin.part.index);
    if (owns && wants)
        return copy_stretch(state, stretch, field, error);
    if (!owns && !wants)
        return 0;
    return (geometry_slabs_alike(state_geometry(stretch->owner, field), state_geometry(stretch->part, field))
                ? post_slabs
                : post_parcel)(state, stretch, owns, field, error);
}

/* Writes the cells that have come, and frees all parcels. */
static int unpack(struct ranks *ranks, int status, struct engine_error *error)
{
    for (struct ranks_parcel *parcel = ranks->parcels, *next; parcel; parcel = next) {
        next = parcel->next;
        if (status == 0 && parcel->part)
            status = state_write(parcel->part, parcel->field, parcel->begin, parcel->count, parcel->elements, error);
        free(parcel);
    }
    ranks->parcels = NULL;
    return status;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

/* Calls a function for the stretches of rows or planes [begin, begin + count) of a part. A margin may be deeper than its
 * neighbour, or than the whole grid, around which it then goes several times. */
static int each_stretch(const struct state *state, struct state *part, uint32_t field, uint64_t begin, uint64_t count,
                        stretch_function *function, struct engine_error *error)
{
    const uint32_t axis = part->plan->slab.axis;
    const uint64_t extent = state->plan->shapes[field].extent[axis];
    for (uint64_t n, done = 0; done < count; done += n) {
        const uint64_t row = (part->plan->for_plugin.part.offset[axis] + begin + done) % extent;
        struct state *owner = owner_of(state, row);
        const struct plan_slab *own = &owner->plan->slab;
        const uint64_t left = own->first + own->count - row;
        n = left < count - done ? left : count - done;
        const struct stretch stretch = {owner, part, row - own->first + own->margin, begin + done, n};
        if (function(state, &stretch, field, error) != 0)
            return error->status;
    }
    return 0;
}

static int each_margin(const struct state *state, uint32_t field, stretch_function *function,
                       struct engine_error *error)
{
    for (uint32_t p = 0; p < state->plan->settings.parts; p++) {
        struct state *part = state->parts[p];
        const struct plan_slab *own = &part->plan->slab;
        if (each_stretch(state, part, field, 0, own->margin, function, error) != 0 ||
            each_stretch(state, part, field, own->margin + own->count, own->margin, function, error) != 0)
            return error->status;
    }
    return 0;
}

static int exchange(const struct state *state, bool inputs, stretch_function *copy, struct engine_error *error)
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

static int exchange_with_ranks(const struct state *state, bool inputs, struct engine_error *error)
{
    struct ranks *ranks = state->ranks;
    const double begin = machine_clock();
    int status = exchange(state, inputs, carry_stretch, error);
    if (status == 0)
        status = link_wait(ranks->link, ranks->patience, error);
    else
        link_break(ranks->link); /* the others wait for messages that do not come */
    status = unpack(ranks, status, error);
    ranks->exchange_seconds += machine_clock() - begin;
    ranks->exchanges++;
    return status;
}

int exchange_margins(struct state *state, bool inputs, struct engine_error *error)
{
    if (plan_shares_work(state->plan))
        return 0;
    if (state->ranks)
        return exchange_with_ranks(state, inputs, error);
    if (each_margin(state, 0, wait_for_owner, error) != 0 || exchange(state, inputs, copy_stretch, error) != 0)
        return error->status;
    return each_margin(state, 0, release_owner, error);
}

bool exchange_enqueues(const struct state *state)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        for (uint32_t p = 1; p < state->plan->settings.parts; p++)
            if (!geometry_slabs_alike(&state->plan->parts[0]->fields[i].geometry[0],
                                      &state->plan->parts[p]->fields[i].geometry[0]))
                return false;
    for (uint32_t p = 0; p < state->plan->settings.parts; p++)
        for (uint32_t q = 0; q < state->plan->settings.parts; q++) {
            struct device *device = state->plan->parts[p]->device;
            if (!device->reaches(device, state->plan->parts[q]->device))
                return false;
        }
    return true;
}
