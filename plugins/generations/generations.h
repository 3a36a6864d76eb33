/* What the plugin's files share. */
#ifndef GENERATIONS_H
#define GENERATIONS_H

#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#include "rule.h"

#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/pictures.h>
#include <engine/queue.h>
#include <engine/tiles.h>
#include <engine/tree.h>

enum { GENERATIONS_RULE, GENERATIONS_KERNEL, GENERATIONS_MEMORY };  /* parameters */
enum { GENERATIONS_CELLS };                                         /* fields */
enum { GENERATIONS_ALIVE, GENERATIONS_DYING, GENERATIONS_METRICS }; /* metrics */
enum { GENERATIONS_STEPS = 8 };                                     /* the most steps in a launch on a GPU */

/* Parameter `rule_kernel`: how the kernels of `cuda` get the rule. */
enum { GENERATIONS_ANY, GENERATIONS_COMPILED, GENERATIONS_NUMBERS };

#ifdef __cplusplus
extern "C" {
#endif
int generations_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                              struct engine_layout *layout);
int generations_serial_advance(void *self, struct engine_call *call);
int generations_serial_measure(void *self, const struct engine_call *call, double *values);

/* hashlife.c */
extern const struct engine_tree generations_tree;
int generations_hashlife_create(const struct engine_call *call, void **self);

int generations_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                            struct engine_layout *layout);
int generations_cuda_create(const struct engine_call *call, void **self);
int generations_cuda_advance(void *self, struct engine_call *call);
int generations_cuda_measure(void *self, const struct engine_call *call, double *values);
void generations_cuda_destroy(void *self);
int generations_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
#ifdef __cplusplus
}
#endif

#endif
