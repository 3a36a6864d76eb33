/* What the files of larger-than-life share: the indices of its tables, its functions, and the rule itself, which CPU
 * and CUDA compile from here. */
#ifndef LARGER_THAN_LIFE_H
#define LARGER_THAN_LIFE_H

#define ENGINE_MINOR 4 /* for ENGINE_SERIAL */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CELLS };                   /* fields */
enum { RULE_TEXT };               /* parameters */
enum { POPULATION };              /* metrics */
enum { DEAD, ALIVE, CONDITIONS }; /* states of a cell, and their number */
enum { RADIUS_MAX = 10 };         /* the ghosts are as deep */

struct rule {
    uint32_t radius;
    uint32_t middle;                              /* 1: a live cell counts itself */
    uint32_t least[CONDITIONS], most[CONDITIONS]; /* range of counts at which [DEAD] is born, [ALIVE] survives */
};

/* Reads Golly's notation, "R5,C0,M1,S34..58,B34..45,NM". Returns NULL, or what is wrong with it. */
const char *rule_parse(const char *text, struct rule *rule);

/* The rule of a plan. Its text has been checked. */
struct rule rule_of(const struct engine_plan *plan);

int serial_advance(void *self, struct engine_call *call);
int cpu_create(const struct engine_call *call, void **self);
int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

/* The next state of a cell. `sum` is the number of live cells in the square around it, the cell included. */
ENGINE_INLINE uint8_t next_cell(const struct rule *rule, uint8_t cell, uint32_t sum)
{
    const uint32_t count = sum - (rule->middle ? 0 : cell);
    return count >= rule->least[cell] && count <= rule->most[cell];
}

#endif
