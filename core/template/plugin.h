/* What the files of @NAME@ share: the indices of its tables, its functions, and the rule itself, which CPU and CUDA
 * compile from here. */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Indices of the tables in plugin.c. */
enum { CELLS };
enum { PARITY };

int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

/* The rule's numbers. A call reads them from the parameters once. */
struct rule {
    int parity;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {(int) engine_param_integer(plan, PARITY)};
    return rule;
}

/* The next state of a cell. The rows above and below are `pitch` bytes away. The engine keeps ghost cells around the
 * torus, so all eight neighbours exist at every edge. */
ENGINE_INLINE uint8_t next_cell(struct rule rule, const uint8_t *cell, int64_t pitch)
{
    const uint8_t *above = cell - pitch, *below = cell + pitch;
    const int neighbours = above[-1] + above[0] + above[1] + cell[-1] + cell[1] + below[-1] + below[0] + below[1];
    return neighbours % 2 == rule.parity;
}
