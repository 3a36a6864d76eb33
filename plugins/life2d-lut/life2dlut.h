/* Declarations that the implementations of life2d-lut share. */
#ifndef LIFE2D_LUT_LIFE2DLUT_H
#define LIFE2D_LUT_LIFE2DLUT_H

#include <engine/plugin.h>
#include <engine/tiles.h>
#include <life/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field, and the parameters in the order of the plugin's table. */
enum { LUT_CELLS };
enum { LUT_RULE, LUT_TABLE };

/* The choices of parameter `table`, in order. tables.h describes them. */
enum { LUT_TABLE_AUTO, LUT_TABLE_6X3, LUT_TABLE_4X4, LUT_TABLE_SUMS };

#define LUT_SUMS_COUNT "table = sums counts neighbours, which does not give the rule %s; 4x4 and 6x3 take any rule"

/* cpu.c */
int lut_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int lut_serial_create(const struct engine_call *call, void **self);
int lut_serial_advance(void *self, struct engine_call *call);
int lut_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int lut_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int lut_cpu_create(const struct engine_call *call, void **self);
int lut_cpu_advance(void *self, struct engine_call *call);
int lut_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cuda.cu */
int lut_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int lut_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                    struct engine_layout *layout);
int lut_cuda_create(const struct engine_call *call, void **self);
int lut_cuda_advance(void *self, struct engine_call *call);
int lut_cuda_measure(void *self, const struct engine_call *call, double *values);
int lut_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
