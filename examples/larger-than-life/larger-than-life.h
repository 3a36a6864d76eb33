/* What the files of larger-than-life share: the indices of its tables, the rule, and its functions. */
#ifndef LARGER_THAN_LIFE_H
#define LARGER_THAN_LIFE_H

#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CELLS };                   /* fields */
enum { RULE_TEXT };               /* parameters */
enum { POPULATION };              /* metrics */
enum { DEAD, ALIVE, CONDITIONS }; /* states of a cell, and their number */
enum { RADIUS_MAX = 50 };         /* the reach */

struct rule {
    uint32_t radius;
    uint32_t middle;                              /* 1: a live cell counts itself */
    uint32_t least[CONDITIONS], most[CONDITIONS]; /* range of counts at which [DEAD] is born, [ALIVE] survives */
};

/* Reads Golly's notation, "R5,C0,M1,S34..58,B34..45,NM". Returns NULL, or what is wrong with it. */
const char *rule_parse(const char *text, struct rule *rule);

/* The rule of a plan. Its text has been checked. */
struct rule rule_of(const struct engine_plan *plan);

/* LEVELS of a rule: 2^LEVELS < 2 R + 1 < 2^(LEVELS + 1). The number of live cells in a column of the square has
 * LEVELS + 1 bits, and that in the whole square 2 LEVELS + 2. */
enum { LEVELS_MAX = 6, BITS_MAX = 2 * LEVELS_MAX + 2 };

/* The rule as planes.h needs it, for counts that include the cell itself. A limit is a mask for each bit: all ones if
 * the bit is 0. A cell is born or survives at a count of `least` or more, but not at `over` or more. */
struct bit_rule {
    uint32_t radius, levels;
    uint32_t least[CONDITIONS][BITS_MAX], over[CONDITIONS][BITS_MAX];
};

struct bit_rule bit_rule_of(const struct engine_plan *plan);

int bits_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                struct engine_layout *layout);
int serial_advance(void *self, struct engine_call *call);
int serial_measure(void *self, const struct engine_call *call, double *values);
int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#endif
