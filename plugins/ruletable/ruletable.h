/* What the plugin's files share. */
#ifndef RULETABLE_H
#define RULETABLE_H

#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/files.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/pictures.h>
#include <engine/queue.h>
#include <engine/tiles.h>
#include <engine/tree.h>

#include "tables.h"

enum { RULETABLE_RULE, RULETABLE_FOLDER, RULETABLE_SETTLED, RULETABLE_MEMORY }; /* parameters */
enum { RULETABLE_CELLS };                                                       /* fields */
enum { RULETABLE_LIVE, RULETABLE_METRICS };                                     /* metrics */
enum { RULETABLE_PATH_MAX = 4096 };

#ifdef __cplusplus
extern "C" {
#endif

/* load.c: finds and reads the rule of a plan. If it need not be whole, it may lack its tree. Returns 0, ENGINE_INVALID
 * or ENGINE_NO_MEMORY. `path` gets the name of the file. The caller frees the rule with rule_free, after an error too. */
int ruletable_load(const struct engine_host *host, const struct engine_plan *plan, bool whole, struct rule *rule,
                   char path[RULETABLE_PATH_MAX]);

/* The same, and makes its tables. ENGINE_UNSUPPORTED: they would be too large. The caller frees them with tables_free,
 * after an error too. */
int ruletable_load_tables(const struct engine_host *host, const struct engine_plan *plan, struct tables *tables);

/* Writes the name of a rule by which Golly knows it: that of its file without the folder and the ending. */
int ruletable_spell(const char *value, char *text, uint64_t size);

/* A .rule file that the plugin holds itself, or NULL. */
const char *ruletable_builtin(const char *name);

/* The probe of implementations that use the tables. */
int ruletable_probe(const struct engine_host *host, const struct engine_plan *plan);

/* May `cpu` and `cuda` skip settled tiles of this plan? */
bool ruletable_may_skip(const struct engine_plan *plan);

int ruletable_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                     struct engine_layout *layout);
int ruletable_measure(void *self, const struct engine_call *call, double *values);

int ruletable_serial_create(const struct engine_call *call, void **self);
int ruletable_serial_advance(void *self, struct engine_call *call);
void ruletable_serial_destroy(void *self);

int ruletable_cpu_create(const struct engine_call *call, void **self);
int ruletable_cpu_advance(void *self, struct engine_call *call);
void ruletable_cpu_destroy(void *self);
int ruletable_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* hashlife.c */
int ruletable_hashlife_probe(const struct engine_host *host, const struct engine_plan *plan);
int ruletable_hashlife_create(const struct engine_call *call, void **self);
void ruletable_hashlife_destroy(void *self);
extern const struct engine_tree ruletable_tree;

int ruletable_cuda_create(const struct engine_call *call, void **self);
int ruletable_cuda_advance(void *self, struct engine_call *call);
int ruletable_cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#endif
