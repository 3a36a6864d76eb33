/* HashLife (hashlife/bytes.h). A row of eight cells is a word: the live neighbours of its cells are sums of bytes. */
#include "generations.h"

#include <hashlife/bytes.h>

enum { COUNTS = 16 }; /* numbers of live neighbours, and room */

struct form {
    struct hashlife_bytes bytes;
    uint8_t next[GENERATIONS_STATES_MAX * COUNTS];
};

/* The live cells of a row, and those of the three cells around each. Nothing is carried: the sums are small. */
struct sums {
    uint64_t alive, three;
};

static struct sums sums_of(const uint8_t *row)
{
    uint8_t bytes[HASHLIFE_SIDE];
    struct sums sums;
    for (int x = 0; x < HASHLIFE_SIDE; x++)
        bytes[x] = row[x] == 1;
    memcpy(&sums.alive, bytes, sizeof bytes);
    sums.three = (sums.alive << 8) + sums.alive + (sums.alive >> 8);
    return sums;
}

static void step(const void *rule, const uint8_t *cells, uint8_t *next)
{
    const uint8_t *table = (const uint8_t *) rule;
    struct sums above = sums_of(cells), here = sums_of(cells + HASHLIFE_SIDE);
    for (int y = 1; y < HASHLIFE_SIDE - 1; y++) {
        const struct sums below = sums_of(cells + (y + 1) * HASHLIFE_SIDE);
        const uint64_t sum = above.three + here.three + below.three - here.alive;
        uint8_t counts[HASHLIFE_SIDE];
        memcpy(counts, &sum, sizeof counts);
        for (int x = 1, at = y * HASHLIFE_SIDE + 1; x < HASHLIFE_SIDE - 1; x++, at++)
            next[at] = table[cells[at] * COUNTS + counts[x]];
        above = here;
        here = below;
    }
}

static uint32_t population(const struct store_leaf *leaf, uint32_t metric)
{
    uint32_t count = 0;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            count += metric == GENERATIONS_ALIVE ? leaf->row[y][x] == 1 : leaf->row[y][x] > 1;
    return count;
}

static int open_tree(const struct engine_call *call, uint64_t bytes, void **self)
{
    static const struct hashlife_kernel kernel = {hashlife_bytes_middle, population, GENERATIONS_METRICS};
    const struct generations_rule rule = generations_plan_rule(call->plan);
    struct form *form = (struct form *) call->host->scratch(call->host, sizeof *form, ENGINE_HOST_MEMORY);
    if (!form)
        return ENGINE_NO_MEMORY;
    form->bytes = (struct hashlife_bytes){step, form->next};
    for (uint32_t state = 0; state < GENERATIONS_STATES_MAX; state++)
        for (uint32_t count = 0; count < COUNTS; count++)
            form->next[state * COUNTS + count] = (uint8_t) generations_next(&rule, state, count);
    struct hashlife *life = hashlife_new(
        call, &kernel, bytes, (uint64_t) engine_param_integer(call->plan, GENERATIONS_MEMORY), "generations.memory");
    if (!life)
        return ENGINE_NO_MEMORY;
    life->rules = &form->bytes;
    *self = life;
    return 0;
}

int generations_hashlife_create(const struct engine_call *call, void **self)
{
    return open_tree(call, 0, self);
}

const struct engine_tree generations_tree = {HASHLIFE_BYTES_TREE, .open = open_tree, .close = hashlife_close};
