/* Declarations that the implementations of life2d-bit share. */
#ifndef LIFE2D_BIT_LIFE2D_H
#define LIFE2D_BIT_LIFE2D_H

#define ENGINE_MINOR 12 /* for engine_plugin.extension; so this file comes before others that include engine/plugin.h */
#include <engine/batch.h>
#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/queue.h>
#include <engine/tiles.h>
#include <engine/tree.h>
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
    LIFE2D_STRIP_ROWS,
    LIFE2D_MEMORY,
    LIFE2D_SETTLED
};

/* cpu.c */
int life2d_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                        struct engine_layout *layout);
int life2d_serial_advance(void *self, struct engine_call *call);
int life2d_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int life2d_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int life2d_cpu_create(const struct engine_call *call, void **self);
int life2d_cpu_advance(void *self, struct engine_call *call);
int life2d_cpu_measure(void *self, const struct engine_call *call, double *values);
void life2d_cpu_destroy(void *self);
int life2d_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cpu_words.c */
int life2d_words_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_words_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                        struct engine_layout *layout);
int life2d_words_create(const struct engine_call *call, void **self);
int life2d_words_advance(void *self, struct engine_call *call);
int life2d_words_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* hashlife.c */
int life2d_hashlife_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_hashlife_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                           struct engine_layout *layout);
int life2d_hashlife_create(const struct engine_call *call, void **self);
int life2d_hashlife_advance(void *self, struct engine_call *call);
int life2d_hashlife_measure(void *self, const struct engine_call *call, double *values);
void life2d_hashlife_close(void *self);

/* hashlife_tree.c */
extern const struct engine_tree life2d_tree;

/* hashlife_advice.c */
int life2d_hashlife_advise(void *self, const struct engine_call *call, char *text, uint64_t size);

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
int life2d_cuda_bytes_create(const struct engine_call *call, void **self);
int life2d_cuda_words_create(const struct engine_call *call, void **self);
int life2d_cuda_bytes_advance(void *self, struct engine_call *call);
int life2d_cuda_words_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                             struct engine_layout *layout);
int life2d_cuda_words_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_cuda_words_advance(void *self, struct engine_call *call);
int life2d_cuda_count_create(const struct engine_call *call, void **self);
int life2d_cuda_count_measure(void *self, const struct engine_call *call, double *values);
int life2d_cuda_bytes_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int life2d_cuda_words_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
