#include "options.h"
#include "param.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t split_at(char separator, char *text, char **parts, uint32_t most)
{
    uint32_t count = 0;
    for (char *next = text; next; count++) {
        char *part = next + strspn(next, " ");
        next = strchr(part, separator);
        if (next)
            *next++ = '\0';
        for (char *end = part + strlen(part); end > part && end[-1] == ' ';)
            *--end = '\0';
        if (count == most || *part == '\0')
            return 0;
        parts[count] = part;
    }
    return count;
}

enum word_kind { FLAG, VALUE };

struct option {
    const char *name;
    enum word_kind kind;
    uint32_t needs; /* OPTION_…, or 0: every verb has it */
    int (*take)(struct options *options, const char *value, struct error *error);
};

static int take_json(struct options *options, const char *value, struct error *error)
{
    (void) value, (void) error;
    options->json = true;
    return 0;
}

static int take_force(struct options *options, const char *value, struct error *error)
{
    (void) value, (void) error;
    options->force = true;
    return 0;
}

static int take_help(struct options *options, const char *value, struct error *error)
{
    (void) value, (void) error;
    options->help = true;
    return 0;
}

static int take_quiet(struct options *options, const char *value, struct error *error)
{
    (void) options, (void) value, (void) error;
    host_verbosity = HOST_QUIET;
    return 0;
}

static int take_verbose(struct options *options, const char *value, struct error *error)
{
    (void) options, (void) value, (void) error;
    host_verbosity = HOST_VERBOSE;
    return 0;
}

static int take_set(struct options *options, const char *value, struct error *error)
{
    if (options->set_count == sizeof options->set / sizeof options->set[0])
        return error_set(error, STATUS_USAGE, "--set is given more than %u times", options->set_count);
    options->set[options->set_count++] = value;
    return 0;
}

static int take_folder(struct options *options, const char *value, struct error *error)
{
    if (options->folder_count == sizeof options->folders / sizeof options->folders[0])
        return error_set(error, STATUS_USAGE, "--plugins is given more than %u times", options->folder_count);
    options->folders[options->folder_count++] = value;
    return 0;
}

static int take_scale(struct options *options, const char *value, struct error *error)
{
    static const struct engine_param scale = {
        .name = "scale", .type = ENGINE_PARAM_INTEGER, .initial = "1", .min = 1, .max = 64};
    struct engine_value number;
    if (param_parse(&scale, value, NULL, &number, error) != 0)
        return error_prefix(error, "--scale: ");
    options->picture.scale = (uint32_t) number.integer;
    return 0;
}

static int take_axis(struct options *options, const char *value, struct error *error)
{
    static const char axes[] = "zyx";
    const char *axis = value[0] != '\0' && value[1] == '\0' ? strchr(axes, value[0]) : NULL;
    if (!axis)
        return error_set(error, STATUS_USAGE, "--axis: '%s' is none; x, y or z was expected", value);
    options->picture.axis = (uint32_t) (axis - axes);
    return 0;
}

static int take_slice(struct options *options, const char *value, struct error *error)
{
    static const struct engine_param slice = {
        .name = "slice", .type = ENGINE_PARAM_INTEGER, .initial = "-1", .min = IO_MIDDLE, .max = 1e15};
    struct engine_value number;
    if (param_parse(&slice, value, NULL, &number, error) != 0)
        return error_prefix(error, "--slice: ");
    options->picture.view = IO_SLICE;
    options->picture.slice = number.integer;
    return 0;
}

static int take_colours(struct options *options, const char *value, struct error *error)
{
    static const struct engine_param colours = {
        .name = "colours", .type = ENGINE_PARAM_CHOICE, .initial = "grey", .choices = io_colour_names};
    struct engine_value choice;
    if (param_parse(&colours, value, NULL, &choice, error) != 0)
        return error_prefix(error, "--colours: ");
    options->picture.colours = (enum io_colours) choice.integer;
    return 0;
}

static int take_range(struct options *options, const char *value, struct error *error)
{
    static const struct engine_param end = {.name = "range", .type = ENGINE_PARAM_REAL, .initial = "0"};
    char text[128], *parts[2];
    double *range = options->picture.range;
    snprintf(text, sizeof text, "%s", value);
    if (strlen(value) >= sizeof text || split_at(',', text, parts, 2) != 2)
        return error_set(error, STATUS_USAGE, "--range: '%s' is none; LOW,HIGH was expected, as in 0,0.4", value);
    for (int i = 0; i < 2; i++) {
        struct engine_value number;
        if (param_parse(&end, parts[i], NULL, &number, error) != 0)
            return error_prefix(error, "--range: ");
        range[i] = number.real;
    }
    return range[0] != range[1]
               ? 0
               : error_set(error, STATUS_USAGE, "--range: '%s': two different values were expected", value);
}

/* A whole number from 1 to `most`. */
static int take_number(const char *name, const char *text, double most, uint64_t *number, struct error *error)
{
    const struct engine_param param = {.name = name, .type = ENGINE_PARAM_INTEGER, .min = 1, .max = most};
    struct engine_value value;
    if (param_parse(&param, text, NULL, &value, error) != 0)
        return error_prefix(error, "%s: ", name);
    *number = (uint64_t) value.integer;
    return 0;
}

static int take_steps(struct options *options, const char *value, struct error *error)
{
    return take_number("--steps", value, 1e15, &options->steps, error);
}

static int take_repeats(struct options *options, const char *value, struct error *error)
{
    uint64_t repeats = 0;
    if (take_number("--repeats", value, 10000, &repeats, error) != 0)
        return error->status;
    options->repeats = (uint32_t) repeats;
    return 0;
}

int options_impls(struct options *options, char *text, struct error *error)
{
    options->impl_count = split_at(',', text, options->impls, sizeof options->impls / sizeof options->impls[0]);
    return options->impl_count
               ? 0
               : error_set(error, STATUS_USAGE, "expected names with commas between them, as in cpu,cuda");
}

static int take_impls(struct options *options, const char *value, struct error *error)
{
    /* A word of the command line, which is the program's to change; what is shown of it was copied before. */
    return options_impls(options, (char *) (uintptr_t) value, error) == 0 ? 0 : error_prefix(error, "--impl: ");
}

static int take_sweep(struct options *options, const char *value, struct error *error)
{
    if (options->sweep_count == sizeof options->sweeps / sizeof options->sweeps[0])
        return error_set(error, STATUS_USAGE, "--sweep is given more than %u times", options->sweep_count);
    options->sweeps[options->sweep_count++] = value;
    return 0;
}

static int take_csv(struct options *options, const char *value, struct error *error)
{
    (void) value, (void) error;
    options->csv = true;
    return 0;
}

static const struct option all_options[] = {
    {"--help", FLAG, 0, take_help},
    {"--quiet", FLAG, 0, take_quiet},
    {"--verbose", FLAG, 0, take_verbose},
    {"--plugins", VALUE, 0, take_folder},
    {"--json", FLAG, OPTION_JSON, take_json},
    {"--set", VALUE, OPTION_SET, take_set},
    {"--force", FLAG, OPTION_FORCE, take_force},
    {"--scale", VALUE, OPTION_PICTURE, take_scale},
    {"--axis", VALUE, OPTION_PICTURE, take_axis},
    {"--slice", VALUE, OPTION_PICTURE, take_slice},
    {"--range", VALUE, OPTION_PICTURE, take_range},
    {"--colours", VALUE, OPTION_PICTURE, take_colours},
    {"--impl", VALUE, OPTION_IMPL, take_impls},
    {"--steps", VALUE, OPTION_STEPS, take_steps},
    {"--repeats", VALUE, OPTION_BENCH, take_repeats},
    {"--sweep", VALUE, OPTION_BENCH, take_sweep},
    {"--csv", FLAG, OPTION_BENCH, take_csv},
};

static const char *option_name_at(const void *list, uint32_t index)
{
    const uint32_t known = *(const uint32_t *) list;
    for (size_t i = 0; i < sizeof all_options / sizeof all_options[0]; i++)
        if ((all_options[i].needs & ~known) == 0 && index-- == 0)
            return all_options[i].name;
    return NULL;
}

/* The option that a word names, before any '='; NULL: none of this verb's. */
static const struct option *find_option(const char *word, uint32_t known)
{
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof all_options / sizeof all_options[0]; i++)
        if ((all_options[i].needs & ~known) == 0 && strlen(all_options[i].name) == length &&
            strncmp(all_options[i].name, word, length) == 0)
            return &all_options[i];
    return NULL;
}

/* Takes the option at words[*i], and its value from the same word or the next. */
static int take_option(const struct verb *verb, int count, char **words, int *i, uint32_t known,
                       struct options *options, struct error *error)
{
    const char *word = words[*i], *value = strchr(word, '=');
    const struct option *option = find_option(word, known);
    char hint[128];
    if (!option)
        return error_set(error, STATUS_USAGE, "unknown option '%s'%s; `engine %s --help` lists them", word,
                         nearest_hint(hint, word, option_name_at, &known), verb->name);
    if (option->kind == FLAG && value)
        return error_set(error, STATUS_USAGE, "%s takes no value", option->name);
    if (option->kind == VALUE && !value) {
        if (*i + 1 == count)
            return error_set(error, STATUS_USAGE, "%s needs a value; `engine %s --help` shows how", word, verb->name);
        value = words[++*i];
    } else if (value)
        value++;
    return option->take(options, value, error);
}

int options_read(const struct verb *verb, int count, char **words, uint32_t known, uint32_t least, uint32_t most,
                 struct options *options, struct error *error)
{
    memset(options, 0, sizeof *options);
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "--", 2) == 0) {
            if (take_option(verb, count, words, &i, known, options, error) != 0)
                return error->status;
        } else if (strcmp(words[i], "-h") == 0)
            options->help = true;
        else if (options->word_count == most)
            return error_set(error, STATUS_USAGE, "'%s' is one word too many; `engine %s --help` shows what goes there",
                             words[i], verb->name);
        else
            options->words[options->word_count++] = words[i];
    }
    if (options->help) {
        printf("%s", verb->help);
        return 0;
    }
    if (options->word_count < least)
        return error_set(error, STATUS_USAGE, "something is missing after `engine %s`; `engine %s --help` shows what",
                         verb->name, verb->name);
    return 0;
}

int options_config(const struct options *options, const char *path, struct config **config, struct error *error)
{
    if (config_open(path, config, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < options->set_count; i++)
        if (config_set(*config, options->set[i], error) != 0) {
            config_close(*config);
            *config = NULL;
            return error->status;
        }
    return 0;
}

int options_registry(const struct options *options, struct registry **registry, struct error *error)
{
    return registry_open(options->folders, options->folder_count, registry, error);
}

int report(const struct error *error)
{
    progress_clear();
    fprintf(stderr, "engine: %s\n", error->text);
    return error->status;
}

int finish_stdout(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "engine: standard output: cannot write: %s\n", strerror(errno));
    return status ? status : STATUS_OUTPUT;
}
