#include "settings.h"
#include "io/text.h"
#include "param.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The sections and their keys ---------------------------------------------------------------------------- */

#define INTEGER(key, text, low, high, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_INTEGER, .initial = text, .min = low, .max = high \
    }
#define REAL(key, text, low, high, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_REAL, .initial = text, .min = low, .max = high \
    }
#define TEXT(key, text, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_TEXT, .initial = text \
    }

#define CHOICE(key, text, words, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_CHOICE, .initial = text, .choices = words \
    }

enum { RUN_PLUGIN, RUN_IMPLEMENTATION, RUN_STEPS, RUN_THREADS, RUN_DEVICE, RUN_OUTPUT };
static const struct engine_param run_keys[] = {
    [RUN_PLUGIN] = TEXT("plugin", "", "name of the plugin; `engine list` shows them"),
    [RUN_IMPLEMENTATION] = TEXT("implementation", "auto", "auto, cpu, cuda, or a name that `engine list` shows"),
    [RUN_STEPS] = INTEGER("steps", "1", 0, 1e18, "steps to take"),
    [RUN_THREADS] = INTEGER("threads", "0", 0, 4096, "host threads; 0: one a core"),
    [RUN_DEVICE] = INTEGER("device", "0", 0, 1023, "number of the CUDA device"),
    [RUN_OUTPUT] = TEXT("output", "", "folder for the output; by default out/<name of the configuration>"),
};

static const struct engine_param grid_keys[] = {TEXT("size", "", "cells along x, y and z: 512 384")};

enum { PARTICLES_COUNT, PARTICLES_BOX };
static const struct engine_param particles_keys[] = {
    [PARTICLES_COUNT] = INTEGER("count", "0", 0, 1e15, "number of particles; by default as the input says"),
    [PARTICLES_BOX] = TEXT("box", "", "periodic box: Lx Ly Lz [xy xz yz]; by default as the input says, or open"),
};

enum { MATRIX_ROWS, MATRIX_COLUMNS, MATRIX_BATCH, MATRIX_ELEMENT };
static const struct engine_param matrix_keys[] = {
    [MATRIX_ROWS] = INTEGER("rows", "0", 0, 1e15, "number of rows; by default as the input says"),
    [MATRIX_COLUMNS] = INTEGER("columns", "0", 0, 1e15, "number of columns; by default as the input says"),
    [MATRIX_BATCH] = INTEGER("batch", "0", 0, 1e15, "number of matrices; by default as the input says, or 1"),
    [MATRIX_ELEMENT] = TEXT("element", "", "element type by numpy's name: float32; by default as the input says"),
};

enum { INIT_KEY_SOURCE, INIT_KEY_FILE, INIT_KEY_FRAMES, INIT_KEY_AT, INIT_KEY_DENSITY, INIT_KEY_SEED, INIT_KEY_COUNT };
static const struct engine_param init_keys[] = {
    [INIT_KEY_SOURCE] = TEXT("source", "", "file, random, arrays, or one of the plugin's generators"),
    [INIT_KEY_FILE] =
        TEXT("file", "", "pattern, particles, matrix or snapshot to start from, relative to the configuration"),
    [INIT_KEY_FRAMES] = TEXT("frames", "", "first:end:stride of a file of frames, as Python slices; by default all"),
    [INIT_KEY_AT] = TEXT("at", "", "center, or x y [z] of the pattern's first cell"),
    [INIT_KEY_DENSITY] = REAL("density", "0.5", 0, 1, "source = random: share of cells that are not 0"),
    [INIT_KEY_SEED] = INTEGER("seed", "42", 0, 9e18, "source = random and generators: key of the random numbers"),
};

static const char *const view_words[] = {[IO_PROJECTION] = "projection", [IO_SLICE] = "slice", NULL};
static const char *const axis_words[] = {"z", "y", "x", NULL};

enum {
    OUTPUT_EVERY,
    OUTPUT_METRICS_EVERY,
    OUTPUT_FORMATS,
    OUTPUT_SCALE,
    OUTPUT_VIEW,
    OUTPUT_AXIS,
    OUTPUT_SLICE,
    OUTPUT_BOUNDS,
    OUTPUT_PIXELS,
    OUTPUT_RANGE,
    OUTPUT_COLOURS,
    OUTPUT_RATE
};
static const struct engine_param output_keys[] = {
    [OUTPUT_EVERY] = INTEGER("every", "0", 0, 1e18, "steps from one output to the next; 0: the final state only"),
    [OUTPUT_METRICS_EVERY] = INTEGER("metrics_every", "0", 0, 1e18,
                                     "steps from one row of metrics.csv to the next; 0: at the outputs alone"),
    [OUTPUT_FORMATS] =
        TEXT("formats", "npy", "formats to write, with blanks between them; `engine convert --help` lists them"),
    [OUTPUT_SCALE] = INTEGER("scale", "0", 0, 64, "png: pixels a cell; 0: chosen by the size of the grid"),
    [OUTPUT_VIEW] = CHOICE("view", "projection", view_words, "png of three axes: live cells added up, or one plane"),
    [OUTPUT_AXIS] = CHOICE("axis", "z", axis_words, "png of three axes, or of particles: the one looked along"),
    [OUTPUT_SLICE] = INTEGER("slice", "-1", IO_MIDDLE, 1e15, "view = slice: the plane's place; -1: the middle"),
    [OUTPUT_BOUNDS] =
        TEXT("bounds", "", "png of particles: left right bottom top, or one half-width; by the first state"),
    [OUTPUT_PIXELS] = INTEGER("pixels", "1024", 16, 16384, "png of particles: the longer side"),
    [OUTPUT_RANGE] =
        TEXT("range", "", "png of grids: values that are darkest and brightest; by default as the field says"),
    [OUTPUT_COLOURS] = CHOICE("colours", "grey", io_colour_names, "png: of what is more than black and white"),
    [OUTPUT_RATE] = INTEGER("rate", "10", 1, 1000, "apng: frames a second"),
};

enum { ANALYSE_PLUGIN, ANALYSE_IMPLEMENTATION, ANALYSE_FROM, ANALYSE_EVERY };
static const struct engine_param analyse_keys[] = {
    [ANALYSE_PLUGIN] = TEXT("plugin", "", "name of the plugin that looks at the run's fields"),
    [ANALYSE_IMPLEMENTATION] = TEXT("implementation", "auto", "auto, or a name that `engine list` shows"),
    [ANALYSE_FROM] = INTEGER("from", "0", 0, 1e18, "the first step that it looks at"),
    [ANALYSE_EVERY] = INTEGER("every", "0", 0, 1e18, "steps from there to the next; 0: the final state only"),
};

/* Signals that batch systems send ahead of the end. */
static const char *const signal_words[] = {"none", "USR1", "USR2", "HUP", "XCPU", NULL};
static const int signal_numbers[] = {0, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

static const char *const compression_words[] = {[SNAPSHOT_DEFLATE] = "deflate", [SNAPSHOT_STORE] = "none", NULL};

enum { CHECKPOINT_EVERY, CHECKPOINT_SECONDS, CHECKPOINT_COMPRESSION, CHECKPOINT_SIGNAL };
static const struct engine_param checkpoint_keys[] = {
    [CHECKPOINT_EVERY] = INTEGER("every", "0", 0, 1e18, "steps from one checkpoint to the next; 0: none by steps"),
    [CHECKPOINT_SECONDS] = REAL("seconds", "0", 0, 1e9, "seconds from one checkpoint to the next; 0: none by time"),
    [CHECKPOINT_COMPRESSION] =
        CHOICE("compression", "deflate", compression_words, "none: larger files that take less of the processor"),
    [CHECKPOINT_SIGNAL] = CHOICE("signal", "none", signal_words, "one that stops the run, as SIGINT and SIGTERM do"),
};

static const struct engine_param bench_keys[] = {
    [SETTINGS_BENCH_IMPL] = TEXT("impl", "", "bench: implementations, as --impl"),
    [SETTINGS_BENCH_SWEEP] =
        TEXT("sweep", "", "bench: section.key=v1,v2, as --sweep; several: with ' and ' between them"),
    [SETTINGS_BENCH_REPEATS] = INTEGER("repeats", "5", 1, 10000, "bench: times each row is measured"),
    [SETTINGS_BENCH_STEPS] = INTEGER("steps", "0", 0, 1e15, "bench: steps of a repeat; 0: chosen, or swept"),
};

const struct engine_param_array *settings_keys(const char *plugin)
{
    static const struct engine_param_array matrix = ENGINE_ARRAY(matrix_keys);
    return strcmp(plugin, "matrix") == 0 ? &matrix : NULL;
}

static const struct settings_section own_sections[] = {
    {"run", "what runs, and for how long", ENGINE_ARRAY(run_keys)},
    {"grid", "the size of plugins on a grid", ENGINE_ARRAY(grid_keys)},
    {"particles", "the size of plugins of particles", ENGINE_ARRAY(particles_keys)},
    {"matrix", "the size of plugins of matrices", ENGINE_ARRAY(matrix_keys)},
    {"init", "the first state; [init] FIELD names the file of that field where source = arrays",
     ENGINE_ARRAY(init_keys)},
    {"analyse", "another plugin that looks at the run's fields", ENGINE_ARRAY(analyse_keys)},
    {"output", "what is written, and when", ENGINE_ARRAY(output_keys)},
    {"checkpoint", "what a run that was stopped continues from", ENGINE_ARRAY(checkpoint_keys)},
    {"bench", "for `engine bench`, as its options", ENGINE_ARRAY(bench_keys)},
};

enum { OWN_SECTIONS = sizeof own_sections / sizeof own_sections[0] };

const struct settings_section *settings_section_at(uint32_t index)
{
    return index < OWN_SECTIONS ? &own_sections[index] : NULL;
}

/* ---- Reading them ------------------------------------------------------------------------------------------- */

/* What the readers of the sections share. */
struct reading {
    const struct config *config;
    const struct plugin *plugin;
    struct settings *settings;
    struct error *error;
};

/* Records "place: [section] key: text" as a usage error. */
#define REFUSE(reading, section, key, ...) \
    (error_set((reading)->error, STATUS_USAGE, __VA_ARGS__), \
     error_prefix((reading)->error, "%s: [%s] %s: ", config_place((reading)->config, section, key), section, key))

static int read_section(const struct reading *reading, const char *section, const struct engine_param *keys,
                        size_t count, struct engine_value *values)
{
    const struct engine_param_array table = {keys, (uint32_t) count, sizeof *keys};
    const struct engine_plugin *about = &reading->plugin->about;
    return param_read_shared(reading->config, section, &table,
                             strcmp(about->name, section) == 0 ? &about->params : NULL, NULL, values, reading->error);
}

#define READ_SECTION(reading, section, keys, values) \
    read_section(reading, section, keys, sizeof(keys) / sizeof((keys)[0]), values)

/* Whole numbers separated by blanks, signs allowed. Returns how many, 0 for anything else. */
static uint32_t parse_integers(const char *text, int64_t *numbers, uint32_t most)
{
    uint32_t count = 0;
    while (*text) {
        char *end;
        if (count == most || !strchr("-0123456789", *text) || text[strspn(text, "-0123456789")] == '.')
            return 0;
        long long number = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ' ' && *end != '\t') || number > INT64_MAX / 4 || number < INT64_MIN / 4)
            return 0;
        numbers[count++] = number;
        text = end + strspn(end, " \t");
    }
    return count;
}

/* The same of finite numbers. */
static uint32_t parse_reals(const char *text, double *numbers, uint32_t most)
{
    uint32_t count = 0;
    while (*text) {
        char *end;
        if (count == most || text[strspn(text, "-+.eE0123456789")] > ' ')
            return 0;
        numbers[count] = strtod(text, &end);
        if (end == text || (*end && *end != ' ' && *end != '\t') || !isfinite(numbers[count]))
            return 0;
        count++;
        text = end + strspn(end, " \t");
    }
    return count;
}

/* The default folder: out/ and the name of the configuration file without its ending. */
static void default_output(const struct config *config, char out[SETTINGS_PATH_MAX])
{
    const char *path = config_path(config);
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path ? path : "run";
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".ini") == 0)
        length -= 4;
    snprintf(out, SETTINGS_PATH_MAX, "out/%.*s", (int) length, name);
}

static int read_run(const struct reading *reading)
{
    struct engine_value values[sizeof run_keys / sizeof run_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "run", run_keys, values) != 0)
        return reading->error->status;
    settings->implementation = values[RUN_IMPLEMENTATION].text;
    settings->steps = (uint64_t) values[RUN_STEPS].integer;
    settings->threads = (uint32_t) values[RUN_THREADS].integer;
    if (settings->threads == 0)
        settings->threads = (uint32_t) omp_get_num_procs();
    settings->device = (int32_t) values[RUN_DEVICE].integer;
    const char *output = values[RUN_OUTPUT].text;
    if (strlen(output) >= SETTINGS_PATH_MAX - 64)
        return REFUSE(reading, "run", "output", "longer than %d characters", SETTINGS_PATH_MAX - 64);
    if (*output)
        snprintf(settings->output, sizeof settings->output, "%s", output);
    else
        default_output(reading->config, settings->output);
    return 0;
}

static int read_grid(const struct reading *reading)
{
    struct engine_value value;
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "grid", grid_keys, &value) != 0)
        return reading->error->status;
    settings->grid_rank = param_parse_sizes(value.text, settings->grid, 3);
    if (*value.text && settings->grid_rank == 0)
        return REFUSE(reading, "grid", "size",
                      "'%s' is not a size; one to three whole numbers from 1 up were expected, as in 512 384",
                      value.text);
    return 0;
}

static int read_particles(const struct reading *reading)
{
    struct engine_value values[2];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "particles", particles_keys, values) != 0)
        return reading->error->status;
    settings->particles = (uint64_t) values[PARTICLES_COUNT].integer;
    const char *box = values[PARTICLES_BOX].text;
    uint32_t count = parse_reals(box, settings->box, 6);
    if (*box && count != 3 && count != 6)
        return REFUSE(reading, "particles", "box", "'%s' is not a box; Lx Ly Lz, or Lx Ly Lz xy xz yz was expected",
                      box);
    for (uint32_t i = 0; i < 3 && i < count; i++)
        if (!(settings->box[i] > 0))
            return REFUSE(reading, "particles", "box", "'%s': every edge must be longer than 0", box);
    return 0;
}

static const char *type_name_at(const void *list, uint32_t index)
{
    (void) list;
    return index < TYPE_COUNT ? type_name(index) : NULL;
}

static int read_matrix(const struct reading *reading)
{
    struct engine_value values[sizeof matrix_keys / sizeof matrix_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "matrix", matrix_keys, values) != 0)
        return reading->error->status;
    settings->rows = (uint64_t) values[MATRIX_ROWS].integer;
    settings->columns = (uint64_t) values[MATRIX_COLUMNS].integer;
    settings->batch = (uint64_t) values[MATRIX_BATCH].integer;
    const char *element = values[MATRIX_ELEMENT].text;
    char hint[128];
    settings->element_given = *element != '\0';
    if (*element && !type_from_name(element, &settings->element))
        return REFUSE(reading, "matrix", "element",
                      "'%s' is no element type%s; float32, uint8, complex128, … were expected", element,
                      nearest_hint(hint, element, type_name_at, NULL));
    return 0;
}

static int refuse_format(const struct reading *reading, const char *word)
{
    char hint[128];
    return REFUSE(reading, "output", "formats",
                  "'%s' is no format that can be written%s; `engine convert --help` lists them", word,
                  nearest_hint(hint, word, io_written_at, NULL));
}

static int read_formats(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
    char words[512];
    if (strlen(text) >= sizeof words)
        return REFUSE(reading, "output", "formats", "longer than %zu characters", sizeof words);
    strcpy(words, text);
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t,", &rest); word; word = strtok_r(NULL, " \t,", &rest)) {
        const struct io_format *format = io_format_named(word);
        if (!format || !format->write)
            return refuse_format(reading, word);
        for (uint32_t i = 0; i < settings->format_count; i++)
            if (settings->formats[i] == format)
                return REFUSE(reading, "output", "formats", "'%s' stands there twice", word);
        if (settings->format_count == SETTINGS_FORMATS_MAX)
            return REFUSE(reading, "output", "formats", "more than %d formats", SETTINGS_FORMATS_MAX);
        settings->formats[settings->format_count++] = format;
    }
    return 0;
}

static int read_bounds(const struct reading *reading, const char *text)
{
    double *bounds = reading->settings->how.bounds;
    const uint32_t count = parse_reals(text, bounds, 4);
    if (count == 1) {
        const double half = bounds[0];
        memcpy(bounds, (double[4]){-half, half, -half, half}, 4 * sizeof half);
    }
    const bool right = (count == 1 || count == 4) && bounds[0] < bounds[1] && bounds[2] < bounds[3];
    return right || !*text ? 0
                           : REFUSE(reading, "output", "bounds",
                                    "'%s' are no bounds; left right bottom top, or one half-width was expected", text);
}

static int read_range(const struct reading *reading, const char *text)
{
    double *range = reading->settings->how.range;
    const bool right = parse_reals(text, range, 2) == 2 && range[0] != range[1];
    return right || !*text
               ? 0
               : REFUSE(reading, "output", "range",
                        "'%s' is no range; the darkest and the brightest value were expected, as in 0 0.4", text);
}

static int read_output(const struct reading *reading)
{
    struct engine_value values[sizeof output_keys / sizeof output_keys[0]];
    if (READ_SECTION(reading, "output", output_keys, values) != 0)
        return reading->error->status;
    reading->settings->every = (uint64_t) values[OUTPUT_EVERY].integer;
    reading->settings->metrics_every = (uint64_t) values[OUTPUT_METRICS_EVERY].integer;
    reading->settings->how = (struct io_options){
        .scale = (uint32_t) values[OUTPUT_SCALE].integer,
        .threads = reading->settings->threads,
        .view = (enum io_view) values[OUTPUT_VIEW].integer,
        .axis = (uint32_t) values[OUTPUT_AXIS].integer,
        .slice = values[OUTPUT_SLICE].integer,
        .pixels = (uint32_t) values[OUTPUT_PIXELS].integer,
        .rate = (uint32_t) values[OUTPUT_RATE].integer,
        .colours = (enum io_colours) values[OUTPUT_COLOURS].integer,
    };
    if (read_bounds(reading, values[OUTPUT_BOUNDS].text) != 0 || read_range(reading, values[OUTPUT_RANGE].text) != 0)
        return reading->error->status;
    return read_formats(reading, values[OUTPUT_FORMATS].text);
}

static int read_analyse(const struct reading *reading)
{
    struct engine_value values[sizeof analyse_keys / sizeof analyse_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "analyse", analyse_keys, values) != 0)
        return reading->error->status;
    settings->analyse.plugin = values[ANALYSE_PLUGIN].text;
    settings->analyse.implementation = values[ANALYSE_IMPLEMENTATION].text;
    settings->analyse.from = (uint64_t) values[ANALYSE_FROM].integer;
    settings->analyse.every = (uint64_t) values[ANALYSE_EVERY].integer;
    if (!*settings->analyse.plugin && config_key_at(reading->config, "analyse", 0))
        return REFUSE(reading, "analyse", "plugin", "is missing; `engine list` shows the plugins");
    return 0;
}

static int read_checkpoint(const struct reading *reading)
{
    struct engine_value values[sizeof checkpoint_keys / sizeof checkpoint_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "checkpoint", checkpoint_keys, values) != 0)
        return reading->error->status;
    settings->checkpoint.every = (uint64_t) values[CHECKPOINT_EVERY].integer;
    settings->checkpoint.seconds = values[CHECKPOINT_SECONDS].real;
    settings->checkpoint.compression = (enum snapshot_compression) values[CHECKPOINT_COMPRESSION].integer;
    settings->checkpoint.signal = signal_numbers[values[CHECKPOINT_SIGNAL].integer];
    return 0;
}

int settings_bench(const struct config *config, struct engine_value values[SETTINGS_BENCH_KEYS], struct error *error)
{
    const struct engine_param_array table = {bench_keys, SETTINGS_BENCH_KEYS, sizeof *bench_keys};
    return param_read_section(config, "bench", &table, NULL, values, error);
}

static int read_bench(const struct reading *reading)
{
    struct engine_value values[SETTINGS_BENCH_KEYS];
    return settings_bench(reading->config, values, reading->error);
}

/* ---- [init]: keys of its own, and one a field --------------------------------------------------------------- */

static const char *center_at(const void *list, uint32_t index)
{
    (void) list;
    return index == 0 ? "center" : NULL;
}

static int read_at(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
    settings->at_given = *text != '\0';
    settings->centred = !*text || strcmp(text, "center") == 0;
    char hint[128];
    if (!settings->centred && parse_integers(text, settings->at, 3) < 1)
        return REFUSE(reading, "init", "at", "'%s' is no place%s; center, or x y [z] was expected", text,
                      nearest_hint(hint, text, center_at, NULL));
    return 0;
}

/* first:end:stride, of which any may be left out. */
static int read_frames(const struct reading *reading, const char *text)
{
    uint64_t *frames = reading->settings->frames;
    const uint64_t all[3] = {0, UINT64_MAX, 1};
    const char *at = text;
    if (!*text)
        return 0;
    for (int i = 0; i < 3; i++) {
        int64_t number = -1;
        const bool given = *at >= '0' && *at <= '9' && text_number(&at, &number);
        frames[i] = given ? (uint64_t) number : all[i];
        at += i < 2 && *at == ':';
    }
    if (*at || !strchr(text, ':') || frames[0] >= frames[1] || frames[2] == 0)
        return REFUSE(reading, "init", "frames",
                      "'%s' are no frames; first:end:stride was expected, as in 100:500:10 or 100: (the first is 0)",
                      text);
    return 0;
}

static const char *source_name_at(const void *list, uint32_t index)
{
    static const char *const names[] = {"file", "random", "arrays", "defaults"};
    const struct plugin *plugin = list;
    if (index < 4)
        return names[index];
    return index - 4 < plugin->about.generators.count ? plugin->about.generators.at[index - 4].name : NULL;
}

static int refuse_source(const struct reading *reading, const char *word)
{
    char hint[128], names[512] = "";
    const char *name;
    for (uint32_t i = 0; (name = source_name_at(reading->plugin, i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
    return REFUSE(reading, "init", "source", "'%s' is unknown%s; expected one of %s", word,
                  nearest_hint(hint, word, source_name_at, reading->plugin), names);
}

static int read_source(const struct reading *reading, const char *word)
{
    static const enum init_source sources[] = {INIT_FILE, INIT_RANDOM, INIT_ARRAYS, INIT_DEFAULTS};
    struct settings *settings = reading->settings;
    if (!*word)
        word = settings->file[0] ? "file" : "defaults";
    const char *name;
    for (uint32_t i = 0; (name = source_name_at(reading->plugin, i)); i++)
        if (strcmp(name, word) == 0) {
            settings->source = i < 4 ? sources[i] : INIT_GENERATOR;
            settings->generator = i < 4 ? 0 : i - 4;
            if ((settings->source == INIT_FILE) != (settings->file[0] != '\0'))
                return REFUSE(reading, "init", "source",
                              settings->file[0]
                                  ? "'%s' does not go with [init] file; source = file does, or leave file out"
                                  : "'%s' needs [init] file",
                              word);
            return 0;
        }
    return refuse_source(reading, word);
}

/* Outputs start at 0, whatever they are called. */
static bool starts(const struct engine_field *field)
{
    return field->role != ENGINE_OUTPUT;
}

static int read_arrays(const struct reading *reading)
{
    struct settings *settings = reading->settings;
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        const char *path = starts(&fields->at[i]) ? config_get(reading->config, "init", fields->at[i].name) : NULL;
        settings->arrays[i] = path ? path : "";
        if (*settings->arrays[i] && settings->source != INIT_ARRAYS)
            return REFUSE(reading, "init", fields->at[i].name, "files of fields go with source = arrays");
    }
    return 0;
}

/* Adds a key for each field that a file may give. */
static uint32_t add_fields(const struct engine_field_array *fields, struct engine_param *keys, uint32_t count)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (starts(&fields->at[i]))
            keys[count++] = (struct engine_param) TEXT(fields->at[i].name, "", "source = arrays: file of the field");
    return count;
}

static int read_init(const struct reading *reading)
{
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    struct engine_param keys[INIT_KEY_COUNT + 64];
    struct engine_value values[INIT_KEY_COUNT + 64];
    if (fields->count > 64)
        return error_set(reading->error, STATUS_PLUGIN, "%s: more than 64 fields", reading->plugin->path);
    memcpy(keys, init_keys, sizeof init_keys);
    if (read_section(reading, "init", keys, add_fields(fields, keys, INIT_KEY_COUNT), values) != 0)
        return reading->error->status;
    struct settings *settings = reading->settings;
    settings->density = values[INIT_KEY_DENSITY].real;
    settings->seed = (uint64_t) values[INIT_KEY_SEED].integer;
    const char *file = values[INIT_KEY_FILE].text;
    if (strlen(file) + strlen(config_folder(reading->config)) + 2 >= SETTINGS_PATH_MAX)
        return REFUSE(reading, "init", "file", "longer than %d characters", SETTINGS_PATH_MAX);
    if (*file)
        settings_path(reading->config, file, settings->file);
    settings->arrays = calloc(fields->count + 1, sizeof *settings->arrays);
    if (!settings->arrays)
        return error_memory(reading->error, fields->count, "settings");
    if (read_frames(reading, values[INIT_KEY_FRAMES].text) != 0 ||
        read_source(reading, values[INIT_KEY_SOURCE].text) != 0 || read_at(reading, values[INIT_KEY_AT].text) != 0)
        return reading->error->status;
    return read_arrays(reading);
}

/* ---- All of them -------------------------------------------------------------------------------------------- */

static const char *section_name_at(const void *list, uint32_t index)
{
    return index < OWN_SECTIONS ? own_sections[index].name : registry_name_at(list, index - OWN_SECTIONS);
}

static int refuse_unknown_sections(const struct reading *reading, const struct registry *registry)
{
    const char *section, *known;
    for (uint32_t i = 0; (section = config_section_at(reading->config, i)); i++) {
        bool found = false;
        for (uint32_t k = 0; !found && (known = section_name_at(registry, k)); k++)
            found = strcmp(section, known) == 0;
        if (found)
            continue;
        char hint[128];
        return error_set(reading->error, STATUS_USAGE, "%s: unknown section [%s]%s",
                         config_place(reading->config, section, NULL), section,
                         nearest_hint(hint, section, section_name_at, registry));
    }
    return 0;
}

int settings_plugin(const struct config *config, const char **name, struct error *error)
{
    *name = config_get(config, "run", "plugin");
    if (!*name || !**name)
        return error_set(error, STATUS_USAGE, "%s: [run] plugin is missing; `engine list` shows the plugins",
                         config_place(config, "run", "plugin"));
    return 0;
}

int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct error *error)
{
    static int (*const readers[])(const struct reading *) = {read_run,    read_grid,       read_particles,
                                                             read_matrix, read_init,       read_analyse,
                                                             read_output, read_checkpoint, read_bench};
    const struct reading reading = {config, plugin, settings, error};
    memset(settings, 0, sizeof *settings);
    if (refuse_unknown_sections(&reading, registry) != 0)
        return error->status;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i](&reading) != 0)
            return error->status;
    return 0;
}

void settings_release(struct settings *settings)
{
    free(settings->arrays);
    settings->arrays = NULL;
}

void settings_of_analysis(const struct settings *run, struct settings *settings)
{
    *settings = *run;
    settings->implementation = run->analyse.implementation;
    settings->source = INIT_DEFAULTS;
    settings->file[0] = '\0';
    settings->arrays = NULL;
}

const char *settings_path(const struct config *config, const char *path, char out[SETTINGS_PATH_MAX])
{
    if (path[0] == '/')
        snprintf(out, SETTINGS_PATH_MAX, "%s", path);
    else
        snprintf(out, SETTINGS_PATH_MAX, "%s/%s", config_folder(config), path);
    return out;
}
