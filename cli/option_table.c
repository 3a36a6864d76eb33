#include "option_table.h"
#include "stop.h"

#include <stdio.h>
#include <string.h>

static int take_json(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->json = true;
    return 0;
}

static int take_force(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->force = true;
    return 0;
}

static int take_help(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->help = true;
    return 0;
}

static int take_quiet(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->terminal.verbosity = QUIET;
    return 0;
}

static int take_verbose(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->terminal.verbosity = VERBOSE;
    return 0;
}

static int take_set(struct options *options, const char *value, struct engine_error *error)
{
    if (options->set_count == sizeof options->set / sizeof options->set[0])
        return fail(error, ENGINE_STATUS_USAGE, "--set is given more than %u times", options->set_count);
    options->set[options->set_count++] = value;
    return 0;
}

static int take_folder(struct options *options, const char *value, struct engine_error *error)
{
    if (options->folder_count == 16)
        return fail(error, ENGINE_STATUS_USAGE, "--plugins is given more than %u times", options->folder_count);
    options->folders[options->folder_count++] = value;
    return 0;
}

static int take_scale(struct options *options, const char *value, struct engine_error *error)
{
    static const struct engine_param scale = {
        .name = "--scale", .type = ENGINE_PARAM_INTEGER, .initial = "1", .min = 1, .max = 64};
    struct engine_value number;
    if (engine_parse(&scale, value, &number, error) != 0)
        return error->status;
    options->conversion.scale = (uint32_t) number.integer;
    return 0;
}

static int take_axis(struct options *options, const char *value, struct engine_error *error)
{
    static const char axes[] = "zyx";
    const char *axis = value[0] != '\0' && value[1] == '\0' ? strchr(axes, value[0]) : NULL;
    if (!axis)
        return fail(error, ENGINE_STATUS_USAGE, "--axis: '%s' is not an axis; expected x, y or z", value);
    options->conversion.axis = (uint32_t) (axis - axes);
    return 0;
}

static int take_slice(struct options *options, const char *value, struct engine_error *error)
{
    static const struct engine_param slice = {
        .name = "--slice", .type = ENGINE_PARAM_INTEGER, .initial = "-1", .min = -1, .max = 1e15};
    struct engine_value number;
    if (engine_parse(&slice, value, &number, error) != 0)
        return error->status;
    options->conversion.slice = 1;
    options->conversion.plane = number.integer;
    return 0;
}

/* The choices of a key of the engine's own sections. */
static const char *const *choices_of(const char *section, const char *key)
{
    const struct engine_section *found;
    for (uint32_t i = 0; (found = engine_section_at(i)); i++)
        for (uint32_t k = 0; strcmp(found->name, section) == 0 && k < found->keys.count; k++)
            if (strcmp(found->keys.at[k].name, key) == 0)
                return found->keys.at[k].choices;
    return NULL;
}

static int take_colours(struct options *options, const char *value, struct engine_error *error)
{
    const struct engine_param colours = {.name = "--colours",
                                         .type = ENGINE_PARAM_CHOICE,
                                         .initial = "grey",
                                         .choices = choices_of("output", "colours")};
    struct engine_value choice;
    if (engine_parse(&colours, value, &choice, error) != 0)
        return error->status;
    options->conversion.colours = (int) choice.integer;
    return 0;
}

static int take_range(struct options *options, const char *value, struct engine_error *error)
{
    static const struct engine_param end = {.name = "--range", .type = ENGINE_PARAM_REAL, .initial = "0"};
    char text[128];
    double *range = options->conversion.range;
    snprintf(text, sizeof text, "%s", value);
    char *comma = strchr(text, ',');
    if (strlen(value) >= sizeof text || !comma || comma == text || comma[1] == '\0' || strchr(comma + 1, ','))
        return fail(error, ENGINE_STATUS_USAGE, "--range: '%s' is not a range; expected LOW,HIGH, as in 0,0.4", value);
    *comma = '\0';
    for (int i = 0; i < 2; i++) {
        struct engine_value number;
        if (engine_parse(&end, i ? comma + 1 : text, &number, error) != 0)
            return error->status;
        range[i] = number.real;
    }
    return range[0] != range[1]
               ? 0
               : fail(error, ENGINE_STATUS_USAGE, "--range: '%s': expected two different values", value);
}

/* A whole number from 1 to `most`. */
static int take_number(const char *name, const char *text, double most, uint64_t *number, struct engine_error *error)
{
    const struct engine_param param = {.name = name, .type = ENGINE_PARAM_INTEGER, .min = 1, .max = most};
    struct engine_value value;
    if (engine_parse(&param, text, &value, error) != 0)
        return error->status;
    *number = (uint64_t) value.integer;
    return 0;
}

static int take_steps(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--steps", value, 1e15, &options->steps, error);
}

static int take_repeats(struct options *options, const char *value, struct engine_error *error)
{
    uint64_t repeats = 0;
    if (take_number("--repeats", value, 10000, &repeats, error) != 0)
        return error->status;
    options->repeats = (uint32_t) repeats;
    return 0;
}

static int take_seconds(struct options *options, const char *value, struct engine_error *error)
{
    uint64_t seconds = 0;
    if (take_number("--seconds", value, 86400, &seconds, error) != 0)
        return error->status;
    options->seconds = (uint32_t) seconds;
    return 0;
}

static int take_placed(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->placed = true;
    return 0;
}

static int take_impls(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->impls = value;
    return 0;
}

static int take_sweep(struct options *options, const char *value, struct engine_error *error)
{
    if (options->sweep_count == sizeof options->sweeps / sizeof options->sweeps[0])
        return fail(error, ENGINE_STATUS_USAGE, "--sweep is given more than %u times", options->sweep_count);
    options->sweeps[options->sweep_count++] = value;
    return 0;
}

static int take_csv(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->csv = value == NULL;
    options->csv_file = value;
    return 0;
}

static int take_json_file(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->json = value == NULL;
    options->json_file = value;
    return 0;
}

static int take_plot(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->plot_file = value;
    return 0;
}

static int take_watch(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->watch = true;
    return 0;
}

static int take_walltime(struct options *options, const char *value, struct engine_error *error)
{
    char reason[sizeof error->text];
    if (stop_parse_time(value, &options->walltime, error) == 0)
        return 0;
    snprintf(reason, sizeof reason, "%s", error->text);
    return fail(error, ENGINE_STATUS_USAGE, "--walltime: %.2000s", reason);
}

/* In the order of --help. An option that means something else to another verb stands here twice. */
static const struct option all_options[] = {
    {"--set", "SECTION.KEY=VALUE", "takes the place of what the configuration says; may be given several times",
     OPTION_SET, take_set},
    {"--force", NULL, "writes into a folder that holds files already, over those of the same names", OPTION_FORCE,
     take_force},
    {"--force", NULL, "writes over OUT if it is there", OPTION_CONVERT, take_force},
    {"--watch", NULL, "shows the state in the terminal while it runs", OPTION_WATCH, take_watch},
    {"--walltime", "TIME", "saves and stops before this much time is over: 3h50m, 90s, 3:50:00", OPTION_WALLTIME,
     take_walltime},
    {"--scale", "N", "png: width of a cell in pixels", OPTION_CONVERT, take_scale},
    {"--axis", "x|y|z", "png of three axes: the axis that one looks along; z where not given", OPTION_CONVERT,
     take_axis},
    {"--slice", "N",
     "png of three axes: that plane alone, -1: the middle one; otherwise live cells are added up along the axis",
     OPTION_CONVERT, take_slice},
    {"--range", "LOW,HIGH", "png of grids: the values that are darkest and brightest; 0,1 where not given",
     OPTION_CONVERT, take_range},
    {"--colours", "MAP", "png of more than two values: grey, viridis or inferno; grey where not given", OPTION_CONVERT,
     take_colours},
    {"--impl", "A,B,C", "only these implementations", OPTION_VERIFY, take_impls},
    {"--impl", "A,B,C", "only these implementations", OPTION_CONFORM, take_impls},
    {"--placed", NULL, "the rule depends on where a cell is: moving a pattern may change what becomes of it",
     OPTION_CONFORM, take_placed},
    {"--seconds", "N", "time for each property, 120 by default", OPTION_CONFORM, take_seconds},
    {"--steps", "N", "the most steps to take, instead of 100", OPTION_VERIFY, take_steps},
    {"--sweep", "SECTION.KEY=V,W",
     "tries one value after another; given several times, every combination. Keys that move together: "
     "grid.size:run.steps='64 64:1000,128 128:250'",
     OPTION_VERIFY, take_sweep},
    {"--impl", "A,B,C",
     "these implementations, in this order; by default all of the plugin's that can run here. PLUGIN:A is A of "
     "another "
     "plugin",
     OPTION_BENCH, take_impls},
    {"--sweep", "SECTION.KEY=V,W",
     "a row for each value; given several times, a row for each combination. Keys that move together: "
     "grid.size:run.steps='64 64:1000,128 128:250'",
     OPTION_BENCH, take_sweep},
    {"--repeats", "N", "times each is measured, 5 by default; the median counts", OPTION_BENCH, take_repeats},
    {"--steps", "N",
     "steps of one repeat; by default run.steps where these are swept, else as many as take about half a second",
     OPTION_BENCH, take_steps},
    {"--csv", "[=FILE]",
     "prints values with commas between them on stdout, for programs, in the place of the table; or, besides it, into "
     "FILE",
     OPTION_BENCH, take_csv},
    {"--json", "[=FILE]", "the same as one JSON object", OPTION_BENCH, take_json_file},
    {"--plot", "FILE", "draws the rates, as SVG", OPTION_BENCH, take_plot},
    {"--json", NULL, "prints one JSON value on stdout, for programs, and nothing else there", OPTION_JSON, take_json},
    {"--plugins", "FOLDER", "looks for plugins there first; may be given several times", 0, take_folder},
    {"--quiet", NULL, "prints nothing on stderr but errors", 0, take_quiet},
    {"--verbose", NULL, "also prints what is of interest to authors of plugins", 0, take_verbose},
    {"--help", NULL, "prints this", 0, take_help},
};

enum { OPTION_COUNT = sizeof all_options / sizeof all_options[0] };

const struct option *option_at(const struct verb *verb, uint32_t index)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((all_options[i].needs & ~verb->options) == 0 && index-- == 0)
            return &all_options[i];
    return NULL;
}
