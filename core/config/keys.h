/* The sections of a configuration that are not those of plugins, and their keys. The core has five. Each further
 * component declares its own section, and the caller that opens a context lists them (base/modules.h). The tables serve
 * the readers of the sections, `engine help config`, shell completion, and names that plugins may not use. */
#ifndef CORE_CONFIG_KEYS_H
#define CORE_CONFIG_KEYS_H

#include <engine/engine.h>

struct context;
struct reading;

/* The sections of the core, in the order of `engine help config --all`. */
enum keys_section {
    KEYS_RUN,
    KEYS_GRID,
    KEYS_PARTICLES,
    KEYS_MATRIX,
    KEYS_INIT,
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
    KEY_RUN_MEMORY,
    KEY_RUN_OUTPUT,
    KEYS_OF_RUN
};
enum { KEY_GRID_SIZE, KEY_GRID_EDGES, KEY_GRID_EDGE_SHIFT, KEY_GRID_EDGE_VALUE, KEY_GRID_BATCH, KEYS_OF_GRID };
enum { KEY_PARTICLES_COUNT, KEY_PARTICLES_BOX, KEY_PARTICLES_BATCH, KEYS_OF_PARTICLES };
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

/* The attributes of a key, in engine_param.flags. Each key has one of the first four, which say what its value changes;
 * `engine describe` shows the first of them for parameters of plugins too. */
enum {
    KEY_FREE = ENGINE_PARAM_TUNING, /* the speed or a place, never a result */
    KEY_SUBJECT = 1u << 16,         /* what is computed; files that a run writes name it */
    KEY_EXTENT = 1u << 17,          /* how much of that is computed and written */
    KEY_IMPLEMENTATION = 1u << 18,  /* the implementation, which changes no result if it is exact */
    KEY_PATH = ENGINE_PARAM_PATH,   /* the value is a path, and the file there stays the same if it is moved */
    KEY_COMMON = 1u << 19,          /* all members of an ensemble have the same value */
    KEY_TOLD = 1u << 20,            /* the other processes of a divided run are told the value */
    KEY_SEVERAL = 1u << 21,         /* the key is about several runs, and not part of the configuration of one */
    KEY_BASIC = ENGINE_KEY_BASIC    /* `engine help config` lists the key without --all */
};

/* A row of a table of keys: its attributes are the second argument. */
#define KEY_INTEGER(key, attributes, text, low, high, line) \
    { \
        ENGINE_INTEGER_PARAM(key, line, text, low, high), .flags = (attributes) \
    }
#define KEY_REAL(key, attributes, text, low, high, line) \
    { \
        ENGINE_REAL_PARAM(key, line, text, low, high), .flags = (attributes) \
    }
#define KEY_TEXT(key, attributes, text, line) \
    { \
        ENGINE_TEXT_PARAM(key, line, text), .flags = (attributes) \
    }
#define KEY_CHOICE(key, attributes, text, words, line) \
    { \
        ENGINE_CHOICE_PARAM(key, line, text, words), .flags = (attributes) \
    }

extern const struct engine_section keys_sections[KEYS_SECTIONS];

/* The section of a component, with at most SECTION_KEYS_MAX keys. */
enum { SECTION_KEYS_MAX = 32 };
struct section {
    struct engine_section about;

    /* Makes `bytes` bytes of settings, which are 0 at first, of the values of all keys. The settings of the core are
     * complete then (plan/section.h). NULL: the values are checked alone. ENGINE_STATUS_USAGE. */
    size_t bytes;
    int (*read)(const struct reading *reading, const struct engine_value *values, void *own);

    /* The keys that something must use (plan/plan.h), ended by one without a name; or NULL. */
    const struct key_use *uses;
};

/* The section with that index: those of the core, then those of the modules of the context, which may be NULL. NULL
 * after the last. */
const struct engine_section *keys_section_at(const struct context *context, uint32_t index);

/* The section of that name, in upper or lower case, or NULL. */
const struct engine_section *keys_section_named(const struct context *context, const char *name);

/* The attributes of that key of the engine, in upper or lower case; 0: the engine has no such key. */
uint32_t keys_flags(const struct context *context, const char *section, const char *key);

/* The engine's own keys in the section of a plugin, or NULL. A plugin may have the name of a section that it shares
 * with the engine: its parameters are there beside the engine's keys. All other names of sections are the engine's. */
const struct engine_param_array *keys_of_plugin(const char *plugin);

/* The words of [init] source besides the names of the plugin's generators, ended by NULL. */
extern const char *const keys_init_sources[];

#endif
