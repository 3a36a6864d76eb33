#include "config/keys.h"

#include <stdbool.h>
#include <strings.h>

/* The attributes, KEY_… of config/keys.h, are the second argument. */
#define INTEGER(key, attributes, text, low, high, line) \
    { \
        ENGINE_INTEGER_PARAM(key, line, text, low, high), .flags = (attributes) \
    }
#define REAL(key, attributes, text, low, high, line) \
    { \
        ENGINE_REAL_PARAM(key, line, text, low, high), .flags = (attributes) \
    }
#define TEXT(key, attributes, text, line) \
    { \
        ENGINE_TEXT_PARAM(key, line, text), .flags = (attributes) \
    }
#define CHOICE(key, attributes, text, words, line) \
    { \
        ENGINE_CHOICE_PARAM(key, line, text, words), .flags = (attributes) \
    }

static const char *const transports[] = {"auto", "peer", "nccl", "host", NULL};

static const struct engine_param run_keys[] = {
    [KEY_RUN_PLUGIN] = TEXT("plugin", KEY_SUBJECT | KEY_COMMON | KEY_TOLD, "", "name of the plugin"),
    [KEY_RUN_PLUGINS] =
        TEXT("plugins", KEY_FREE | KEY_PATH | KEY_COMMON | KEY_TOLD, "",
             "folder of plugins, relative to the configuration; it is searched after those that the program was given "
             "and before all others"),
    [KEY_RUN_IMPLEMENTATION] = TEXT("implementation", KEY_IMPLEMENTATION | KEY_TOLD, "auto",
                                    "auto, cpu, cuda, or the name of an implementation"),
    [KEY_RUN_STEPS] = INTEGER("steps", KEY_EXTENT | KEY_TOLD, "1", 0, 1e18, "number of steps to take"),
    [KEY_RUN_UNTIL] =
        TEXT("until", KEY_EXTENT | KEY_TOLD, "",
             "conditions that end the run before `steps`, with `or` between them: a metric and a number, as in "
             "population < 10; repeats; unchanged"),
    [KEY_RUN_UNTIL_EVERY] = INTEGER("until_every", KEY_EXTENT | KEY_TOLD, "0", 0, 1e18,
                                    "number of steps between looks at the conditions of `until`; 0: [output] "
                                    "metrics_every or, without it, 240"),
    [KEY_RUN_THREADS] = INTEGER("threads", KEY_FREE | KEY_TOLD, "0", 0, 4096, "number of CPU threads; 0: one per core"),
    [KEY_RUN_DEVICE] =
        INTEGER("device", KEY_FREE | KEY_TOLD, "0", 0, 1023, "number of the CUDA device; 0 is the first"),
    [KEY_RUN_DEVICES] =
        INTEGER("devices", KEY_FREE | KEY_TOLD, "1", 1, 16,
                "number of CUDA devices, from `device` on, among which a run is divided; the results "
                "are the same. In several processes: number of devices that the processes of a host share; "
                "without the key each has its own"),
    [KEY_RUN_PARTS] =
        INTEGER("parts", KEY_FREE | KEY_TOLD, "0", 0, 1024,
                "number of parts into which a run is divided; a grid is cut along y, or along z if it has three "
                "axes; 0: one for each of the devices or, in several processes, of the processes"),
    [KEY_RUN_MARGIN] = INTEGER("margin", KEY_FREE | KEY_TOLD, "0", 0, 1e9,
                               "rows or planes that each part copies from its neighbours on either side; 0: the engine "
                               "chooses"),
    [KEY_RUN_TRANSPORT] =
        CHOICE("transport", KEY_FREE | KEY_TOLD, "auto", transports,
               "what carries margins between processes: peer: they share memory, on one host; nccl: NCCL, for GPUs; "
               "host: messages through host memory; auto: the first of these that works for GPUs, and host for CPUs"),
    [KEY_RUN_PATIENCE] = REAL("patience", KEY_FREE | KEY_COMMON | KEY_TOLD, "300", 0.1, 1e9,
                              "seconds that a process waits for another one, in a run of several processes, before the "
                              "run ends with an error"),
    [KEY_RUN_OUTPUT] = TEXT("output", KEY_FREE | KEY_COMMON, "",
                            "folder for the output files; default: out/<name of the configuration>"),
};

static const struct engine_param grid_keys[] = {
    [KEY_GRID_SIZE] = TEXT("size", KEY_SUBJECT | KEY_TOLD, "",
                           "number of cells along x, y and z, such as 512 384; default: as in the input file"),
    [KEY_GRID_EDGES] =
        TEXT("edges", KEY_SUBJECT | KEY_TOLD, "",
             "what lies beyond the edges: torus, dead, fixed, mirror, twisted or sphere, one word for all "
             "axes or one for each; default: as in the input file, or torus"),
    [KEY_GRID_EDGE_SHIFT] = TEXT("edge_shift", KEY_SUBJECT | KEY_TOLD, "",
                                 "two axes that are joined: cells by which the bottom edge is shifted along x, and the "
                                 "right edge along y, such as 5 0"),
    [KEY_GRID_EDGE_VALUE] = TEXT("edge_value", KEY_SUBJECT | KEY_TOLD, "",
                                 "value of the cells beyond a fixed edge: one number for all fields, or one for each "
                                 "state and input"),
    [KEY_GRID_BATCH] = INTEGER("batch", KEY_SUBJECT | KEY_TOLD, "1", 1, 1e9,
                               "number of universes, separate grids of this size that are computed together; universe "
                               "i starts like a run with seed + i"),
};

static const struct engine_param particles_keys[] = {
    [KEY_PARTICLES_COUNT] = INTEGER("count", KEY_SUBJECT | KEY_TOLD, "0", 0, 1e15,
                                    "number of particles; default: the number in the input file"),
    [KEY_PARTICLES_BOX] = TEXT("box", KEY_SUBJECT | KEY_TOLD, "",
                               "edges Lx Ly Lz of the periodic box, or edges and tilts xy xz yz; default: the box of "
                               "the input file, or no box"),
};

static const struct engine_param matrix_keys[] = {
    [KEY_MATRIX_ROWS] =
        INTEGER("rows", KEY_SUBJECT | KEY_TOLD, "0", 0, 1e15, "number of rows; default: as in the input file"),
    [KEY_MATRIX_COLUMNS] =
        INTEGER("columns", KEY_SUBJECT | KEY_TOLD, "0", 0, 1e15, "number of columns; default: as in the input file"),
    [KEY_MATRIX_BATCH] = INTEGER("batch", KEY_SUBJECT | KEY_TOLD, "0", 0, 1e15,
                                 "number of matrices; default: as in the input file, or 1"),
    [KEY_MATRIX_ELEMENT] = TEXT("element", KEY_SUBJECT | KEY_TOLD, "",
                                "NumPy name of the element type, such as float32; default: as in the input file"),
};

static const char *const lengths[] = {"file", "nm", "angstrom", NULL}; /* in the order of ENGINE_NANOMETRE … */

static const struct engine_param init_keys[] = {
    [KEY_INIT_SOURCE] = TEXT("source", KEY_SUBJECT | KEY_TOLD, "",
                             "file, random, arrays, defaults, or the name of a generator of the plugin; "
                             "default: file if `file` is given, otherwise defaults"),
    [KEY_INIT_FILE] = TEXT("file", KEY_SUBJECT | KEY_PATH, "",
                           "pattern, particles, matrix or snapshot to start from; relative to the configuration"),
    [KEY_INIT_FRAMES] = TEXT("frames", KEY_SUBJECT, "",
                             "frames to read from a trajectory, first:end:stride, such as 100:500:10; default: all"),
    [KEY_INIT_LENGTH] = CHOICE("length_unit", KEY_SUBJECT, "file", lengths,
                               "unit of the lengths of this configuration, to which files of particles are converted: "
                               "nm or angstrom; file: as in the file"),
    [KEY_INIT_AT] =
        TEXT("at", KEY_SUBJECT, "",
             "position of the pattern's first cell: center, or x y [z]; default: as in the input file, or center"),
    [KEY_INIT_DENSITY] =
        REAL("density", KEY_SUBJECT | KEY_TOLD, "0.5", 0, 1, "source = random: fraction of cells that are not 0"),
    [KEY_INIT_SEED] = INTEGER("seed", KEY_SUBJECT | KEY_TOLD, "42", 0, 9e18,
                              "source = random and generators: seed of the random numbers"),
};

static const struct engine_param analyse_keys[] = {
    [KEY_ANALYSE_PLUGIN] =
        TEXT("plugin", KEY_SUBJECT | KEY_COMMON, "", "name of the plugin that analyses the fields of the run"),
    [KEY_ANALYSE_IMPLEMENTATION] =
        TEXT("implementation", KEY_SUBJECT | KEY_IMPLEMENTATION, "auto", "auto, or the name of an implementation"),
    [KEY_ANALYSE_FROM] = INTEGER("from", KEY_SUBJECT, "0", 0, 1e18, "first step to analyse"),
    [KEY_ANALYSE_EVERY] =
        INTEGER("every", KEY_SUBJECT, "0", 0, 1e18, "number of steps between analyses; 0: the final state only"),
};

static const char *const views[] = {"projection", "slice", NULL};
static const char *const axes[] = {"z", "y", "x", NULL};
static const char *const colours[] = {"grey", "viridis", "inferno", "auto", NULL};

static const char *const weights[] = {"number", "mass", NULL};
static const char *const particle_sizes[] = {"equal", "mass", NULL};
static const char *const reductions[] = {"none", "any", "mean", "max", "count", NULL};

static const struct engine_param output_keys[] = {
    [KEY_OUTPUT_EVERY] =
        INTEGER("every", KEY_EXTENT, "0", 0, 1e18, "number of steps between outputs; 0: the final state only"),
    [KEY_OUTPUT_METRICS_EVERY] = INTEGER("metrics_every", KEY_EXTENT, "0", 0, 1e18,
                                         "number of steps between rows of metrics.csv; 0: a row at each output"),
    [KEY_OUTPUT_FORMATS] = TEXT("formats", KEY_EXTENT, "npy", "formats of the output files, separated by spaces"),
    [KEY_OUTPUT_FIELDS] = TEXT("fields", KEY_EXTENT, "",
                               "fields to write, separated by spaces; default: all states and outputs of the plugin"),
    [KEY_OUTPUT_REGION] = TEXT(
        "region", KEY_EXTENT, "",
        "part of each grid to write: first and end (exclusive) along x, y and z, such as 0:100 50:150; an open end "
        "is the edge of the grid; default: the whole grid"),
    [KEY_OUTPUT_STRIDE] = TEXT("stride", KEY_EXTENT, "",
                               "write one cell for each block of so many cells along x, y and z, such as 4, or 4 4 2"),
    [KEY_OUTPUT_REDUCE] = CHOICE("reduce", KEY_EXTENT, "none", reductions,
                                 "with stride: what becomes of the cells of a block; none: the first one is written"),
    [KEY_OUTPUT_PROBES] =
        TEXT("probes", KEY_EXTENT, "",
             "cells and particles to write to metrics.csv, separated by spaces, such as cells:10:20 position:5"),
    [KEY_OUTPUT_SCALE] =
        INTEGER("scale", KEY_EXTENT, "0", 0, 64, "png: width of a cell in pixels; 0: chosen from the grid size"),
    [KEY_OUTPUT_VIEW] =
        CHOICE("view", KEY_EXTENT, "projection", views,
               "png of a volume: projection shows the sum of live cells along the axis, slice shows one plane"),
    [KEY_OUTPUT_AXIS] = CHOICE("axis", KEY_EXTENT, "z", axes, "png of a volume or of particles: the axis of view"),
    [KEY_OUTPUT_SLICE] =
        INTEGER("slice", KEY_EXTENT, "-1", -1, 1e15, "view = slice: index of the plane; -1: the middle"),
    [KEY_OUTPUT_BOUNDS] = TEXT(
        "bounds", KEY_EXTENT, "",
        "png of particles: left right bottom top, or one half-width around 0; default: fitted to the initial state"),
    [KEY_OUTPUT_PIXELS] =
        INTEGER("pixels", KEY_EXTENT, "1024", 16, 16384, "png of particles: length of the longer side in pixels"),
    [KEY_OUTPUT_WEIGHT] = CHOICE("weight", KEY_EXTENT, "number", weights,
                                 "png of particles: what makes a pixel bright, the number of particles behind it, or "
                                 "their mass"),
    [KEY_OUTPUT_PARTICLE_SIZE] =
        CHOICE("particle_size", KEY_EXTENT, "equal", particle_sizes,
               "png of particles: the size of a particle; mass: that of a ball whose volume is the mass"),
    [KEY_OUTPUT_RANGE] =
        TEXT("range", KEY_EXTENT, "",
             "png of a grid: the values that are shown darkest and brightest; default: the range of the field, or 0 1"),
    [KEY_OUTPUT_COLOURS] = CHOICE(
        "colours", KEY_EXTENT, "auto", colours,
        "png of particles, or of a grid with more than two values: the colour map; auto: inferno for particles, and "
        "for a grid the colours that the plugin gives to its values, or grey"),
    [KEY_OUTPUT_COMPONENT] =
        INTEGER("component", KEY_EXTENT, "-1", -1, 1e9,
                "png of a grid of several components: the component that is shown, from 0; -1: no picture"),
    [KEY_OUTPUT_UNIVERSE] = INTEGER("universe", KEY_EXTENT, "-1", -1, 1e9,
                                    "png of a batch: the universe that is shown, from 0; -1: all, as tiles"),
    [KEY_OUTPUT_RATE] = INTEGER("rate", KEY_EXTENT, "10", 1, 1000, "apng, mp4: frames per second"),
};

static const char *const compressions[] = {"deflate", "none", NULL};
static const char *const bits[] = {"same", "any", NULL};
static const char *const signals[] = {"none", "USR1", "USR2", "HUP", "XCPU", NULL};

static const struct engine_param checkpoint_keys[] = {
    [KEY_CHECKPOINT_EVERY] =
        INTEGER("every", KEY_EXTENT, "0", 0, 1e18, "number of steps between checkpoints; 0: not by steps"),
    [KEY_CHECKPOINT_SECONDS] = REAL("seconds", KEY_EXTENT, "0", 0, 1e9, "seconds between checkpoints; 0: not by time"),
    [KEY_CHECKPOINT_COMPRESSION] = CHOICE("compression", KEY_EXTENT, "deflate", compressions,
                                          "none: files are larger and take less time to write"),
    [KEY_CHECKPOINT_SIGNAL] = CHOICE("signal", KEY_EXTENT | KEY_COMMON, "none", signals,
                                     "another signal that saves and stops the run, as SIGINT and SIGTERM do"),
    [KEY_CHECKPOINT_BITS] =
        CHOICE("bits", KEY_EXTENT, "same", bits,
               "any: a resumed run may use another implementation or instruction set, which gives other bits"),
};

static const struct engine_param bench_keys[] = {
    [KEY_BENCH_IMPL] = TEXT("impl", KEY_EXTENT, "", "implementations to compare, separated by commas"),
    [KEY_BENCH_SWEEP] =
        TEXT("sweep", KEY_EXTENT, "", "section.key=v1,v2 or section.key=1..8; ' and ' separates several sweeps"),
    [KEY_BENCH_REPEATS] = INTEGER("repeats", KEY_EXTENT, "5", 1, 10000, "number of measurements of each row"),
    [KEY_BENCH_STEPS] = INTEGER("steps", KEY_EXTENT, "0", 0, 1e15, "steps of one measurement; 0: the engine chooses"),
};

static const struct engine_param ensemble_keys[] = {
    [KEY_ENSEMBLE_SWEEP] = TEXT("sweep", KEY_SUBJECT | KEY_COMMON, "",
                                "section.key=v1,v2 or section.key=1..100: one member runs for each value; "
                                "' and ' separates several sweeps, and every combination is a member"),
    [KEY_ENSEMBLE_AT_ONCE] = INTEGER("at_once", KEY_FREE | KEY_COMMON, "0", 0, 1024,
                                     "number of members that run at the same time; 0: the engine chooses"),
};

const struct engine_section keys_sections[KEYS_SECTIONS] = {
    [KEYS_RUN] = {"run", "what runs, and for how many steps", ENGINE_ARRAY(run_keys)},
    [KEYS_GRID] = {"grid", "the size and the edges of a grid", ENGINE_ARRAY(grid_keys)},
    [KEYS_PARTICLES] = {"particles", "the number of particles and their box", ENGINE_ARRAY(particles_keys)},
    [KEYS_MATRIX] = {"matrix", "the size of a matrix", ENGINE_ARRAY(matrix_keys)},
    [KEYS_INIT] = {"init", "the initial state; with source = arrays, [init] FIELD names the file of that field",
                   ENGINE_ARRAY(init_keys)},
    [KEYS_ANALYSE] = {"analyse", "a second plugin that analyses the fields of the run", ENGINE_ARRAY(analyse_keys)},
    [KEYS_OUTPUT] = {"output", "what is written, and when", ENGINE_ARRAY(output_keys)},
    [KEYS_CHECKPOINT] = {"checkpoint", "saved states from which a run can be resumed", ENGINE_ARRAY(checkpoint_keys)},
    [KEYS_BENCH] = {"bench", "defaults for a bench", ENGINE_ARRAY(bench_keys)},
    [KEYS_ENSEMBLE] = {"ensemble", "many runs side by side, with one table of results", ENGINE_ARRAY(ensemble_keys)},
};

const struct engine_section *keys_section_at(uint32_t index)
{
    return index < KEYS_SECTIONS ? &keys_sections[index] : NULL;
}

const struct engine_section *keys_section_named(const char *name)
{
    for (uint32_t i = 0; i < KEYS_SECTIONS; i++)
        if (strcasecmp(keys_sections[i].name, name) == 0)
            return &keys_sections[i];
    return NULL;
}

uint32_t keys_flags(const char *section_name, const char *key)
{
    const struct engine_section *section = keys_section_named(section_name);
    for (uint32_t i = 0; section && i < section->keys.count; i++)
        if (strcasecmp(section->keys.at[i].name, key) == 0)
            return section->keys.at[i].flags;
    return 0;
}

const struct engine_param_array *keys_of_plugin(const char *plugin)
{
    static const bool shared[KEYS_SECTIONS] = {[KEYS_MATRIX] = true};
    const struct engine_section *section = keys_section_named(plugin);
    return section && shared[section - keys_sections] ? &section->keys : NULL;
}

const char *const keys_init_sources[] = {"file", "random", "arrays", "defaults", NULL};
