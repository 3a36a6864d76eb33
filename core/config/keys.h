/* The engine's own sections of a configuration and their keys. One table serves the readers of the sections, `engine
 * help config`, shell completion, and the names that a plugin may not use. */
#ifndef CORE_CONFIG_KEYS_H
#define CORE_CONFIG_KEYS_H

#include <engine/engine.h>

/* The sections in the order of `engine help config`, which is also the order of reading: [output] takes the threads of
 * [run]. */
enum keys_section {
    KEYS_RUN,
    KEYS_GRID,
    KEYS_PARTICLES,
    KEYS_MATRIX,
    KEYS_INIT,
    KEYS_ANALYSE,
    KEYS_OUTPUT,
    KEYS_CHECKPOINT,
    KEYS_BENCH,
    KEYS_ENSEMBLE,
    KEYS_SECTIONS /* their number */
};

/* The keys of each section: indices into keys_sections[…].keys, then their number, KEYS_OF_…. */
enum {
    KEY_RUN_PLUGIN,
    KEY_RUN_PLUGINS,
    KEY_RUN_IMPLEMENTATION,
    KEY_RUN_STEPS,
    KEY_RUN_UNTIL,
    KEY_RUN_UNTIL_EVERY,
    KEY_RUN_THREADS,
    KEY_RUN_DEVICE,
    KEY_RUN_DEVICES,
    KEY_RUN_PARTS,
    KEY_RUN_MARGIN,
    KEY_RUN_TRANSPORT,
    KEY_RUN_PATIENCE,
    KEY_RUN_OUTPUT,
    KEYS_OF_RUN
};
enum { KEY_GRID_SIZE, KEY_GRID_EDGES, KEY_GRID_EDGE_SHIFT, KEY_GRID_EDGE_VALUE, KEY_GRID_BATCH, KEYS_OF_GRID };
enum { KEY_PARTICLES_COUNT, KEY_PARTICLES_BOX, KEYS_OF_PARTICLES };
enum { KEY_MATRIX_ROWS, KEY_MATRIX_COLUMNS, KEY_MATRIX_BATCH, KEY_MATRIX_ELEMENT, KEYS_OF_MATRIX };
enum {
    KEY_INIT_SOURCE,
    KEY_INIT_FILE,
    KEY_INIT_FRAMES,
    KEY_INIT_LENGTH,
    KEY_INIT_AT,
    KEY_INIT_DENSITY,
    KEY_INIT_SEED,
    KEYS_OF_INIT
};
enum { KEY_ANALYSE_PLUGIN, KEY_ANALYSE_IMPLEMENTATION, KEY_ANALYSE_FROM, KEY_ANALYSE_EVERY, KEYS_OF_ANALYSE };
enum {
    KEY_OUTPUT_EVERY,
    KEY_OUTPUT_METRICS_EVERY,
    KEY_OUTPUT_FORMATS,
    KEY_OUTPUT_FIELDS,
    KEY_OUTPUT_REGION,
    KEY_OUTPUT_STRIDE,
    KEY_OUTPUT_REDUCE,
    KEY_OUTPUT_PROBES,
    KEY_OUTPUT_SCALE,
    KEY_OUTPUT_VIEW,
    KEY_OUTPUT_AXIS,
    KEY_OUTPUT_SLICE,
    KEY_OUTPUT_BOUNDS,
    KEY_OUTPUT_PIXELS,
    KEY_OUTPUT_WEIGHT,
    KEY_OUTPUT_PARTICLE_SIZE,
    KEY_OUTPUT_RANGE,
    KEY_OUTPUT_COLOURS,
    KEY_OUTPUT_COMPONENT,
    KEY_OUTPUT_UNIVERSE,
    KEY_OUTPUT_RATE,
    KEYS_OF_OUTPUT
};
enum {
    KEY_CHECKPOINT_EVERY,
    KEY_CHECKPOINT_SECONDS,
    KEY_CHECKPOINT_COMPRESSION,
    KEY_CHECKPOINT_SIGNAL,
    KEY_CHECKPOINT_BITS,
    KEYS_OF_CHECKPOINT
};
enum { KEY_BENCH_IMPL, KEY_BENCH_SWEEP, KEY_BENCH_REPEATS, KEY_BENCH_STEPS, KEYS_OF_BENCH };
enum { KEY_ENSEMBLE_SWEEP, KEY_ENSEMBLE_AT_ONCE, KEYS_OF_ENSEMBLE };

/* The attributes of a key, in engine_param.flags. Each key has one of the first four, which say what its value changes;
 * `engine describe` shows the first of them for parameters of plugins too. */
enum {
    KEY_FREE = ENGINE_PARAM_TUNING, /* the speed or a place, never a result */
    KEY_SUBJECT = 1u << 16,         /* what is computed; files that a run writes name it */
    KEY_EXTENT = 1u << 17,          /* how much of that is computed and written */
    KEY_IMPLEMENTATION = 1u << 18,  /* the implementation, which changes no result if it is exact */
    KEY_PATH = ENGINE_PARAM_PATH,   /* the value is a path, and the file there stays the same if it is moved */
    KEY_COMMON = 1u << 19,          /* all members of an ensemble have the same value */
    KEY_TOLD = 1u << 20             /* the other processes of a divided run are told the value */
};

extern const struct engine_section keys_sections[KEYS_SECTIONS];

/* The section with that index, NULL after the last. */
const struct engine_section *keys_section_at(uint32_t index);

/* The section of that name, in upper or lower case, or NULL. */
const struct engine_section *keys_section_named(const char *name);

/* The attributes of that key of the engine, in upper or lower case; 0: the engine has no such key. */
uint32_t keys_flags(const char *section, const char *key);

/* The engine's own keys in the section of a plugin, or NULL. A plugin may have the name of a section that it shares with
 * the engine: its parameters stand there beside the engine's keys. All other names of sections are the engine's. */
const struct engine_param_array *keys_of_plugin(const char *plugin);

/* The words of [init] source besides the names of the plugin's generators, ended by NULL. */
extern const char *const keys_init_sources[];

#endif
