/* What the files of the plugin matrix share: the indices of its tables, and the functions that the tables name. */
#ifndef MATRIX_H
#define MATRIX_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIELD_C, FIELD_A, FIELD_B };         /* fields */
enum { PARAM_OPERATION, PARAM_FUSED };      /* parameters */
enum rule { RULE_ADD, RULE_MAD, RULE_FMA }; /* what the two parameters mean together */

enum rule matrix_rule(const struct engine_plan *plan);
uint64_t matrix_elements(const struct engine_plan *plan);

int serial_advance(void *self, struct engine_call *call);
int cpu_advance(void *self, struct engine_call *call);
int cuda_advance(void *self, struct engine_call *call);

#ifdef __cplusplus
}
#endif

#endif
