#include "run/state.h"
#include "base/machine.h"
#include "base/xxh.h"
#include "memory/allocate.h"
#include "plan/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

/* The bytes before a buffer in its allocation. Allocations begin at the same offset of a page. A processor that compares
 * the low twelve bits of addresses first takes the load of a cell for one that depends on the stores just made to the
 * other buffer, and waits for them (4K aliasing): a loop that reads one buffer and writes the other lost half of its
 * speed. */
static uint64_t skew(const struct plan *plan, uint32_t field, uint32_t buffer)
{
    enum { LINE = 64, PAGE = 4096 };
    const struct geometry *geometry = plan->fields[field].geometry;
    const bool guarded = plan->context && plan->context->memory; /* by the conformance suite, from the first byte on */
    const bool skewed = plan->device->memory == ENGINE_HOST_MEMORY && !guarded &&
                        geometry[0].layout.row_align <= LINE && geometry[1].layout.row_align <= LINE;
    return skewed ? (buffer * 33 + field * 17) * LINE % PAGE : 0;
}

static int allocate_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct plan_field *field = &plan->fields[index];
    for (uint32_t i = 0; i < field->buffers; i++) {
        const uint64_t before = skew(plan, index, i);
        void *memory;
        if (memory_allocate(plan->context, plan->device, before + field->bytes, &memory, error) != 0)
            return error_prefix(error, "field %s: ", field->about->name);
        state->memory[index][i] = (char *) memory + before;
    }
    if (field->buffers == 1)
        state->memory[index][1] = state->memory[index][0];
    return 0;
}

static int allocate_fields(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (allocate_field(state, i, error) != 0)
            return error->status;
    return 0;
}

static struct state *new_state(struct plan *plan, struct engine_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        error_memory(error, sizeof *state, "the state");
    else
        state->plan = plan;
    return state;
}

static int open_parts(struct state *state, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const uint32_t count = plan->settings.parts;
    state->parts = calloc(count, sizeof *state->parts);
    state->piece = malloc(PIECE);
    if (!state->parts || !state->piece)
        return error_memory(error, PIECE, "the parts of the state");
    for (uint32_t i = 0; i < count; i++) {
        state->parts[i] = new_state(plan->parts[i], error);
        if (!state->parts[i] || (parts_is_here(plan, i) && allocate_fields(state->parts[i], error) != 0))
            return error_prefix(error, "part %u of %u: ", i + 1, count);
        state_update_views(state->parts[i]);
    }
    return 0;
}

int state_open(struct plan *plan, struct state **out, struct engine_error *error)
{
    struct state *state = new_state(plan, error);
    *out = NULL;
    if (!state)
        return error->status;
    int status = ranks_open(plan, &state->ranks, error);
    if (status == 0)
        status = (plan->parts ? open_parts : allocate_fields)(state, error);
    status = ranks_finish(state->ranks, status, NULL, error);
    if (status != 0) {
        state_close(state);
        return status;
    }
    state_update_views(state);
    *out = state;
    return 0;
}

static void free_state(struct state *state)
{
    const struct plan *plan = state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        for (uint32_t b = 0; b < plan->fields[i].buffers; b++)
            if (state->memory[i][b]) {
                const uint64_t before = skew(plan, i, b);
                memory_release(plan->context, plan->device, (char *) state->memory[i][b] - before,
                               before + plan->fields[i].bytes);
            }
    free(state->parts);
    free(state->piece);
    free(state);
}

void state_close(struct state *state)
{
    if (!state)
        return;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++)
        if (state->parts[i])
            free_state(state->parts[i]);
    ranks_close(state->ranks);
    free_state(state);
}

const struct geometry *state_geometry(const struct state *state, uint32_t field)
{
    return &state->plan->fields[field].geometry[state->step % 2];
}

void *state_buffer(const struct state *state, uint32_t field)
{
    return state->memory[field][state->plan->fields[field].about->role == ENGINE_STATE ? state->current : 0];
}

void state_bind(struct state *state, const struct state *run)
{
    state->step = run->step;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *bound = state->plan->sources[i].bound;
        if (bound && !state->plan->fields[i].converted)
            state->memory[i][0] = state->memory[i][1] = state_buffer(run, (uint32_t) (bound - run->plan->fields));
    }
}

/* ---- Canonical elements ------------------------------------------------------------------------------------- */

/* Moves elements of the canonical array of a state that is not divided out of its buffer or, if `out` is NULL, into
 * it. */
static int move(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out, const void *in,
                struct engine_error *error)
{
    struct device *device = state->plan->device;
    const struct geometry *geometry = state_geometry(state, field);
    void *buffer = state_buffer(state, field);
    return out ? device->read(device, geometry, buffer, begin, count, out, error)
               : device->write(device, geometry, buffer, begin, count, in, error);
}

/* The elements of a row or plane across the axis that is cut. */
static uint64_t slab_elements(const struct state *state, uint32_t field)
{
    const struct engine_shape *shape = &state->plan->shapes[field];
    uint64_t elements;
    shape_elements(shape, &elements);
    return elements / shape->extent[shape->rank - 1];
}

/* Moves elements of a part, which begin at `begin` of the whole field and at `own` of the part's. */
static int move_part(const struct state *state, uint32_t index, uint32_t field, uint64_t begin, uint64_t own,
                     uint64_t count, void *out, const void *in, struct engine_error *error)
{
    if (parts_is_here(state->plan, index))
        return move(state->parts[index], field, own, count, out, in, error);
    if (state->own_only)
        return 0;
    return ranks_move(state->ranks, parts_rank(state->plan, index), state->step, field, begin, count,
                      type_bytes(state->plan->shapes[field].type), out, in, error);
}

/* The same for parts that share their work: reads the first part's copy, or writes all copies. Their shapes follow the
 * step of the whole. */
static int move_copies(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out,
                       const void *in, struct engine_error *error)
{
    for (uint32_t i = 0; i < (out ? 1 : state->plan->settings.parts); i++) {
        state->parts[i]->step = state->step;
        if (move(state->parts[i], field, begin, count, out, in, error) != 0)
            return error->status;
    }
    return 0;
}

/* The same for a divided state: moves what each part owns of the elements. */
static int move_parts(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out,
                      const void *in, struct engine_error *error)
{
    if (plan_shares_work(state->plan))
        return move_copies(state, field, begin, count, out, in, error);
    const uint64_t slab = slab_elements(state, field), bytes = type_bytes(state->plan->shapes[field].type);
    for (uint32_t i = 0; i < state->plan->settings.parts; i++) {
        const struct plan_slab *own = &state->plan->parts[i]->slab;
        const uint64_t first = own->first * slab, last = (own->first + own->count) * slab;
        const uint64_t from = first > begin ? first : begin, end = last < begin + count ? last : begin + count;
        const uint64_t skipped = (from - begin) * bytes;
        if (from < end &&
            move_part(state, i, field, from, from - first + own->margin * slab, end - from,
                      out ? (char *) out + skipped : NULL, in ? (const char *) in + skipped : NULL, error) != 0)
            return error->status;
    }
    return 0;
}

int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error)
{
    return (state->parts ? move_parts : move)(state, field, begin, count, canonical, NULL, error);
}

int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error)
{
    return (state->parts ? move_parts : move)(state, field, begin, count, NULL, canonical, error);
}

bool state_makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count)
{
    const uint64_t slab = state->own_only ? slab_elements(state, field) : 0;
    for (uint32_t i = 0; state->own_only && i < state->plan->settings.parts; i++) {
        const struct plan_slab *own = &state->plan->parts[i]->slab;
        if (parts_is_here(state->plan, i) && own->first * slab < begin + count &&
            begin < (own->first + own->count) * slab)
            return true;
    }
    return !state->own_only;
}

/* ---- Margins ------------------------------------------------------------------------------------------------ */

/* Copies canonical elements of one part to another. */
static int copy_elements(const struct state *from, uint64_t at, struct state *to, uint64_t there, uint32_t field,
                         uint64_t count, void *piece, struct engine_error *error)
{
    const uint64_t most = PIECE / type_bytes(from->plan->shapes[field].type);
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
    const uint64_t elements = slab_elements(state, field);
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
    const uint64_t elements = slab_elements(state, field), count = stretch->count * elements;
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

int state_exchange(struct state *state, bool inputs, struct engine_error *error)
{
    if (state->ranks)
        return exchange_with_ranks(state, inputs, error);
    if (plan_shares_work(state->plan))
        return 0;
    if (each_margin(state, 0, wait_for_owner, error) != 0 || exchange(state, inputs, copy_stretch, error) != 0)
        return error->status;
    return each_margin(state, 0, release_owner, error);
}

bool state_exchange_enqueues(const struct state *state)
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

int state_synchronise(const struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (device->synchronise(device, error) != 0)
        return error->status;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++) {
        device = state->parts[i]->plan->device;
        if (device->synchronise(device, error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, state->plan->settings.parts);
    }
    return 0;
}

/* ---- Whole buffers ------------------------------------------------------------------------------------------ */

/* Moves a field of a divided run between its parts and host memory, in the layout that the implementation would give
 * the whole field. */
static int copy_parts(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    const struct geometry *geometry = state_geometry(state, field);
    const uint64_t most = PIECE / type_bytes(geometry->shape.type);
    uint64_t count;
    shape_elements(&geometry->shape, &count);
    for (uint64_t begin = 0; begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        if (in)
            geometry_read(geometry, in, begin, n, state->piece);
        if (move_parts(state, field, begin, n, in ? NULL : state->piece, in ? state->piece : NULL, error) != 0)
            return error->status;
        if (out)
            geometry_write(geometry, out, begin, n, state->piece);
    }
    return 0;
}

int state_copy_out(const struct state *state, uint32_t field, void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (state->parts)
        return copy_parts(state, field, host, NULL, error);
    return device->copy_out(device, state_buffer(state, field), state_geometry(state, field)->bytes, host,
                            state->plan->for_plugin.threads, error);
}

int state_copy_in(struct state *state, uint32_t field, const void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (state->parts)
        return copy_parts(state, field, NULL, host, error);
    return device->copy_in(device, state_buffer(state, field), state_geometry(state, field)->bytes, host,
                           state->plan->for_plugin.threads, error);
}

/* ---- What plugins see --------------------------------------------------------------------------------------- */

int state_wrap(struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!field->absent && field->about->kind == ENGINE_GRID &&
            device->wrap(device, state_geometry(state, i), state_buffer(state, i), state->plan->for_plugin.threads,
                         error) != 0)
            return error->status;
    }
    return 0;
}

void state_update_views(struct state *state)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct geometry *geometry = state_geometry(state, i);
        struct engine_buffer *view = &state->views[i];
        for (int b = 0; b < 2; b++)
            view->origin[b] = state->memory[i][b] ? (char *) state->memory[i][b] + geometry->origin : NULL;
        view->row_stride = geometry->row_stride;
        view->plane_stride = geometry->plane_stride;
        view->component_stride = geometry->component_stride;
        view->bytes = state->plan->fields[i].bytes;
        view->shape = &state->plan->fields[i].shape[state->step % 2];
        view->layout = &geometry->layout;
    }
}

/* ---- Hashes ------------------------------------------------------------------------------------------------- */

static int hash_field(const struct state *state, uint32_t index, XXH3_state_t *hash, void *piece,
                      struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    uint64_t count, bytes = type_bytes(shape->type);
    shape_elements(shape, &count);
    for (uint64_t begin = 0; begin < count;) {
        uint64_t n = count - begin < PIECE / bytes ? count - begin : PIECE / bytes;
        if (state_read(state, index, begin, n, piece, error) != 0)
            return error->status;
        XXH3_128bits_update(hash, piece, n * bytes);
        begin += n;
    }
    return 0;
}

/* Inputs count if they have memory of their own. */
enum { INPUTS = 1 << ENGINE_INPUT, STATES = 1 << ENGINE_STATE, RESULTS = STATES | 1 << ENGINE_OUTPUT };

/* Hashes the fields of some roles: INPUTS, STATES or RESULTS. */
static int hash_fields(const struct state *state, int roles, char text[HASH_TEXT], struct engine_error *error)
{
    XXH3_state_t *hash = XXH3_createState();
    void *piece = malloc(PIECE);
    int status = hash && piece ? 0 : error_memory(error, PIECE, "hashing");
    if (status == 0)
        XXH3_128bits_reset(hash);
    for (uint32_t i = 0; status == 0 && i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (roles & 1 << field->about->role && (field->about->role != ENGINE_INPUT || field->buffers > 0))
            status = hash_field(state, i, hash, piece, error);
    }
    if (status == 0) {
        XXH128_hash_t digest = XXH3_128bits_digest(hash);
        snprintf(text, HASH_TEXT, "%016llx%016llx", (unsigned long long) digest.high64,
                 (unsigned long long) digest.low64);
    }
    XXH3_freeState(hash);
    free(piece);
    return status;
}

int state_hash(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, RESULTS, text, error);
}

int state_hash_states(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, STATES, text, error);
}

int state_hash_inputs(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, INPUTS, text, error);
}
