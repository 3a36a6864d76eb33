/* What the plugin's files share. */
#ifndef LTL_H
#define LTL_H

#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#include "rule.h"

#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/pictures.h>
#include <engine/queue.h>
#include <engine/tiles.h>

enum { LTL_CELLS };                              /* fields */
enum { LTL_RULE, LTL_INSTRUCTIONS };             /* parameters */
enum { LTL_POPULATION, LTL_DYING, LTL_METRICS }; /* metrics */

#ifdef __cplusplus
extern "C" {
#endif

/* The rule of a plan. Its text has been checked. */
void ltl_plan_rule(const struct engine_plan *plan, struct ltl_rule *rule);

/* ---- Bit planes: rules of two states, a square, and one range each of survivals and births -------------------- */

/* LEVELS of a rule: 2^LEVELS < 2 R + 1 < 2^(LEVELS + 1). The number of live cells in a column of the square has
 * LEVELS + 1 bits, and that in the whole square 2 LEVELS + 2. */
enum { LEVELS_MAX = 6, BITS_MAX = 2 * LEVELS_MAX + 2 };

/* The rule as planes.h needs it, for counts that include the cell itself. A limit is a mask for each bit: all ones if
 * the bit is 0. A cell is born or survives at a count of `least` or more, but not at `over` or more. */
struct bit_rule {
    uint32_t radius, levels;
    uint32_t least[LTL_CONDITIONS][BITS_MAX], over[LTL_CONDITIONS][BITS_MAX];
};

/* Returns 1 and sets *bits, or returns 0 if the bit planes cannot compute the rule. */
int ltl_bit_rule(const struct ltl_rule *rule, struct bit_rule *bits);

/* ---- Sums: all other rules ------------------------------------------------------------------------------------- */

/* The sum over a neighbourhood is a sum of few *taps*, because the kernels first make running sums of the cells'
 * weights along each row:
 *
 *     P[x] = c[x] + P[x - stride]        stride 1; 2, for chessboards; or 0: P[x] = c[x]
 *
 * Then a row of cells of weight 1 takes two taps, P at its end less P before its begin, whatever its length. From one
 * row of the grid to the next, the sum over a square gains a row and loses one, which takes four taps in all. So there
 * are two lists, and `slides` says that the second is shorter:
 *
 *     count(x, y) = sum of weight * P[y + dy][x + dx] over the taps `whole`
 *     count(x, y) = count(x, y - 1) + the same over the taps `other`
 *
 * On a triangular grid nothing slides: `other` is the list of the cells at which x + y + `odd` is odd, and `whole` that
 * of the others.
 *
 * All numbers are modulo 2^16, and the counts fit into it. */
struct ltl_tap {
    int64_t offset; /* dy * pitch + dx, in sums */
    int32_t weight, reserved;
};

enum { LTL_STRIDE_MAX = 2 };
enum { LTL_TAPS_MAX = (LTL_SIDE_MAX + 1) * (LTL_SIDE_MAX + LTL_STRIDE_MAX) }; /* of either list */

struct ltl_taps {
    uint32_t stride, slides;
    uint32_t whole, other; /* numbers of taps */
    uint32_t triangular, odd;
};

/* The sums of a grid have `pitch` sums a row and rows from -R to height + R. A row begins LTL_STRIDE_MAX + R sums
 * before cell 0. `slack` more sums follow the last row, and may be read. */
struct ltl_sums {
    int64_t pitch, rows;
    int64_t origin; /* index of cell (0, 0) */
    int64_t count;  /* with the slack */
};

struct ltl_sums ltl_sums_of(const struct ltl_rule *rule, const uint64_t *extent, int64_t slack);

/* Chooses a stride and writes the taps. Each list has room for LTL_TAPS_MAX. */
struct ltl_taps ltl_find_taps(const struct ltl_rule *rule, int64_t pitch, struct ltl_tap *whole, struct ltl_tap *other);

/* ---- Radii above LTL_RADIUS_MAX ---------------------------------------------------------------------------------- */

struct ltl_wide;

/* Takes a step on one thread. */
void ltl_wide_serial(const struct ltl_rule *rule, const struct engine_call *call);

/* Returns what the steps on all threads need, or NULL if there is no memory. */
struct ltl_wide *ltl_wide_create(const struct engine_call *call, const struct ltl_rule *rule);
void ltl_wide_advance(const struct ltl_wide *wide, const struct engine_call *call);

/* ---- Implementations ------------------------------------------------------------------------------------------- */

int ltl_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
               struct engine_layout *layout);
int ltl_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int ltl_probe(const struct engine_host *host, const struct engine_plan *plan);
int ltl_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int ltl_serial_advance(void *self, struct engine_call *call);
int ltl_serial_measure(void *self, const struct engine_call *call, double *values);
int ltl_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int ltl_cpu_create(const struct engine_call *call, void **self);
int ltl_cpu_advance(void *self, struct engine_call *call);
int ltl_cpu_measure(void *self, const struct engine_call *call, double *values);
int ltl_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int ltl_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int ltl_cuda_create(const struct engine_call *call, void **self);
int ltl_cuda_advance(void *self, struct engine_call *call);
int ltl_cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#endif
