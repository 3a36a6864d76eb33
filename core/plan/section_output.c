/* Reading [output]: what is written, and when. */
#include "base/nearest.h"
#include "io/formats.h"
#include "plan/section.h"

#include <string.h>

/* In the order of the words in config/keys.c. */
static const enum io_view views[] = {IO_PROJECTION, IO_SLICE};
static const enum io_colours colours[] = {IO_GREY, IO_VIRIDIS, IO_INFERNO, IO_AUTO};

static bool has_format(const struct settings *settings, const struct io_format *format)
{
    for (uint32_t i = 0; i < settings->format_count; i++)
        if (settings->formats[i] == format)
            return true;
    return false;
}

/* Adds the films from which other formats are made when the run ends. */
static int add_films(const struct reading *reading)
{
    struct settings *settings = reading->settings;
    for (uint32_t i = 0; i < settings->format_count; i++) {
        const struct io_format *film = io_film(settings->formats[i]);
        if (!film || has_format(settings, film))
            continue;
        if (settings->format_count == SETTINGS_FORMATS_MAX)
            return REFUSE(reading, "output", "formats", "more than %d formats", SETTINGS_FORMATS_MAX);
        settings->formats[settings->format_count++] = film;
    }
    return 0;
}

static int read_formats(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
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
                          nearest_hint(hint, word, formats_written_at, reading->context),
                          context_clause(reading->context, ENGINE_WORDS_FORMATS, "", clause));
        if (has_format(settings, format))
            return REFUSE(reading, "output", "formats", "'%s' is listed twice", word);
        if (settings->format_count == SETTINGS_FORMATS_MAX)
            return REFUSE(reading, "output", "formats", "more than %d formats", SETTINGS_FORMATS_MAX);
        settings->formats[settings->format_count++] = format;
    }
    return add_films(reading);
}

static int read_fields(const struct reading *reading, const char *text)
{
    if (strlen(text) >= SETTINGS_LIST_MAX)
        return REFUSE(reading, "output", "fields", "longer than %d characters", SETTINGS_LIST_MAX - 1);
    strcpy(reading->settings->fields, text);
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
    const bool valid = (count == 1 || count == 4) && bounds[0] < bounds[1] && bounds[2] < bounds[3];
    return valid || !*text ? 0
                           : REFUSE(reading, "output", "bounds",
                                    "'%s' is not a rectangle; expected left right bottom top, or one half-width, as in "
                                    "-2 2 -1 1, or 2",
                                    text);
}

static int read_range(const struct reading *reading, const char *text)
{
    double *range = reading->settings->how.range;
    const bool valid = section_reals(text, range, 2) == 2 && range[0] != range[1];
    return valid || !*text
               ? 0
               : REFUSE(reading, "output", "range",
                        "'%s' is not a range; expected the darkest and the brightest value, as in 0 0.4", text);
}

static int read_selection(const struct reading *reading, const struct engine_value *values)
{
    struct selection *selection = &reading->settings->selection;
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

int section_read_output(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_OUTPUT];
    if (section_values(reading, KEYS_OUTPUT, values) != 0)
        return reading->error->status;
    reading->settings->every = (uint64_t) values[KEY_OUTPUT_EVERY].integer;
    reading->settings->metrics_every = (uint64_t) values[KEY_OUTPUT_METRICS_EVERY].integer;
    /* 240 is a multiple of many periods, and of the steps that implementations of Life take in a pass. */
    if (reading->settings->until_every == 0)
        reading->settings->until_every = reading->settings->metrics_every ? reading->settings->metrics_every : 240;
    reading->settings->how = (struct io_options){
        .scale = (uint32_t) values[KEY_OUTPUT_SCALE].integer,
        .threads = reading->settings->threads,
        .view = views[values[KEY_OUTPUT_VIEW].integer],
        .axis = (uint32_t) values[KEY_OUTPUT_AXIS].integer,
        .slice = values[KEY_OUTPUT_SLICE].integer,
        .pixels = (uint32_t) values[KEY_OUTPUT_PIXELS].integer,
        .weigh = values[KEY_OUTPUT_WEIGHT].integer == 1,
        .size_by_mass = values[KEY_OUTPUT_PARTICLE_SIZE].integer == 1,
        .universe = (uint64_t) (values[KEY_OUTPUT_UNIVERSE].integer + 1),
        .rate = (uint32_t) values[KEY_OUTPUT_RATE].integer,
        .colours = colours[values[KEY_OUTPUT_COLOURS].integer],
        .component = (uint32_t) (values[KEY_OUTPUT_COMPONENT].integer + 1),
    };
    reading->settings->probes = values[KEY_OUTPUT_PROBES].text;
    if (read_selection(reading, values) != 0 || read_bounds(reading, values[KEY_OUTPUT_BOUNDS].text) != 0 ||
        read_range(reading, values[KEY_OUTPUT_RANGE].text) != 0)
        return reading->error->status;
    return read_fields(reading, values[KEY_OUTPUT_FIELDS].text) != 0
               ? reading->error->status
               : read_formats(reading, values[KEY_OUTPUT_FORMATS].text);
}
