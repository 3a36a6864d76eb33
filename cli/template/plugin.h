/* What the files of @NAME@ share: the places of its tables, its functions, and the rule, which stands here once for CPU
 * and CUDA. */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Places in the tables of plugin.c. */
enum { CELLS };
enum { PARITY };

/* What the rule needs to know, taken from the parameters once a call. */
struct rule {
    int parity;
};

struct rule rule_of(const struct engine_plan *plan);

int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#define RULE static __host__ __device__ inline
#else
#define RULE static inline
#endif

/* The next state of a cell. The rows above and below are `pitch` bytes away; at every edge of the torus there are
 * ghosts, so that all eight neighbours exist. */
RULE uint8_t next_cell(struct rule rule, const uint8_t *cell, int64_t pitch)
{
    const uint8_t *above = cell - pitch, *below = cell + pitch;
    const int neighbours = above[-1] + above[0] + above[1] + cell[-1] + cell[1] + below[-1] + below[0] + below[1];
    return neighbours % 2 == rule.parity;
}
