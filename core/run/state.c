#include "run/state.h"
#include "base/machine.h"
#include "base/xxh.h"
#include "memory/allocate.h"
#include "plan/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

static int allocate_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct plan_field *field = &state->plan->fields[index];
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < field->buffers; i++)
        if (memory_allocate(state->plan->context, device, field->bytes, &state->memory[index][i], error) != 0)
            return error_prefix(error, "field %s: ", field->about->name);
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
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        for (uint32_t b = 0; b < state->plan->fields[i].buffers; b++)
            if (state->memory[i][b])
                memory_release(state->plan->context, device, state->memory[i][b], state->plan->fields[i].bytes);
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

static void *current_buffer(const struct state *state, uint32_t field)
{
    return state->memory[field][state->plan->fields[field].about->role == ENGINE_STATE ? state->current : 0];
}

void state_bind(struct state *state, const struct state *run)
{
    state->step = run->step;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *bound = state->plan->sources[i].bound;
        if (bound && !state->plan->fields[i].converted)
            state->memory[i][0] = state->memory[i][1] = current_buffer(run, (uint32_t) (bound - run->plan->fields));
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
    void *buffer = current_buffer(state, field);
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

/* The same for a divided state: moves what each part owns of the elements. */
static int move_parts(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out,
                      const void *in, struct engine_error *error)
{
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

/* Rows or planes that a part copies from their owner into its margin. `at` and `there` are their indices in the buffers
 * of the two parts. */
struct strip {
    uint32_t field, owner, part;
    uint64_t at, there, count;
};

/* Cells on their way between processes, as canonical elements. */
struct parcel {
    struct parcel *next;
    struct state *part; /* that receives them; NULL: this process sends them */
    uint32_t field;
    uint64_t begin, count;
    char elements[];
};

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

static int copy_strip(const struct state *state, const struct strip *strip, struct engine_error *error)
{
    const struct state *owner = state->parts[strip->owner];
    struct state *part = state->parts[strip->part];
    const uint32_t field = strip->field;
    const uint64_t elements = slab_elements(state, field);
    if (geometry_copy_slabs(state_geometry(owner, field), current_buffer(owner, field), strip->at,
                            state_geometry(part, field), current_buffer(part, field), strip->there, strip->count))
        return 0;
    return copy_elements(owner, strip->at * elements, part, strip->there * elements, field, strip->count * elements,
                         state->piece, error);
}

/* Begins to send, or to receive, the memory of rows or planes. */
static int post_slabs(const struct state *state, const struct strip *strip, bool sends, struct engine_error *error)
{
    const struct state *here = state->parts[sends ? strip->owner : strip->part];
    const struct geometry *geometry = state_geometry(here, strip->field);
    void *buffer = current_buffer(here, strip->field);
    const uint32_t other = parts_rank(state->plan, sends ? strip->part : strip->owner);
    uint64_t bytes;
    for (uint32_t block = 0; block < geometry_slab_blocks(geometry); block++) {
        void *at = geometry_slabs(geometry, buffer, block, sends ? strip->at : strip->there, &bytes);
        if ((sends ? link_send(state->ranks->link, other, at, strip->count * bytes, error)
                   : link_receive(state->ranks->link, other, at, strip->count * bytes, error)) != 0)
            return error->status;
    }
    return 0;
}

/* The same where the two parts order their cells in different ways. */
static int post_parcel(const struct state *state, const struct strip *strip, bool sends, struct parcel **parcels,
                       struct engine_error *error)
{
    const uint64_t elements = slab_elements(state, strip->field), count = strip->count * elements;
    const uint64_t bytes = count * type_bytes(state->plan->shapes[strip->field].type);
    struct state *here = state->parts[sends ? strip->owner : strip->part];
    struct parcel *parcel = malloc(sizeof *parcel + bytes);
    if (!parcel)
        return error_memory(error, bytes, "the margins of the parts");
    *parcel = (struct parcel){*parcels, sends ? NULL : here, strip->field, strip->there * elements, count};
    *parcels = parcel;
    if (sends && state_read(here, strip->field, strip->at * elements, count, parcel->elements, error) != 0)
        return error->status;
    const uint32_t other = parts_rank(state->plan, sends ? strip->part : strip->owner);
    return sends ? link_send(state->ranks->link, other, parcel->elements, bytes, error)
                 : link_receive(state->ranks->link, other, parcel->elements, bytes, error);
}

/* Copies the strip, or sends or receives it, or leaves it to others. All processes go through all strips in the same
 * order, so that the messages between two of them match. */
static int carry_strip(const struct state *state, const struct strip *strip, struct parcel **parcels,
                       struct engine_error *error)
{
    const bool owns = parts_is_here(state->plan, strip->owner), wants = parts_is_here(state->plan, strip->part);
    if (owns && wants)
        return copy_strip(state, strip, error);
    if (!owns && !wants)
        return 0;
    const struct plan_field *from = &state->plan->parts[strip->owner]->fields[strip->field];
    const struct plan_field *to = &state->plan->parts[strip->part]->fields[strip->field];
    return geometry_slabs_alike(&from->geometry[state->step % 2], &to->geometry[state->step % 2])
               ? post_slabs(state, strip, owns, error)
               : post_parcel(state, strip, owns, parcels, error);
}

/* The part that owns a row or plane of the whole grid. */
static uint32_t owner_of(const struct state *state, uint64_t row)
{
    uint32_t i = 0;
    while (state->plan->parts[i]->slab.first + state->plan->parts[i]->slab.count <= row)
        i++;
    return i;
}

/* Fills rows or planes [begin, begin + count) of a part. A margin may be deeper than its neighbour, or than the whole
 * grid, around which it then goes several times. */
static int fill_margin(const struct state *state, uint32_t part, uint32_t field, uint64_t begin, uint64_t count,
                       struct parcel **parcels, struct engine_error *error)
{
    const struct plan *plan = state->plan->parts[part];
    const uint64_t extent = state->plan->shapes[field].extent[plan->slab.axis];
    for (uint64_t n, done = 0; done < count; done += n) {
        const uint64_t row = (plan->for_plugin.part.offset[plan->slab.axis] + begin + done) % extent;
        const uint32_t owner = owner_of(state, row);
        const struct plan_slab *own = &state->plan->parts[owner]->slab;
        n = own->first + own->count - row < count - done ? own->first + own->count - row : count - done;
        const struct strip strip = {field, owner, part, row - own->first + own->margin, begin + done, n};
        if (carry_strip(state, &strip, parcels, error) != 0)
            return error->status;
    }
    return 0;
}

static int fill_margins(const struct state *state, bool inputs, struct parcel **parcels, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        const uint32_t role = field->about->role;
        if (field->absent || !(role == ENGINE_STATE || (inputs && role == ENGINE_INPUT)))
            continue;
        for (uint32_t p = 0; p < state->plan->settings.parts; p++) {
            const struct plan_slab *own = &state->plan->parts[p]->slab;
            if (fill_margin(state, p, i, 0, own->margin, parcels, error) != 0 ||
                fill_margin(state, p, i, own->margin + own->count, own->margin, parcels, error) != 0)
                return error->status;
        }
    }
    return 0;
}

/* Writes the cells that have come, and frees all parcels. */
static int unpack(struct parcel *parcels, int status, struct engine_error *error)
{
    for (struct parcel *next; parcels; parcels = next) {
        next = parcels->next;
        if (status == 0 && parcels->part)
            status = state_write(parcels->part, parcels->field, parcels->begin, parcels->count, parcels->elements, error);
        free(parcels);
    }
    return status;
}

int state_exchange(struct state *state, bool inputs, struct engine_error *error)
{
    const double begin = machine_clock();
    struct parcel *parcels = NULL;
    int status = fill_margins(state, inputs, &parcels, error);
    if (status == 0 && state->ranks)
        status = link_wait(state->ranks->link, state->ranks->patience, error);
    else if (state->ranks)
        link_break(state->ranks->link); /* the others wait for messages that do not come */
    status = unpack(parcels, status, error);
    state->exchange_seconds += machine_clock() - begin;
    return status;
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
    return device->copy_out(device, current_buffer(state, field), state_geometry(state, field)->bytes, host,
                            state->plan->for_plugin.threads, error);
}

int state_copy_in(struct state *state, uint32_t field, const void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (state->parts)
        return copy_parts(state, field, NULL, host, error);
    return device->copy_in(device, current_buffer(state, field), state_geometry(state, field)->bytes, host,
                           state->plan->for_plugin.threads, error);
}

/* ---- What plugins see --------------------------------------------------------------------------------------- */

int state_wrap(struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!field->absent && field->about->kind == ENGINE_GRID &&
            device->wrap(device, state_geometry(state, i), current_buffer(state, i), state->plan->for_plugin.threads,
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
        view->shape = &geometry->shape;
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

/* Hashes the inputs that have memory of their own, or the states and outputs. */
static int hash_fields(const struct state *state, bool inputs, char text[HASH_TEXT], struct engine_error *error)
{
    XXH3_state_t *hash = XXH3_createState();
    void *piece = malloc(PIECE);
    int status = hash && piece ? 0 : error_memory(error, PIECE, "hashing");
    if (status == 0)
        XXH3_128bits_reset(hash);
    for (uint32_t i = 0; status == 0 && i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        const bool is_own_input = field->about->role == ENGINE_INPUT && field->buffers > 0;
        if (inputs ? is_own_input : plan_is_result(field->about))
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
    return hash_fields(state, false, text, error);
}

int state_hash_inputs(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, true, text, error);
}
