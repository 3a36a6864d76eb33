/* engine/plugin.h - the binary interface between the engine and a plugin.
 *
 * A first plugin needs this file alone. It compiles as C11, C17, C++17 and under nvcc, and includes no CUDA header: a
 * CUDA stream is passed as `void *`. base.h and access.h, which it includes, have the macros that fill its structures
 * and the functions that read them. Each further capability has a header of its own:
 *
 *   layout.h    how an implementation wants a field in memory: bits, alignment, ghosts, axes that it wraps
 *   edges.h     grids that are not a torus (tiles.h, tree.h: grids without edges, in tiles or as a tree of squares)
 *   parts.h     runs that are divided among devices and processes
 *   batch.h     many universes in one call
 *   queue.h     work that advance only enqueues on a stream
 *   bench.h     rates, their share of the hardware limit, and advice
 *   files.h     parameters in pattern files, paths, species, inputs that may be absent
 *   pictures.h  brightness and colours
 *
 * A plugin is a shared object that exports one data symbol, its descriptor `engine_plugin`. It has no constructors and
 * makes no registration calls. Every function of a plugin belongs to one phase:
 *
 *   plan     param.check, shape, check, work, values, probe, layout, cost      no buffers exist yet
 *   start    generate, create                        buffers exist, the initial state is being filled
 *   run      advance, measure                        any number of times
 *   end      destroy                                 once for every create that returned 0
 *
 * A plan is a checked configuration. An instance is what `create` makes: an implementation with its private data.
 *
 * Threads. "One thread a plan" in a comment means that the engine never makes two calls of the function at the same
 * time for one plan, but it may do so for two. "One thread an instance" means the same for an instance. The thread may
 * change from call to call, so a plugin keeps no writable global variables. host->parallel does parallel work.
 *
 * Pointers. A pointer that the engine passes is valid until the function returns. What the members of `struct
 * engine_call` point to lives longer; the comment of that structure says how long.
 *
 * Versions. Structures only grow at their end, and each carries its size or the size of an element. So the engine and
 * the plugin may have different minor versions. A plugin that needs a later minor version than 0 asks for it before the
 * include, and an older engine does not load it:
 *
 *     #define ENGINE_MINOR 12
 *     #include <engine/plugin.h>
 *     #include <engine/parts.h>
 *
 * A member that came later has another name until the plugin asks for it: `part`, for example, is `part_since_1_5`. So
 * a plugin cannot use it by accident and then fail in an older engine. A plugin that asks for less than 12 gets the
 * headers of all capabilities with this one. docs/reference/plugin-interface.md lists the versions. */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#ifndef ENGINE_MINOR
#define ENGINE_MINOR 0
#endif
/* -DENGINE_MINOR=ENGINE_ABI_MINOR gives all headers too: the preprocessor does not know that name here, and reads 0. */
#if ENGINE_MINOR < 12
#define ENGINE_ALL_CAPABILITIES
#endif

#define ENGINE_ABI_MAJOR 1  /* an engine of another major version does not load the plugin */
#define ENGINE_ABI_MINOR 16 /* the newest minor version that this header knows */

#include <engine/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct engine_host;
struct engine_layout;
struct engine_cost;
struct engine_work;

/* ---- Results ---------------------------------------------------------------------------------------------------
 *
 * A function of a plugin that returns int returns 0 for success, or a code below. A positive code means that the state
 * is as it was before the call. A negative code, such as -ENGINE_DEVICE, means that the state is lost. ENGINE_FAIL
 * records the reason and returns the code: ENGINE_FAIL(host, ENGINE_INVALID, "width %u is odd", width). The comments
 * give the exit status of the program `engine` for each code. */
enum {
    ENGINE_OK = 0,
    ENGINE_INVALID = 1,     /* a parameter or a combination of them is wrong: exit status 2 */
    ENGINE_UNSUPPORTED = 2, /* valid, but this implementation cannot do it: exit status 4 */
    ENGINE_NO_MEMORY = 3,   /* exit status 5 */
    ENGINE_DEVICE = 4,      /* the device or its driver failed: exit status 5 */
    ENGINE_INTERNAL = 5     /* the plugin found an error of its own: exit status 4 */
};

#define ENGINE_FAIL(host, code, ...) ((host)->fail((host), (code), __FILE__, __LINE__, __VA_ARGS__))

/* ---- Parameters: the plugin's own section of the configuration ------------------------------------------------
 *
 *     {ENGINE_INTEGER_PARAM("threshold", "live neighbours that a birth takes", "3", 1, 8), .unit = "cells"}
 *
 * sets the usual members of a row, and further members may follow. base.h has such macros for all tables. */
enum {
    ENGINE_PARAM_INTEGER = 0, /* decimal, in [min, max] */
    ENGINE_PARAM_REAL = 1,    /* finite, in [min, max] */
    ENGINE_PARAM_FLAG = 2,    /* yes | no (true, false, on, off, 1, 0) */
    ENGINE_PARAM_TEXT = 3,    /* any text that `check` accepts */
    ENGINE_PARAM_CHOICE = 4   /* one of the words in `choices` */
};

/* A flag: the parameter changes speed, never a result. */
enum { ENGINE_PARAM_TUNING = 1u << 0 };

/* A parameter's value after all checks. The text lives as long as the plan. */
struct engine_value {
    int64_t integer;  /* INTEGER: the number; FLAG: 0 or 1; CHOICE: index into choices; REAL: without its fraction */
    double real;      /* REAL: the number; others: the same as `integer` */
    const char *text; /* as the user wrote it, or the default */
};
ENGINE_ARRAY_OF(value);

struct engine_param {
    const char *name;           /* key in the section [<plugin>]: lower case, digits, '_' */
    const char *help;           /* one line, for `engine describe` */
    const char *unit;           /* "cells", "bytes", … or NULL */
    uint32_t type;              /* ENGINE_PARAM_INTEGER … */
    uint32_t flags;             /* ENGINE_PARAM_TUNING, ENGINE_PARAM_PATH (files.h), or 0 */
    const char *initial;        /* the default, as a user writes it in a configuration; never NULL */
    double min, max;            /* inclusive; min == max: every number is allowed */
    const char *const *choices; /* CHOICE: the words, then NULL */

    /* Plan phase, one thread a plan. Optional. Refuses a value; the engine adds file, line and key to the reason. */
    int (*check)(const struct engine_host *host, const struct engine_value *value);

    const char *file_key; /* optional, as the next; see files.h */
    int (*ENGINE_SINCE_1_10(spell))(const char *value, char *text, uint64_t size);
};
ENGINE_ARRAY_OF(param);

/* ---- Fields: what the simulation is made of --------------------------------------------------------------------
 *
 * Files, hashes and tests see every field as the canonical dense array: elements of the field's type in C order,
 * (z, y, x, component), without padding. Implementations may lay it out in another way (layout.h). */
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
    ENGINE_C64 = 10, /* two floats */
    ENGINE_C128 = 11 /* two doubles; for ENGINE_CONFIGURED see files.h */
};

enum {
    ENGINE_GRID = 0,      /* [grid] size: cells along x, y, z; usually a torus (edges.h) */
    ENGINE_PARTICLES = 1, /* [particles] count; extent {count, 1, 1} */
    ENGINE_MATRIX = 2,    /* [matrix] rows, columns, batch; extent {columns, rows, batch} */
    ENGINE_BINS = 3       /* the plugin's shape function gives the number; extent {bins, 1, 1} */
};

enum {
    ENGINE_STATE = 0, /* advance computes its next values; it has two buffers, or one with ENGINE_IN_PLACE */
    ENGINE_INPUT = 1, /* constant during a call; it may be another plugin's state or the next frame of a file */
    ENGINE_OUTPUT = 2 /* zero at the start; advance adds to it or sets it */
};

struct engine_field {
    const char *name; /* files are called <name>-<step>.<format>. [init] gets the key <name> for a state or input, which
                         cannot have the name of another key there: source, file, frames, length_unit, at, density,
                         seed */
    const char *help;
    uint32_t kind;       /* ENGINE_GRID … */
    uint32_t role;       /* ENGINE_STATE … */
    uint32_t type;       /* of a canonical element: ENGINE_U8 … */
    uint32_t components; /* elements in a cell or particle; at least 1 */
    uint32_t rank;       /* GRID: 1, 2 or 3 axes; others: 0 */
    uint32_t values;     /* a cell takes 0 … values - 1; 0: every value of the type. See engine_plugin.values */
    uint32_t reach[3];   /* GRID: how many cells away along x, y, z a step reads */
    uint32_t reduction;  /* 0 */
    uint32_t flags;      /* ENGINE_FIELD_OPTIONAL … (files.h), or 0 */
    double initial;      /* value of every element, if [init] gives no values */
    double ENGINE_SINCE_1_1(range)[2]; /* pictures.h */
};
ENGINE_ARRAY_OF(field);

/* A field's size and type, as they follow from the configuration. The extent of a missing axis is 1. */
struct engine_shape {
    uint32_t size;
    uint32_t type;       /* ENGINE_U8 … */
    uint32_t components; /* at least 1 */
    uint32_t rank;       /* 1 … 3 */
    uint64_t extent[3];
};
ENGINE_ARRAY_OF(shape);

/* ---- The plan: a checked configuration. It lives as long as the run --------------------------------------------
 *
 * The functions of access.h read it: engine_param_integer(plan, index), engine_field_shape(plan, index) and others. */
struct engine_plan {
    uint32_t size;
    uint32_t threads;                 /* for the plugin to use on the host; at least 1 */
    int32_t device;                   /* ordinal of the CUDA device */
    uint32_t reserved;                /* 0 */
    uint64_t seed;                    /* [init] seed */
    struct engine_value_array params; /* in the order of the plugin's table */
    struct engine_shape_array shapes; /* in the order of the plugin's fields, at step 0 */
    double box[6];                    /* periodic box of particles: Lx Ly Lz xy xz yz; 0: open along that axis. Frames
                                         of a file differ in it, so a call with ENGINE_CALL_FRESH may have another */
    struct engine_part ENGINE_SINCE_1_5(part);          /* parts.h */
    uint64_t ENGINE_SINCE_1_7(universes);               /* of a batch, usually 1; batch.h */
    struct engine_edges ENGINE_SINCE_1_8(edges);        /* edges.h */
    struct engine_name_array ENGINE_SINCE_1_8(symbols); /* of species; files.h */
    const struct engine_plan *ENGINE_SINCE_1_16(each);  /* plans of universes that differ, or NULL; batch.h */
};

/* ---- Buffers and calls -----------------------------------------------------------------------------------------
 *
 * The engine owns every buffer. Buffers stay at fixed addresses for the whole run. engine_field_buffer(call, index)
 * returns the buffer of a field, and engine_row(buffer, which, y, z) the address of a row (access.h).
 *
 * `origin` is the address of the word that holds cell (0, 0, 0), in host or device memory as the implementation asked.
 * Around the cells of a grid lie ghost cells, as deep as the field's reach, which the engine fills before every call of
 * advance. So x, y and z may be negative. A state has two buffers, or one if the implementation works in place. An
 * input or output has one buffer. If a field has one buffer, its two origins are equal. Only one address may differ
 * from call to call: the origin of an input that is bound to another plugin's state. It is the origin of the buffer
 * that holds this state now. */
struct engine_buffer {
    void *origin[2];
    int64_t row_stride;                 /* bytes from (x, y, z) to (x, y + 1, z) */
    int64_t plane_stride;               /* bytes from (x, y, z) to (x, y, z + 1) */
    int64_t component_stride;           /* bytes from one component to the next */
    uint64_t bytes;                     /* size of one whole buffer, with ghosts and padding */
    const struct engine_shape *shape;   /* at this call's first step */
    const struct engine_layout *layout; /* the one that the implementation asked for */
};
ENGINE_ARRAY_OF(buffer);

/* A flag of a call: a state or input has changed since this instance's last advance. Compute again what the instance
 * derived from it. */
enum { ENGINE_CALL_FRESH = 1u << 0 };

/* The argument of create, advance and measure. `host`, `plan` and the array in `buffers` stay valid and at their
 * addresses until destroy has returned. The call itself is valid only until the function returns. */
struct engine_call {
    uint32_t size;
    uint32_t flags; /* ENGINE_CALL_… */
    const struct engine_host *host;
    const struct engine_plan *plan;
    struct engine_buffer_array buffers; /* one for each field, in the order of the plugin's table */
    void *stream;                       /* CUDA: the cudaStream_t on which everything is enqueued; host: NULL */
    uint64_t first_step;                /* the step that the state is at */
    uint64_t steps;                     /* advance: number of steps, at least 1; create and measure: 0 */
    uint32_t current;                   /* index of the buffer that holds the states at step first_step: 0 or 1 */
    uint32_t result;           /* index of the buffer for the result. The engine sets it before the call: to the other
                                  buffer, or to `current` if a state has one. advance may change it */
    uint64_t begin[3], end[3]; /* 0 and the extents of the first field; of a part: its own cells (parts.h) */
};

/* ---- Implementations ---------------------------------------------------------------------------------------- */

enum { ENGINE_HOST_MEMORY = 0, ENGINE_CUDA_MEMORY = 1 };

/* Flags. edges.h, parts.h, batch.h and queue.h have the others. */
enum {
    ENGINE_EXACT = 1u << 0,      /* its results have the same bits as those of every other exact implementation */
    ENGINE_REFERENCE = 1u << 1,  /* `engine verify` compares the others with it; at most one in a plugin */
    ENGINE_IN_PLACE = 1u << 2,   /* a state has one buffer; the engine allocates no second one */
    ENGINE_OVERWRITES = 1u << 3, /* advance may change buffer `current`; without this flag it must not */
    ENGINE_SERIAL = 1u << 6,     /* since 1.4: it computes on one thread, whatever plan->threads is */
    ENGINE_SEEDED = 1u << 7      /* since 1.4: its steps use plan->seed. If the plugin asks for 1.4 or later, the engine
                                    refuses a key [init] seed that nothing uses */
};

struct engine_impl {
    const char *name; /* "cpu", "cuda", "cuda-naive", …: lower case, digits, '-' */
    const char *help;
    uint32_t memory;  /* ENGINE_HOST_MEMORY … */
    uint32_t flags;   /* ENGINE_EXACT … */
    int32_t rank;     /* `implementation = auto` takes the highest rank whose probe succeeds */
    uint32_t batch;   /* its preferred steps: a call is most efficient for multiples of this number; 0: for any */
    double tolerance; /* 0 if exact. Otherwise the largest error of one step, compared with the reference's step from
                         the same state, and relative to each field's largest value */

    /* Plan phase, one thread a plan. Optional. Returns an error if the implementation cannot run on this machine or
     * with this configuration; ENGINE_FAIL gives the reason. */
    int (*probe)(const struct engine_host *host, const struct engine_plan *plan);

    /* Plan phase, one thread a plan. Optional. Changes the default layout of field `field`, see layout.h. */
    int (*layout)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout);

    /* Start phase, one thread an instance. Optional. Makes an instance. The buffers hold the initial state. The engine
     * passes *self to the functions below. If create fails, the engine does not call destroy. */
    int (*create)(const struct engine_call *call, void **self);

    /* Run phase, one thread an instance. Takes call->steps steps from the states in origin[call->current]; call->result
     * then tells which buffer holds the result. NULL: this file was built without the implementation. */
    int (*advance)(void *self, struct engine_call *call);

    /* Run phase, one thread an instance. Optional. Writes one number for each metric of the plugin, for the state in
     * origin[call->current]. `values` is in host memory, so a CUDA implementation waits for its stream. Since 1.5, it
     * holds 0 before the call, except in a divided run (parts.h). */
    int (*measure)(void *self, const struct engine_call *call, double *values);

    /* End phase, one thread an instance. Optional. The engine makes no further call for this instance. */
    void (*destroy)(void *self);

    /* Optional: bench.h explains cost, and queue.h settle. The engine never records an implementation with settle,
     * whatever ENGINE_ENQUEUES says. From 1.12 on, struct engine_advice (bench.h) takes the place of advise. */
    int (*cost)(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
    int (*ENGINE_SINCE_1_9(advise))(void *self, const struct engine_call *call, char *text, uint64_t size);
    int (*ENGINE_SINCE_1_11(settle))(void *self, const struct engine_call *call);
};
ENGINE_ARRAY_OF(impl);

/* ---- The descriptor ----------------------------------------------------------------------------------------- */

/* A named number that implementations measure; a column of metrics.csv. */
struct engine_metric {
    const char *name; /* "population", "energy" */
    const char *unit; /* or NULL */
    const char *help;
};
ENGINE_ARRAY_OF(metric);

/* A generator produces the initial state: [init] source = <name>. If random values are no valid states, one generator
 * has the flag: `engine conform` starts from its states. It accepts every size that `check` accepts. */
enum { ENGINE_GENERATOR_CONFORM = 1u << 0 };
struct engine_generator {
    const char *name;
    const char *help;
    uint32_t ENGINE_SINCE_1_4(flags);    /* ENGINE_GENERATOR_CONFORM, or 0 */
    uint32_t ENGINE_SINCE_1_4(reserved); /* 0 */
};
ENGINE_ARRAY_OF(generator);

struct engine_plugin {
    struct engine_abi abi;
    uint32_t reserved;   /* 0 */
    const char *name;    /* the name of the file without ".so", and of the plugin's section in a configuration */
    const char *version; /* of the plugin */
    const char *summary; /* one line */
    struct engine_param_array params;
    struct engine_field_array fields; /* at least one */
    struct engine_metric_array metrics;
    struct engine_generator_array generators;
    struct engine_impl_array impls; /* at least one */

    /* Plan phase, one thread a plan. Optional. Changes the shape that the configuration gives field `field` at step
     * `step`: the number of bins, an element type that follows a parameter, rows and columns that swap at every step.
     * Only the parity of `step` may matter. plan->shapes holds only the fields before this one. */
    int (*shape)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape);

    /* Plan phase, one thread a plan. Optional. Refuses combinations of values that the tables cannot exclude. The
     * engine also calls it between two calls of advance, if the next frame of a file has another box. */
    int (*check)(const struct engine_host *host, const struct engine_plan *plan);

    /* Optional, see bench.h. Plan phase, one thread a plan. */
    int (*work)(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work);

    /* Start phase, one thread a plan. Needed if there are generators. Writes elements [begin, begin + count) of the
     * canonical array of field `field`, as generator `generator` produces it. The engine may ask for any ranges in any
     * order; an element must not depend on the range. */
    int (*generate)(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out);

    /* Plan phase, one thread a plan. Optional. Lowers *values, which holds engine_field.values, to 2 or more where a
     * parameter states how many values the cells take. plan->params are set, and plan->shapes holds no fields yet. */
    int (*ENGINE_SINCE_1_7(values))(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                    uint32_t *values);

    /* From 1.12 on, struct engine_colours (pictures.h) takes its place. */
    int (*ENGINE_SINCE_1_8(colours))(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                     uint8_t (*colours)[3], uint32_t *count);

    /* Optional. The engine calls it when it loads the plugin and when it makes a plan, one thread. Returns the table of
     * a capability, or NULL. The capability's header declares name, version and table, which begins with its size as
     * uint32_t and lives as long as the plugin. The name of a capability of an implementation ends with '/' and the
     * name of the implementation, as in "engine.advice/cpu". */
    const void *(*ENGINE_SINCE_1_12(extension))(const char *name, uint32_t version);
};

/* The one symbol that a plugin exports. */
extern ENGINE_EXPORT const struct engine_plugin engine_plugin;

/* ---- What the engine does for a plugin ---------------------------------------------------------------------- */

enum {
    ENGINE_LOG_DEBUG = 0, /* shown with --verbose */
    ENGINE_LOG_INFO = 1,
    ENGINE_LOG_WARNING = 2
};

/* A table of services. A plugin that wants a service of a later minor version first checks that `size` reaches it.
 * "Any thread" below means that several threads may call the function at the same time, while a function of the plugin
 * runs: tasks of `parallel`, or threads of the plugin's own. "One thread" means one at a time. */
struct engine_host {
    uint32_t size;
    uint16_t abi_major, abi_minor; /* of the engine */
    void *context;                 /* the engine's own */

    /* For ENGINE_FAIL: records a reason, of which the last one counts, and returns `code`. Any phase, any thread. */
    int (*fail)(const struct engine_host *host, int code, const char *file, int line, const char *format, ...)
        ENGINE_PRINTF(5, 6);

    /* Passes a message to the user. A plugin itself never prints. Any phase, any thread. */
    void (*message)(const struct engine_host *host, int level, const char *format, ...) ENGINE_PRINTF(3, 4);

    /* Records for the summary a choice that was made at run time, such as "instructions" = "avx512". The last text for
     * a key counts. If create notes a parameter that has the choice `auto` and is not a tuning parameter, checkpoints
     * of an implementation that is not exact record the choice too, and `engine resume` continues with no other choice
     * by mistake. bench.h and files.h explain further notes. create, advance, measure and, since 1.8,
     * engine_plugin.check; one thread. */
    void (*note)(const struct engine_host *host, const char *key, const char *format, ...) ENGINE_PRINTF(3, 4);

    /* Returns memory for an instance. The engine frees it after the instance is destroyed. It is not cleared. Host
     * memory is aligned to 4096 bytes, or to 2 MiB if it is larger than that; device memory to 256 bytes. `memory` is
     * ENGINE_HOST_MEMORY …. NULL: there is not enough, and the reason is recorded. create, one thread. */
    void *(*scratch)(const struct engine_host *host, uint64_t bytes, uint32_t memory);

    /* Calls task(argument, i) for every i in [0, count) on plan->threads threads, in any order, and waits for all of
     * them. A task has no return value, so it stores a failure in `argument`. Any phase, any thread. */
    void (*parallel)(const struct engine_host *host, uint64_t count, void (*task)(void *argument, uint64_t index),
                     void *argument);

    /* Random numbers: Philox4x32-10 (Salmon et al., SC11), key = seed, counter = (index / 4, stream). Writes the 32-bit
     * words with indices [begin, begin + count). [init] source = random uses streams 0, 1, …, one for each field, so a
     * plugin should use others. engine/random.h computes the same words in kernels. Any phase, any thread. */
    void (*random)(const struct engine_host *host, uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count,
                   uint32_t *out);

    /* Returns a table of further functions by name and version, or NULL. The engine has the table ENGINE_TEAM (parts.h).
     * A program that uses libengine can have others (struct engine_hooks). Any phase, any thread. */
    const void *(*service)(const struct engine_host *host, const char *name, uint32_t version);
};

#ifdef __cplusplus
}
#endif

#include <engine/access.h>
#ifdef ENGINE_ALL_CAPABILITIES
#include <engine/batch.h>
#include <engine/bench.h>
#include <engine/edges.h>
#include <engine/files.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/pictures.h>
#include <engine/queue.h>
#include <engine/retired.h>
#include <engine/tiles.h>
#include <engine/tree.h>
#endif

#endif
