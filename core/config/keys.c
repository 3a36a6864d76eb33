#include "config/keys.h"
#include "base/context.h"
#include "base/modules.h"

#include <stdbool.h>
#include <strings.h>

static const char *const transports[] = {"auto", "peer", "nccl", "host", NULL};

static const struct engine_param run_keys[] = {
    [KEY_RUN_PLUGIN] = KEY_TEXT("plugin", KEY_SUBJECT | KEY_COMMON | KEY_TOLD | KEY_BASIC, "", "name of the plugin"),
    [KEY_RUN_PLUGINS] = KEY_TEXT(
        "plugins", KEY_FREE | KEY_PATH | KEY_COMMON | KEY_TOLD, "",
        "folder of plugins, relative to the configuration; it is searched after those that the program was given "
        "and before all others"),
    [KEY_RUN_IMPLEMENTATION] = KEY_TEXT("implementation", KEY_IMPLEMENTATION | KEY_TOLD | KEY_BASIC, "auto",
                                        "auto, cpu, cuda, or the name of an implementation"),
    [KEY_RUN_STEPS] = KEY_INTEGER("steps", KEY_EXTENT | KEY_TOLD | KEY_BASIC, "1", 0, 1e18, "number of steps to take"),
    [KEY_RUN_UNTIL] =
        KEY_TEXT("until", KEY_EXTENT | KEY_TOLD | KEY_BASIC, "",
                 "conditions that end the run before `steps`, with `or` between them: a metric and a number, as in "
                 "population < 10; repeats; unchanged; settled; edge"),
    [KEY_RUN_UNTIL_EVERY] = KEY_INTEGER("until_every", KEY_EXTENT | KEY_TOLD, "0", 0, 1e18,
                                        "number of steps between looks at the conditions of `until`; 0: [output] "
                                        "metrics_every or, without it, 240"),
    [KEY_RUN_THREADS] =
        KEY_INTEGER("threads", KEY_FREE | KEY_TOLD | KEY_BASIC, "0", 0, 4096, "number of CPU threads; 0: one per core"),
    [KEY_RUN_DEVICE] =
        KEY_INTEGER("device", KEY_FREE | KEY_TOLD, "0", 0, 1023, "number of the CUDA device; 0 is the first"),
    [KEY_RUN_DEVICES] =
        KEY_INTEGER("devices", KEY_FREE | KEY_TOLD, "1", 1, 16,
                    "number of CUDA devices, from `device` on, among which a run is divided; the results "
                    "are the same. In several processes: number of devices that the processes of a host share; "
                    "without the key each has its own"),
    [KEY_RUN_PARTS] =
        KEY_INTEGER("parts", KEY_FREE | KEY_TOLD, "0", 0, 1024,
                    "number of parts into which a run is divided; a grid is cut along y, or along z if it has three "
                    "axes; 0: one for each of the devices or, in several processes, of the processes"),
    [KEY_RUN_MARGIN] =
        KEY_INTEGER("margin", KEY_FREE | KEY_TOLD, "0", 0, 1e9,
                    "rows or planes that each part copies from its neighbours on either side; 0: the engine "
                    "chooses"),
    [KEY_RUN_TRANSPORT] = KEY_CHOICE(
        "transport", KEY_FREE | KEY_TOLD, "auto", transports,
        "what carries margins between processes: peer: they share memory, on one host; nccl: NCCL, for GPUs; "
        "host: messages through host memory; auto: the first of these that works for GPUs, and host for CPUs"),
    [KEY_RUN_PATIENCE] =
        KEY_REAL("patience", KEY_FREE | KEY_COMMON | KEY_TOLD, "300", 0.1, 1e9,
                 "seconds that a process waits for another one, in a run of several processes, before the "
                 "run ends with an error"),
    [KEY_RUN_MEMORY] = KEY_INTEGER("memory", KEY_FREE | KEY_TOLD, "0", 0, 1 << 30,
                                   "the most MiB that the tiles or the tree of a grid take; 0: for tiles, half of what "
                                   "is free, and for a tree, what the plugin chooses"),
    [KEY_RUN_OUTPUT] = KEY_TEXT("output", KEY_FREE | KEY_COMMON | KEY_BASIC, "",
                                "folder for the output files; default: out/<name of the configuration>"),
};

static const struct engine_param grid_keys[] = {
    [KEY_GRID_SIZE] =
        KEY_TEXT("size", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "",
                 "number of cells along x, y and z, such as 512 384, or 0 along an axis without edges; default: as in "
                 "the input file"),
    [KEY_GRID_EDGES] =
        KEY_TEXT("edges", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "",
                 "what lies beyond the edges: torus, dead, fixed, mirror, twisted, sphere or unbounded, one word "
                 "for all axes or one for each; default: as in the input file, or torus"),
    [KEY_GRID_EDGE_SHIFT] =
        KEY_TEXT("edge_shift", KEY_SUBJECT | KEY_TOLD, "",
                 "two axes that are joined: cells by which the bottom edge is shifted along x, and the "
                 "right edge along y, such as 5 0"),
    [KEY_GRID_EDGE_VALUE] =
        KEY_TEXT("edge_value", KEY_SUBJECT | KEY_TOLD, "",
                 "value of the cells beyond a fixed edge: one number for all fields, or one for each "
                 "state and input"),
    [KEY_GRID_BATCH] =
        KEY_INTEGER("batch", KEY_SUBJECT | KEY_TOLD, "1", 1, 1e9,
                    "number of universes, separate grids of this size that are computed together; universe "
                    "i starts like a run with seed + i"),
};

static const struct engine_param particles_keys[] = {
    [KEY_PARTICLES_COUNT] = KEY_INTEGER("count", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "0", 0, 1e15,
                                        "number of particles; default: the number in the input file"),
    [KEY_PARTICLES_BOX] =
        KEY_TEXT("box", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "",
                 "edges Lx Ly Lz of the periodic box, or edges and tilts xy xz yz; 0: open along that axis; default: "
                 "the box of the input file or of the plugin, or no box"),
    [KEY_PARTICLES_BATCH] =
        KEY_INTEGER("batch", KEY_SUBJECT | KEY_TOLD, "1", 1, 1e9,
                    "number of universes, separate systems of this size that are computed together; universe "
                    "i starts like a run with seed + i"),
};

static const struct engine_param matrix_keys[] = {
    [KEY_MATRIX_ROWS] = KEY_INTEGER("rows", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "0", 0, 1e15,
                                    "number of rows; default: as in the input file"),
    [KEY_MATRIX_COLUMNS] = KEY_INTEGER("columns", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "0", 0, 1e15,
                                       "number of columns; default: as in the input file"),
    [KEY_MATRIX_BATCH] = KEY_INTEGER("batch", KEY_SUBJECT | KEY_TOLD, "0", 0, 1e15,
                                     "number of matrices; default: as in the input file, or 1"),
    [KEY_MATRIX_ELEMENT] = KEY_TEXT("element", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "",
                                    "NumPy name of the element type, such as float32; default: as in the input file"),
};

static const char *const lengths[] = {"file", "nm", "angstrom", NULL}; /* in the order of ENGINE_NANOMETRE … */

static const struct engine_param init_keys[] = {
    [KEY_INIT_SOURCE] = KEY_TEXT("source", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "",
                                 "file, random, arrays, defaults, random-unit (as random, but positions ignore the "
                                 "box), or a generator of the plugin; default: file if `file` is given, or defaults"),
    [KEY_INIT_FILE] = KEY_TEXT("file", KEY_SUBJECT | KEY_PATH | KEY_BASIC, "",
                               "pattern, particles, matrix or snapshot to start from; relative to the configuration"),
    [KEY_INIT_FRAMES] =
        KEY_TEXT("frames", KEY_SUBJECT, "",
                 "frames to read from a trajectory, first:end:stride, such as 100:500:10; default: all"),
    [KEY_INIT_LENGTH] =
        KEY_CHOICE("length_unit", KEY_SUBJECT, "file", lengths,
                   "unit of the lengths of this configuration, to which files of particles are converted: "
                   "nm or angstrom; file: as in the file"),
    [KEY_INIT_AT] =
        KEY_TEXT("at", KEY_SUBJECT | KEY_BASIC, "",
                 "position of the pattern's first cell: center, or x y [z]; default: as in the input file, or center"),
    [KEY_INIT_DENSITY] = KEY_REAL("density", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "0.5", 0, 1,
                                  "source = random: fraction of cells that are not 0"),
    [KEY_INIT_SEED] = KEY_INTEGER("seed", KEY_SUBJECT | KEY_TOLD | KEY_BASIC, "42", 0, 9e18,
                                  "source = random and generators: seed of the random numbers"),
};

const struct engine_section keys_sections[KEYS_SECTIONS] = {
    [KEYS_RUN] = {"run", "what runs, and for how many steps", ENGINE_ARRAY(run_keys)},
    [KEYS_GRID] = {"grid", "the size and the edges of a grid", ENGINE_ARRAY(grid_keys)},
    [KEYS_PARTICLES] = {"particles", "the number of particles and their box", ENGINE_ARRAY(particles_keys)},
    [KEYS_MATRIX] = {"matrix", "the size of a matrix", ENGINE_ARRAY(matrix_keys)},
    [KEYS_INIT] = {"init", "the initial state; with source = arrays, [init] FIELD names the file of that field",
                   ENGINE_ARRAY(init_keys)},
};

const struct engine_section *keys_section_at(const struct context *context, uint32_t index)
{
    const struct section *const *more = context && context->modules ? context->modules->sections : NULL;
    if (index < KEYS_SECTIONS)
        return &keys_sections[index];
    for (index -= KEYS_SECTIONS; more && *more && index > 0; index--)
        more++;
    return more && *more ? &(*more)->about : NULL;
}

const struct engine_section *keys_section_named(const struct context *context, const char *name)
{
    const struct engine_section *section;
    for (uint32_t i = 0; (section = keys_section_at(context, i)); i++)
        if (strcasecmp(section->name, name) == 0)
            return section;
    return NULL;
}

uint32_t keys_flags(const struct context *context, const char *section_name, const char *key)
{
    const struct engine_section *section = keys_section_named(context, section_name);
    for (uint32_t i = 0; section && i < section->keys.count; i++)
        if (strcasecmp(section->keys.at[i].name, key) == 0)
            return section->keys.at[i].flags;
    return 0;
}

const struct engine_param_array *keys_of_plugin(const char *plugin)
{
    static const bool shared[KEYS_SECTIONS] = {[KEYS_MATRIX] = true};
    for (uint32_t i = 0; i < KEYS_SECTIONS; i++)
        if (shared[i] && strcasecmp(keys_sections[i].name, plugin) == 0)
            return &keys_sections[i].keys;
    return NULL;
}

const char *const keys_init_sources[] = {"file", "random", "arrays", "defaults", "random-unit", NULL};
