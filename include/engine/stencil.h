/* engine/stencil.h - a rule on a grid, written once for the CPU and the GPU.
 *
 * This header is optional and not part of the binary interface: everything here is inline. You describe a cell and its
 * neighbourhood by macros, include this header, and write one function, `next`, that computes a cell's next values.
 * Then engine/stencil_cpu.h makes an implementation for the CPU of it, and engine/stencil.cuh one for CUDA. Both take
 * several steps in each pass over memory. A rule with STENCIL_TOTALS takes one. On a GPU, a rule with heavy cells or with
 * STENCIL_INPUTS_NEAR takes one, too. This is heat conduction in two dimensions:
 *
 *     #define STENCIL_AXES 2                                   // 1, 2 or 3
 *     #define STENCIL_REACH 1                                  // cells that a step looks along each axis: 1 to 4
 *     #define STENCIL_CELL(member) member(float, temperature)  // one member for each component of the state fields
 *     #include <engine/stencil.h>
 *
 *     struct rule {
 *         float rate;
 *     };
 *
 *     static inline struct rule rule_of(const struct engine_plan *plan)
 *     {
 *         const struct rule rule = {(float) engine_param_real(plan, RATE)};
 *         return rule;
 *     }
 *
 *     ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
 *     {
 *         const float around = engine_at(near, -1, 0).temperature + engine_at(near, 1, 0).temperature +
 *                              engine_at(near, 0, -1).temperature + engine_at(near, 0, 1).temperature;
 *         cell->temperature += rule->rate * (around - 4 * cell->temperature);
 *     }
 *
 * What you write:
 *
 *   struct rule    the numbers that a step needs. A kernel gets a copy, so it holds no pointers
 *   rule_of        reads them from the plan, once a call
 *   next           replaces *cell, which holds the values of the cell itself, by its next values. It reads neighbours
 *                  with engine_at and may use near->x, y and z, the cell's place. It has no side effects
 *
 * and, before the include, if the rule needs it:
 *
 *   STENCIL_STAR             `next` reads neighbours along one axis at a time and none in the corners: this is faster
 *   STENCIL_REACH_X, _Y, _Z  the reach along one axis, 1 to 4, where it is not STENCIL_REACH
 *   STENCIL_INPUTS(member)   one member for each component of the input fields; near->input holds the values here
 *   STENCIL_INPUTS_NEAR      `next` also reads the inputs of neighbours: engine_input_at(near, 1, 0).solid. Twisted and
 *                            shifted edges, and those of a sphere, are refused then
 *   STENCIL_OUTPUTS(member)  one member for each component of the output fields. A function `show` sets them:
 *                            ENGINE_INLINE void show(const struct rule *, const struct engine_near *near,
 *                            const struct engine_cell *cell, struct engine_shown *shown). *cell holds the values after
 *                            the step, *near those before it. Outputs are 0 before the first step
 *   STENCIL_SHOWS(rule)      an expression of the numbers of the rule. Where it is 0, no outputs are written
 *   STENCIL_STEP             `next` and `show` use near->step: the number of the step; the first one is 0
 *   STENCIL_RANDOM           the same, and engine/random.h makes random numbers of the step and [init] seed
 *   STENCIL_SUMS             the number of metrics. A function `tally` adds a cell's contribution to each of them:
 *                            ENGINE_INLINE void tally(const struct rule *, const struct engine_values *, double *sums).
 *                            It sees the states and outputs of a cell
 *   STENCIL_TOTALS           the number of totals that a step needs of the whole grid. A function `count` adds a cell's
 *                            contributions, integers, with engine_add(totals, index, amount), for the states before
 *                            each step: ENGINE_INLINE void count(const struct rule *, const struct engine_values *,
 *                            struct engine_totals *). In `next`, engine_total(near, index) is the sum over all cells,
 *                            an int64_t. Multiply real numbers by a power of two before you round them. A pass takes
 *                            one step, a run cannot be divided, and `engine conform` needs --placed
 *   STENCIL_BITS             the number of bits, 1 to 8, that hold each value of a cell. `.values` of each field is at
 *                            most 2 to this power. The members have the type engine_states, and `next` has no `if` on
 *                            them and no near->x; see below. Such a rule has no inputs, outputs, totals, random numbers
 *                            or number of the step
 *   STENCIL_OPERATIONS       floating-point operations of `next`, from which `engine bench` computes a limit
 *   STENCIL_UNIFORM          the next cell depends on the cells within reach alone, and not on near->x, y and z or on
 *                            the step. So the engine may keep the grid in tiles, [grid] edges = unbounded
 *                            (engine/tiles.h)
 *   STENCIL_DIVISIBLE        the engine may divide a run: [run] parts and devices. Then `shapes` of the plan describe
 *                            a part, so `rule_of` takes the size of the whole grid from plan->part.whole.
 *                            near->x, y and z are the place in the whole grid. This needs two or three axes
 *   STENCIL_REFERENCE        0: the CPU implementation is not the one with which `engine verify` compares the others.
 *                            Another row of the table has ENGINE_REFERENCE then, such as a plain loop that you trust
 *
 * The following are tuning parameters, with defaults that were measured on an H200, an H100, an AMD EPYC and a Xeon.
 * Define them with -D to try others:
 *
 *   STENCIL_STEPS, STENCIL_CPU_STEPS        the largest number of steps in a pass on the GPU and on the CPU
 *   STENCIL_COLUMNS, _ROWS, _WARPS          on the GPU: columns and rows of a lane, warps of a block
 *   STENCIL_DIRECT                          1: a GPU thread takes one cell from memory. This needs STENCIL_STEPS 1
 *   STENCIL_CPU_BYTES                       on the CPU: bytes of rows that a task keeps in the cache
 *
 * One source file of the plugin then includes <engine/stencil_cpu.h> and has the row ENGINE_STENCIL_CPU_IMPL in the table
 * of implementations. A .cu file includes <engine/stencil.cuh>, and its row in the same table is ENGINE_STENCIL_CUDA_IMPL.
 *
 * Members and fields correspond by their order. A field of n components has n members, one after the other. A field of
 * bytes has members of type uint8_t, a field of ENGINE_F32 members of type float, and so on; `create` checks this. In
 * the table of fields, `.reach` of a state has STENCIL_REACH_X, _Y and _Z for the axes of the grid. They are
 * STENCIL_REACH unless you define them.
 *
 * Bits. With STENCIL_BITS, CUDA keeps bit b of 32 neighbouring cells in one word, and an operation computes 32 cells:
 * five to ten times as fast as with one integer for each cell. On the CPU, an engine_states is a uint8_t. Write `next`
 * with + - & | ^, comparisons, && || ! and engine_if(condition, a, b) in place of `condition ? a : b`. A variable for a
 * truth value has the type engine_mask. A variable of type engine_states holds 0 to 255 and wraps, but the CPU computes
 * expressions as int: `a - b < 0` and `a + 200 > 300` can only hold on the CPU. Assign such results to a variable
 * first:
 *
 *     engine_states firing = 0;
 *     for (int y = -1; y <= 1; y++)
 *         for (int x = -1; x <= 1; x++)
 *             firing += engine_at(near, x, y).cells == FIRING;
 *     cell->cells = engine_if(cell->cells == READY && firing == 2, FIRING,
 *                             engine_if(cell->cells == FIRING, TIRED, READY));
 *
 * The same source gives the same bits on the CPU and on the GPU if the compiler does not fuse multiplications and
 * additions: compile with -ffp-contract=off and with nvcc's --fmad=false. Where a fused operation is wanted, write
 * fmaf(). Of math.h, `next` and `tally` use only functions that are rounded correctly, such as sqrtf, fmaf and floorf:
 * sinf, expf and others have different bits on a GPU. */
#ifndef ENGINE_STENCIL_H
#define ENGINE_STENCIL_H

#if !defined(STENCIL_AXES) || !defined(STENCIL_REACH) || !defined(STENCIL_CELL)
#error "define STENCIL_AXES, STENCIL_REACH and STENCIL_CELL before you include engine/stencil.h"
#endif
#ifndef STENCIL_REACH_X
#define STENCIL_REACH_X STENCIL_REACH
#endif
#ifndef STENCIL_REACH_Y
#define STENCIL_REACH_Y STENCIL_REACH
#endif
#ifndef STENCIL_REACH_Z
#define STENCIL_REACH_Z STENCIL_REACH
#endif
#if STENCIL_AXES < 1 || STENCIL_AXES > 3 || STENCIL_REACH_X < 1 || STENCIL_REACH_X > 4 || STENCIL_REACH_Y < 1 || \
    STENCIL_REACH_Y > 4 || STENCIL_REACH_Z < 1 || STENCIL_REACH_Z > 4
#error "STENCIL_AXES is 1, 2 or 3, and STENCIL_REACH is 1 to 4"
#endif

#ifndef ENGINE_MINOR
#ifdef STENCIL_DIVISIBLE
#define ENGINE_MINOR 5
#else
#define ENGINE_MINOR 4
#endif
#endif
#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/queue.h>

#include <string.h>

#if defined(STENCIL_DIVISIBLE) && (ENGINE_MINOR < 5 || STENCIL_AXES < 2)
#error "STENCIL_DIVISIBLE needs two or three axes, and the line '#define ENGINE_MINOR 5' or none"
#endif

#ifndef STENCIL_SUMS
#define STENCIL_SUMS 0
#endif
#ifndef STENCIL_REFERENCE
#define STENCIL_REFERENCE 1
#endif

#ifndef STENCIL_TOTALS
#define STENCIL_TOTALS 0
#endif
#ifdef STENCIL_RANDOM
#define STENCIL_STEP
#endif

#ifdef STENCIL_BITS
#if STENCIL_BITS < 1 || STENCIL_BITS > 8 || defined(STENCIL_INPUTS) || defined(STENCIL_OUTPUTS) || \
    defined(STENCIL_STEP) || STENCIL_TOTALS > 0
#error "STENCIL_BITS is 1 to 8, and such a rule has no inputs, outputs, totals, random numbers or number of the step"
#endif
#endif
#if defined(STENCIL_INPUTS_NEAR) && !defined(STENCIL_INPUTS)
#error "STENCIL_INPUTS_NEAR needs STENCIL_INPUTS"
#endif
#if STENCIL_TOTALS > 0 && defined(STENCIL_DIVISIBLE)
#error \
    "a run whose steps need totals of the whole grid cannot be divided: leave out STENCIL_DIVISIBLE or STENCIL_TOTALS"
#endif
#if defined(STENCIL_OUTPUTS) && !defined(STENCIL_SHOWS)
#define STENCIL_SHOWS(rule) 1
#endif

/* With AVX-512, gcc 12, 13 and 14 compute `next` wrong where two branches compute the same product or sum of numbers that
 * all cells of a row share: they take that of one branch, which is 0 in the other one. They do not if floating-point
 * operations cannot trap, because then they compute it in all cells. The option holds for the rule and for
 * stencil_cpu.h, which ends it. */
#if __GNUC__ >= 12 && !defined(__CUDACC__) && !defined(__NO_TRAPPING_MATH__)
#define ENGINE_STENCIL_WITHOUT_TRAPS
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* The types of a cell's state and of a truth value, and a choice between two values. With STENCIL_BITS, CUDA computes
 * 32 cells at a time. */
#if defined(STENCIL_BITS) && defined(__CUDACC__)
#include <engine/stencil_bits.cuh>
#define ENGINE_STENCIL_PLAIN(type) uint8_t
#else
typedef uint8_t engine_states;
typedef uint8_t engine_mask;
#ifdef STENCIL_BITS
#pragma GCC diagnostic ignored "-Wconversion" /* an expression is an int, and its assignment is meant to wrap */
#endif
#define engine_if(condition, a, b) ((condition) ? (a) : (b))
#define ENGINE_STENCIL_PLAIN(type) type
#endif

/* A grid of any rank is treated as one of three axes: x, along which rows run; the middle axis, which only a grid of
 * rank 3 has; and the last axis, along which both implementations march. These are the reaches along them. */
enum {
    ENGINE_REACH_X = STENCIL_REACH_X,
    ENGINE_REACH_MIDDLE = STENCIL_AXES == 3 ? STENCIL_REACH_Y : 0,
    ENGINE_REACH_LAST = STENCIL_AXES == 3   ? STENCIL_REACH_Z
                        : STENCIL_AXES == 2 ? STENCIL_REACH_Y
                                            : 0
};

/* The largest of them. */
#if STENCIL_AXES == 1 || \
    (STENCIL_REACH_X >= STENCIL_REACH_Y && (STENCIL_AXES == 2 || STENCIL_REACH_X >= STENCIL_REACH_Z))
#define ENGINE_FARTHEST STENCIL_REACH_X
#elif STENCIL_AXES == 2 || STENCIL_REACH_Y >= STENCIL_REACH_Z
#define ENGINE_FARTHEST STENCIL_REACH_Y
#else
#define ENGINE_FARTHEST STENCIL_REACH_Z
#endif

#define ENGINE_STENCIL_MEMBER(type, name) type name;

/* The values of one cell. */
struct engine_cell {
    STENCIL_CELL(ENGINE_STENCIL_MEMBER)
};

/* The same as plain numbers, which `tally` and `count` see; `count` sees no outputs. */
struct engine_values {
#define ENGINE_STENCIL_VALUE(type, name) ENGINE_STENCIL_PLAIN(type) name;
    STENCIL_CELL(ENGINE_STENCIL_VALUE)
#ifdef STENCIL_OUTPUTS
    STENCIL_OUTPUTS(ENGINE_STENCIL_VALUE)
#endif
};

#ifdef STENCIL_OUTPUTS
/* The outputs of one cell. */
struct engine_shown {
    STENCIL_OUTPUTS(ENGINE_STENCIL_MEMBER)
};
#endif

/* The type of an input in `next`. In C, integers that are smaller than all members of a cell are promoted, as they are in
 * every expression: then a vector has as many of them as of the members. */
#ifndef __CUDACC__
#define ENGINE_STENCIL_SIZE(type, name) | (int) sizeof(type)
enum { ENGINE_SIZES = 0 STENCIL_CELL(ENGINE_STENCIL_SIZE), ENGINE_SMALLEST = ENGINE_SIZES & -ENGINE_SIZES };
#endif
#ifndef __cplusplus
#define ENGINE_STENCIL_SEEN(type) __typeof__(__builtin_choose_expr(sizeof(type) < ENGINE_SMALLEST, +(type) 0, (type) 0))
#else
#define ENGINE_STENCIL_SEEN(type) type
#endif

#ifdef STENCIL_INPUTS
/* The inputs of one cell. */
struct engine_input {
#define ENGINE_STENCIL_SEEN_INPUT(type, name) ENGINE_STENCIL_SEEN(type) name;
    STENCIL_INPUTS(ENGINE_STENCIL_SEEN_INPUT)
};
#endif

/* What `next` sees: a cell with its neighbours. */
struct engine_near {
    struct engine_cell cell[2 * ENGINE_REACH_LAST + 1][2 * ENGINE_REACH_MIDDLE + 1][2 * ENGINE_REACH_X + 1];
#ifdef STENCIL_INPUTS
    struct engine_input input;
#endif
#ifdef STENCIL_INPUTS_NEAR
    struct engine_input inputs[2 * ENGINE_REACH_LAST + 1][2 * ENGINE_REACH_MIDDLE + 1][2 * ENGINE_REACH_X + 1];
#endif
#if STENCIL_TOTALS > 0
    const int64_t *totals;
#endif
#ifndef STENCIL_BITS /* these compute cells with different x together */
    int64_t x;
#endif
    int64_t y, z; /* with x, the cell's place in the whole grid */
#ifdef STENCIL_STEP
    uint64_t step; /* the number of the step that `next` takes; the first one is 0 */
#endif
};

#if STENCIL_TOTALS > 0
/* Up to so many totals, a GPU thread has its own ones, and up to so many, a block has them in shared memory. */
#define ENGINE_STENCIL_FEW  8
#define ENGINE_STENCIL_MANY 4096

/* What `count` adds to. */
struct engine_totals {
    int64_t *at;
#ifdef __CUDACC__
    uint32_t *low, *high; /* of a block, in halves: shared memory adds 32 bits at a time */
#endif
};

/* Adds an integer to total `index`, 0 to STENCIL_TOTALS - 1. Integers give the same sum in every order. */
ENGINE_INLINE void engine_add(struct engine_totals *totals, int64_t index, int64_t amount)
{
#if defined(__CUDA_ARCH__) && STENCIL_TOTALS > ENGINE_STENCIL_MANY
    atomicAdd((unsigned long long *) &totals->at[index], (unsigned long long) amount);
#elif defined(__CUDACC__) && STENCIL_TOTALS > ENGINE_STENCIL_FEW && STENCIL_TOTALS <= ENGINE_STENCIL_MANY
#ifdef __CUDA_ARCH__
    const uint32_t part = (uint32_t) amount, before = atomicAdd(&totals->low[index], part);
    const uint32_t rest = (uint32_t) ((uint64_t) amount >> 32) + (before + part < before);
    if (rest != 0)
        atomicAdd(&totals->high[index], rest);
#else
    const uint64_t sum = (((uint64_t) totals->high[index] << 32) | totals->low[index]) + (uint64_t) amount;
    totals->low[index] = (uint32_t) sum;
    totals->high[index] = (uint32_t) (sum >> 32);
#endif
#else
    totals->at[index] += amount;
#endif
}

/* Returns total `index` of the states before the step. */
ENGINE_INLINE int64_t engine_total(const struct engine_near *near, int64_t index)
{
    return near->totals[index];
}
#endif

/* 0. With STENCIL_STAR, constant offsets along more than one axis do not compile in C. */
#if defined(STENCIL_STAR) && !defined(__cplusplus)
#define ENGINE_STENCIL_CONSTANT(n) _Generic(1 ? (void *) ((intptr_t) (n) *0) : (int *) 0, int * : 1, default : 0)
#define ENGINE_STENCIL_NO_CORNER(axes) \
    (0 * (int) sizeof(struct { \
         _Static_assert(__builtin_choose_expr(ENGINE_STENCIL_CONSTANT(axes), axes, 0) < 2, \
                        "with STENCIL_STAR, engine_at reads neighbours along one axis at a time"); \
         int member; \
     }))
#else
#define ENGINE_STENCIL_NO_CORNER(axes) 0
#endif

/* The neighbour that is so many cells away along x, y and z, and its inputs. The numbers are constants from
 * -STENCIL_REACH to STENCIL_REACH, or counters of loops with constant limits. */
#if STENCIL_AXES == 1
#define ENGINE_STENCIL_AT(cells, dx) cells[0][0][(dx) + STENCIL_REACH_X]
#define engine_at(near, dx)          ((near)->ENGINE_STENCIL_AT(cell, dx))
#define engine_input_at(near, dx)    ((near)->ENGINE_STENCIL_AT(inputs, dx))
#elif STENCIL_AXES == 2
#define ENGINE_STENCIL_AT(cells, dx, dy) \
    cells[(dy) + STENCIL_REACH_Y][0][(dx) + STENCIL_REACH_X + ENGINE_STENCIL_NO_CORNER(((dx) != 0) + ((dy) != 0))]
#define engine_at(near, dx, dy)       ((near)->ENGINE_STENCIL_AT(cell, dx, dy))
#define engine_input_at(near, dx, dy) ((near)->ENGINE_STENCIL_AT(inputs, dx, dy))
#else
#define ENGINE_STENCIL_AT(cells, dx, dy, dz) \
    cells[(dz) + STENCIL_REACH_Z][(dy) + STENCIL_REACH_Y] \
         [(dx) + STENCIL_REACH_X + ENGINE_STENCIL_NO_CORNER(((dx) != 0) + ((dy) != 0) + ((dz) != 0))]
#define engine_at(near, dx, dy, dz)       ((near)->ENGINE_STENCIL_AT(cell, dx, dy, dz))
#define engine_input_at(near, dx, dy, dz) ((near)->ENGINE_STENCIL_AT(inputs, dx, dy, dz))
#endif

/* A measure of the registers that a step of a pass takes on the GPU: those of a cell, times the reach, and times 3 if
 * rows keep their neighbours along x. The default number of steps follows from it. */
enum {
#define ENGINE_STENCIL_REGISTERS(type, name) +(int) (sizeof(ENGINE_STENCIL_PLAIN(type)) + 3) / 4
#ifdef STENCIL_BITS
    ENGINE_STENCIL_CELL_WEIGHT = STENCIL_BITS * (0 STENCIL_CELL(ENGINE_STENCIL_REGISTERS)),
#else
    ENGINE_STENCIL_CELL_WEIGHT = 0 STENCIL_CELL(ENGINE_STENCIL_REGISTERS),
#endif
#ifdef STENCIL_STAR
    ENGINE_STENCIL_WEIGHT = ENGINE_STENCIL_CELL_WEIGHT * ENGINE_FARTHEST
#else
    ENGINE_STENCIL_WEIGHT = ENGINE_STENCIL_CELL_WEIGHT * ENGINE_FARTHEST * 3
#endif
};

/* The largest number of steps in a pass. */
#if STENCIL_TOTALS > 0
#undef STENCIL_CPU_STEPS
#define STENCIL_CPU_STEPS 1
#endif
#if STENCIL_TOTALS > 0 || defined(STENCIL_INPUTS_NEAR)
#undef STENCIL_STEPS
#define STENCIL_STEPS 1
#endif
#ifdef STENCIL_INPUTS_NEAR
#define STENCIL_DIRECT 1
#endif
#ifndef STENCIL_STEPS
#if STENCIL_AXES == 3
#define STENCIL_STEPS (ENGINE_STENCIL_WEIGHT <= 1 ? 4 : ENGINE_STENCIL_WEIGHT <= 3 ? 2 : 1)
#elif defined(STENCIL_BITS)
#define STENCIL_STEPS (ENGINE_STENCIL_WEIGHT <= 8 ? 8 : ENGINE_STENCIL_WEIGHT <= 16 ? 4 : 2)
#elif ENGINE_FARTHEST == 1
#define STENCIL_STEPS \
    (ENGINE_STENCIL_WEIGHT <= 2 ? 8 : ENGINE_STENCIL_WEIGHT <= 4 ? 4 : ENGINE_STENCIL_WEIGHT <= 9 ? 2 : 1)
#else
#define STENCIL_STEPS (ENGINE_STENCIL_WEIGHT <= 4 ? 4 : ENGINE_STENCIL_WEIGHT <= 9 ? 2 : 1)
#endif
#endif
/* 1: on the GPU, a thread takes a cell from memory, because registers do not hold the neighbours of so heavy a cell. The
 * limits were measured on one H100. A step that looks far reads many cells, which a march reads once. */
#ifdef STENCIL_BITS
#undef STENCIL_DIRECT
#define STENCIL_DIRECT 0
#elif !defined(STENCIL_DIRECT)
#ifdef STENCIL_STAR
#define ENGINE_STENCIL_LIGHT 9
#else
#define ENGINE_STENCIL_LIGHT (STENCIL_AXES == 3 ? 3 : 9)
#endif
#define STENCIL_DIRECT \
    (STENCIL_STEPS == 1 && \
     (ENGINE_STENCIL_CELL_WEIGHT > 9 || (ENGINE_FARTHEST == 1 && ENGINE_STENCIL_WEIGHT > ENGINE_STENCIL_LIGHT)))
#endif
#ifndef STENCIL_CPU_STEPS
#if STENCIL_AXES == 3 /* so that the planes that a task keeps fit into the cache */
#define STENCIL_CPU_STEPS \
    ((sizeof(struct engine_cell) <= 4 ? 8 : sizeof(struct engine_cell) <= 16 ? 4 : 2) / ENGINE_FARTHEST)
#else
#define ENGINE_STENCIL_TWO_FLOATS \
    (STENCIL_AXES == 2 && sizeof(struct engine_cell) > 4 && sizeof(struct engine_cell) <= 8)
#define STENCIL_CPU_STEPS ((ENGINE_STENCIL_TWO_FLOATS ? 16 : 8) / ENGINE_FARTHEST)
#endif
#endif

/* ---- Implementations --------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
int engine_stencil_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                              struct engine_layout *layout);
int engine_stencil_cpu_create(const struct engine_call *call, void **self);
int engine_stencil_cpu_advance(void *self, struct engine_call *call);
int engine_stencil_cpu_measure(void *self, const struct engine_call *call, double *values);
int engine_stencil_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int engine_stencil_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                               struct engine_layout *layout);
int engine_stencil_cuda_create(const struct engine_call *call, void **self);
int engine_stencil_cuda_advance(void *self, struct engine_call *call);
int engine_stencil_cuda_measure(void *self, const struct engine_call *call, double *values);
int engine_stencil_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
#ifdef __cplusplus
}
#endif

#if defined(STENCIL_RANDOM)
#define ENGINE_STENCIL_FLAGS ENGINE_SEEDED
#elif defined(STENCIL_STEP)
#define ENGINE_STENCIL_FLAGS ENGINE_TIMED
#else
#define ENGINE_STENCIL_FLAGS 0u
#endif
#ifdef STENCIL_STEP
#define ENGINE_STENCIL_ENQUEUES 0u /* the work depends on the number of the step */
#else
#define ENGINE_STENCIL_ENQUEUES ENGINE_ENQUEUES
#endif

#ifdef STENCIL_UNIFORM
#define ENGINE_STENCIL_TILES (1 << 15) /* ENGINE_UNIFORM */
#else
#define ENGINE_STENCIL_TILES 0u
#endif
#ifdef STENCIL_DIVISIBLE
#define ENGINE_STENCIL_PARTS (ENGINE_DIVISIBLE | ENGINE_STENCIL_TILES)
#else
#define ENGINE_STENCIL_PARTS ENGINE_STENCIL_TILES
#endif

/* Rows of the table of implementations, for use inside braces; further members may follow. The row of `cuda` has
 * functions only if the plugin is built with CUDA: then its Makefile defines ENGINE_WITH_CUDA. */
#define ENGINE_STENCIL_CPU_IMPL \
    ENGINE_HOST_IMPL("cpu", "several steps in a pass over memory, on all threads", 10, \
                     ENGINE_EXACT | ENGINE_OVERWRITES | (STENCIL_REFERENCE ? ENGINE_REFERENCE : 0u) | \
                         ENGINE_SEPARATE_EDGES | ENGINE_STENCIL_FLAGS | ENGINE_STENCIL_PARTS), \
        .batch = STENCIL_CPU_STEPS, .layout = engine_stencil_cpu_layout, .create = engine_stencil_cpu_create, \
        .advance = engine_stencil_cpu_advance, .measure = STENCIL_SUMS ? engine_stencil_cpu_measure : NULL, \
        .cost = engine_stencil_cpu_cost

#define ENGINE_STENCIL_CUDA_ROW \
    ENGINE_CUDA_IMPL("cuda", "several steps in a launch, in registers", 20, \
                     ENGINE_EXACT | ENGINE_STENCIL_ENQUEUES | ENGINE_STENCIL_FLAGS | ENGINE_STENCIL_PARTS | \
                         (STENCIL_DIRECT ? ENGINE_OVERWRITES | ENGINE_SEPARATE_EDGES : 0u))
#ifdef ENGINE_WITH_CUDA
#define ENGINE_STENCIL_CUDA_IMPL \
    ENGINE_STENCIL_CUDA_ROW, .batch = STENCIL_STEPS, .layout = engine_stencil_cuda_layout, \
                             .create = engine_stencil_cuda_create, .advance = engine_stencil_cuda_advance, \
                             .measure = STENCIL_SUMS ? engine_stencil_cuda_measure : NULL, \
                             .cost = engine_stencil_cuda_cost
#else
#define ENGINE_STENCIL_CUDA_IMPL ENGINE_STENCIL_CUDA_ROW
#endif

/* ---- What both implementations share ----------------------------------------------------------------------------- */

/* One component of a field: the address of its element at (0, 0, 0), and the bytes from there to the next element along
 * x, y and z. */
struct engine_component {
    void *origin;
    int64_t stride[3];
};

/* Field `index` of the plugin's table. */
static inline const struct engine_field *engine_stencil_field(uint32_t index)
{
    const struct engine_field_array *fields = &engine_plugin.fields;
    return (const struct engine_field *) (const void *) ((const char *) fields->at +
                                                         (size_t) index * fields->item_size);
}

/* Returns the index of the first state, whose extents are those of the grid. */
static inline uint32_t engine_stencil_first_state(void)
{
    uint32_t i = 0;
    while (i + 1 < engine_plugin.fields.count && engine_stencil_field(i)->role != ENGINE_STATE)
        i++;
    return i;
}

/* Finds component `index` among all components of the fields with a role, in the order of the table. `which` is the
 * buffer. Returns the index of its field, or -1 if there are not so many components. */
static inline int engine_stencil_component(const struct engine_call *call, uint32_t role, uint32_t index,
                                           uint32_t which, struct engine_component *out)
{
    const struct engine_component none = {NULL, {0, 0, 0}};
    *out = none;
    for (uint32_t i = 0; i < engine_plugin.fields.count; i++) {
        const struct engine_field *field = engine_stencil_field(i);
        if (field->role != role || field->kind != ENGINE_GRID)
            continue;
        if (index < field->components) {
            const struct engine_buffer *buffer = engine_field_buffer(call, i);
            out->origin = (char *) buffer->origin[which] + (int64_t) index * buffer->component_stride;
            out->stride[0] = buffer->component_stride;
            if (!buffer->layout->planar)
                out->stride[0] *= buffer->layout->component_stride;
            out->stride[1] = buffer->row_stride;
            out->stride[2] = buffer->plane_stride;
            return (int) i;
        }
        index -= field->components;
    }
    return -1;
}

/* A grid in memory: one array for each member of the cell, with the elements from one row and from one plane to the
 * next. */
struct engine_grid {
#define ENGINE_STENCIL_MEMBER_OF_GRID(type, name) \
    ENGINE_STENCIL_PLAIN(type) * name; \
    int64_t name##_row, name##_plane;
    STENCIL_CELL(ENGINE_STENCIL_MEMBER_OF_GRID)
};

/* The states in buffer `which`. */
static inline struct engine_grid engine_stencil_grid(const struct engine_call *call, uint32_t which)
{
    struct engine_grid grid;
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_BIND(type, member) \
    engine_stencil_component(call, ENGINE_STATE, index++, which, &found); \
    grid.member = (ENGINE_STENCIL_PLAIN(type) *) found.origin; \
    grid.member##_row = found.stride[1] / (int64_t) sizeof(*grid.member); \
    grid.member##_plane = found.stride[2] / (int64_t) sizeof(*grid.member);
    STENCIL_CELL(ENGINE_STENCIL_BIND)
    return grid;
}

#ifdef STENCIL_OUTPUTS
/* The outputs in memory, in the same form. */
struct engine_shown_grid {
    STENCIL_OUTPUTS(ENGINE_STENCIL_MEMBER_OF_GRID)
};

static inline struct engine_shown_grid engine_stencil_shown(const struct engine_call *call)
{
    struct engine_shown_grid grid;
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_BIND_OUTPUT(type, member) \
    engine_stencil_component(call, ENGINE_OUTPUT, index++, 0, &found); \
    grid.member = (type *) found.origin; \
    grid.member##_row = found.stride[1] / (int64_t) sizeof(type); \
    grid.member##_plane = found.stride[2] / (int64_t) sizeof(type);
    STENCIL_OUTPUTS(ENGINE_STENCIL_BIND_OUTPUT)
    return grid;
}
#endif

#ifdef STENCIL_INPUTS
/* The inputs in memory: one array for each member, with the elements from one cell, row and plane to the next. */
struct engine_inputs {
#define ENGINE_STENCIL_MEMBER_OF_INPUTS(type, name) \
    const type *name; \
    int64_t name##_cell, name##_row, name##_plane;
    STENCIL_INPUTS(ENGINE_STENCIL_MEMBER_OF_INPUTS)
};

static inline struct engine_inputs engine_stencil_inputs(const struct engine_call *call)
{
    struct engine_inputs inputs;
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_BIND_INPUT(type, member) \
    engine_stencil_component(call, ENGINE_INPUT, index++, 0, &found); \
    inputs.member = (const type *) found.origin; \
    inputs.member##_cell = found.stride[0] / (int64_t) sizeof(type); \
    inputs.member##_row = found.stride[1] / (int64_t) sizeof(type); \
    inputs.member##_plane = found.stride[2] / (int64_t) sizeof(type);
    STENCIL_INPUTS(ENGINE_STENCIL_BIND_INPUT)
    return inputs;
}
#endif

/* The value of a field beyond a dead or fixed edge of an axis. */
static inline double engine_stencil_beyond(const struct engine_plan *plan, uint32_t axis, int field)
{
    return engine_plan_edge(plan, axis) == ENGINE_EDGE_FIXED ? engine_plan_edges(plan)->value[field] : 0;
}

#ifndef STENCIL_BITS
#define ENGINE_STENCIL_OUTSIDE 1

/* A cell beyond a dead or fixed edge of an axis. */
static inline struct engine_cell engine_stencil_cell_beyond(const struct engine_call *call, uint32_t axis)
{
    struct engine_cell cell;
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_CELL_BEYOND(type, member) \
    { \
        const int field = engine_stencil_component(call, ENGINE_STATE, index++, 0, &found); \
        cell.member = (type) engine_stencil_beyond(call->plan, axis, field); \
    }
    STENCIL_CELL(ENGINE_STENCIL_CELL_BEYOND)
    return cell;
}
#else
#define ENGINE_STENCIL_OUTSIDE 0
#endif

#ifdef STENCIL_INPUTS_NEAR
/* The inputs of a cell beyond a dead or fixed edge of an axis. */
static inline struct engine_input engine_stencil_input_beyond(const struct engine_call *call, uint32_t axis)
{
    struct engine_input input;
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_INPUT_BEYOND(type, member) \
    { \
        const int field = engine_stencil_component(call, ENGINE_INPUT, index++, 0, &found); \
        input.member = (type) engine_stencil_beyond(call->plan, axis, field); \
    }
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_BEYOND)
    return input;
}
#endif

/* The elements from (0, 0, 0) to a row of a grid. */
ENGINE_INLINE int64_t engine_stencil_offset(int64_t middle, int64_t last, int64_t row, int64_t plane)
{
    return STENCIL_AXES == 3 ? last * plane + middle * row : last * row;
}

#if STENCIL_SUMS > 0
/* The first row or plane that the metrics count, and their number. */
static inline int64_t engine_stencil_first(const struct engine_call *call)
{
    return STENCIL_AXES == 1 ? 0 : (int64_t) call->begin[STENCIL_AXES - 1];
}

static inline int64_t engine_stencil_counted(const struct engine_call *call)
{
    return STENCIL_AXES == 1 ? 1 : (int64_t) call->end[STENCIL_AXES - 1] - engine_stencil_first(call);
}

/* The sums go on from those of the part before. An engine of version 1.4 does not set them to 0. */
static inline void engine_stencil_begin_sums(double *values)
{
#ifdef STENCIL_DIVISIBLE
    (void) values;
#else
    for (int k = 0; k < STENCIL_SUMS; k++)
        values[k] = 0;
#endif
}
#endif

/* A coordinate that may lie up to one extent beyond the torus. */
ENGINE_INLINE int64_t engine_stencil_wrapped(int64_t at, int64_t extent)
{
    return at < 0 ? at + extent : at >= extent ? at - extent : at;
}

/* A coordinate on the torus. It may lie several extents beyond: an axis may be shorter than the reach. A compiler can
 * leave out what nobody reads, because there is no loop. */
ENGINE_INLINE int64_t engine_stencil_around(int64_t at, int64_t extent)
{
    if (at >= 0 && at < extent)
        return at;
    const int64_t rest = at % extent;
    return rest < 0 ? rest + extent : rest;
}

/* The cell of an axis that has the values of the one at `at`: this cell, or the one that it copies beyond an edge. Beyond
 * a dead or fixed edge there is none: -1. */
ENGINE_INLINE int64_t engine_stencil_source(uint32_t edge, int64_t at, int64_t extent)
{
    if ((at >= 0 && at < extent) || edge == ENGINE_EDGE_TORUS)
        return engine_stencil_around(at, extent);
    const int64_t place = engine_stencil_around(at, 2 * extent);
    return edge != ENGINE_EDGE_MIRROR ? -1 : place < extent ? place : 2 * extent - 1 - place;
}

/* Is each axis, by itself, a torus, dead, fixed or a mirror? */
static inline int engine_stencil_separate_edges(const struct engine_plan *plan)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    int separate = 1;
    for (int axis = 0; edges && axis < 3; axis++)
        separate = separate && edges->kind[axis] < ENGINE_EDGE_TWISTED && (axis == 2 || edges->shift[axis] == 0);
    return separate;
}

/* Can an implementation know by itself what lies beyond the edges? An engine before 1.13 fills all ghosts. */
static inline int engine_stencil_has_edges(const struct engine_host *host, const struct engine_plan *plan)
{
    return engine_plan_is_torus(plan) || (host->abi_minor >= 13 && engine_stencil_separate_edges(plan));
}

/* The reach along an axis. */
static inline uint32_t engine_stencil_reach(int axis)
{
    return axis == 0 ? STENCIL_REACH_X : axis == 1 ? STENCIL_REACH_Y : STENCIL_REACH_Z;
}

/* Checks that a member is not that of another field, and that the values of its field fit into STENCIL_BITS. */
static inline int engine_stencil_check_field(const struct engine_call *call, const struct engine_field *field,
                                             const char *name)
{
    for (uint32_t i = 0; i < engine_plugin.fields.count; i++)
        if (engine_stencil_field(i) != field && engine_stencil_field(i)->role == field->role &&
            strcmp(engine_stencil_field(i)->name, name) == 0)
            return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                               "member '%s' has the place of field '%s'; put the members in the order of the fields",
                               name, field->name);
#if defined(STENCIL_BITS) && STENCIL_BITS < 8
    if (field->values < 1 || field->values > 1 << STENCIL_BITS)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                           "the field '%s' has .values = %u; with STENCIL_BITS %d, expected 1 to %d", field->name,
                           field->values, STENCIL_BITS, 1 << STENCIL_BITS);
#endif
    return 0;
}

/* Checks that component `index` is there and has the type of the member, and that the field has the axes and the reach
 * of the macros. `real` is 1 for a floating type, and `sign` for a signed integer. */
static inline int engine_stencil_check(const struct engine_call *call, uint32_t role, uint32_t index, const char *name,
                                       size_t size, int real, int sign)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
    struct engine_component component;
    const int number = engine_stencil_component(call, role, index, call->current, &component);
    if (number < 0)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                           "member '%s' has no field: the fields of the plugin have only %u components of this role",
                           name, index);
    const struct engine_field *field = engine_stencil_field((uint32_t) number);
    const struct engine_buffer *buffer = engine_field_buffer(call, (uint32_t) number);
    const uint32_t type = buffer->shape->type;
    if (field->rank != STENCIL_AXES)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "the field '%s' has %u axes; expected STENCIL_AXES, %d",
                           field->name, field->rank, STENCIL_AXES);
    for (int axis = 0; axis < STENCIL_AXES && role == ENGINE_STATE; axis++)
        if (field->reach[axis] != engine_stencil_reach(axis))
            return ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                               "the reach of field '%s' along %c is %u; expected STENCIL_REACH, %u", field->name,
                               "xyz"[axis], field -> reach[axis], engine_stencil_reach(axis));
    if (buffer->layout->cell_bits != 0 || buffer->layout->own_bytes != 0)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                           "the field '%s' is packed in memory; expected one element a cell", field->name);
    if (type > ENGINE_F64 || sizes[type] != size || (type >= ENGINE_F32) != real || (!real && (int) (type & 1) != sign))
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "the type of member '%s' is not that of its field '%s'", name,
                           field->name);
    return engine_stencil_check_field(call, field, name);
}

#define ENGINE_STENCIL_CHECK_MEMBER(role, type, name) \
    if (status == 0) \
        status = engine_stencil_check(call, role, index++, #name, sizeof(type), (type) 0.5 != 0, (type) -1 / 2 == 0);

/* Checks that the members and the components of the fields correspond, and the sums and the metrics. */
static inline int engine_stencil_check_all(const struct engine_call *call)
{
    struct engine_component rest;
    uint32_t index = 0;
    int status = 0;
#define ENGINE_STENCIL_CHECK_STATE(type, name) \
    ENGINE_STENCIL_CHECK_MEMBER(ENGINE_STATE, ENGINE_STENCIL_PLAIN(type), name)
    STENCIL_CELL(ENGINE_STENCIL_CHECK_STATE)
    if (status == 0 && engine_stencil_component(call, ENGINE_STATE, index, call->current, &rest) >= 0)
        status = ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                             "STENCIL_CELL has %u members; expected one for each component of the states", index);
#ifdef STENCIL_INPUTS
    index = 0;
#define ENGINE_STENCIL_CHECK_INPUT(type, name) ENGINE_STENCIL_CHECK_MEMBER(ENGINE_INPUT, type, name)
    STENCIL_INPUTS(ENGINE_STENCIL_CHECK_INPUT)
#endif
#ifdef STENCIL_INPUTS_NEAR
    if (status == 0 && !engine_stencil_has_edges(call->host, call->plan))
        status =
            ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                        "the rule reads inputs of neighbours, so the edges of the grid cannot be twisted or shifted, "
                        "or those of a sphere");
#endif
#ifdef STENCIL_OUTPUTS
    index = 0;
#define ENGINE_STENCIL_CHECK_OUTPUT(type, name) ENGINE_STENCIL_CHECK_MEMBER(ENGINE_OUTPUT, type, name)
    STENCIL_OUTPUTS(ENGINE_STENCIL_CHECK_OUTPUT)
    if (status == 0 && engine_stencil_component(call, ENGINE_OUTPUT, index, call->current, &rest) >= 0)
        status = ENGINE_FAIL(call->host, ENGINE_INTERNAL,
                             "STENCIL_OUTPUTS has %u members; expected one for each component of the outputs", index);
#endif
    if (status == 0 && engine_plugin.metrics.count != STENCIL_SUMS)
        status = ENGINE_FAIL(call->host, ENGINE_INTERNAL, "the plugin has %u metrics; expected STENCIL_SUMS, %d",
                             engine_plugin.metrics.count, STENCIL_SUMS);
    return status;
}

/* Returns the steps of a pass: at most `most`, and so few that no ghost is a copy of a copy of a cell. */
static inline uint64_t engine_stencil_fitting(const struct engine_plan *plan, uint32_t field, uint64_t most)
{
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    uint64_t steps = most;
    for (int axis = 0; axis < STENCIL_AXES; axis++)
        if (extent[axis] / engine_stencil_reach(axis) < steps)
            steps = extent[axis] / engine_stencil_reach(axis);
    return steps > 1 ? steps : 1;
}

/* The same for an implementation whose ghosts the engine fills: where the grid is no torus, they last for one step. */
static inline uint64_t engine_stencil_steps(const struct engine_plan *plan, uint32_t field, uint64_t most)
{
    return engine_stencil_fitting(plan, field, engine_plan_is_torus(plan) ? most : 1);
}

/* The cost of a cell's update in passes of `steps` steps: a pass reads and writes every cell once. */
static inline void engine_stencil_cost(uint32_t steps, struct engine_cost *cost)
{
#ifdef STENCIL_OPERATIONS
    cost->operation = ENGINE_OPS_FMA;
    cost->operations = STENCIL_OPERATIONS;
#endif
    double bytes = 0;
#define ENGINE_STENCIL_BYTES(type, name) bytes += 2 * (double) sizeof(ENGINE_STENCIL_PLAIN(type));
    STENCIL_CELL(ENGINE_STENCIL_BYTES)
    bytes *= STENCIL_TOTALS > 0 ? 1.5 : 1; /* `count` reads the states once more */
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_INPUT_BYTES(type, name) bytes += (double) sizeof(type);
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_BYTES)
#endif
    cost->bytes = bytes / steps;
}

/* The layout of a state or output for passes of at most `most` steps: one array for each component. States have ghosts as
 * deep as the steps of a pass reach. Rows begin at multiples of 64 bytes. */
static inline void engine_stencil_layout(const struct engine_plan *plan, uint32_t field, struct engine_layout *layout,
                                         uint64_t most)
{
    const uint32_t role = engine_stencil_field(field)->role;
    if (role == ENGINE_INPUT)
        return;
    layout->planar = 1;
    layout->component_stride = 0;
    layout->row_align = 64;
    for (int axis = 0; axis < STENCIL_AXES; axis++)
        layout->ghost[axis] =
            role == ENGINE_OUTPUT ? 0 : engine_stencil_reach(axis) * (uint32_t) engine_stencil_steps(plan, field, most);
}

#endif
