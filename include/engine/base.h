/* engine/base.h - definitions for the structures of engine/plugin.h, which includes this file: attributes of compilers,
 * versions, arrays, small structures, and initialisers. Macros are compiled into the plugin and are not part of the
 * binary interface. */
#ifndef ENGINE_BASE_H
#define ENGINE_BASE_H

#include <stddef.h>
#include <stdint.h>

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

/* ---- Versions ----------------------------------------------------------------------------------------------- */

#if ENGINE_MINOR > ENGINE_ABI_MINOR
#error "ENGINE_MINOR is newer than this header: compile with the header of a newer engine"
#endif

/* The names of members that came with a later minor version: `row_odd`, for example, is `row_odd_since_1_2` until the
 * plugin asks for 1.2. engine_plugin.extension makes further macros unnecessary. */
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
#if ENGINE_MINOR >= 12
#define ENGINE_SINCE_1_12(member) member
#else
#define ENGINE_SINCE_1_12(member) member##_since_1_12
#endif
#if ENGINE_MINOR >= 16
#define ENGINE_SINCE_1_16(member) member
#else
#define ENGINE_SINCE_1_16(member) member##_since_1_16
#endif

#define ENGINE_MAGIC "ENGPLUG" /* with its terminating zero */

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

/* ---- Structures of capabilities, which a plan holds ----------------------------------------------------------- */

struct engine_part {       /* engine_plan.part; parts.h */
    uint32_t index, count; /* 0 <= index < count; undivided: 0 and 1 */
    uint64_t offset[3];    /* of the part's first cell in the whole grid */
    uint64_t whole[3];     /* the extents of the first field in the whole run */
};

struct engine_edges {    /* engine_plan.edges; edges.h */
    uint32_t kind[3];    /* ENGINE_EDGE_… of x, y and z */
    uint32_t reserved;   /* 0 */
    int64_t shift[2];    /* two axes: a pattern that crosses the bottom edge arrives shift[0] cells further along x; one
                            that crosses the right edge arrives shift[1] cells further along y. 0, or less than the
                            extent */
    const double *value; /* ENGINE_EDGE_FIXED: one for each field of the plugin's table */
};

struct engine_name_array { /* engine_plan.symbols; files.h */
    const char *const *at;
    uint32_t count;
    uint32_t reserved; /* 0 */
};

/* ---- Arrays ------------------------------------------------------------------------------------------------- */

/* struct engine_…_array, a table of structures. A host or plugin of a later minor version has larger elements, so
 * element i lies at i * item_size bytes. */
#define ENGINE_ARRAY_OF(name) \
    struct engine_##name##_array { \
        const struct engine_##name *at; \
        uint32_t count, item_size; \
    }

/* Fills such a member from a C array: `.params = ENGINE_ARRAY(params)`. */
#define ENGINE_ARRAY(array) \
    { \
        (array), (uint32_t) (sizeof(array) / sizeof((array)[0])), (uint32_t) sizeof((array)[0]) \
    }

/* ---- Initialisers -----------------------------------------------------------------------------------------------
 *
 * They set the usual members of a structure. They stand inside its braces, and further members may follow them:
 *
 *     {ENGINE_INTEGER_PARAM("threshold", "live neighbours that a birth takes", "3", 1, 8), .unit = "cells"}
 *
 * In C++ they need C++20 or a compiler that accepts designated initialisers, and members in the order of the
 * structure. */

/* struct engine_param: name, help and default; then the limits of a number, or the words of a choice. */
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

/* struct engine_field: name, help, role and type; then the number of axes of a grid, or the components of a particle.
 * Fields of the other kinds have one component, and a field of bins is an output. */
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

/* struct engine_impl, in host memory or device memory: name, help, rank and flags. */
#define ENGINE_HOST_IMPL(name_, help_, rank_, flags_) \
    .name = (name_), .help = (help_), .memory = ENGINE_HOST_MEMORY, .flags = (flags_), .rank = (rank_)
#define ENGINE_CUDA_IMPL(name_, help_, rank_, flags_) \
    .name = (name_), .help = (help_), .memory = ENGINE_CUDA_MEMORY, .flags = (flags_), .rank = (rank_)

/* struct engine_metric and struct engine_generator. */
#define ENGINE_METRIC(name_, unit_, help_) .name = (name_), .unit = (unit_), .help = (help_)
#define ENGINE_GENERATOR(name_, help_)     .name = (name_), .help = (help_)

/* struct engine_plugin: name, version and summary. */
#define ENGINE_PLUGIN(name_, version_, summary_) \
    .abi = ENGINE_ABI(ENGINE_MINOR), .name = (name_), .version = (version_), .summary = (summary_)

#endif
