/* HashLife (hashlife/bytes.h), with the tables of `cpu`. */
#include "cpu.h"

#include <hashlife/bytes.h>

static void step(const void *rule, const uint8_t *cells, uint8_t *next)
{
    const struct instance *own = (const struct instance *) rule;
    const int side = HASHLIFE_SIDE;
    for (int at = side + 1; at < side * (side - 1); at += side)
        own->take_row(&own->tables, own->column, cells + at - side, cells + at, cells + at + side, next + at, side - 2);
}

static uint32_t population(const struct store_leaf *leaf, uint32_t metric)
{
    uint32_t live = 0;
    (void) metric;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            live += leaf->row[y][x] != 0;
    return live;
}

int ruletable_hashlife_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const int status = hashlife_bytes_probe(host, plan);
    return status == 0 ? ruletable_probe(host, plan) : status;
}

static int open_tree(const struct engine_call *call, uint64_t bytes, void **self)
{
    static const struct hashlife_kernel kernel = {hashlife_bytes_middle, population, RULETABLE_METRICS};
    void *memory = call->host->scratch(call->host, sizeof(struct hashlife_bytes), ENGINE_HOST_MEMORY);
    struct hashlife_bytes *rule = (struct hashlife_bytes *) memory;
    struct instance *own = NULL;
    const int status = rule ? ruletable_cpu_open(call, &own) : ENGINE_NO_MEMORY;
    if (status != 0)
        return status;
    *rule = (struct hashlife_bytes){step, own};
    struct hashlife *life = hashlife_new(
        call, &kernel, bytes, (uint64_t) engine_param_integer(call->plan, RULETABLE_MEMORY), "ruletable.memory");
    if (!life) {
        ruletable_cpu_destroy(own);
        return ENGINE_NO_MEMORY;
    }
    life->rules = rule;
    *self = life;
    return 0;
}

int ruletable_hashlife_create(const struct engine_call *call, void **self)
{
    return open_tree(call, 0, self);
}

void ruletable_hashlife_destroy(void *self)
{
    const struct hashlife_bytes *rule = (const struct hashlife_bytes *) ((struct hashlife *) self)->rules;
    ruletable_cpu_destroy(rule->rule);
    hashlife_close(self);
}

const struct engine_tree ruletable_tree = {HASHLIFE_BYTES_TREE, .open = open_tree, .close = ruletable_hashlife_destroy};
