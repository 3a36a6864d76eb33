/* The initial state from random numbers. */
#include "base/convert.h"
#include "base/numeric.h"
#include "base/random.h"
#include "run/init_field.h"

#include <stdlib.h>
#include <string.h>

/* A cell is not 0 where its word is below density x 2^32. The word also decides which of several values it takes. */
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

/* Any value of the type: the low bytes of the element's words. */
static void random_integers(uint32_t type, const uint32_t *words, uint64_t count, uint8_t *out)
{
    const uint32_t bytes = type_bytes(type), step = bytes > sizeof *words ? 2 : 1;
    for (uint64_t i = 0; i < count; i++)
        memcpy(out + i * bytes, words + i * step, bytes);
}

struct random_piece {
    uint32_t words[2 * INIT_PIECE];
    uint64_t elements[2 * INIT_PIECE]; /* enough for the largest type */
};

/* An element of complex numbers or 64-bit integers takes two words. */
static uint32_t words_per_element(uint32_t type)
{
    return type == ENGINE_U64 || type == ENGINE_I64 || type == ENGINE_C64 || type == ENGINE_C128 ? 2 : 1;
}

static void random_elements(const struct engine_field *field, uint32_t type, double density, uint64_t count,
                            struct random_piece *piece)
{
    if (type >= ENGINE_F32)
        random_reals(type, piece->words, count * words_per_element(type), piece->elements);
    else if (field->values == 0)
        random_integers(type, piece->words, count, (uint8_t *) piece->elements);
    else
        random_cells(field, type, density, piece->words, count, piece->elements);
}

/* Makes positions, which are from 0 to 1, uniform in the box. The axes of a skewed box are as long as its edges. */
static void stretch(const struct state *state, uint32_t index, uint64_t at, uint64_t count, void *reals)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const bool places = strcmp(init_field(state, index)->name, "position") == 0 && !state->plan->settings.unit;
    for (uint64_t i = 0; i < count && places; i++) {
        const double edge = state->for_plugin.box[(at + i) % shape->components % 3];
        if (edge > 0 && shape->type == ENGINE_F32)
            ((float *) reals)[i] *= (float) edge;
        if (edge > 0 && shape->type == ENGINE_F64)
            ((double *) reals)[i] *= edge;
    }
}

/* Element i of field f of a universe follows word i of stream f, or words 2i and 2i + 1. The key is the universe's
 * seed. */
static void universe_words(const struct state *state, uint32_t index, uint64_t at, uint64_t count, uint32_t *words)
{
    const uint32_t each = words_per_element(state_geometry(state, index)->shape.type);
    for (uint64_t done = 0; done < count;) {
        const struct init_range range = init_range_at(state, index, at + done, count - done);
        random_words(state->plan->settings.seed + range.universe, index, range.begin * each, range.count * each,
                     words + done * each);
        done += range.count;
    }
}

static int random_range(struct state *state, uint32_t index, uint64_t begin, uint64_t end, struct random_piece *piece,
                        struct engine_error *error)
{
    const struct settings *settings = &state->plan->settings;
    const struct engine_field *field = init_field(state, index);
    const uint32_t type = state_geometry(state, index)->shape.type;
    for (uint64_t at = begin; at < end; at += INIT_PIECE) {
        uint64_t n = end - at < INIT_PIECE ? end - at : INIT_PIECE;
        if (!state_makes(state, index, at, n))
            continue;
        universe_words(state, index, at, n, piece->words);
        random_elements(field, type, settings->density, n, piece);
        stretch(state, index, at, n, piece->elements);
        if (state_write(state, index, at, n, piece->elements, error) != 0)
            return error->status;
    }
    return 0;
}

/* One thread's chunks of a field. */
static int random_chunks(struct state *state, uint32_t index, uint64_t chunk, uint64_t count,
                         struct engine_error *error)
{
    const int64_t chunks = (int64_t) ((count + chunk - 1) / chunk);
    struct random_piece *piece = malloc(sizeof *piece);
    int status = piece ? 0 : error_memory(error, sizeof *piece, "random cells");
#pragma omp for schedule(static)
    for (int64_t i = 0; i < chunks; i++) {
        const uint64_t begin = (uint64_t) i * chunk, end = count - begin < chunk ? count : begin + chunk;
        if (status == 0)
            status = random_range(state, index, begin, end, piece, error);
    }
    free(piece);
    return status;
}

/* A chunk is as many whole rows as make a piece: two rows never share a word of memory. */
static int random_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const uint64_t width = shape->extent[0] * shape->components, count = init_element_count(state, index);
    const uint64_t chunk = width < INIT_PIECE ? INIT_PIECE / width * width : width;
    const int threads = (int) state->plan->for_plugin.threads;
    int status = 0;
#pragma omp parallel num_threads(threads) if (threads > 1 && count > chunk)
    {
        struct engine_error own;
        numeric_reset(); /* a plugin may have left the threads in another one */
        const int own_status = random_chunks(state, index, chunk, count, &own);
        if (own_status != 0)
#pragma omp critical
        {
            *error = own;
            status = own_status;
        }
    }
    return status;
}

/* States are random, and matrices that are inputs. Other inputs (masses, species) start at their initial value. */
int init_random(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < init_fields(state); i++) {
        const struct engine_field *field = init_field(state, i);
        const bool random =
            field->role == ENGINE_STATE || (field->role == ENGINE_INPUT && field->kind == ENGINE_MATRIX);
        if ((random ? random_field(state, i, error) : init_default(state, i, error)) != 0)
            return error->status;
    }
    return 0;
}
