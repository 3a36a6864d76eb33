/* Rules that take turns, B3/S23|B36/S125: step n takes rule n mod k of k rules. LifeViewer has this notation. */
#ifndef ALTERNATE_TURNS_H
#define ALTERNATE_TURNS_H

#include <life2d-bit/life2d.h>

enum { ALTERNATE_TEXT = 400 }; /* the most characters of all rules together, with the final '\0' */

/* Copies the rule of a turn. Returns its place in the text, or NULL if the text has no more rules. */
static inline const char *alternate_rule(const char *text, uint32_t turn, char rule[ALTERNATE_TEXT])
{
    for (; turn > 0; turn--, text++) {
        text += strcspn(text, "|");
        if (*text == '\0')
            return NULL;
    }
    const size_t length = strcspn(text, "|");
    memcpy(rule, text, length);
    rule[length] = '\0';
    return text;
}

/* The functions of an implementation for rules that take turns, each by that of another plugin for one rule. */
#define ALTERNATE_FUNCTIONS(name) \
    int alternate_##name##_probe(const struct engine_host *host, const struct engine_plan *plan); \
    int alternate_##name##_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, \
                                  struct engine_layout *layout); \
    int alternate_##name##_create(const struct engine_call *call, void **self); \
    int alternate_##name##_cost(const struct engine_host *host, const struct engine_plan *plan, \
                                struct engine_cost *cost)

ALTERNATE_FUNCTIONS(serial);
ALTERNATE_FUNCTIONS(cpu);
ALTERNATE_FUNCTIONS(cuda);

/* These are the same for all of them. */
int alternate_advance(void *self, struct engine_call *call);
int alternate_measure(void *self, const struct engine_call *call, double *values);
void alternate_destroy(void *self);

#endif
