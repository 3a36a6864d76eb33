/* [output]: what is written, and when. */
#include "plan/settings_sections.h"

#include <string.h>

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
    [OUTPUT_SCALE] = INTEGER("scale", "0", 0, 64, "png: width of a cell in pixels; 0: chosen by the size of the grid"),
    [OUTPUT_VIEW] = CHOICE("view", "projection", view_words, "png of three axes: live cells added up, or one plane"),
    [OUTPUT_AXIS] = CHOICE("axis", "z", axis_words, "png of three axes, or of particles: the one looked along"),
    [OUTPUT_SLICE] = INTEGER("slice", "-1", IO_MIDDLE, 1e15, "view = slice: the plane's place; -1: the middle"),
    [OUTPUT_BOUNDS] =
        TEXT("bounds", "",
             "png of particles: left right bottom top, or one half-width; by default what fits the first state"),
    [OUTPUT_PIXELS] = INTEGER("pixels", "1024", 16, 16384, "png of particles: the longer side"),
    [OUTPUT_RANGE] =
        TEXT("range", "", "png of grids: values that are darkest and brightest; by default as the field says"),
    [OUTPUT_COLOURS] = CHOICE("colours", "grey", io_colour_names, "png of more than two values"),
    [OUTPUT_RATE] = INTEGER("rate", "10", 1, 1000, "apng: frames a second"),
};

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
    const uint32_t count = section_reals(text, bounds, 4);
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
    const bool right = section_reals(text, range, 2) == 2 && range[0] != range[1];
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

const struct section section_output = {{"output", "what is written, and when", ENGINE_ARRAY(output_keys)}, read_output};
