/* Declarations that the implementations of life2d-bit share. */
#ifndef LIFE2D_BIT_LIFE2D_H
#define LIFE2D_BIT_LIFE2D_H

#include <engine/plugin.h>
#include <life/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field, and the parameters in the order of the plugin's table. */
enum { LIFE2D_CELLS };
enum {
    LIFE2D_RULE,
    LIFE2D_BYTES_PER_THREAD,
    LIFE2D_STEPS_PER_PASS,
    LIFE2D_INSTRUCTIONS,
    LIFE2D_BLOCK_SIZE,
    LIFE2D_FORM,
    LIFE2D_RULE_KERNEL,
    LIFE2D_BANDS,
    LIFE2D_DEPTH,
    LIFE2D_STRIP_ROWS
};

/* The rule of a plan, which the parameter's check has accepted. */
static inline struct life_rule life2d_rule(const struct engine_plan *plan)
{
    struct life_rule rule = {0, 0};
    life_rule_parse(engine_param_text(plan, LIFE2D_RULE), &rule);
    return rule;
}

/* Parameter bytes_per_thread, where 0 means the implementation's own choice `best`. */
static inline uint64_t life2d_bytes_per_thread(const struct engine_plan *plan, uint64_t best)
{
    const int64_t bytes = engine_param_integer(plan, LIFE2D_BYTES_PER_THREAD);
    return bytes > 0 ? (uint64_t) bytes : best;
}

/* cpu.c */
int life2d_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                         struct engine_layout *layout);
int life2d_serial_advance(void *self, struct engine_call *call);
int life2d_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int life2d_cpu_create(const struct engine_call *call, void **self);
int life2d_cpu_advance(void *self, struct engine_call *call);
int life2d_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cuda.cu */
int life2d_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                       struct engine_layout *layout);
int life2d_cuda_create(const struct engine_call *call, void **self);
int life2d_cuda_advance(void *self, struct engine_call *call);
int life2d_cuda_measure(void *self, const struct engine_call *call, double *values);
void life2d_cuda_destroy(void *self);
int life2d_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cuda_bytes.cu */
int life2d_cuda_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                             struct engine_layout *layout);
int life2d_cuda_bytes_advance(void *self, struct engine_call *call);
int life2d_cuda_words_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                             struct engine_layout *layout);
int life2d_cuda_words_advance(void *self, struct engine_call *call);
int life2d_cuda_count_create(const struct engine_call *call, void **self);
int life2d_cuda_count_measure(void *self, const struct engine_call *call, double *values);
int life2d_cuda_bytes_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int life2d_cuda_words_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
