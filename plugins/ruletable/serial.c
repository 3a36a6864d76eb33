/* The reference: looks through the transitions, or walks down the tree, for each cell. It does not use the tables. */
#include "ruletable.h"

#include <stdlib.h>

struct instance {
    struct rule rule;

    /* A table: bit t of match[(input * states + state) * words …]: transition t takes this state at this input. */
    uint64_t *match;
    uint32_t words;
};

static bool make_match(struct instance *own)
{
    const struct rule *rule = &own->rule;
    own->words = (rule->transitions + 63) / 64;
    own->match = (uint64_t *) calloc((size_t) rule->inputs * rule->states * own->words + 1, sizeof *own->match);
    if (!own->match)
        return false;
    for (uint32_t i = 0; i < rule->inputs; i++)
        for (uint32_t state = 0; state < rule->states; state++) {
            uint64_t *bits = own->match + ((size_t) i * rule->states + state) * own->words;
            for (uint32_t t = 0; t < rule->transitions; t++)
                if (rule_set_has(&rule->set[rule->transition[t].input[i]], state))
                    bits[t / 64] |= UINT64_C(1) << t % 64;
        }
    return true;
}

/* The next state of a cell with these states at its inputs. Input 0 of a table is the cell. */
static uint8_t next_by_table(const struct instance *own, const uint8_t *states)
{
    const struct rule *rule = &own->rule;
    for (uint32_t w = 0; w < own->words; w++) {
        uint64_t bits = ~UINT64_C(0);
        for (uint32_t i = 0; i < rule->inputs; i++)
            bits &= own->match[((size_t) i * rule->states + states[i]) * own->words + w];
        if (bits)
            return rule->transition[w * 64 + (uint32_t) __builtin_ctzll(bits)].next;
    }
    return states[0];
}

static uint8_t next_by_tree(const struct instance *own, const uint8_t *states)
{
    const struct rule *rule = &own->rule;
    uint32_t node = rule->nodes - 1;
    for (uint32_t i = 0; i < rule->inputs; i++)
        node = rule->tree[(size_t) node * rule->states + states[i]];
    return (uint8_t) node;
}

int ruletable_serial_create(const struct engine_call *call, void **self)
{
    char path[RULETABLE_PATH_MAX];
    struct instance *own = (struct instance *) calloc(1, sizeof *own);
    if (!own)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "there is no memory for an instance");
    int status = ruletable_load(call->host, call->plan, true, &own->rule, path);
    if (status == 0 && !own->rule.tree && !make_match(own))
        status = ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "there is no memory for the transitions");
    if (status == 0)
        *self = own;
    else
        ruletable_serial_destroy(own);
    return status;
}

void ruletable_serial_destroy(void *self)
{
    struct instance *own = (struct instance *) self;
    rule_free(&own->rule);
    free(own->match);
    free(own);
}

/* The ghosts are as deep as one step reaches, so a call takes one step. */
int ruletable_serial_advance(void *self, struct engine_call *call)
{
    const struct instance *own = (const struct instance *) self;
    const struct rule *rule = &own->rule;
    const struct engine_buffer *cells = engine_field_buffer(call, RULETABLE_CELLS);
    for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++) {
        const uint8_t *row = (const uint8_t *) engine_row(cells, call->current, y, 0);
        uint8_t *next = (uint8_t *) engine_row(cells, call->result, y, 0);
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            uint8_t states[RULE_INPUTS_MAX];
            for (uint32_t i = 0; i < rule->inputs; i++)
                states[i] = row[x + rule->place[i].x + rule->place[i].y * cells->row_stride];
            next[x] = rule->tree ? next_by_tree(own, states) : next_by_table(own, states);
        }
    }
    return 0;
}
