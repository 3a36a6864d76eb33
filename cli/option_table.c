#include "option_table.h"
#include "stop.h"

#include <stdio.h>
#include <string.h>

static int take_formats(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->formats = true;
    return 0;
}

static int take_all(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->all_keys = true;
    return 0;
}

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
        return fail(error, ENGINE_STATUS_USAGE, "--set is given more than %u times; put keys into the configuration",
                    options->set_count);
    options->set[options->set_count++] = value;
    return 0;
}

static int take_folder(struct options *options, const char *value, struct engine_error *error)
{
    if (options->folder_count == sizeof options->folders / sizeof options->folders[0])
        return fail(error, ENGINE_STATUS_USAGE, "--plugins is given more than %u times; use ENGINE_PLUGIN_PATH",
                    options->folder_count);
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

static int take_frames(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->conversion.frames = value;
    return 0;
}

static int take_from(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->conversion.from = value;
    return 0;
}

static int take_to(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->conversion.to = value;
    return 0;
}

/* Reads a number that counts from 0, and gives the one that counts from 1. */
static int take_index(const char *option, const char *value, uint32_t *index, struct engine_error *error)
{
    const struct engine_param param = {
        .name = option, .type = ENGINE_PARAM_INTEGER, .initial = "0", .min = 0, .max = 1e9};
    struct engine_value number;
    if (engine_parse(&param, value, &number, error) != 0)
        return error->status;
    *index = (uint32_t) number.integer + 1;
    return 0;
}

static int take_component(struct options *options, const char *value, struct engine_error *error)
{
    return take_index("--component", value, &options->conversion.component, error);
}

static int take_universe(struct options *options, const char *value, struct engine_error *error)
{
    return take_index("--universe", value, &options->conversion.universe, error);
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

/* The choices of a key in one of the engine's own sections. */
const struct engine_param *option_key(const char *section, const char *key)
{
    const struct engine_section *found;
    for (uint32_t i = 0; (found = engine_section_at(i)); i++)
        for (uint32_t k = 0; strcmp(found->name, section) == 0 && k < found->keys.count; k++)
            if (strcmp(found->keys.at[k].name, key) == 0)
                return &found->keys.at[k];
    return NULL;
}

int options_colours(void)
{
    const char *const *choices = option_key("output", "colours")->choices;
    int index = 0;
    while (choices[index] && strcmp(choices[index], "auto") != 0)
        index++;
    return choices[index] ? index : 0;
}

static int take_colours(struct options *options, const char *value, struct engine_error *error)
{
    const struct engine_param colours = {.name = "--colours",
                                         .type = ENGINE_PARAM_CHOICE,
                                         .initial = "grey",
                                         .choices = option_key("output", "colours")->choices};
    struct engine_value choice;
    if (engine_parse(&colours, value, &choice, error) != 0)
        return error->status;
    options->conversion.colours = (int) choice.integer;
    return 0;
}

static int take_kind(struct options *options, const char *value, struct engine_error *error)
{
    static const char *const words[] = {"bytes", "floats", "volume", "particles", NULL};
    static const struct engine_param kind = {
        .name = "--kind", .type = ENGINE_PARAM_CHOICE, .initial = "bytes", .choices = words};
    struct engine_value choice;
    if (engine_parse(&kind, value, &choice, error) != 0)
        return error->status;
    options->kind = (int) choice.integer;
    return 0;
}

/* Reads two numbers that differ. */
static int read_pair(const char *option, const char *value, double range[2], struct engine_error *error)
{
    const struct engine_param end = {.name = option, .type = ENGINE_PARAM_REAL, .initial = "0"};
    char text[128];
    snprintf(text, sizeof text, "%s", value);
    char *comma = strchr(text, ',');
    if (strlen(value) >= sizeof text || !comma || comma == text || comma[1] == '\0' || strchr(comma + 1, ','))
        return fail(error, ENGINE_STATUS_USAGE, "%s: '%s' is not a range; expected LOW,HIGH, as in 0,0.4", option,
                    value);
    *comma = '\0';
    for (int i = 0; i < 2; i++) {
        struct engine_value number;
        if (engine_parse(&end, i ? comma + 1 : text, &number, error) != 0)
            return error->status;
        range[i] = number.real;
    }
    return range[0] != range[1] ? 0
                                : fail(error, ENGINE_STATUS_USAGE,
                                       "%s: '%s': the values are equal; expected LOW,HIGH, as in 0,0.4", option, value);
}

static int take_range(struct options *options, const char *value, struct engine_error *error)
{
    return read_pair("--range", value, options->conversion.range, error);
}

static int take_depth(struct options *options, const char *value, struct engine_error *error)
{
    double *depth = options->conversion.depth;
    options->conversion.deep = 1;
    if (strcmp(value, "auto") == 0)
        return 0;
    if (read_pair("--depth", value, depth, error) != 0)
        return error->status;
    return depth[0] < depth[1]
               ? 0
               : fail(error, ENGINE_STATUS_USAGE, "--depth: '%s': expected auto, or LOW,HIGH with LOW < HIGH", value);
}

static int take_lines(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->conversion.lines = 1;
    return 0;
}

static int take_captions(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->conversion.captions = 1;
    return 0;
}

/* Reads a whole number from 1 to `most`. */
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

static int take_segments(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--segments", value, 1e15, &options->segments, error);
}

static int take_draws(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--draws", value, 1e9, &options->draws, error);
}

static int take_seed(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--seed", value, 1e15, &options->seed, error);
}

static int take_members(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--ensemble", value, 1e6, &options->members, error);
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

static int take_isolated(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->isolated = true;
    return 0;
}

static int take_draw(struct options *options, const char *value, struct engine_error *error)
{
    return take_number("--draw", value, 9007199254740991.0, &options->draw, error);
}

/* In MiB. */
static int take_memory(struct options *options, const char *value, struct engine_error *error)
{
    if (take_number("--memory", value, 1e9, &options->memory, error) != 0)
        return error->status;
    options->memory <<= 20;
    return 0;
}

static int take_port(struct options *options, const char *value, struct engine_error *error)
{
    uint64_t port = 0;
    if (take_number("--port", value, 65535, &port, error) != 0)
        return error->status;
    options->port = (uint16_t) port;
    return 0;
}

static int take_read_only(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->read_only = true;
    return 0;
}

static int take_no_browser(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->no_browser = true;
    return 0;
}

static int take_properties(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->properties = value;
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
        return fail(error, ENGINE_STATUS_USAGE, "--sweep is given more than %u times; sweep fewer keys",
                    options->sweep_count);
    options->sweeps[options->sweep_count++] = value;
    return 0;
}

static int take_devices(struct options *options, const char *value, struct engine_error *error)
{
    (void) error;
    options->devices = value;
    return 0;
}

static int take_weak(struct options *options, const char *value, struct engine_error *error)
{
    (void) value, (void) error;
    options->weak = true;
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
    const char *slash = strrchr(value, '/');
    if (strncmp(slash ? slash + 1 : value, "roofline", 8) == 0)
        options->roofline_file = value;
    else
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
    if (stop_parse_duration(value, &options->walltime, error) == 0)
        return 0;
    snprintf(reason, sizeof reason, "%s", error->text);
    return fail(error, ENGINE_STATUS_USAGE, "--walltime: %.2000s", reason);
}

/* In the order of --help. An option that has different meanings for different verbs has an entry for each meaning. */
static const struct option all_options[] = {
    {"--set", "SECTION.KEY=VALUE", "override a key of the configuration; may be given several times", OPTION_SET,
     take_set},
    {"--force", NULL, "write into a folder that holds files; remove the files of an earlier run, and keep all others",
     OPTION_FORCE, take_force},
    {"--force", NULL, "replace OUT if it exists", OPTION_CONVERT, take_force},
    {"--sweep", "SECTION.KEY=V,W",
     "run an ensemble: one member for each value, or for each integer of a range such as init.seed=1..1000; with "
     "several "
     "sweeps, for every combination. Keys joined by ':' change together, as in grid.size:run.steps='64 64:1000,128 "
     "128:250'. The same as [ensemble] sweep",
     OPTION_ENSEMBLE, take_sweep},
    {"--ensemble", "N",
     "run an ensemble of N members that differ in their seed: the same as --sweep init.seed=S..S+N-1, "
     "where S is the seed of the configuration",
     OPTION_ENSEMBLE, take_members},
    {"--watch", NULL, "show the state in the terminal during the run", OPTION_WATCH, take_watch},
    {"--walltime", "TIME", "save the state and stop before this time has passed, such as 3h50m, 90s or 3:50:00",
     OPTION_WALLTIME, take_walltime},
    {"--from", "FORMAT", "the format of IN; default: chosen from its content", OPTION_CONVERT, take_from},
    {"--to", "FORMAT", "the format of OUT; default: chosen from the ending of its name", OPTION_CONVERT, take_to},
    {"--frames", "RANGE",
     "write only these frames of a trajectory, as first:end:stride, such as 100:500:10 or 100:; frame 0 is the first; "
     "default: all",
     OPTION_CONVERT, take_frames},
    {"--scale", "N", "pictures: width of a cell in pixels; default: chosen from the grid size", OPTION_CONVERT,
     take_scale},
    {"--axis", "x|y|z", "pictures of a volume or of particles: the axis of view; default: z", OPTION_CONVERT,
     take_axis},
    {"--slice", "N",
     "pictures of a volume: show only plane N; -1: the middle plane; default: show the sum of the live cells along the "
     "axis",
     OPTION_CONVERT, take_slice},
    {"--range", "LOW,HIGH", "pictures of a grid: the values that are shown darkest and brightest; default: 0,1",
     OPTION_CONVERT, take_range},
    {"--component", "N", "pictures of a grid of several components: the component that is shown; 0 is the first",
     OPTION_CONVERT, take_component},
    {"--universe", "N", "write only universe N of a batch; 0 is the first; default: all", OPTION_CONVERT,
     take_universe},
    {"--colours", "MAP",
     "pictures of particles, or of a grid with more than two values: grey, viridis or inferno; default: inferno for "
     "particles, grey for a grid",
     OPTION_CONVERT, take_colours},
    {"--lines", NULL, "pictures of a grid: lines between cells that have 8 pixels or more", OPTION_CONVERT, take_lines},
    {"--captions", NULL, "pictures: a strip below with a bar that has a length, and with the step", OPTION_CONVERT,
     take_captions},
    {"--depth", "auto|LOW,HIGH",
     "pictures of a volume or of particles: nearer cells or particles are brighter and hide others; auto: all; "
     "otherwise those from LOW to HIGH along the axis of view",
     OPTION_CONVERT, take_depth},
    {"--impl", "A,B,C", "check only these implementations", OPTION_VERIFY, take_impls},
    {"--impl", "A,B,C", "check only these implementations", OPTION_CONFORM, take_impls},
    {"--property", "TEXT,TEXT",
     "check only the properties whose name contains one of these texts, and that the plugin loads and takes a step",
     OPTION_CONFORM, take_properties},
    {"--placed", NULL,
     "for a rule that depends on the position of a cell: do not require that a moved pattern evolves in the same way",
     OPTION_CONFORM, take_placed},
    {"--seconds", "N", "time limit of each property in seconds; default: 120", OPTION_CONFORM, take_seconds},
    {"--draws", "N",
     "check N configurations that are drawn from the keys which the plugin declares, in place of the properties, and "
     "make the first one that fails as small as possible; for a file format, N files",
     OPTION_CONFORM, take_draws},
    {"--seed", "S", "with --draws: the number of the first configuration; default: 1", OPTION_CONFORM, take_seed},
    {"--sweep", "SECTION.KEY=V,W", "with --draws: draw the value of this key from these values", OPTION_CONFORM,
     take_sweep},
    {"--memory", "N", "limit of the resident memory of each process in MiB; default: nine tenths of the machine's",
     OPTION_CONFORM, take_memory},
    {"--steps", "N", "the largest number of steps to compare; default: 100", OPTION_VERIFY, take_steps},
    {"--steps", "N", "the largest number of steps to take; default: 20000", OPTION_IDENTIFY, take_steps},
    {"--sweep", "SECTION.KEY=V,W",
     "compare once for each value, or each integer of a range such as init.seed=1..9; with several sweeps, for every "
     "combination. Keys joined by ':' change together, as "
     "in grid.size:run.steps='64 64:1000,128 128:250'",
     OPTION_VERIFY, take_sweep},
    {"--impl", "IMPL",
     "take the steps with this implementation; default: an exact one, and not that of the run, as [run] "
     "implementation = auto would choose it",
     OPTION_AUDIT, take_impls},
    {"--segments", "N", "the number of segments to draw; default: 60", OPTION_AUDIT, take_segments},
    {"--all", NULL, "check every segment", OPTION_AUDIT, take_all},
    {"--seed", "N", "draw the segments of an earlier audit, which printed this number; default: a random one",
     OPTION_AUDIT, take_seed},
    {"--impl", "A,B,C",
     "time these implementations, in this order; default: all implementations of the plugin that can run here. "
     "PLUGIN:A is implementation A of another plugin",
     OPTION_BENCH, take_impls},
    {"--sweep", "SECTION.KEY=V,W",
     "time each value, or each integer of a range such as run.threads=1..8, and print one row for each; with several "
     "sweeps, time every combination. Keys joined by ':' "
     "change together, as in grid.size:run.steps='64 64:1000,128 128:250'",
     OPTION_BENCH, take_sweep},
    {"--devices", "N,N", "time the run on these numbers of GPUs: the same as --sweep run.devices=N,N", OPTION_BENCH,
     take_devices},
    {"--weak", NULL, "with --devices: the grid of N devices is N times as long along its last axis", OPTION_BENCH,
     take_weak},
    {"--repeats", "N", "number of measurements of each row; the table shows their median; default: 5", OPTION_BENCH,
     take_repeats},
    {"--steps", "N",
     "steps of one measurement; default: run.steps if a sweep sets it, otherwise as many steps as take about half a "
     "second",
     OPTION_BENCH, take_steps},
    {"--isolated", NULL,
     "run each implementation in a process of its own, which gets a drawn state when the clock starts; compare what it "
     "answers with the reference",
     OPTION_BENCH, take_isolated},
    {"--draw", "NUMBER", "with --isolated: draw the same states and steps as a table that shows this number",
     OPTION_BENCH, take_draw},
    {"--seconds", "N",
     "with --isolated: time limit of each answer of a process in seconds; default: 120. The reference may take half of "
     "it to repeat the steps of a row",
     OPTION_BENCH, take_seconds},
    {"--memory", "N",
     "with --isolated: limit of the resident memory of each process in MiB; default: nine tenths of the machine's",
     OPTION_BENCH, take_memory},
    {"--csv", "[=FILE]", "print CSV instead of the table; with =FILE, write CSV there and print the table too",
     OPTION_BENCH, take_csv},
    {"--json", "[=FILE]",
     "print one JSON object instead of the table; with =FILE, write it there and print the table too", OPTION_BENCH,
     take_json_file},
    {"--plot", "FILE",
     "draw the rates into FILE as an SVG picture. If its name begins with roofline, draw operations a second over "
     "operations a byte, below the measured limits",
     OPTION_BENCH, take_plot},
    {"--port", "N", "the port on which the page is served; default: any free one", OPTION_VIEW, take_port},
    {"--read-only", NULL, "refuse all that changes the simulation: drawing, pasting, opening files, parameters",
     OPTION_VIEW, take_read_only},
    {"--no-browser", NULL, "print the address, and start no browser", OPTION_VIEW, take_no_browser},
    {"--kind", "bytes|floats|volume|particles", "the kind of plugin; default: bytes", OPTION_KIND, take_kind},
    {"--formats", NULL, "list the file formats instead of the plugins", OPTION_FORMATS, take_formats},
    {"--all", NULL, "with config: list all keys, and not only the basic ones", OPTION_ALL, take_all},
    {"--json", NULL, "print one JSON value on stdout, and nothing else there", OPTION_JSON, take_json},
    {"--plugins", "FOLDER", "search this folder for plugins first; may be given several times", 0, take_folder},
    {"--quiet", NULL, "print no messages except errors, and no summary of a run", 0, take_quiet},
    {"--verbose", NULL, "also print messages for plugin authors", 0, take_verbose},
    {"--help", NULL, "print this help", 0, take_help},
};

enum { OPTION_COUNT = sizeof all_options / sizeof all_options[0] };

const struct option *option_at(const struct verb *verb, uint32_t index)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((all_options[i].group & ~verb->options) == 0 && index-- == 0)
            return &all_options[i];
    return NULL;
}
