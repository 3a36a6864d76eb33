/* engine/plugin.h - the binary interface between the engine and a plugin.
 *
 * This is the only file that a plugin needs. It compiles alone as C11, C17, C++17 and under nvcc. It includes no CUDA
 * header: a CUDA stream is passed as `void *`. engine/cuda.h and engine/random.h are optional helpers beside it.
 *
 * A plugin is a shared object that exports one data symbol, `engine_plugin`, which is its descriptor. There are no
 * constructors and no registration calls. The engine reads the descriptor and checks its first member before it calls
 * any function of the plugin.
 *
 * Phases. Every function of a plugin belongs to one phase, which its comment names:
 *
 *   plan     param.check, probe, layout, cost, shape, check, work,   no buffers exist yet
 *            values, colours
 *   start    generate, create, advise                                buffers exist, the initial state is being filled
 *   run      advance, settle, measure                                any number of times
 *   end      destroy                                                 once for every create that returned 0
 *
 * A plan is a checked configuration. An instance is what `create` makes: a running implementation with its private
 * data.
 *
 * Threads. "One thread a plan" in a comment means that the engine never makes two calls of the function at the same
 * time for one plan, but it may do so for two plans. "One thread an instance" means the same for an instance. The
 * thread may change from call to call. So a plugin keeps no writable global variables. Within a call, a plugin uses
 * host->parallel for parallel work.
 *
 * Pointers. A pointer that the engine passes is valid until the function returns. What the members of `struct
 * engine_call` point to lives longer; the comment of that structure says how long.
 *
 * Versions. Structures only grow at their end, and each addition raises the minor version. Each structure that crosses
 * the interface carries its size, and each array its element size. So the engine and the plugin may have different
 * minor versions. docs/abi.md lists the versions. A plugin that needs a later minor version than 0 asks for it before
 * the include:
 *
 *     #define ENGINE_MINOR 2
 *     #include <engine/plugin.h>
 *
 * A member that came later has another name until the plugin asks for it: `row_odd`, for example, is
 * `row_odd_since_1_2`. So a plugin cannot use a later member by accident and then fail in an older engine. This does
 * not change the layout of any structure.
 */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_ABI_MAJOR 1         /* an engine of another major version does not load the plugin */
#define ENGINE_ABI_MINOR 11        /* the newest minor version that this header knows */
#define ENGINE_MAGIC     "ENGPLUG" /* with its terminating zero */

/* The minor version that the plugin asks for. An engine of an older minor version does not load the plugin. */
#ifndef ENGINE_MINOR
#define ENGINE_MINOR 0
#endif
#if ENGINE_MINOR > ENGINE_ABI_MINOR
#error "ENGINE_MINOR is newer than this header: compile with the header of a newer engine"
#endif

/* Names of members that came with a later minor version; see "Versions" above. */
#if ENGINE_MINOR >= 1
#define ENGINE_SINCE_1_1(member) member
#else
#define ENGINE_SINCE_1_1(member) member##_since_1_1
#endif
#if ENGINE_MINOR >= 2
#define ENGINE_SINCE_1_2(member) member
#else
#define ENGINE_SINCE_1_2(member) member##_since_1_2
#endif
#if ENGINE_MINOR >= 4
#define ENGINE_SINCE_1_4(member) member
#else
#define ENGINE_SINCE_1_4(member) member##_since_1_4
#endif
#if ENGINE_MINOR >= 5
#define ENGINE_SINCE_1_5(member) member
#else
#define ENGINE_SINCE_1_5(member) member##_since_1_5
#endif
#if ENGINE_MINOR >= 7
#define ENGINE_SINCE_1_7(member) member
#else
#define ENGINE_SINCE_1_7(member) member##_since_1_7
#endif
#if ENGINE_MINOR >= 8
#define ENGINE_SINCE_1_8(member) member
#else
#define ENGINE_SINCE_1_8(member) member##_since_1_8
#endif
#if ENGINE_MINOR >= 9
#define ENGINE_SINCE_1_9(member) member
#else
#define ENGINE_SINCE_1_9(member) member##_since_1_9
#endif
#if ENGINE_MINOR >= 10
#define ENGINE_SINCE_1_10(member) member
#else
#define ENGINE_SINCE_1_10(member) member##_since_1_10
#endif
#if ENGINE_MINOR >= 11
#define ENGINE_SINCE_1_11(member) member
#else
#define ENGINE_SINCE_1_11(member) member##_since_1_11
#endif

/* A small function that host code and CUDA kernels share. */
#ifdef __CUDACC__
#define ENGINE_INLINE static __host__ __device__ inline
#else
#define ENGINE_INLINE static inline
#endif

#if defined(__GNUC__)
#define ENGINE_EXPORT             __attribute__((visibility("default")))
#define ENGINE_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define ENGINE_EXPORT
#define ENGINE_PRINTF(text, rest)
#endif

/* Fills any of the `engine_…_array` members from a C array: `.params = ENGINE_ARRAY(params)`.
 *
 * The other initialiser macros, from ENGINE_INTEGER_PARAM to ENGINE_PLUGIN, set the usual members of a structure. They
 * stand inside its braces, and further members may follow them:
 *
 *     {ENGINE_INTEGER_PARAM("threshold", "live neighbours that a birth takes", "3", 1, 8), .unit = "cells"}
 *
 * In C++ they need C++20 or a compiler that accepts designated initialisers, and members in the order of the
 * structure. */
#define ENGINE_ARRAY(array) \
    { \
        (array), (uint32_t) (sizeof(array) / sizeof((array)[0])), (uint32_t) sizeof((array)[0]) \
    }

struct engine_host;
struct engine_plan;
struct engine_call;

/* ---- Results ---------------------------------------------------------------------------------------------------
 *
 * A function of a plugin that returns int returns 0 for success, or a code below. A positive code means that the state
 * is as it was before the call. A negative code, such as -ENGINE_DEVICE, means that the state is lost. ENGINE_FAIL
 * records the reason and returns the code. The comments give the exit status of the program `engine` for each code:
 *
 *     return ENGINE_FAIL(host, ENGINE_INVALID, "width %u is not a multiple of 4", width);
 */
enum {
    ENGINE_OK = 0,
    ENGINE_INVALID = 1,     /* a parameter or a combination of them is wrong: exit status 2 */
    ENGINE_UNSUPPORTED = 2, /* valid, but this implementation cannot do it: exit status 4 */
    ENGINE_NO_MEMORY = 3,   /* exit status 5 */
    ENGINE_DEVICE = 4,      /* the device or its driver failed: exit status 5 */
    ENGINE_INTERNAL = 5     /* the plugin found an error of its own: exit status 4 */
};

#define ENGINE_FAIL(host, code, ...) ((host)->fail((host), (code), __FILE__, __LINE__, __VA_ARGS__))

/* ---- Parameters: the plugin's own section of the configuration ---------------------------------------------- */

enum {
    ENGINE_PARAM_INTEGER = 0, /* decimal, in [min, max] */
    ENGINE_PARAM_REAL = 1,    /* finite, in [min, max] */
    ENGINE_PARAM_FLAG = 2,    /* yes | no (true, false, on, off, 1, 0) */
    ENGINE_PARAM_TEXT = 3,    /* any text that `check` accepts */
    ENGINE_PARAM_CHOICE = 4   /* one of the words in `choices` */
};

enum {
    ENGINE_PARAM_TUNING = 1u << 0, /* the parameter changes speed, never a result */
    ENGINE_PARAM_PATH = 1u << 1 /* since 1.8, TEXT: the name of a file or folder. A relative one in a configuration is
                                      relative to the configuration, and the plugin gets its path. Checkpoints do not
                                      record it, so that files may move */
};

/* A parameter's value after all checks. The text lives as long as the plan. */
struct engine_value {
    int64_t integer;  /* INTEGER: the number; FLAG: 0 or 1; CHOICE: index into choices */
    double real;      /* REAL: the number; INTEGER: the same number */
    const char *text; /* as the user wrote it, or the default */
};

struct engine_param {
    const char *name;           /* key in the section [<plugin>]: lower case, digits, '_' */
    const char *help;           /* one line, for `engine describe` */
    const char *unit;           /* "cells", "bytes", … or NULL */
    uint32_t type;              /* ENGINE_PARAM_INTEGER … */
    uint32_t flags;             /* ENGINE_PARAM_TUNING, or 0 */
    const char *initial;        /* the default, as a user writes it in a configuration; never NULL */
    double min, max;            /* inclusive; min == max: every number is allowed */
    const char *const *choices; /* CHOICE: the words, then NULL */

    /* Plan phase, one thread a plan. Optional. Refuses a value: ENGINE_FAIL gives the reason, and the engine adds file,
     * line and key. */
    int (*check)(const struct engine_host *host, const struct engine_value *value);

    /* A key in the header of pattern files, such as "rule" in patterns of Life, or NULL. The value in the file sets
     * this parameter, unless the configuration sets it. The engine writes the value into the pattern files of the
     * run. */
    const char *file_key;

    /* Plan phase, one thread a plan. Optional, for a text with a file_key. Writes the usual spelling of a value that
     * `check` has accepted into `text`, which has room for `size` bytes. The engine writes this spelling into files, so
     * that other programs read it. If the function does not return 0, files get the value as the user wrote it. */
    int (*ENGINE_SINCE_1_10(spell))(const char *value, char *text, uint64_t size);
};

/* The arguments are name, help and default; then the limits of a number, or the words of a choice. Members that often
 * follow are .unit, .flags, .check and .file_key. */
#define ENGINE_INTEGER_PARAM(name_, help_, initial_, min_, max_) \
    .name = (name_), .help = (help_), .type = ENGINE_PARAM_INTEGER, .initial = (initial_), .min = (min_), .max = (max_)
#define ENGINE_REAL_PARAM(name_, help_, initial_, min_, max_) \
    .name = (name_), .help = (help_), .type = ENGINE_PARAM_REAL, .initial = (initial_), .min = (min_), .max = (max_)
#define ENGINE_FLAG_PARAM(name_, help_, initial_) \
    .name = (name_), .help = (help_), .type = ENGINE_PARAM_FLAG, .initial = (initial_)
#define ENGINE_TEXT_PARAM(name_, help_, initial_) \
    .name = (name_), .help = (help_), .type = ENGINE_PARAM_TEXT, .initial = (initial_)
#define ENGINE_CHOICE_PARAM(name_, help_, initial_, choices_) \
    .name = (name_), .help = (help_), .type = ENGINE_PARAM_CHOICE, .initial = (initial_), .choices = (choices_)

struct engine_param_array {
    const struct engine_param *at;
    uint32_t count, item_size;
};

/* ---- Fields: what the simulation is made of --------------------------------------------------------------------
 *
 * A field describes the data; a layout, further down, describes how an implementation wants it in memory. Files, hashes
 * and tests see every field as the canonical dense array: elements of the field's type in C order, (z, y, x,
 * component), without padding. */
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
    ENGINE_CONFIGURED = 255 /* the type comes from [matrix] element, the input file or the bound field */
};

enum {
    ENGINE_GRID = 0,      /* size: [grid] size, cells along x, y and, for rank 3, z; a torus, unless plan->edges says
                             otherwise */
    ENGINE_PARTICLES = 1, /* size: [particles] count; extent (count) */
    ENGINE_MATRIX = 2,    /* size: [matrix] rows, columns, batch; extent (columns, rows, batch) */
    ENGINE_BINS = 3       /* size: the plugin's shape function gives it */
};

enum {
    ENGINE_STATE = 0, /* advance computes its next values; it has two buffers, or one with ENGINE_IN_PLACE */
    ENGINE_INPUT = 1, /* constant during a call; it may be another plugin's state or the next frame of a file */
    ENGINE_OUTPUT = 2 /* zero at the start; advance adds to it or sets it */
};

/* How the parts of an output are combined. No engine reads it: an implementation that shares its work does this itself,
 * see struct engine_team. */
enum {
    ENGINE_REDUCE_NONE = 0, /* each part is a part of the whole */
    ENGINE_REDUCE_SUM = 1   /* the parts are added up */
};

enum {
    ENGINE_FIELD_OPTIONAL = 1u << 0 /* INPUT: it may be absent; then its origins are NULL */
};

struct engine_field {
    const char *name; /* files are called <name>-<step>.<format>. [init] gets the key <name> for a state or input, so a
                         state or input cannot have the name of a key of the engine in [init]: source, file, frames,
                         length_unit, at, density, seed */
    const char *help;
    uint32_t kind;       /* ENGINE_GRID … */
    uint32_t role;       /* ENGINE_STATE … */
    uint32_t type;       /* of a canonical element: ENGINE_U8 … */
    uint32_t components; /* elements in a cell or particle; at least 1 */
    uint32_t rank;       /* GRID: 1, 2 or 3 axes; others: 0 */
    uint32_t values;     /* a cell takes 0 … values - 1; 0: every value of the type. See engine_plugin.values */
    uint32_t reach[3];   /* GRID: how many cells away along x, y, z a step reads */
    uint32_t reduction;  /* OUTPUT: ENGINE_REDUCE_… */
    uint32_t flags;      /* ENGINE_FIELD_OPTIONAL, or 0 */
    double initial;      /* value of every element, if [init] gives no values */

    /* GRID: the values that pictures show darkest and brightest. If both are the same, pictures use 0 and values - 1
     * or, if `values` is 0, 0 and 1. */
    double ENGINE_SINCE_1_1(range)[2];
};

/* The arguments are name, help, role and type; then the number of axes of a grid, or the components of a particle.
 * Fields of the other kinds have one component, and a field of bins is an output. Members that often follow are
 * .values, .reach, .initial and .range. */
#define ENGINE_GRID_FIELD(name_, help_, role_, type_, rank_) \
    .name = (name_), .help = (help_), .kind = ENGINE_GRID, .role = (role_), .type = (type_), .components = 1, \
    .rank = (rank_)
#define ENGINE_PARTICLE_FIELD(name_, help_, role_, type_, components_) \
    .name = (name_), .help = (help_), .kind = ENGINE_PARTICLES, .role = (role_), .type = (type_), \
    .components = (components_)
#define ENGINE_MATRIX_FIELD(name_, help_, role_, type_) \
    .name = (name_), .help = (help_), .kind = ENGINE_MATRIX, .role = (role_), .type = (type_), .components = 1
#define ENGINE_BIN_FIELD(name_, help_, type_) \
    .name = (name_), .help = (help_), .kind = ENGINE_BINS, .role = ENGINE_OUTPUT, .type = (type_), .components = 1

struct engine_field_array {
    const struct engine_field *at;
    uint32_t count, item_size;
};

/* A field's size and type, as they follow from the configuration. extent[] is {cells along x, y, z} of a grid,
 * {particles, 1, 1}, {columns, rows, batch} of a matrix, or {bins, 1, 1}. The extent of a missing axis is 1. */
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

/* ---- The plan: a checked configuration. It lives as long as the run ------------------------------------------ */

/* The part of a divided run that a plan is about ([run] parts). The engine gives each part an instance and a plan of
 * its own. The part of an undivided run is the whole grid.
 *
 * ENGINE_DIVISIBLE: matrices are cut between rows or, where there are several, between matrices. The grid of this plan,
 * which `shapes` describe, is a torus too: the part's own rows (rank 2) or planes (rank 3), with copies of its
 * neighbours' rows or planes on both sides, the margins. engine_call.begin and .end tell the own cells. If [grid] edges
 * along this axis is no torus, the part has these edges, and a part beside an edge of the whole grid has no margin
 * there.
 *
 * ENGINE_TEAMWORK: every part has all fields, whole, and `index` and `count` tell which share of the work is its own;
 * see struct engine_team. `offset` is 0.
 *
 * Both flags, since 1.9: all fields are matrices, and the parts share the work. `shapes` describe the rows of this part
 * or, where there are several matrices (whole[2] > 1), its matrices. If rows and columns swap at every step, a part has
 * rows of each result: engine_share_begin(index) … of them, as of the rows before. So it needs elements that other
 * parts have, and gets them by `exchange` of struct engine_team. Several matrices need no exchange.
 *
 * Cell (x, y, z) of the plan's grid is cell ((x + offset[0]) mod whole[0], …) of the whole grid. A rule that depends on
 * the place of a cell or on the size of the grid uses this place and `whole`, and so do its metrics. */
struct engine_part {
    uint32_t index, count; /* 0 <= index < count; undivided: 0 and 1 */
    uint64_t offset[3];
    uint64_t whole[3]; /* the extents of the first field in the whole run */
};

/* What lies beyond the edges of the grid along an axis ([grid] edges). */
enum {
    ENGINE_EDGE_TORUS = 0,   /* the cells at the other end of the axis */
    ENGINE_EDGE_DEAD = 1,    /* cells of value 0, at all times */
    ENGINE_EDGE_FIXED = 2,   /* cells of the field's engine_edges.value, at all times */
    ENGINE_EDGE_MIRROR = 3,  /* the cells before the edge, in reverse order: cell -1 holds the value of cell 0 */
    ENGINE_EDGE_TWISTED = 4, /* two axes: the cells at the other end, in reverse order along the edge. If one axis is
                                twisted and the other one a torus, the grid is a Klein bottle; if both are twisted, a
                                cross-surface */
    ENGINE_EDGE_SPHERE = 5   /* two axes of one extent, both a sphere: the top edge is joined to the left one, and the
                                bottom edge to the right one */
};

/* An implementation whose layout has ghosts needs to know nothing of edges: the engine fills the ghosts as the edges
 * say. Unless an axis is a torus, it calls advance for one step at a time, because ghosts that advance computes itself
 * would be wrong. The engine refuses an implementation that wraps an axis itself (engine_layout.wraps) where that axis
 * is not a torus, except for ENGINE_DEAD_EDGES. */
struct engine_edges {
    uint32_t kind[3]; /* ENGINE_EDGE_… of x, y and z */
    uint32_t reserved;
    int64_t shift[2];    /* two axes: who crosses the bottom edge arrives so many cells further along x; and the right
                            edge, along y. 0, or less than the extent */
    const double *value; /* ENGINE_EDGE_FIXED: one for each field of the plugin's table; lives as long as the plan */
};

/* Names. They live as long as the plan. */
struct engine_name_array {
    const char *const *at;
    uint32_t count;
    uint32_t reserved; /* 0 */
};

struct engine_plan {
    uint32_t size;
    uint32_t threads;                 /* for the plugin to use on the host; at least 1 */
    int32_t device;                   /* ordinal of the CUDA device */
    uint32_t reserved;                /* 0 */
    uint64_t seed;                    /* [init] seed */
    struct engine_value_array params; /* in the order of the plugin's table */
    struct engine_shape_array shapes; /* in the order of the plugin's fields, at step 0 */
    double box[6];                    /* periodic box of particles: Lx Ly Lz xy xz yz; 0: open along that axis. Each
                                         frame of a file has its own box, so the box may change before a call of
                                         advance that has ENGINE_CALL_FRESH */
    struct engine_part ENGINE_SINCE_1_5(part);
    uint64_t
        ENGINE_SINCE_1_7(universes); /* [grid] batch, the number of universes that each call takes, see ENGINE_BATCH;
                                             usually 1 */
    struct engine_edges ENGINE_SINCE_1_8(edges);
    struct engine_name_array
        ENGINE_SINCE_1_8(symbols); /* of the species 0, 1, … in the file of the field `species`, as its first frame has
                                      them: "O", "HW1"; count = 0: the file has numbers. "": a species without one */
};

/* The symbol of a species, or NULL where the file has none. */
static inline const char *engine_plan_symbol(const struct engine_plan *plan, uint32_t species)
{
    const size_t needed = offsetof(struct engine_plan, ENGINE_SINCE_1_8(symbols)) + sizeof(struct engine_name_array);
    if (plan->size < needed || species >= plan->ENGINE_SINCE_1_8(symbols).count)
        return NULL;
    const char *symbol = plan->ENGINE_SINCE_1_8(symbols).at[species];
    return *symbol ? symbol : NULL;
}

/* The edges of the grid, or NULL in an engine of a version before 1.8, where every grid is a torus. */
static inline const struct engine_edges *engine_plan_edges(const struct engine_plan *plan)
{
    const size_t needed = offsetof(struct engine_plan, ENGINE_SINCE_1_8(edges)) + sizeof(struct engine_edges);
    return plan->size >= needed ? &plan->ENGINE_SINCE_1_8(edges) : NULL;
}

/* Returns what lies beyond the edges of an axis, 0 to 2: ENGINE_EDGE_…. */
static inline uint32_t engine_plan_edge(const struct engine_plan *plan, uint32_t axis)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    return edges ? edges->kind[axis] : (uint32_t) ENGINE_EDGE_TORUS;
}

/* Is every axis a torus, without a shift? */
static inline int engine_plan_is_torus(const struct engine_plan *plan)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    return !edges || (edges->kind[0] == ENGINE_EDGE_TORUS && edges->kind[1] == ENGINE_EDGE_TORUS &&
                      edges->kind[2] == ENGINE_EDGE_TORUS && edges->shift[0] == 0 && edges->shift[1] == 0);
}

/* The value of parameter `index` of the plugin's table. */
static inline const struct engine_value *engine_param_value(const struct engine_plan *plan, uint32_t index)
{
    return (const struct engine_value *) (const void *) ((const char *) plan->params.at +
                                                         (size_t) index * plan->params.item_size);
}

/* The value of parameter `index` of the plugin's table. Use the function of the parameter's type. A choice is the index
 * of its word; a flag is 0 or 1; a text lives as long as the plan. */
static inline int64_t engine_param_integer(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->integer;
}

static inline double engine_param_real(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->real;
}

static inline int engine_param_flag(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->integer != 0;
}

static inline const char *engine_param_text(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->text;
}

static inline int engine_param_choice(const struct engine_plan *plan, uint32_t index)
{
    return (int) engine_param_value(plan, index)->integer;
}

/* The shape of field `index` of the plugin's table. */
static inline const struct engine_shape *engine_field_shape(const struct engine_plan *plan, uint32_t index)
{
    return (const struct engine_shape *) (const void *) ((const char *) plan->shapes.at +
                                                         (size_t) index * plan->shapes.item_size);
}

/* ---- Layouts: how an implementation wants a field in memory ------------------------------------------------- */

enum {
    ENGINE_ORDER_LINEAR = 0,   /* n bits a word: cell x is bit x mod n of word x / n; bit 0 is the lowest */
    ENGINE_ORDER_REVERSED = 1, /* the same, but bit 0 is the highest: a word's leftmost cell is its top bit */
    ENGINE_ORDER_STRIPED = 2   /* in a group of g words, the group's cell x is bit x / g of word x mod g */
};

enum { ENGINE_AXIS_X = 1u << 0, ENGINE_AXIS_Y = 1u << 1, ENGINE_AXIS_Z = 1u << 2 };

/* The engine fills in the default layout, and an implementation's layout function changes it. The default has elements
 * as in the canonical array, rows without padding, and ghosts as deep as the field's reach on every axis, so that each
 * call takes one step.
 *
 * Rows run along x. Ghost cells lie on both sides of every axis: on a torus, cell x = -1 holds the value of cell width
 * - 1, and cell x = width holds that of cell 0; see struct engine_edges for other grids. Ghost cells at corners follow
 * the same rule, and so do ghost cells of packed bits if the width is not a multiple of a word. The engine fills the
 * ghosts before every call of advance. Memory beyond the ghosts has no defined values. */
struct engine_layout {
    uint32_t size;
    uint32_t cell_bits;        /* 0: canonical elements; 1: one bit a cell, for fields of two values */
    uint32_t word_bytes;       /* cell_bits = 1: bytes in a word, 1, 2, 4 or 8, in the machine's byte order */
    uint32_t order;            /* cell_bits = 1: ENGINE_ORDER_… */
    uint32_t group_words;      /* STRIPED: words in a group; the first group begins at the row's first word */
    uint32_t row_align;        /* bytes, a power of two: alignment of the word that holds each row's first cell; 0: that
                                  of a word */
    uint32_t component_stride; /* elements from a cell or particle to the next: 4 makes float4 of 3; 0: components */
    uint32_t planar;           /* 1: each component is an array of its own; the arrays follow each other */
    uint32_t ghost[3];         /* cells on each side along x, y, z; a call takes at most ghost / reach steps */
    uint32_t wraps;            /* ENGINE_AXIS_… of the axes that the implementation wraps itself: these axes have no
                                  ghosts and do not limit the steps of a call. See struct engine_edges */

    /* For an order of memory that the members above cannot describe: the size of the buffer, and functions that convert
     * elements [begin, begin + count) of the canonical array to and from a host copy of the buffer. Such a buffer has
     * no ghosts, and the implementation wraps all axes. Start and run phase, any thread, also at the same time as other
     * functions. So they may use nothing but their arguments. */
    uint64_t own_bytes;
    void (*pack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical, void *buffer);
    void (*unpack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                   void *canonical);

    /* 1: the distance between rows is an odd multiple of row_align, and row_align is at least the size of a word, group
     * or element. At distances that are powers of two, rows share few memory channels and few sets of a cache. */
    uint32_t ENGINE_SINCE_1_2(row_odd);
    uint32_t reserved; /* 0 */
};

/* ---- Buffers and calls -----------------------------------------------------------------------------------------
 *
 * The engine owns every buffer. Buffers stay at fixed addresses for the whole run.
 *
 * `origin` is the address of the word that holds cell (0, 0, 0), in host or device memory as the implementation asked.
 * The row of (y, z) begins at origin + y * row_stride + z * plane_stride; y and z may be negative, down to -ghost. A
 * state has two buffers, or one if the implementation works in place. An input or output has one buffer. If a field has
 * one buffer, its two origins are equal. Only one address may differ from call to call: the origin of an input that is
 * bound to another plugin's state. It is the origin of the buffer that holds this state now. */
struct engine_buffer {
    void *origin[2];
    int64_t row_stride;                 /* bytes from (x, y, z) to (x, y + 1, z) */
    int64_t plane_stride;               /* bytes from (x, y, z) to (x, y, z + 1) */
    int64_t component_stride;           /* bytes from one component to the next */
    uint64_t bytes;                     /* size of one whole buffer, with ghosts and padding */
    const struct engine_shape *shape;   /* at this call's first step */
    const struct engine_layout *layout; /* the one that the implementation asked for */
};

struct engine_buffer_array {
    const struct engine_buffer *at;
    uint32_t count, item_size;
};

/* Returns the address of cell x = 0 in row (y, z) of buffer `which`, which is call->current or call->result for a state
 * and 0 for an input or output. The row's ghosts lie before and behind its cells. In C the pointer needs no cast:
 *
 *     const float *row = engine_row(u, call->current, y, 0);
 */
static inline void *engine_row(const struct engine_buffer *buffer, uint32_t which, int64_t y, int64_t z)
{
    return (void *) ((char *) buffer->origin[which] + y * buffer->row_stride + z * buffer->plane_stride);
}

enum {
    ENGINE_CALL_FRESH = 1u << 0 /* a state or input has changed since this instance's last advance: compute again what
                                   the instance derived from it */
};

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
    uint64_t steps;                     /* advance, advise: number of steps, at least 1; create and measure: 0 */
    uint32_t current;                   /* index of the buffer that holds the states at step first_step: 0 or 1 */
    uint32_t result;           /* index of the buffer in which advance leaves the result. The engine sets it before
                                  the call: to the other buffer, or to `current` if the implementation works in place.
                                  advance changes it if it leaves the result in the other one */
    uint64_t begin[3], end[3]; /* the cells of the part: 0 and the extents of the first field, or with ENGINE_DIVISIBLE
                                  in a divided run the part's own cells, begin <= x, y, z < end */
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
    ENGINE_EXACT = 1u << 0,      /* its results have the same bits as those of every other exact implementation */
    ENGINE_REFERENCE = 1u << 1,  /* `engine verify` compares the others with it; at most one in a plugin */
    ENGINE_IN_PLACE = 1u << 2,   /* a state has one buffer; the engine allocates no second one */
    ENGINE_OVERWRITES = 1u << 3, /* advance may change buffer `current`; without this flag it must not */
    ENGINE_ENQUEUES = 1u << 4,   /* advance only enqueues work on the stream. The work depends on nothing but steps,
                                    current and the parity of first_step, so the engine may record and replay it */
    ENGINE_SUBBOX = 1u << 5,     /* never had a meaning: no engine reads it. See ENGINE_DIVISIBLE */
    ENGINE_SERIAL = 1u << 6,     /* since 1.4: it computes on one thread, whatever plan->threads is */
    ENGINE_SEEDED = 1u << 7,     /* since 1.4: its steps use plan->seed. If the plugin asks for 1.4 or
                                    later, the engine refuses a key [init] seed that nothing uses */
    ENGINE_DIVISIBLE = 1u << 8,  /* since 1.5: all fields are grids or, since 1.6, all are matrices of one shape, and
                                    the engine may divide the run into parts, see struct engine_part. The next values of
                                    a cell depend only on the number of the step, the cells within reach, and the place
                                    in the whole grid. advance may compute the margins too, as part of the torus.
                                    measure counts the own cells alone, and adds to `values` */
    ENGINE_TEAMWORK = 1u << 9, /* since 1.6: the engine may divide the work of a run among parts, each of which has all
                                    fields. advance computes the share of its part and brings the shares together by
                                    the service `team`, see struct engine_team. After advance, the fields of every
                                    part hold the whole result. With ENGINE_DIVISIBLE, since 1.9: the fields are
                                    matrices, and each part has its own rows of them */
    ENGINE_BATCH = 1u << 10,   /* since 1.7: all fields are grids of one axis or two, and a call takes the steps of
                                    plan->universes universes: grids of the plan's size that do not know of each other.
                                    A buffer has one axis more than its field, the batch: universe u of a grid of two
                                    axes is its plane u, engine_row(buffer, which, y, u), and that of a grid of one axis
                                    its row u. Shapes and call->end are those of one universe. Universe u takes the
                                    steps of a run with the seed plan->seed + u. measure writes the metrics of all
                                    universes, all of universe 0 first. Without this flag, the engine makes an instance
                                    of each universe, and calls them one after the other with plan->universes = 1 */
    ENGINE_DEAD_EDGES = 1u << 11 /* since 1.8: on the axes that it wraps itself, it honours ENGINE_EDGE_DEAD as well as
                                    the torus, for any number of steps in a call */
};

enum {
    ENGINE_OPS_NONE = 0,  /* memory alone is the limit */
    ENGINE_OPS_LOGIC = 1, /* three-input logic operations and shifts on 32-bit words */
    ENGINE_OPS_FMA = 2,   /* single-precision multiply-adds, additions and multiplications */
    ENGINE_OPS_FMA64 = 3, /* the same in double precision */
    ENGINE_OPS_LOOKUP = 4 /* table lookups */
};

/* The cost of one unit of work, from which `engine bench` computes the share of the hardware limit. */
struct engine_cost {
    uint32_t size;
    uint32_t operation; /* ENGINE_OPS_… */
    double operations;  /* number of these operations */
    double bytes;       /* bytes read from memory and written to it; 0: the data stays in caches */
};

struct engine_impl {
    const char *name; /* "cpu", "cuda", "cuda-naive", …: lower case, digits, '-' */
    const char *help;
    uint32_t memory;  /* ENGINE_HOST_MEMORY … */
    uint32_t flags;   /* ENGINE_EXACT … */
    int32_t rank;     /* `implementation = auto` takes the highest rank whose probe succeeds */
    uint32_t batch;   /* a call is most efficient for multiples of this number of steps; 0: for any number */
    double tolerance; /* 0 if exact. Otherwise the largest error of one step, compared with the reference's step from
                         the same state, and relative to each field's largest value */

    /* Plan phase, one thread a plan. Optional. Returns an error if the implementation cannot run on this machine or
     * with this configuration; ENGINE_FAIL gives the reason. */
    int (*probe)(const struct engine_host *host, const struct engine_plan *plan);

    /* Plan phase, one thread a plan. Optional. Changes the default layout of field `field`. For an input that is bound
     * to another plugin's state of the same type, the default is that state's layout. The function must not change this
     * layout, because the engine copies nothing. It may return an error instead. */
    int (*layout)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout);

    /* Start phase, one thread an instance. Optional. Makes an instance. The buffers hold the initial state. The engine
     * passes *self to the functions below. If create fails, the engine does not call destroy. */
    int (*create)(const struct engine_call *call, void **self);

    /* Run phase, one thread an instance. Takes call->steps steps from the states in origin[call->current]; call->result
     * then tells which buffer holds the result. NULL: this file was built without the implementation. */
    int (*advance)(void *self, struct engine_call *call);

    /* Run phase, one thread an instance. Optional. Writes one number for each metric of the plugin, for the state in
     * origin[call->current]. `values` is in host memory, so a CUDA implementation waits for its stream.
     *
     * Since 1.5, `values` hold 0 before the call for the first part or the undivided run, and for every further part
     * what the call for the part before it left there. With ENGINE_DIVISIBLE, a call goes on from there: it adds the
     * cells of [begin, end) in their order. So even sums of floating-point numbers do not depend on the parts.
     *
     * Since 1.6: with ENGINE_TEAMWORK, the engine calls it in all parts at the same time, with 0 in all `values`. Every
     * part sets the values of the whole, and may share the work by the service `team`. */
    int (*measure)(void *self, const struct engine_call *call, double *values);

    /* End phase, one thread an instance. Optional. The engine makes no further call for this instance. */
    void (*destroy)(void *self);

    /* Plan phase, one thread a plan. Optional. Gives the cost of a unit of work with this plan. */
    int (*cost)(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

    /* Start phase, one thread an instance. Optional, for an implementation whose time depends on the state. Writes into
     * `text`, which has room for `size` bytes, whether it would pay, in a few words that `engine check` shows. The
     * buffers hold the initial state, and call->steps is the number of steps until the run first looks at the state.
     * The engine makes the instance for this call alone, so the function may use up the instance and the state. It
     * should take less than a second. */
    int (*ENGINE_SINCE_1_9(advise))(void *self, const struct engine_call *call, char *text, uint64_t size);

    /* Run phase, one thread an instance. Optional, for an implementation whose advance only enqueues work, and which
     * learns on the device whether a call has failed. Waits for the work of a call of advance, and returns what advance
     * would have returned: 0 or a negative code. The engine calls it once for each call of advance that returned 0, in
     * their order, and before it uses the results.
     *
     * If each call takes the next frame of a file to a device, the engine calls advance for one frame more before it
     * settles a frame, so that the device is never idle. `call` has the first_step and the steps of the call that is
     * settled. Everything else has its present value: plan->box may be that of the next frame. When the last call of
     * advance is settled, all outputs have their values. */
    int (*ENGINE_SINCE_1_11(settle))(void *self, const struct engine_call *call);
};

/* The arguments are name, help, rank and flags of an implementation in host memory or device memory. .advance follows,
 * and other members may follow. */
#define ENGINE_HOST_IMPL(name_, help_, rank_, flags_) \
    .name = (name_), .help = (help_), .memory = ENGINE_HOST_MEMORY, .flags = (flags_), .rank = (rank_)
#define ENGINE_CUDA_IMPL(name_, help_, rank_, flags_) \
    .name = (name_), .help = (help_), .memory = ENGINE_CUDA_MEMORY, .flags = (flags_), .rank = (rank_)

struct engine_impl_array {
    const struct engine_impl *at;
    uint32_t count, item_size;
};

/* ---- The descriptor ----------------------------------------------------------------------------------------- */

/* A named number that implementations measure; a column of metrics.csv. */
struct engine_metric {
    const char *name; /* "population", "energy" */
    const char *unit; /* or NULL */
    const char *help;
};

#define ENGINE_METRIC(name_, unit_, help_) .name = (name_), .unit = (unit_), .help = (help_)

struct engine_metric_array {
    const struct engine_metric *at;
    uint32_t count, item_size;
};

enum {
    ENGINE_GENERATOR_CONFORM = 1u << 0 /* `engine conform` starts from this generator's states, because random values
                                          are not valid states of the plugin. The generator accepts every size
                                          that `check` accepts */
};

/* A generator produces the initial state: [init] source = <name>. */
struct engine_generator {
    const char *name;
    const char *help;

    uint32_t ENGINE_SINCE_1_4(flags);    /* ENGINE_GENERATOR_CONFORM, or 0 */
    uint32_t ENGINE_SINCE_1_4(reserved); /* 0 */
};

#define ENGINE_GENERATOR(name_, help_) .name = (name_), .help = (help_)

struct engine_generator_array {
    const struct engine_generator *at;
    uint32_t count, item_size;
};

/* The work of a step, for rates: cell updates, interactions, pairs or bytes. */
struct engine_work {
    uint32_t size;
    uint32_t reserved; /* 0 */
    const char *unit;  /* plural: "cell updates" */
    double per_step;
};

/* The engine checks this structure before it reads anything else. The structure is the same in every major version. */
struct engine_abi {
    char magic[8];         /* ENGINE_MAGIC */
    uint16_t major;        /* ENGINE_ABI_MAJOR of the header that the plugin was compiled with */
    uint16_t minor;        /* the least minor version of the engine that the plugin needs */
    uint32_t struct_size;  /* sizeof(struct engine_plugin) */
    uint32_t pointer_size; /* sizeof(void *) */
};

/* The first member of every descriptor. If `minor` is not the same number as ENGINE_MINOR, this does not compile. */
#define ENGINE_ABI(minor) \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, ENGINE_ABI_CHECKED(minor), (uint32_t) sizeof(struct engine_plugin), \
            (uint32_t) sizeof(void *) \
    }
#ifdef __cplusplus
#define ENGINE_ABI_CHECKED(minor) (sizeof(char[(minor) == ENGINE_MINOR ? 1 : -1]) * (minor))
#else
#define ENGINE_ABI_CHECKED(minor) \
    (sizeof(struct { \
         char one; \
         _Static_assert( \
             (minor) == ENGINE_MINOR, \
             "ENGINE_ABI(n) needs the line '#define ENGINE_MINOR n' before the include of engine/plugin.h"); \
     }) * \
     (minor))
#endif

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

    /* Plan phase, one thread a plan. Optional. Gives the work of a step; by default the updates of the first field's
     * cells, particles, elements or bins. */
    int (*work)(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work);

    /* Start phase, one thread a plan. Needed if there are generators. Writes elements [begin, begin + count) of the
     * canonical array of field `field`, as generator `generator` produces it. The engine may ask for any ranges in any
     * order; an element must not depend on the range. */
    int (*generate)(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out);

    /* Plan phase, one thread a plan. Optional. Lowers `values` of a field where a parameter states how many values its
     * cells take. *values holds engine_field.values; the plugin may set it to a number from 2 to that. plan->params are
     * set, and plan->shapes holds no fields yet. */
    int (*ENGINE_SINCE_1_7(values))(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                    uint32_t *values);

    /* Plan phase, one thread a plan. Optional. Gives the colours in which pictures show a field of ENGINE_U8: writes
     * red, green and blue of the values 0, 1, … to `colours`, which has room for 256, and sets *count to their number.
     * *count is 0 before the call. With 0, pictures are grey. */
    int (*ENGINE_SINCE_1_8(colours))(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                     uint8_t (*colours)[3], uint32_t *count);
};

/* The arguments are name, version and summary. The tables and functions follow:
 *
 *     ENGINE_EXPORT const struct engine_plugin engine_plugin = {
 *         ENGINE_PLUGIN("my-rule", "0.1.0", "what it does"),
 *         .fields = ENGINE_ARRAY(fields),
 *         .impls = ENGINE_ARRAY(impls),
 *     };
 */
#define ENGINE_PLUGIN(name_, version_, summary_) \
    .abi = ENGINE_ABI(ENGINE_MINOR), .name = (name_), .version = (version_), .summary = (summary_)

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

    /* Records the reason of an error and returns `code`; the last reason counts. ENGINE_FAIL calls it. Any phase, any
     * thread. */
    int (*fail)(const struct engine_host *host, int code, const char *file, int line, const char *format, ...)
        ENGINE_PRINTF(5, 6);

    /* Passes a message to the user. A plugin itself never prints. Any phase, any thread. */
    void (*message)(const struct engine_host *host, int level, const char *format, ...) ENGINE_PRINTF(3, 4);

    /* Records for the summary a choice that was made at run time, such as "instructions" = "avx512". The last text for
     * a key counts. The key may be the name of a parameter that has the choice `auto` and is not a tuning parameter. If
     * create notes such a key, checkpoints of an implementation that is not exact record the choice too, and `engine
     * resume` does not continue with another choice by mistake. create, advance and measure, one thread.
     *
     * The key "settled" is for an implementation that leaves out work whose result it knows. The text begins with the
     * percentage of the work that was left out, as in "94.1 % of the work was skipped", or with "unknown" if the
     * implementation cannot tell. The rate counts this work too, so `engine report` does not compare it with the limits
     * of the machine. `engine bench` prints the rate of the work that was done, and beside it the rate of all. If the
     * plugin has a parameter `settled` with the choice `no`, `engine bench` sets it, unless the user does.
     *
     * Since 1.8 engine_plugin.check may call it too, to record what decides results besides the parameters, such as the
     * checksum of a file that the plugin reads. Such a note is not shown. It is part of checkpoints, and `engine
     * resume` refuses to continue if check then notes something else. */
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
     * words with indices [begin, begin + count). A word depends on seed, stream and index alone. [init] source = random
     * uses streams 0, 1, …, one for each field, so a plugin should use others. engine/random.h computes the same words
     * in kernels. Any phase, any thread. */
    void (*random)(const struct engine_host *host, uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count,
                   uint32_t *out);

    /* Returns a table of further functions by name and version, or NULL if there is none. Since 1.6 there is
     * ENGINE_TEAM, version 1. Any phase, any thread. */
    const void *(*service)(const struct engine_host *host, const char *name, uint32_t version);
};

/* ---- Parts that share their work ------------------------------------------------------------------------------
 *
 * The service `team`, since 1.6: brings together what the parts of a divided run computed (ENGINE_TEAMWORK). The parts
 * call advance at the same time, each on a thread or in a process of its own, and meet in these functions. So all parts
 * make the same calls in the same order, with the same sizes. In a run that is not divided the functions do nothing and
 * return 0. So an implementation needs no second code for it.
 *
 * The functions return 0, or a negative code with the reason recorded, which advance or measure returns as it is:
 * another part has failed, or the parts called different functions. No part waits for ever: when one returns, the
 * others that wait for it get the code. Run phase; not in create, and one thread: not in a task of `parallel`. The
 * arrays are in host memory, or in the implementation's device memory, where the work is enqueued on call->stream. */
#define ENGINE_TEAM "team"

struct engine_team {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Sets values[i] in every part to the sum of values[i] over all parts, modulo 2^64, so that numbers may be signed.
     * Integers alone: the rounding of other sums would depend on the number of parts. */
    int (*reduce)(const struct engine_call *call, uint64_t *values, uint64_t count);

    /* Every part has an array of `bytes` bytes, in units of `unit` bytes, of which the last may be shorter. It has
     * computed the units of its share, from engine_share_begin(index) to engine_share_begin(index + 1). Copies the
     * shares of all parts into the arrays of all parts. */
    int (*gather)(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit);

    /* Every part gets an array of `bytes` bytes, `in`, in units of `unit` bytes, of which each part has computed a
     * share:
     * from engine_share_begin(index) to engine_share_begin(index + 1). Unlike those of gather, the arrays differ. `out`
     * has the own share of the array of part 0, then that of part 1, and so on. Copies the shares to their places in
     * the arrays of the other parts. The own share of the own array stays as it is: the caller writes it there. `bytes`
     * is a multiple of `unit`. */
    int (*ENGINE_SINCE_1_9(exchange))(const struct engine_call *call, const void *out, void *in, uint64_t bytes,
                                      uint64_t unit);
};

static inline const struct engine_team *engine_host_team(const struct engine_host *host)
{
    return (const struct engine_team *) host->service(host, ENGINE_TEAM, 1);
}

/* The first unit in the share of part `index` of `count`, where `units` units are dealt in blocks. index == count:
 * units. The parts differ by one unit at most, and have none where there are fewer units than parts. */
static inline uint64_t engine_share_begin(uint32_t index, uint32_t count, uint64_t units)
{
    const uint64_t each = units / count, rest = units % count;
    return index * each + (index < rest ? index : rest);
}

#undef ENGINE_SINCE_1_1
#undef ENGINE_SINCE_1_2
#undef ENGINE_SINCE_1_4
#undef ENGINE_SINCE_1_5
#undef ENGINE_SINCE_1_7
#undef ENGINE_SINCE_1_8
#undef ENGINE_SINCE_1_9
#undef ENGINE_SINCE_1_10
#undef ENGINE_SINCE_1_11

#ifdef __cplusplus
}
#endif

#endif
