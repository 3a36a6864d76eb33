#include "record/section_output.h"
#include "base/nearest.h"
#include "files/formats.h"
#include "plan/section.h"

#include <string.h>

_Static_assert((int) PLAN_FIELDS_MAX == (int) IO_ARRAYS_MAX, "a document holds all fields of a plan");
_Static_assert((int) PLAN_HEADER_MAX == (int) IO_RULE_MAX, "a header holds the text of a parameter");

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

enum {
    KEY_OUTPUT_EVERY,
    KEY_OUTPUT_METRICS_EVERY,
    KEY_OUTPUT_HASH_EVERY,
    KEY_OUTPUT_UNIVERSE_METRICS,
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
    KEY_OUTPUT_DEPTH,
    KEY_OUTPUT_WEIGHT,
    KEY_OUTPUT_PARTICLE_SIZE,
    KEY_OUTPUT_RANGE,
    KEY_OUTPUT_COLOURS,
    KEY_OUTPUT_COMPONENT,
    KEY_OUTPUT_UNIVERSE,
    KEY_OUTPUT_LINES,
    KEY_OUTPUT_CAPTIONS,
    KEY_OUTPUT_RATE
};

static const char *const view_words[] = {"projection", "slice", NULL};
static const enum io_view views[] = {IO_PROJECTION, IO_SLICE};
static const char *const colour_words[] = {"grey", "viridis", "inferno", "auto", NULL};
static const enum io_colours colours[] = {IO_GREY, IO_VIRIDIS, IO_INFERNO, IO_AUTO};
static const char *const axes[] = {"z", "y", "x", NULL};
static const char *const answers[] = {"no", "yes", NULL};
static const char *const weights[] = {"number", "mass", NULL};
static const char *const particle_sizes[] = {"equal", "mass", NULL};

static const struct engine_param keys[] = {
    [KEY_OUTPUT_EVERY] = KEY_INTEGER("every", KEY_EXTENT | KEY_BASIC, "0", 0, 1e18,
                                     "number of steps between outputs; 0: the final state only"),
    [KEY_OUTPUT_METRICS_EVERY] = KEY_INTEGER("metrics_every", KEY_EXTENT, "0", 0, 1e18,
                                             "number of steps between rows of metrics.csv; 0: a row at each output"),
    [KEY_OUTPUT_HASH_EVERY] =
        KEY_INTEGER("hash_every", KEY_EXTENT, "0", 0, 1e18,
                    "number of steps between rows of hashes.csv, by which a run can be audited; 0: no hashes"),
    [KEY_OUTPUT_UNIVERSE_METRICS] =
        KEY_CHOICE("universe_metrics", KEY_EXTENT, "no", answers,
                   "a batch: write the metrics of each universe, too, at each row of metrics.csv"),
    [KEY_OUTPUT_FORMATS] = KEY_TEXT("formats", KEY_EXTENT | KEY_BASIC, "npy",
                                    "formats of the output files, separated by spaces; default on an unbounded grid: a "
                                    "pattern, rle, rle3 or mc"),
    [KEY_OUTPUT_FIELDS] =
        KEY_TEXT("fields", KEY_EXTENT, "",
                 "fields to write, separated by spaces; default: all states and outputs of the plugin"),
    [KEY_OUTPUT_REGION] = KEY_TEXT(
        "region", KEY_EXTENT, "",
        "part of each grid to write: first and end (exclusive) along x, y and z, such as 0:100 50:150; an open end "
        "is the edge of the grid; default: the whole grid"),
    [KEY_OUTPUT_STRIDE] =
        KEY_TEXT("stride", KEY_EXTENT, "",
                 "write one cell for each block of so many cells along x, y and z, such as 4, or 4 4 2"),
    [KEY_OUTPUT_REDUCE] =
        KEY_CHOICE("reduce", KEY_EXTENT, "none", selection_words,
                   "with stride: what becomes of the cells of a block; none: the first one is written"),
    [KEY_OUTPUT_PROBES] =
        KEY_TEXT("probes", KEY_EXTENT, "",
                 "cells and particles to write to metrics.csv, separated by spaces, such as cells:10:20 position:5"),
    [KEY_OUTPUT_SCALE] = KEY_INTEGER("scale", KEY_EXTENT | OF_GRIDS, "0", 0, 64,
                                     "pictures: width of a cell in pixels; 0: chosen from the grid size"),
    [KEY_OUTPUT_VIEW] = KEY_CHOICE(
        "view", KEY_EXTENT | OF_VOLUMES, "projection", view_words,
        "pictures of a volume: projection shows the sum of live cells along the axis, slice shows one plane"),
    [KEY_OUTPUT_AXIS] = KEY_CHOICE("axis", KEY_EXTENT | OF_VOLUMES | OF_PARTICLES, "z", axes,
                                   "pictures of a volume or of particles: the axis of view"),
    [KEY_OUTPUT_SLICE] = KEY_INTEGER("slice", KEY_EXTENT | OF_VOLUMES, "-1", -1, 1e15,
                                     "view = slice: index of the plane; -1: the middle"),
    [KEY_OUTPUT_BOUNDS] = KEY_TEXT("bounds", KEY_EXTENT | OF_PARTICLES, "",
                                   "pictures of particles: left right bottom top, or one half-width around 0; default: "
                                   "fitted to the initial state"),
    [KEY_OUTPUT_PIXELS] = KEY_INTEGER("pixels", KEY_EXTENT | OF_PARTICLES, "1024", 16, 16384,
                                      "pictures of particles: length of the longer side in pixels"),
    [KEY_OUTPUT_DEPTH] = KEY_TEXT("depth", KEY_EXTENT | OF_VOLUMES | OF_PARTICLES, "",
                                  "pictures of a volume or of particles: nearer cells or particles are brighter and "
                                  "hide others; auto, or the range along the axis of view that is shown, such as 2 3; "
                                  "default: no depth"),
    [KEY_OUTPUT_WEIGHT] =
        KEY_CHOICE("weight", KEY_EXTENT | OF_MASSES, "number", weights,
                   "pictures of particles: what makes a pixel bright, the number of particles behind it, or "
                   "their mass"),
    [KEY_OUTPUT_PARTICLE_SIZE] =
        KEY_CHOICE("particle_size", KEY_EXTENT | OF_MASSES, "equal", particle_sizes,
                   "pictures of particles: the size of a particle; mass: that of a ball whose volume is the mass"),
    [KEY_OUTPUT_RANGE] = KEY_TEXT(
        "range", KEY_EXTENT | OF_GRIDS, "",
        "pictures of a grid: the values that are shown darkest and brightest; default: the range of the field, or 0 1"),
    [KEY_OUTPUT_COLOURS] = KEY_CHOICE("colours", KEY_EXTENT | OF_GRIDS | OF_PARTICLES, "auto", colour_words,
                                      "pictures of particles, or of a grid with more than two values: the colour map; "
                                      "auto: inferno for particles, and "
                                      "for a grid the colours that the plugin gives to its values, or grey"),
    [KEY_OUTPUT_COMPONENT] =
        KEY_INTEGER("component", KEY_EXTENT | OF_COMPONENTS, "-1", -1, 1e9,
                    "pictures of a grid of several components: the component that is shown, from 0; -1: no picture"),
    [KEY_OUTPUT_UNIVERSE] = KEY_INTEGER("universe", KEY_EXTENT | OF_BATCHES, "-1", -1, 1e9,
                                        "pictures of a batch: the universe that is shown, from 0; -1: all, as tiles"),
    [KEY_OUTPUT_LINES] = KEY_CHOICE("lines", KEY_EXTENT | OF_GRIDS, "no", answers,
                                    "pictures of a grid: lines between cells that have 8 pixels or more"),
    [KEY_OUTPUT_CAPTIONS] =
        KEY_CHOICE("captions", KEY_EXTENT | OF_GRIDS | OF_PARTICLES, "no", answers,
                   "pictures: a strip below with a bar that has a length, with the step, and with the time if the "
                   "plugin has a parameter dt"),
    [KEY_OUTPUT_RATE] = KEY_INTEGER("rate", KEY_EXTENT, "10", 1, 1000, "apng, mp4, gif: frames per second"),
};

/* ---- Values ---------------------------------------------------------------------------------------------------- */

static bool has_format(const struct output_settings *settings, const struct io_format *format)
{
    for (uint32_t i = 0; i < settings->format_count; i++)
        if (settings->formats[i] == format)
            return true;
    return false;
}

/* Adds the films from which other formats are made when the run ends. */
static int add_films(const struct reading *reading, struct output_settings *settings)
{
    for (uint32_t i = 0; i < settings->format_count; i++) {
        const struct io_format *film = io_film(settings->formats[i]);
        if (!film || has_format(settings, film))
            continue;
        if (settings->format_count == OUTPUT_FORMATS_MAX)
            return REFUSE(reading, "output", "formats", "more than %d formats", OUTPUT_FORMATS_MAX);
        settings->formats[settings->format_count++] = film;
    }
    return 0;
}

static int read_formats(const struct reading *reading, const char *text, struct output_settings *settings)
{
    char words[512], hint[128], clause[CONTEXT_WORDS];
    if (strlen(text) >= sizeof words)
        return REFUSE(reading, "output", "formats", "longer than %zu characters", sizeof words);
    strcpy(words, text);
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t,", &rest); word; word = strtok_r(NULL, " \t,", &rest)) {
        const struct io_format *format;
        if (formats_find(reading->context, word, &format, reading->error) != 0)
            return error_prefix(reading->error,
                                "%s: [output] formats: ", config_place(reading->config, "output", "formats"));
        if (!format || !io_is_written(format))
            return REFUSE(reading, "output", "formats", "'%s' is not a format that can be written%s%s", word,
                          formats_hint(hint, reading->context, word),
                          context_clause(reading->context, ENGINE_WORDS_FORMATS, "", clause));
        if (has_format(settings, format))
            return REFUSE(reading, "output", "formats", "'%s' is listed twice", word);
        if (settings->format_count == OUTPUT_FORMATS_MAX)
            return REFUSE(reading, "output", "formats", "more than %d formats", OUTPUT_FORMATS_MAX);
        settings->formats[settings->format_count++] = format;
    }
    return add_films(reading, settings);
}

static int read_fields(const struct reading *reading, const char *text, char fields[OUTPUT_FIELDS_MAX])
{
    if (strlen(text) >= OUTPUT_FIELDS_MAX)
        return REFUSE(reading, "output", "fields", "longer than %d characters", OUTPUT_FIELDS_MAX - 1);
    strcpy(fields, text);
    return 0;
}

static int read_bounds(const struct reading *reading, const char *text, double bounds[4])
{
    const uint32_t count = section_reals(text, bounds, 4);
    if (count == 1) {
        const double half = bounds[0];
        memcpy(bounds, (double[4]){-half, half, -half, half}, 4 * sizeof half);
    }
    const bool valid = (count == 1 || count == 4) && bounds[0] < bounds[1] && bounds[2] < bounds[3];
    return valid || !*text ? 0
                           : REFUSE(reading, "output", "bounds",
                                    "'%s' is not a rectangle; expected left right bottom top, or one half-width, as in "
                                    "-2 2 -1 1, or 2",
                                    text);
}

static int read_range(const struct reading *reading, const char *text, double range[2])
{
    const bool valid = section_reals(text, range, 2) == 2 && range[0] != range[1];
    return valid || !*text
               ? 0
               : REFUSE(reading, "output", "range",
                        "'%s' is not a range; expected the darkest and the brightest value, as in 0 0.4", text);
}

static int read_depth(const struct reading *reading, const struct engine_value *values, struct io_options *how)
{
    const char *text = values[KEY_OUTPUT_DEPTH].text;
    how->deep = *text != '\0';
    how->slab = how->deep && strcmp(text, "auto") != 0;
    if (how->slab && !(section_reals(text, how->depth, 2) == 2 && how->depth[0] < how->depth[1]))
        return REFUSE(reading, "output", "depth",
                      "'%s' is not a range; expected auto, or the lowest and the highest coordinate along the axis of "
                      "view, as in 2 3",
                      text);
    return how->deep && how->weigh ? REFUSE(reading, "output", "depth",
                                            "a picture with depth shows no weight = mass; leave one of them out")
                                   : 0;
}

static int read_selection(const struct reading *reading, const struct engine_value *values, struct selection *selection)
{
    const char *region = values[KEY_OUTPUT_REGION].text, *stride = values[KEY_OUTPUT_STRIDE].text;
    if (!selection_read_region(selection, region))
        return REFUSE(
            reading, "output", "region",
            "'%.200s' is not a region; expected a range first:end for each axis, with first < end, as in 0:100 "
            "50:150, or : for a whole axis",
            region);
    if (!selection_read_stride(selection, stride))
        return REFUSE(
            reading, "output", "stride",
            "'%.200s' is not a stride; expected a number of cells from 1 up, or one for each axis, as in 4, or "
            "4 4 2",
            stride);
    selection->reduce = (enum region_reduce) values[KEY_OUTPUT_REDUCE].integer;
    if (selection->reduce != REGION_FIRST && selection->strides == 0)
        return REFUSE(reading, "output", "reduce", "nothing uses this key without stride; add that, or leave it out");
    return 0;
}

static struct io_options options_of(const struct reading *reading, const struct engine_value *values)
{
    return (struct io_options){
        .scale = (uint32_t) values[KEY_OUTPUT_SCALE].integer,
        .threads = reading->settings->threads,
        .view = views[values[KEY_OUTPUT_VIEW].integer],
        .axis = (uint32_t) values[KEY_OUTPUT_AXIS].integer,
        .slice = values[KEY_OUTPUT_SLICE].integer,
        .pixels = (uint32_t) values[KEY_OUTPUT_PIXELS].integer,
        .weigh = values[KEY_OUTPUT_WEIGHT].integer == 1,
        .size_by_mass = values[KEY_OUTPUT_PARTICLE_SIZE].integer == 1,
        .universe = (uint64_t) (values[KEY_OUTPUT_UNIVERSE].integer + 1),
        .lines = values[KEY_OUTPUT_LINES].integer == 1,
        .captions = values[KEY_OUTPUT_CAPTIONS].integer == 1,
        .rate = (uint32_t) values[KEY_OUTPUT_RATE].integer,
        .colours = colours[values[KEY_OUTPUT_COLOURS].integer],
        .component = (uint32_t) (values[KEY_OUTPUT_COMPONENT].integer + 1),
    };
}

static int read(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct output_settings *settings = own;
    settings->every = (uint64_t) values[KEY_OUTPUT_EVERY].integer;
    settings->metrics_every = (uint64_t) values[KEY_OUTPUT_METRICS_EVERY].integer;
    settings->hash_every = (uint64_t) values[KEY_OUTPUT_HASH_EVERY].integer;
    settings->universe_metrics = values[KEY_OUTPUT_UNIVERSE_METRICS].integer == 1;
    settings->how = options_of(reading, values);
    settings->probes = values[KEY_OUTPUT_PROBES].text;
    if (read_selection(reading, values, &settings->selection) != 0 ||
        read_bounds(reading, values[KEY_OUTPUT_BOUNDS].text, settings->how.bounds) != 0 ||
        read_range(reading, values[KEY_OUTPUT_RANGE].text, settings->how.range) != 0 ||
        read_depth(reading, values, &settings->how) != 0 ||
        read_fields(reading, values[KEY_OUTPUT_FIELDS].text, settings->fields) != 0 ||
        read_formats(reading, values[KEY_OUTPUT_FORMATS].text, settings) != 0)
        return reading->error->status;
    const char *until = config_get(reading->config, "run", "until");
    if (section_read_until(reading, until ? until : "", &settings->until) != 0)
        return reading->error->status;
    if (reading->settings->universes > 1 && (!selection_is_whole(&settings->selection) || *settings->probes))
        return REFUSE_BATCH(reading, reading->error,
                            "[output] region, stride, reduce and probes take a run of one universe; leave them out");
    return 0;
}

/* ---- What uses the keys ---------------------------------------------------------------------------------------- */

static bool has_metrics(const struct plan *run, const struct plan *analysis)
{
    return run->plugin->about.metrics.count > 0 || (analysis && analysis->plugin->about.metrics.count > 0) ||
           *output_settings(run)->probes;
}

static bool has_universe_metrics(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return plan_is_batch(run) && run->plugin->about.metrics.count > 0;
}

static bool has_conditions(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return output_settings(run)->until.count > 0;
}

static bool writes_pictures(const struct plan *run, const struct plan *analysis)
{
    const struct output_settings *settings = output_settings(run);
    (void) analysis;
    for (uint32_t i = 0; i < settings->format_count; i++)
        if (io_is_picture(settings->formats[i]))
            return true;
    return false;
}

static bool writes_films(const struct plan *run, const struct plan *analysis)
{
    const struct output_settings *settings = output_settings(run);
    (void) analysis;
    for (uint32_t i = 0; i < settings->format_count; i++)
        if (io_is_picture(settings->formats[i]) && io_grows(settings->formats[i]))
            return true;
    return false;
}

static const struct key_use uses[] = {
    {"run", "until_every", has_conditions, "the run has no [run] until", {"until", NULL}, 0},
    {"output",
     "metrics_every",
     has_metrics,
     "the plugin has no metrics and there are no [output] probes",
     {NULL, NULL},
     0},
    {"output",
     "universe_metrics",
     has_universe_metrics,
     "the run is no batch of a plugin with metrics",
     {"batch", NULL},
     0},
    {"output", "", writes_pictures, "no picture is among the formats", {"formats", NULL}, OF_PICTURES},
    {"output", "rate", writes_films, "no film is among the formats", {"formats", NULL}, 0},
    {.keys = NULL},
};

const struct section output_section = {
    .about = {"output", "what is written, and when", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct output_settings),
    .read = read,
    .uses = uses,
};

/* 240 is a multiple of many periods, and of the steps that implementations of Life take in a pass. */
uint64_t output_until_every(const struct plan *plan)
{
    const uint64_t given = plan->settings.until_every, rows = output_settings(plan)->metrics_every;
    return given ? given : rows ? rows : 240;
}
