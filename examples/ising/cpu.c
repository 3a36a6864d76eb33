/* ising on the CPU. A cell's random bits follow from the seed, the step and the cell's place, so it does not matter
 * which thread takes which pair of rows. */
#include "ising.h"

enum { PIECE = 64 }; /* words that are updated at a time: 2048 cells, of which the last needs about 12 random bits */

struct instance {
    struct chances chances;
    struct counts *counts; /* one for each row, for cpu_measure */
};

/* A sweep over one colour, from one buffer to the other. */
struct sweep {
    const struct engine_call *call;
    const struct chances *chances;
    struct pairs pairs;
    uint32_t from, to;
    uint64_t stream;
    uint32_t mask;
};

int cpu_create(const struct engine_call *call, void **self)
{
    const uint64_t height = engine_field_shape(call->plan, SPIN)->extent[1];
    struct instance *instance = call->host->scratch(call->host, sizeof *instance, ENGINE_HOST_MEMORY);
    struct counts *counts = call->host->scratch(call->host, height * sizeof *counts, ENGINE_HOST_MEMORY);
    if (!instance || !counts)
        return ENGINE_NO_MEMORY;
    *instance = (struct instance){chances_of(call->plan), counts};
    *self = instance;
    return 0;
}

static uint32_t width_of(const struct engine_call *call)
{
    return (uint32_t) engine_field_shape(call->plan, SPIN)->extent[0];
}

/* Row y of the torus; y is -1 to height. */
static uint32_t *row_at(const struct engine_call *call, uint32_t which, uint64_t y)
{
    const struct engine_buffer *spins = engine_field_buffer(call, SPIN);
    const uint64_t height = spins->shape->extent[1];
    return engine_row(spins, which, (int64_t) ((y + height) % height), 0);
}

/* Draws the events of the chances for words begin … begin + count - 1 of a pair of the grid. */
static void draw(const struct sweep *sweep, int chances, uint32_t event[CHANCES][PIECE], uint64_t place, uint32_t begin,
                 uint32_t count)
{
    const struct engine_host *host = sweep->call->host;
    uint32_t open[PIECE], words[PIECE], left = ~0u; /* open: cells of whose numbers all bits so far are 0 */
    for (uint32_t i = 0; i < PIECE; i++)
        open[i] = ~0u;
    for (int c = 0; c < chances; c++)
        for (uint32_t i = 0; i < PIECE; i++)
            event[c][i] = bit_of(sweep->chances->flip[c], BITS);
    for (int n = 0; n < BITS && left != 0; n++) {
        host->random(host, sweep->call->plan->seed, sweep->stream + (uint64_t) n, (place << 32) + begin, count, words);
        for (int c = 0; c < chances; c++) {
            const uint32_t bit = bit_of(sweep->chances->flip[c], BITS - 1 - n);
            for (uint32_t i = 0; i < count; i++)
                event[c][i] |= open[i] & words[i] & bit;
        }
        left = 0;
        for (uint32_t i = 0; i < count; i++)
            left |= open[i] &= ~words[i];
    }
}

static inline void sweep_words(const struct sweep *sweep, int chances, uint64_t pair, uint32_t begin, uint32_t count)
{
    const struct engine_call *call = sweep->call;
    const uint32_t mask = sweep->mask;
    const uint32_t width = width_of(call);
    const uint64_t y = sweep->pairs.first + 2 * pair, place = (sweep->pairs.place + pair) % sweep->pairs.whole;
    const uint32_t *above = row_at(call, sweep->from, y - 1), *below = row_at(call, sweep->from, y + 2);
    const uint32_t *upper = row_at(call, sweep->from, y), *lower = row_at(call, sweep->from, y + 1);
    uint32_t *new_upper = row_at(call, sweep->to, y), *new_lower = row_at(call, sweep->to, y + 1);
    uint32_t event[CHANCES][PIECE], other[PIECE + 2];
    draw(sweep, chances, event, place, begin, count);
    for (uint32_t i = 0; i < count; i++)
        other[i + 1] = mix(mask, lower[begin + i], upper[begin + i]);
    join_ends(other, begin, count, mask, upper, lower, width);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = begin + i;
        uint32_t events[CHANCES];
        for (int c = 0; c < chances; c++)
            events[c] = event[c][i];
        const uint32_t left = other[i + 1] << 1 | other[i] >> 31, right = other[i + 1] >> 1 | other[i + 2] << 31;
        const uint32_t flip = flips(chances, events, mix(mask, upper[x], lower[x]), left, right, other[i + 1],
                                    mix(mask, above[x], below[x]));
        new_upper[x] = upper[x] ^ (flip & mask);
        new_lower[x] = lower[x] ^ (flip & ~mask);
    }
}

static void sweep_pair(void *argument, uint64_t pair)
{
    const struct sweep *sweep = argument;
    const uint32_t words = words_of(width_of(sweep->call));
    for (uint32_t begin = 0; begin < words; begin += PIECE) {
        const uint32_t count = words - begin < PIECE ? words - begin : PIECE;
        if (few_chances(sweep->chances))
            sweep_words(sweep, FEW, pair, begin, count);
        else
            sweep_words(sweep, CHANCES, pair, begin, count);
    }
}

int cpu_advance(void *self, struct engine_call *call)
{
    const struct instance *instance = self;
    const struct pairs pairs = pairs_of(call->plan);
    for (uint64_t step = call->first_step; step < call->first_step + call->steps; step++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            struct sweep sweep = {
                .call = call,
                .chances = &instance->chances,
                .pairs = pairs,
                .from = colour == BLACK ? call->current : 1 - call->current, /* and back again */
                .to = colour == BLACK ? 1 - call->current : call->current,
                .stream = stream_of(step, colour),
                .mask = mask_of(colour),
            };
            call->host->parallel(call->host, pairs.count, sweep_pair, &sweep);
        }
    call->result = call->current;
    return 0;
}

struct survey {
    const struct engine_call *call;
    const struct instance *instance;
};

static void survey_row(void *argument, uint64_t index)
{
    const struct survey *survey = argument;
    const struct engine_call *call = survey->call;
    const uint64_t y = call->begin[1] + index;
    const uint32_t width = width_of(call);
    struct counts counts = {0, 0};
    for (uint32_t i = 0; i < words_of(width); i++)
        count_word(&counts, row_at(call, call->current, y), row_at(call, call->current, y + 1), i, width);
    survey->instance->counts[index] = counts;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    const uint64_t rows = call->end[1] - call->begin[1];
    struct survey survey = {call, self};
    struct counts counts = {0, 0};
    call->host->parallel(call->host, rows, survey_row, &survey);
    for (uint64_t i = 0; i < rows; i++) {
        counts.up += survey.instance->counts[i].up;
        counts.alike += survey.instance->counts[i].alike;
    }
    add_counts(call->plan, counts, values);
    return 0;
}
