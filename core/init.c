#include "init.h"
#include "convert.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; /* elements handled at a time */

static const struct engine_field *field_at(const struct state *state, uint32_t index)
{
    return state->plan->fields[index].about;
}

static uint32_t field_count(const struct state *state)
{
    return state->plan->plugin->about.fields.count;
}

static uint64_t element_count(const struct state *state, uint32_t field)
{
    uint64_t count;
    shape_elements(&state_geometry(state, field)->shape, &count);
    return count;
}

/* Elements of a field whose number is limited must be below it. */
static int check_values(const struct engine_field *field, const void *elements, uint64_t count, const char *file,
                        struct error *error)
{
    const uint8_t *bytes = elements;
    if (field->values == 0 || field->type != ENGINE_U8 || field->values == 256)
        return 0;
    uint8_t highest = 0;
    for (uint64_t i = 0; i < count; i++)
        highest = bytes[i] > highest ? bytes[i] : highest;
    if (highest < field->values)
        return 0;
    return error_set(error, STATUS_INPUT, "%s: holds the value %u; field %s takes 0 to %u", file, highest, field->name,
                     field->values - 1);
}

/* ---- Defaults ----------------------------------------------------------------------------------------------- */

static void fill_elements(void *elements, uint32_t type, uint64_t count, double value)
{
    for (uint64_t i = 0; i < count; i++)
        switch (type) {
#define SET(id, ctype) \
    case id: \
        ((ctype *) elements)[i] = (ctype) value; \
        break;
            SET(ENGINE_U8, uint8_t)
            SET(ENGINE_I8, int8_t)
            SET(ENGINE_U16, uint16_t)
            SET(ENGINE_I16, int16_t)
            SET(ENGINE_U32, uint32_t)
            SET(ENGINE_I32, int32_t)
            SET(ENGINE_U64, uint64_t)
            SET(ENGINE_I64, int64_t)
            SET(ENGINE_F32, float)
            SET(ENGINE_F64, double)
#undef SET
        default: /* complex: the initial value is real */
            if (type == ENGINE_C64)
                ((float *) elements)[2 * i] = (float) value;
            else
                ((double *) elements)[2 * i] = value;
        }
}

/* Buffers come cleared, so only other values need writing; and only in buffers of its own. */
static int fill_default(struct state *state, uint32_t index, struct error *error)
{
    const struct engine_field *field = field_at(state, index);
    if (field->initial == 0 || field->role == ENGINE_OUTPUT || state->plan->fields[index].buffers == 0)
        return 0;
    const uint32_t type = state_geometry(state, index)->shape.type;
    void *piece = calloc(PIECE, type_bytes(type));
    if (!piece)
        return error_memory(error, PIECE, "the first state");
    fill_elements(piece, type, PIECE, field->initial);
    const uint64_t count = element_count(state, index);
    int status = 0;
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE)
        status = state_write(state, index, begin, count - begin < PIECE ? count - begin : PIECE, piece, error);
    free(piece);
    return status;
}

/* ---- Random cells ------------------------------------------------------------------------------------------- */

/* A cell is not 0 where its word is below density x 2^32; which of several values it takes then follows the word too.
 */
static void random_cells(const struct engine_field *field, uint32_t type, double density, uint32_t *words,
                         uint64_t count, void *cells)
{
    const uint64_t threshold = (uint64_t) (density * 4294967296.0 + 0.5);
    if (field->values <= 2 && type == ENGINE_U8) {
        for (uint64_t i = 0; i < count; i++)
            ((uint8_t *) cells)[i] = words[i] < threshold;
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t) (words[i] < threshold ? 1 + words[i] * (uint64_t) (field->values - 1) / threshold : 0);
    convert_elements(ENGINE_U32, words, count, type, cells);
}

/* Uniform in [0, 1): the upper 24 bits of a word as a float, all 32 as a double. */
static void random_reals(uint32_t type, const uint32_t *words, uint64_t count, void *out)
{
    for (uint64_t i = 0; i < count; i++)
        if (type == ENGINE_F32 || type == ENGINE_C64)
            ((float *) out)[i] = (float) (words[i] >> 8) * 0x1p-24f;
        else
            ((double *) out)[i] = words[i] * 0x1p-32;
}

/* Every value of the type: the low bytes of an element's words. */
static void random_integers(uint32_t type, const uint32_t *words, uint64_t count, uint8_t *out)
{
    const uint32_t bytes = type_bytes(type), step = bytes > sizeof *words ? 2 : 1;
    for (uint64_t i = 0; i < count; i++)
        memcpy(out + i * bytes, words + i * step, bytes);
}

struct random_piece {
    uint32_t words[2 * PIECE];
    uint64_t elements[2 * PIECE]; /* room for the widest */
};

/* Complex numbers and 64-bit integers take two words an element. */
static uint32_t words_each(uint32_t type)
{
    return type == ENGINE_U64 || type == ENGINE_I64 || type == ENGINE_C64 || type == ENGINE_C128 ? 2 : 1;
}

static void random_elements(const struct engine_field *field, uint32_t type, double density, uint64_t count,
                            struct random_piece *piece)
{
    if (type >= ENGINE_F32)
        random_reals(type, piece->words, count * words_each(type), piece->elements);
    else if (field->values == 0)
        random_integers(type, piece->words, count, (uint8_t *) piece->elements);
    else
        random_cells(field, type, density, piece->words, count, piece->elements);
}

/* Element i of field f follows word i of stream f, or words 2i and 2i + 1. */
static int random_range(struct state *state, uint32_t index, uint64_t begin, uint64_t end, struct random_piece *piece,
                        struct error *error)
{
    const struct settings *settings = &state->plan->settings;
    const struct engine_field *field = field_at(state, index);
    const uint32_t type = state_geometry(state, index)->shape.type;
    for (uint64_t at = begin; at < end; at += PIECE) {
        uint64_t n = end - at < PIECE ? end - at : PIECE;
        random_words(settings->seed, index, at * words_each(type), n * words_each(type), piece->words);
        random_elements(field, type, settings->density, n, piece);
        if (state_write(state, index, at, n, piece->elements, error) != 0)
            return error->status;
    }
    return 0;
}

/* Threads take whole rows, as many as make a piece, since two rows never share a word. */
static int random_field(struct state *state, uint32_t index, struct error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const uint64_t width = shape->extent[0] * shape->components, count = element_count(state, index);
    const uint64_t run = width < PIECE ? PIECE / width * width : width;
    const int64_t runs = (int64_t) ((count + run - 1) / run);
    const int threads = (int) state->plan->shared.threads;
    int status = 0;
#pragma omp parallel num_threads(threads) if (threads > 1 && runs > 1)
    {
        struct random_piece *piece = malloc(sizeof *piece);
        struct error own;
        int mine = piece ? 0 : error_memory(&own, sizeof *piece, "random cells");
#pragma omp for schedule(static)
        for (int64_t i = 0; i < runs; i++) {
            const uint64_t begin = (uint64_t) i * run, end = count - begin < run ? count : begin + run;
            if (mine == 0)
                mine = random_range(state, index, begin, end, piece, &own);
        }
        if (mine != 0)
#pragma omp critical
        {
            *error = own;
            status = mine;
        }
        free(piece);
    }
    return status;
}

/* States, and matrices that are inputs: what else a plugin takes (masses, species) starts at its default. */
static bool is_random(const struct engine_field *field)
{
    return field->role == ENGINE_STATE || (field->role == ENGINE_INPUT && field->kind == ENGINE_MATRIX);
}

static int init_random(struct state *state, struct error *error)
{
    for (uint32_t i = 0; i < field_count(state); i++)
        if ((is_random(field_at(state, i)) ? random_field(state, i, error) : fill_default(state, i, error)) != 0)
            return error->status;
    return 0;
}

/* ---- A pattern somewhere on the grid ------------------------------------------------------------------------ */

/* The place of the pattern's first cell: what the configuration says; else what the file says, where it speaks of this
 * very grid; else such that the pattern is centred. */
static void place_pattern(const struct state *state, uint64_t at[3])
{
    const struct settings *settings = &state->plan->settings;
    const struct io_document *pattern = state->plan->pattern;
    const uint64_t *grid = state_geometry(state, 0)->shape.extent;
    const bool said = pattern->header.placed && memcmp(pattern->header.grid, grid, sizeof pattern->header.grid) == 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t place = (int64_t) (grid[axis] / 2) - (int64_t) (pattern->arrays[0].shape.extent[axis] / 2);
        if (settings->at_given && !settings->centred)
            place = settings->at[axis];
        else if (!settings->at_given && said)
            place = pattern->header.at[axis];
        int64_t extent = (int64_t) grid[axis];
        at[axis] = (uint64_t) ((place % extent + extent) % extent);
    }
}

/* Rows of the grid that lie side by side, gathered until they make a piece: every transfer to a device costs the same
 * as many rows. A row that is longer than a piece goes by itself. */
struct gathered {
    struct state *state;
    uint64_t begin, count; /* elements gathered; whole rows */
    uint64_t row, room;    /* elements of a row, and of as many as fit */
    uint8_t *elements;
    uint8_t *blank; /* a row of the field's initial value */
};

static uint64_t grid_row(const struct state *state, uint64_t y, uint64_t z)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    return (z * grid->extent[1] + y) * grid->extent[0] * grid->components;
}

static int gather_open(struct state *state, struct gathered *gathered, struct error *error)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    const uint64_t row = grid->extent[0] * grid->components;
    *gathered = (struct gathered){.state = state, .row = row, .room = row < PIECE ? PIECE / row * row : row};
    gathered->elements = malloc(gathered->room * type_bytes(grid->type));
    gathered->blank = malloc(row * type_bytes(grid->type));
    if (!gathered->elements || !gathered->blank)
        return error_memory(error, gathered->room * type_bytes(grid->type), "the pattern");
    fill_elements(gathered->blank, grid->type, row, field_at(state, 0)->initial);
    return 0;
}

static int gather_flush(struct gathered *gathered, struct error *error)
{
    const uint64_t count = gathered->count;
    gathered->count = 0;
    return count == 0 ? 0 : state_write(gathered->state, 0, gathered->begin, count, gathered->elements, error);
}

/* Elements [x, x + n) of the pattern's row, onto the torus' row that begins at `row`. */
static int gather_row(struct gathered *gathered, uint64_t row, uint64_t x, uint64_t n, const uint8_t *elements,
                      struct error *error)
{
    const struct engine_shape *grid = &state_geometry(gathered->state, 0)->shape;
    const uint64_t cell = (uint64_t) type_bytes(grid->type) * grid->components;
    if ((row != gathered->begin + gathered->count || gathered->count == gathered->room) &&
        gather_flush(gathered, error) != 0)
        return error->status;
    if (gathered->count == 0)
        gathered->begin = row;
    uint8_t *to = gathered->elements + gathered->count * type_bytes(grid->type);
    memcpy(to, gathered->blank, grid->extent[0] * cell);
    const uint64_t first = grid->extent[0] - x < n ? grid->extent[0] - x : n;
    memcpy(to + x * cell, elements, first * cell);
    memcpy(to, elements + first * cell, (n - first) * cell);
    gathered->count += gathered->row;
    return 0;
}

static int copy_pattern_row(struct gathered *gathered, const uint64_t at[3], uint64_t y, uint64_t z, uint8_t *piece,
                            struct error *error)
{
    struct state *state = gathered->state;
    struct io_document *pattern = state->plan->pattern;
    const struct engine_shape *shape = &pattern->arrays[0].shape, *grid = &state_geometry(state, 0)->shape;
    const uint64_t n = shape->extent[0], begin = (z * shape->extent[1] + y) * n * shape->components;
    if (pattern->read(pattern, 0, begin, n * shape->components, piece, error) != 0 ||
        check_values(field_at(state, 0), piece, n * shape->components, state->plan->settings.file, error) != 0)
        return error->status;
    const uint64_t row = grid_row(state, (at[1] + y) % grid->extent[1], (at[2] + z) % grid->extent[2]);
    return gather_row(gathered, row, at[0], n, piece, error);
}

static int copy_pattern(struct gathered *gathered, const uint64_t at[3], uint8_t *piece, struct error *error)
{
    const struct engine_shape *shape = &gathered->state->plan->pattern->arrays[0].shape;
    for (uint64_t z = 0; z < shape->extent[2]; z++)
        for (uint64_t y = 0; y < shape->extent[1]; y++)
            if (copy_pattern_row(gathered, at, y, z, piece, error) != 0)
                return error->status;
    return gather_flush(gathered, error);
}

static int init_pattern(struct state *state, struct error *error)
{
    const struct engine_shape *shape = &state->plan->pattern->arrays[0].shape;
    uint64_t at[3];
    place_pattern(state, at);
    for (uint32_t i = 0; i < field_count(state); i++)
        if (fill_default(state, i, error) != 0)
            return error->status;
    const uint64_t bytes = shape->extent[0] * shape->components * type_bytes(shape->type);
    uint8_t *piece = malloc(bytes);
    struct gathered gathered = {0};
    int status = piece ? gather_open(state, &gathered, error) : error_memory(error, bytes, "the pattern");
    if (status == 0)
        status = copy_pattern(&gathered, at, piece, error);
    free(gathered.elements);
    free(gathered.blank);
    free(piece);
    return status;
}

/* ---- Arrays of files ---------------------------------------------------------------------------------------- */

static int copy_source(struct state *state, uint32_t index, struct error *error)
{
    const uint32_t type = state_geometry(state, index)->shape.type;
    const uint64_t count = element_count(state, index);
    void *held = malloc((uint64_t) PIECE * 16), *piece = malloc((uint64_t) PIECE * 16);
    int status = held && piece ? 0 : error_memory(error, PIECE, "an array");
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE) {
        uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        status = source_read(state->plan, index, type, begin, n, held, piece, error);
        if (status == 0)
            status = state_write(state, index, begin, n, piece, error);
    }
    free(held);
    free(piece);
    return status;
}

static int init_sources(struct state *state, struct error *error)
{
    for (uint32_t i = 0; i < field_count(state); i++) {
        const bool given = state->plan->sources[i].document != NULL;
        if ((given ? copy_source(state, i, error) : fill_default(state, i, error)) != 0)
            return error->status;
    }
    return 0;
}

int init_next_frame(struct state *state, uint64_t by, struct error *error)
{
    if (source_next_frame(state->plan, by, error) != 0)
        return error->status;
    if (plan_change_box(state->plan, error) != 0)
        return error_prefix(error, "after %llu frames: ", (unsigned long long) state->step);
    for (uint32_t i = 0; i < field_count(state); i++)
        if (source_has_frames(state->plan, i) && copy_source(state, i, error) != 0)
            return error->status;
    return 0;
}

static int init_file(struct state *state, struct error *error)
{
    return source_is_arrays(state->plan) ? init_sources(state, error) : init_pattern(state, error);
}

/* ---- A generator of the plugin ------------------------------------------------------------------------------ */

static int generate_field(struct state *state, struct host *host, uint32_t index, void *piece, struct error *error)
{
    const struct plan *plan = state->plan;
    const struct engine_plugin *about = &plan->plugin->about;
    const uint64_t count = element_count(state, index);
    for (uint64_t begin = 0; begin < count; begin += PIECE) {
        uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        host_clear(host);
        int code = about->generate(&host->table, &plan->shared, plan->settings.generator, index, begin, n, piece);
        if (code != 0)
            return host_error(host, code, about->generators.at[plan->settings.generator].name, error);
        if (state_write(state, index, begin, n, piece, error) != 0)
            return error->status;
    }
    return 0;
}

static int init_generated(struct state *state, struct error *error)
{
    struct host host;
    host_init(&host, state->plan->shared.threads, NULL);
    void *piece = malloc((uint64_t) PIECE * 16);
    int status = piece ? 0 : error_memory(error, PIECE, "the first state");
    for (uint32_t i = 0; status == 0 && i < field_count(state); i++)
        if (field_at(state, i)->role != ENGINE_OUTPUT)
            status = generate_field(state, &host, i, piece, error);
    free(piece);
    host_release(&host);
    return status;
}

static int init_defaults(struct state *state, struct error *error)
{
    for (uint32_t i = 0; i < field_count(state); i++)
        if (fill_default(state, i, error) != 0)
            return error->status;
    return 0;
}

int init_state(struct state *state, struct error *error)
{
    static int (*const ways[])(struct state *, struct error *) = {
        [INIT_DEFAULTS] = init_defaults, [INIT_FILE] = init_file,           [INIT_RANDOM] = init_random,
        [INIT_ARRAYS] = init_sources,    [INIT_GENERATOR] = init_generated,
    };
    return ways[state->plan->settings.source](state, error);
}
