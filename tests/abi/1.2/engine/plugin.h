/* engine/plugin.h - the fixed interface between the engine and a plugin.
 *
 * This is the only file a plugin needs. It compiles alone as C11, C17, C++17 and under nvcc, and includes no CUDA
 * header: a CUDA stream crosses as `void *`.
 *
 * A plugin is a shared object that exports one data symbol, `engine_plugin`, a descriptor. There are no constructors
 * and no registration calls: the engine reads the descriptor, checks its first member, and only then calls anything.
 *
 * Life of a plugin, by phase; every function belongs to one of them:
 *
 *   plan     parameter checks, shape, check, work, probe, layout, cost    no buffers exist yet
 *   start    generate, create                                            buffers exist, state is being filled
 *   run      advance, measure                                            any number of times
 *   end      destroy                                                     once for every create that returned 0
 *
 * The engine calls one instance from one thread at a time; two instances in host memory may be called at the same time,
 * so a plugin keeps no writable globals. Pointers that the engine passes live until the function returns, but for those
 * of `struct engine_call`, which say how long they live.
 *
 * Append only: structures grow at their end and the minor version counts up. Each structure that crosses carries its
 * size and each array its element size, so that both sides may be of different minor versions. docs/abi.md is the log.
 */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_ABI_MAJOR 1         /* differs: not loaded */
#define ENGINE_ABI_MINOR 2         /* of this header; a plugin says which one it needs */
#define ENGINE_MAGIC     "ENGPLUG" /* and its terminating zero */

#if defined(__GNUC__)
#define ENGINE_EXPORT             __attribute__((visibility("default")))
#define ENGINE_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define ENGINE_EXPORT
#define ENGINE_PRINTF(text, rest)
#endif

/* Fills any of the `engine_…_array` members from a C array: `.params = ENGINE_ARRAY(params)`. */
#define ENGINE_ARRAY(array) \
    { \
        (array), (uint32_t) (sizeof(array) / sizeof((array)[0])), (uint32_t) sizeof((array)[0]) \
    }

struct engine_host;
struct engine_plan;
struct engine_call;

/* ---- Results ---------------------------------------------------------------------------------------------------
 *
 * Every function that returns int returns 0 for success. A positive code means that the state is as it was before the
 * call; the same code negated means that the state is lost. Give the reason with ENGINE_FAIL, which returns the code:
 *
 *     return ENGINE_FAIL(host, ENGINE_INVALID, "width %u is not a multiple of 4", width);
 */
enum {
    ENGINE_OK = 0,
    ENGINE_INVALID = 1,     /* a parameter or a combination of them is wrong: exit status 2 */
    ENGINE_UNSUPPORTED = 2, /* right, but not something this implementation does: exit status 4 */
    ENGINE_NO_MEMORY = 3,   /* exit status 5 */
    ENGINE_DEVICE = 4,      /* the device or its driver failed: exit status 5 */
    ENGINE_INTERNAL = 5     /* the plugin found itself wrong: exit status 4 */
};

#define ENGINE_FAIL(host, code, ...) ((host)->fail((host), (code), __FILE__, __LINE__, __VA_ARGS__))

/* ---- Parameters: the plugin's own section of the configuration ---------------------------------------------- */

enum {
    ENGINE_PARAM_INTEGER = 0, /* decimal, in [min, max] */
    ENGINE_PARAM_REAL = 1,    /* finite, in [min, max] */
    ENGINE_PARAM_FLAG = 2,    /* yes | no (true, false, on, off, 1, 0) */
    ENGINE_PARAM_TEXT = 3,    /* checked by `check` alone */
    ENGINE_PARAM_CHOICE = 4   /* one word of `choices` */
};

enum {
    ENGINE_PARAM_TUNING = 1u << 0 /* changes speed alone, never a result */
};

/* A parameter's value, checked. Text lives as long as the plan. */
struct engine_value {
    int64_t integer;  /* INTEGER; FLAG: 0 or 1; CHOICE: index into choices */
    double real;      /* REAL; INTEGER: the same number */
    const char *text; /* as written by the user, or the default */
};

struct engine_param {
    const char *name; /* key in the section [<plugin>]: lower case, digits, '_' */
    const char *help; /* one line, for `engine describe` */
    const char *unit; /* "cells", "bytes", … or NULL */
    uint32_t type;    /* ENGINE_PARAM_… */
    uint32_t flags;
    const char *initial;        /* the default, as a user would write it; never NULL */
    double min, max;            /* inclusive; min == max: any number */
    const char *const *choices; /* CHOICE: ended by NULL */

    /* Plan. Optional. Says with ENGINE_FAIL why a value is refused; the engine adds file, line and key. */
    int (*check)(const struct engine_host *host, const struct engine_value *value);

    /* Key of a file's header that sets this parameter unless the configuration does, as "rule" does for Life: pattern
     * files are read with it and written with it. Or NULL. */
    const char *file_key;
};

struct engine_param_array {
    const struct engine_param *at;
    uint32_t count, item_size;
};

/* ---- Fields: what the simulation is made of --------------------------------------------------------------------
 *
 * A field says what there is; a layout, further down, how an implementation wants it in memory. Files, hashes and tests
 * see a field as the canonical dense array: elements of the field's type in C order, (z, y, x, component), no padding.
 */
enum {
    ENGINE_U8 = 0,
    ENGINE_I8 = 1,
    ENGINE_U16 = 2,
    ENGINE_I16 = 3,
    ENGINE_U32 = 4,
    ENGINE_I32 = 5,
    ENGINE_U64 = 6,
    ENGINE_I64 = 7,
    ENGINE_F32 = 8,
    ENGINE_F64 = 9,
    ENGINE_C64 = 10,        /* two floats */
    ENGINE_C128 = 11,       /* two doubles */
    ENGINE_CONFIGURED = 255 /* as [matrix] element, the input file, or the field that it is bound to says */
};

enum {
    ENGINE_GRID = 0,      /* [grid] size: cells along x, y and, for rank 3, z; a torus */
    ENGINE_PARTICLES = 1, /* [particles] count: extent (count) */
    ENGINE_MATRIX = 2,    /* [matrix] rows, columns, batch: extent (columns, rows, batch) */
    ENGINE_BINS = 3       /* whatever the plugin's shape function says */
};

enum {
    ENGINE_STATE = 0, /* what advance takes from one step to the next; double-buffered */
    ENGINE_INPUT = 1, /* constant while a call runs; may be another plugin's state, or the next frame of a file */
    ENGINE_OUTPUT = 2 /* zeroed at the start; advance adds to it or sets it */
};

enum {
    ENGINE_REDUCE_NONE = 0, /* parts computed apart are parts of the whole */
    ENGINE_REDUCE_SUM = 1   /* parts computed apart are added */
};

enum {
    ENGINE_FIELD_OPTIONAL = 1u << 0 /* INPUT: may be absent; its origins are NULL then */
};

struct engine_field {
    const char *name; /* files are called <name>-<step>.<format> */
    const char *help;
    uint32_t kind;       /* ENGINE_GRID … */
    uint32_t role;       /* ENGINE_STATE … */
    uint32_t type;       /* canonical element: ENGINE_U8 … */
    uint32_t components; /* elements a cell or particle; at least 1 */
    uint32_t rank;       /* GRID: 1, 2 or 3 axes; others: 0 */
    uint32_t values;     /* a cell takes 0 … values - 1; 0: every value of the type */
    uint32_t reach[3];   /* GRID: how far along x, y, z one step looks */
    uint32_t reduction;  /* OUTPUT: ENGINE_REDUCE_… */
    uint32_t flags;
    double initial;  /* value of every element where [init] gives none */
    double range[2]; /* GRID: values that pictures show darkest and brightest; the same: 0 and 1, or 0 … values - 1;
                        since 1.1, and an older engine does without it */
};

struct engine_field_array {
    const struct engine_field *at;
    uint32_t count, item_size;
};

/* A field's size, known once the configuration is. Extents are x, y, z: cells; particles, 1, 1; columns, rows, batch;
 * bins, 1, 1. Unused ones are 1. */
struct engine_shape {
    uint32_t size;
    uint32_t type;       /* ENGINE_U8 … */
    uint32_t components; /* at least 1 */
    uint32_t rank;       /* 1 … 3 */
    uint64_t extent[3];
};

struct engine_shape_array {
    const struct engine_shape *at;
    uint32_t count, item_size;
};

struct engine_value_array {
    const struct engine_value *at;
    uint32_t count, item_size;
};

/* ---- The plan: a checked configuration. Lives as long as the run. ------------------------------------------- */

struct engine_plan {
    uint32_t size;
    uint32_t threads;                 /* to use on the host; at least 1 */
    int32_t device;                   /* ordinal of the CUDA device */
    uint32_t reserved;                /* 0 */
    uint64_t seed;                    /* [init] seed */
    struct engine_value_array params; /* in the order of the plugin's table */
    struct engine_shape_array shapes; /* in the order of the plugin's fields, at the first step */
    double box[6];                    /* periodic box of particles: Lx Ly Lz xy xz yz; 0: open along that axis. It may
                                         change before a call that is ENGINE_CALL_FRESH: frames of a file have their own */
};

/* The value of parameter `index` of the plugin's table. */
static inline const struct engine_value *engine_param_value(const struct engine_plan *plan, uint32_t index)
{
    return (const struct engine_value *) (const void *) ((const char *) plan->params.at +
                                                         (size_t) index * plan->params.item_size);
}

/* The shape of field `index` of the plugin's table. */
static inline const struct engine_shape *engine_field_shape(const struct engine_plan *plan, uint32_t index)
{
    return (const struct engine_shape *) (const void *) ((const char *) plan->shapes.at +
                                                         (size_t) index * plan->shapes.item_size);
}

/* ---- Layouts: how an implementation wants a field in memory ------------------------------------------------- */

enum {
    ENGINE_ORDER_LINEAR = 0,   /* cell x is in word x / n at bit x mod n, lowest bit first */
    ENGINE_ORDER_REVERSED = 1, /* the same with the highest bit first: the leftmost cell is the top bit */
    ENGINE_ORDER_STRIPED = 2   /* in a group of g words, cell x of the group is at bit x / g of word x mod g */
};

enum { ENGINE_AXIS_X = 1u << 0, ENGINE_AXIS_Y = 1u << 1, ENGINE_AXIS_Z = 1u << 2 };

/* The engine fills one in with the default, elements as they are in the canonical array, rows unpadded, and ghosts of
 * the field's reach on every axis, which makes one step a call; an implementation's layout function changes what it
 * wants otherwise.
 *
 * Rows run along x. Ghost cells lie on both sides of every axis: cell x = -1 holds the value of cell width - 1, cell
 * x = width that of cell 0, also where the width is no multiple of a word, and corners too. The engine fills them
 * before every call of advance. Cells further out than `ghost` hold anything. */
struct engine_layout {
    uint32_t size;
    uint32_t cell_bits;   /* 0: canonical elements; 1: one bit a cell, for fields of two values */
    uint32_t word_bytes;  /* cell_bits = 1: 1, 2, 4 or 8 bytes a word, stored in the machine's byte order */
    uint32_t order;       /* cell_bits = 1: ENGINE_ORDER_… */
    uint32_t group_words; /* STRIPED: words in a group; groups are counted from the row's first word */
    uint32_t row_align;   /* bytes, a power of two: the first cell's word of every row is so aligned; 0: the word */
    uint32_t component_stride; /* elements from one cell or particle to the next; 4 makes float4 of 3; 0: components */
    uint32_t planar;           /* 1: every component in an array of its own, one after the other */
    uint32_t ghost[3];         /* cells on each side along x, y, z; at most ghost / reach steps a call */
    uint32_t wraps;            /* ENGINE_AXIS_… the implementation wraps itself: no ghosts there, no limit of steps */

    /* Where none of this describes it: the buffer's size, and functions that move elements [begin, begin + count) of
     * the canonical array in and out of a host copy of it. No ghosts; all axes wrapped by the implementation. */
    uint64_t own_bytes;
    void (*pack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical, void *buffer);
    void (*unpack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                   void *canonical);

    uint32_t row_odd;  /* 1: rows are an odd number of row_align apart, which then holds a word, group or element; at
                          powers of two they would meet in few channels of memory and sets of a cache. Since 1.2 */
    uint32_t reserved; /* 0 */
};

/* ---- Buffers and calls -----------------------------------------------------------------------------------------
 *
 * The engine owns every buffer for the life of the run; addresses stay fixed.
 *
 * `origin` is the address of the word that holds cell (0, 0, 0), in host or device memory as the implementation asked.
 * The row of (y, z) starts at origin + y * row_stride + z * plane_stride, also for negative y and z down to -ghost.
 * A state has two buffers, or one where the implementation works in place: both origins are the same then, as they are
 * for inputs and outputs. An input that is bound to another plugin's state has the origin of the buffer which holds
 * that now: of all addresses these alone may differ from call to call. */
struct engine_buffer {
    void *origin[2];
    int64_t row_stride;                 /* bytes from (x, y, z) to (x, y + 1, z) */
    int64_t plane_stride;               /* bytes from (x, y, z) to (x, y, z + 1) */
    int64_t component_stride;           /* bytes from one component to the next */
    uint64_t bytes;                     /* of one whole buffer, ghosts and padding included */
    const struct engine_shape *shape;   /* at this call's first step */
    const struct engine_layout *layout; /* as asked */
};

struct engine_buffer_array {
    const struct engine_buffer *at;
    uint32_t count, item_size;
};

enum {
    ENGINE_CALL_FRESH = 1u << 0 /* states or inputs are not what this instance's last advance left: drop what was
                                   derived */
};

/* What create, advance and measure get. `host`, `plan` and the arrays in `buffers` live and stay at their addresses
 * until destroy has returned; the call itself only until the function returns. */
struct engine_call {
    uint32_t size;
    uint32_t flags; /* ENGINE_CALL_… */
    const struct engine_host *host;
    const struct engine_plan *plan;
    struct engine_buffer_array buffers; /* one a field, in the order of the plugin's table */
    void *stream;                       /* CUDA: the cudaStream_t to enqueue on; host: NULL */
    uint64_t first_step;                /* number of the step that the state stands at */
    uint64_t steps;                     /* advance: to take, at least 1; create and measure: 0 */
    uint32_t current;                   /* which origin of the states holds step first_step */
    uint32_t result;           /* advance: which one holds the result. Preset: the other one; in place, the same */
    uint64_t begin[3], end[3]; /* the cells to compute; the whole grid unless ENGINE_SUBBOX is set */
};

/* The buffer of field `index` of the plugin's table. */
static inline const struct engine_buffer *engine_field_buffer(const struct engine_call *call, uint32_t index)
{
    return (const struct engine_buffer *) (const void *) ((const char *) call->buffers.at +
                                                          (size_t) index * call->buffers.item_size);
}

/* ---- Implementations ---------------------------------------------------------------------------------------- */

enum { ENGINE_HOST_MEMORY = 0, ENGINE_CUDA_MEMORY = 1 };

enum {
    ENGINE_EXACT = 1u << 0,      /* same bits as every other exact implementation */
    ENGINE_REFERENCE = 1u << 1,  /* what `engine verify` holds the others against; one a plugin */
    ENGINE_IN_PLACE = 1u << 2,   /* one buffer a state: no second one is allocated */
    ENGINE_OVERWRITES = 1u << 3, /* may leave the source changed; otherwise it must not */
    ENGINE_ENQUEUES = 1u << 4,   /* advance only enqueues on the stream, and what depends on steps, current and the
                                    parity of first_step alone: the engine may record it and replay it */
    ENGINE_SUBBOX = 1u << 5      /* advance honours begin and end */
};

enum {
    ENGINE_OPS_NONE = 0,  /* bound by memory alone */
    ENGINE_OPS_LOGIC = 1, /* three-input logic operations and shifts on 32-bit words */
    ENGINE_OPS_FMA = 2,   /* single-precision multiply-adds, additions and multiplications */
    ENGINE_OPS_FMA64 = 3, /* the same in double precision */
    ENGINE_OPS_LOOKUP = 4 /* table lookups */
};

/* What one unit of work costs, for the share of the hardware limit that `engine bench` prints. */
struct engine_cost {
    uint32_t size;
    uint32_t operation; /* ENGINE_OPS_… */
    double operations;  /* of that kind a unit of work */
    double bytes;       /* moved to and from memory a unit of work; 0: stays in caches */
};

struct engine_impl {
    const char *name; /* "cpu", "cuda", "cuda-naive", …: lower case, digits, '-' */
    const char *help;
    uint32_t memory;  /* ENGINE_HOST_MEMORY … */
    uint32_t flags;   /* ENGINE_EXACT … */
    int32_t rank;     /* `implementation = auto` takes the highest one whose probe says yes */
    uint32_t batch;   /* number of steps that a call does best in multiples of; 0: any */
    double tolerance; /* not exact: largest error of a step that it promises, against the reference's from the same
                         state, relative to each field's largest value; 0: exact */

    /* Plan. Optional. Can it run here, with this configuration? If not, ENGINE_FAIL says why. */
    int (*probe)(const struct engine_host *host, const struct engine_plan *plan);

    /* Plan. Optional. Changes the default layout of field `field` to what the implementation wants. An input that is
     * bound to another plugin's state comes with that state's layout: left as it is, nothing is copied. */
    int (*layout)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout);

    /* Start. Optional. Makes an instance, once the first state stands in the buffers; *self is handed to the functions
     * below. After an error destroy is not called. */
    int (*create)(const struct engine_call *call, void **self);

    /* Run. Takes call->steps steps from origin[current], sets call->result to the buffer that holds them. NULL: this
     * implementation was not compiled into this file. */
    int (*advance)(void *self, struct engine_call *call);

    /* Run. Optional. Writes one number a metric of the plugin, of the state in origin[current], to host memory; waits
     * for the stream itself. */
    int (*measure)(void *self, const struct engine_call *call, double *values);

    /* End. Optional. */
    void (*destroy)(void *self);

    /* Plan. Optional. What a unit of work costs with this plan. */
    int (*cost)(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
};

struct engine_impl_array {
    const struct engine_impl *at;
    uint32_t count, item_size;
};

/* ---- The descriptor ----------------------------------------------------------------------------------------- */

/* A named scalar that implementations measure; a column of metrics.csv. */
struct engine_metric {
    const char *name; /* "population", "energy" */
    const char *unit; /* or NULL */
    const char *help;
};

struct engine_metric_array {
    const struct engine_metric *at;
    uint32_t count, item_size;
};

/* A way to make a first state: [init] source = <name>. */
struct engine_generator {
    const char *name;
    const char *help;
};

struct engine_generator_array {
    const struct engine_generator *at;
    uint32_t count, item_size;
};

/* The unit of work that rates count: cell updates, interactions, pairs, bytes. */
struct engine_work {
    uint32_t size;
    uint32_t reserved; /* 0 */
    const char *unit;  /* plural: "cell updates" */
    double per_step;
};

/* Checked before anything else is read. Never changes, in any major version. */
struct engine_abi {
    char magic[8];         /* ENGINE_MAGIC */
    uint16_t major;        /* ENGINE_ABI_MAJOR of the header it was compiled with */
    uint16_t minor;        /* the least minor version of the host that it needs */
    uint32_t struct_size;  /* sizeof(struct engine_plugin) */
    uint32_t pointer_size; /* sizeof(void *) */
};

/* First member of every descriptor; `minor` is the least version of the host it needs, 0 unless it uses what came
 * later. */
#define ENGINE_ABI(minor) \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, (minor), (uint32_t) sizeof(struct engine_plugin), (uint32_t) sizeof(void *) \
    }

struct engine_plugin {
    struct engine_abi abi;
    uint32_t reserved;   /* 0 */
    const char *name;    /* that of its file without ".so", and of its section in a configuration */
    const char *version; /* of the plugin */
    const char *summary; /* one line */
    struct engine_param_array params;
    struct engine_field_array fields; /* at least one */
    struct engine_metric_array metrics;
    struct engine_generator_array generators;
    struct engine_impl_array impls; /* at least one */

    /* Plan. Optional. Adjusts the shape that the configuration gives field `field` at step number `step`: bins, element
     * types that follow a parameter, matrices that swap rows and columns at every step. It depends on the parity of
     * `step` alone. plan->shapes may not be complete yet: it holds the fields before this one. */
    int (*shape)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape);

    /* Plan. Optional. Refuses combinations that no table expresses. Called again during the run where a frame of a file
     * comes with another box. */
    int (*check)(const struct engine_host *host, const struct engine_plan *plan);

    /* Plan. Optional. What a step's work is; by default the cells of the first field, as "cell updates". */
    int (*work)(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work);

    /* Start. Writes elements [begin, begin + count) of the canonical array of field `field` as generator `generator`
     * makes them. Needed where there are generators. The same for any split into ranges. */
    int (*generate)(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out);
};

/* The one symbol a plugin exports. */
extern ENGINE_EXPORT const struct engine_plugin engine_plugin;

/* ---- What the engine does for a plugin ---------------------------------------------------------------------- */

enum {
    ENGINE_LOG_DEBUG = 0, /* shown with --verbose */
    ENGINE_LOG_INFO = 1,
    ENGINE_LOG_WARNING = 2
};

/* A table of services. A plugin that wants one from a later minor version asks whether `size` reaches it. All may be
 * called from any phase and, but for `scratch` and `note`, from any thread. */
struct engine_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;
    void *context; /* the engine's */

    /* Records the reason of an error; the last one counts. Returns `code`. Called through ENGINE_FAIL. */
    int (*fail)(const struct engine_host *host, int code, const char *file, int line, const char *format, ...)
        ENGINE_PRINTF(5, 6);

    /* Prints a line on stderr. A plugin never prints itself. */
    void (*message)(const struct engine_host *host, int level, const char *format, ...) ENGINE_PRINTF(3, 4);

    /* Records a choice made at run time, "instructions" = "avx512", for the summary. From create and advance; the last
     * one of a key counts. */
    void (*note)(const struct engine_host *host, const char *key, const char *format, ...) ENGINE_PRINTF(3, 4);

    /* From create: memory that lives until the instance is destroyed; the engine frees it. Not cleared. On the host it
     * is aligned to 4096 bytes, or to 2 MiB where it is larger; on a device to 256. `memory` is ENGINE_HOST_MEMORY ….
     * NULL: none left, the reason is recorded. */
    void *(*scratch)(const struct engine_host *host, uint64_t bytes, uint32_t memory);

    /* Calls task(argument, i) for i in [0, count) on plan->threads threads, and waits. Tasks may not fail, and run in
     * no order. */
    void (*parallel)(const struct engine_host *host, uint64_t count, void (*task)(void *argument, uint64_t index),
                     void *argument);

    /* Philox4x32-10 (Salmon et al., SC11), key = seed, counter = (index / 4, stream): writes the 32-bit words with
     * indices [begin, begin + count). The same words for any split into ranges. Streams from 0 on, one a field, are
     * those of [init] source = random: take others. engine/random.h has the same for kernels. */
    void (*random)(const struct engine_host *host, uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count,
                   uint32_t *out);

    /* A table of functions that came later or exists on some machines only, by name and version; NULL: not there. */
    const void *(*service)(const struct engine_host *host, const char *name, uint32_t version);
};

#ifdef __cplusplus
}
#endif

#endif
