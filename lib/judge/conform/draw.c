#include "judge/conform/draw.h"
#include "base/random.h"
#include "base/text.h"
#include "base/xxh.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 1 << 18 }; /* of all fields together: a draw takes some milliseconds */

/* A draw that is being made. The random numbers of a key are a stream of their own, so that another key more or less
 * does not change them. */
struct drawing {
    struct test *test;
    struct draw *draw;
    const struct engine_param *param; /* whose value is drawn */
    uint64_t number, stream, taken;
};

/* ---- Random numbers -------------------------------------------------------------------------------------------- */

static uint64_t below(struct drawing *drawing, uint64_t count)
{
    uint32_t word;
    random_words(drawing->number, drawing->stream, drawing->taken++, 1, &word);
    return word * count >> 32;
}

static bool chance(struct drawing *drawing, uint32_t eighths)
{
    return below(drawing, 8) < eighths;
}

/* Often tiny, often beside a multiple of 64 or a power of two. */
static uint64_t draw_length(struct drawing *drawing)
{
    switch (below(drawing, 8)) {
    case 0:
    case 1:
    case 2:
        return 1 + below(drawing, 8);
    case 3:
        return 1 + below(drawing, 70);
    case 4:
        return 64 * (1 + below(drawing, 4)) - 3 + below(drawing, 7);
    case 5:
        return UINT64_C(1) << below(drawing, 11);
    case 6:
        return 8 * (1 + below(drawing, 40));
    default:
        return 1 + below(drawing, 1100);
    }
}

/* ---- Keys and values ------------------------------------------------------------------------------------------- */

static struct draw_key *key_named(struct draw *draw, const char *name)
{
    for (uint32_t i = 0; i < draw->count; i++)
        if (strcmp(draw->at[i].name, name) == 0)
            return &draw->at[i];
    return NULL;
}

static void append(char *value, const char *format, ...) ENGINE_PRINTF(2, 3);

static void append(char *value, const char *format, ...)
{
    const size_t length = strlen(value);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value + length, DRAW_VALUE_MAX - length, format, arguments);
    va_end(arguments);
}

static uint32_t grid_rank(const struct test *test)
{
    const struct engine_field_array *fields = &test->plugin->fields;
    uint32_t most = 0;
    for (uint32_t i = 0; i < fields->count; i++)
        most = fields->at[i].rank > most ? fields->at[i].rank : most;
    return most;
}

/* The writers append a value. They return false where there is none to draw. */
typedef bool writer(struct drawing *drawing, char *value);

/* The axes share a number of cells, and the first one to draw takes what it likes. */
static bool write_size(struct drawing *drawing, char *value)
{
    const uint32_t rank = grid_rank(drawing->test), first = (uint32_t) below(drawing, rank);
    uint64_t left = chance(drawing, 1) ? 1 << 15 : 1 << 12, extent[3];
    const bool equal = chance(drawing, 1);
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t *length = &extent[(first + i) % rank];
        *length = draw_length(drawing);
        *length = *length < left ? *length : left;
        left /= *length;
    }
    for (uint32_t i = 0; i < rank; i++)
        append(value, "%s%llu", i ? " " : "", (unsigned long long) extent[equal ? (first + rank - 1) % rank : i]);
    return true;
}

static bool write_length(struct drawing *drawing, char *value)
{
    append(value, "%llu", (unsigned long long) draw_length(drawing));
    return true;
}

/* Some implementations take squares alone. */
static bool write_rows(struct drawing *drawing, char *value)
{
    const struct draw_key *columns = key_named(drawing->draw, "matrix.columns");
    if (!columns || !chance(drawing, 2))
        return write_length(drawing, value);
    append(value, "%s", columns->value);
    return true;
}

static bool write_element(struct drawing *drawing, char *value)
{
    append(value, "%s", engine_type_name((uint32_t) below(drawing, ENGINE_C128 + 1)));
    return true;
}

static bool write_few(struct drawing *drawing, char *value)
{
    append(value, "%llu", (unsigned long long) (1 + below(drawing, 5)));
    return true;
}

static bool write_edges(struct drawing *drawing, char *value)
{
    static const char *const words[] = {"dead", "dead", "dead", "mirror", "fixed", "torus", "twisted", "sphere"};
    const uint32_t axes = chance(drawing, 4) ? 1 : grid_rank(drawing->test);
    for (uint32_t i = 0; i < axes; i++)
        append(value, "%s%s", i ? " " : "", words[below(drawing, 8)]);
    return true;
}

static bool has_edge(struct drawing *drawing, const char *word)
{
    const struct draw_key *edges = key_named(drawing->draw, "grid.edges");
    return edges && text_has_word(edges->value, word);
}

static bool write_edge_value(struct drawing *drawing, char *value)
{
    append(value, "%llu", (unsigned long long) below(drawing, 2));
    return has_edge(drawing, "fixed");
}

static bool write_edge_shift(struct drawing *drawing, char *value)
{
    const unsigned long long shift = 1 + below(drawing, 9);
    append(value, chance(drawing, 4) ? "%llu 0" : "0 %llu", shift);
    return grid_rank(drawing->test) == 2 && has_edge(drawing, "torus") && chance(drawing, 4);
}

static bool write_box(struct drawing *drawing, char *value)
{
    static const char *const edges[] = {"1", "1.5", "2", "3", "5", "7.25", "10", "20"};
    const bool tilts = chance(drawing, 2);
    const uint64_t same = below(drawing, 8);
    const bool equal = chance(drawing, 4);
    for (int i = 0; i < 3; i++)
        append(value, "%s%s", i ? " " : "", edges[equal ? same : below(drawing, 8)]);
    for (int i = 0; tilts && i < 3; i++)
        append(value, " %s0.%llu", chance(drawing, 4) ? "-" : "", (unsigned long long) below(drawing, 5));
    return true;
}

/* Where random values are no valid states, the plugin marks a generator, and this is drawn alone. */
static bool write_source(struct drawing *drawing, char *value)
{
    const struct engine_generator_array *generators = &drawing->test->plugin->generators;
    const uint64_t drawn = below(drawing, 8), generator = generators->count ? below(drawing, generators->count) : 0;
    const char *source = drawn == 0                       ? "defaults"
                         : drawn == 1                     ? "random-unit"
                         : drawn < 5 && generators->count ? generators->at[generator].name
                                                          : "random";
    for (uint32_t i = 0; i < generators->count; i++)
        if (generators->at[i].flags & ENGINE_GENERATOR_CONFORM)
            source = generators->at[i].name;
    append(value, "%s", source);
    return true;
}

static bool write_density(struct drawing *drawing, char *value)
{
    append(value, "0.%02llu", (unsigned long long) below(drawing, 100));
    return true;
}

static bool write_seed(struct drawing *drawing, char *value)
{
    append(value, "%llu", (unsigned long long) below(drawing, 100000));
    return true;
}

/* ---- Parameters of the plugin ---------------------------------------------------------------------------------- */

/* The smallest numbers, the largest one, or any up to some thousands. */
static bool write_integer(struct drawing *drawing, char *value)
{
    const struct engine_param *param = drawing->param;
    const double most = param->min < param->max ? param->max - param->min : 1 << 12;
    const uint64_t range = most < 1 << 12 ? (uint64_t) most : 1 << 12, few = range < 16 ? range : 16;
    const uint64_t drawn[] = {below(drawing, few + 1), below(drawing, range + 1), range,
                              UINT64_C(1) << below(drawing, 13)};
    const uint64_t number = drawn[below(drawing, 4)];
    append(value, "%lld", (long long) param->min + (long long) (number < range ? number : range));
    return true;
}

/* Beside the default, or the smallest number where that is no limit of the arithmetic. */
static bool write_real(struct drawing *drawing, char *value)
{
    static const double factors[] = {0.25, 0.5, 0.75, 0.9, 1.1, 1.5, 2, 3};
    const struct engine_param *param = drawing->param;
    const double initial = strtod(param->initial, NULL);
    double number = (initial == 0 ? 1 : initial) * factors[below(drawing, 8)];
    if (param->min < param->max)
        number = number < param->min ? param->min : number > param->max ? param->max : number;
    if (chance(drawing, 1) && (param->min == 0 || (param->min > 1e-3 && param->min < 1e3)))
        number = param->min;
    append(value, "%.6g", number);
    return true;
}

static bool write_flag(struct drawing *drawing, char *value)
{
    append(value, "%s", below(drawing, 2) ? "yes" : "no");
    return true;
}

static bool write_choice(struct drawing *drawing, char *value)
{
    uint32_t count = 0;
    while (drawing->param->choices[count])
        count++;
    append(value, "%s", drawing->param->choices[below(drawing, count)]);
    return true;
}

/* Copies a word of the parameter's description, such as an example of a rule, without the punctuation around it. */
static void copy_word(struct drawing *drawing, char *value)
{
    static const char blank[] = " ", around[] = "(),;:.";
    const char *help = drawing->param->help ? drawing->param->help : "", *word = help;
    uint64_t count = 0;
    for (const char *at = help; *at; at += strcspn(at, blank), at += strspn(at, blank))
        count++;
    for (uint64_t left = count ? below(drawing, count) : 0; left > 0; left--)
        word += strcspn(word, blank), word += strspn(word, blank);
    word += strspn(word, around);
    size_t length = strcspn(word, blank);
    while (length > 0 && strchr(around, word[length - 1]))
        length--;
    append(value, "%.*s", (int) length, word);
}

/* Replaces a digit, adds one beside it, or removes it. */
static void change_digit(struct drawing *drawing, char *value)
{
    uint32_t digits = 0;
    for (const char *c = value; *c; c++)
        digits += isdigit((unsigned char) *c) != 0;
    if (digits == 0)
        return;
    char *at = value, digit = (char) ('0' + below(drawing, 10));
    for (uint64_t left = below(drawing, digits) + 1; left > 0; at++)
        left -= isdigit((unsigned char) *at) != 0;
    const uint64_t how = below(drawing, 3);
    if (how == 0)
        at[-1] = digit;
    else if (how == 1)
        memmove(at - 1, at, strlen(at) + 1);
    else if (strlen(value) + 2 < DRAW_VALUE_MAX) {
        memmove(at + 1, at, strlen(at) + 1);
        *at = digit;
    }
}

static bool is_real(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text && *end == '\0';
}

/* The plugin declares no grammar: its default and the examples in its description, with other digits. */
static bool write_text(struct drawing *drawing, char *value)
{
    if (drawing->param->flags & ENGINE_PARAM_PATH)
        return false;
    if (is_real(drawing->param->initial))
        return write_real(drawing, value);
    if (chance(drawing, 4))
        copy_word(drawing, value);
    else
        append(value, "%s", drawing->param->initial);
    for (uint64_t changes = below(drawing, 5); changes > 0; changes--)
        change_digit(drawing, value);
    return *value != '\0';
}

static writer *const param_writers[] = {
    [ENGINE_PARAM_INTEGER] = write_integer, [ENGINE_PARAM_REAL] = write_real,     [ENGINE_PARAM_FLAG] = write_flag,
    [ENGINE_PARAM_TEXT] = write_text,       [ENGINE_PARAM_CHOICE] = write_choice,
};

/* ---- The keys of the engine ------------------------------------------------------------------------------------ */

enum { GRIDS = 1u << ENGINE_GRID, PARTICLES = 1u << ENGINE_PARTICLES, MATRICES = 1u << ENGINE_MATRIX, ALL = 0xff };

/* Keys of one group follow each other: they are drawn, refused and left out together. */
struct drawn_key {
    uint32_t group;
    const char *name;
    uint32_t kinds;   /* of fields that it is for */
    uint32_t eighths; /* how often it is drawn */
    bool needed;
    writer *write;
};

static const struct drawn_key drawn_keys[] = {
    {0, "grid.size", GRIDS, 8, true, write_size},
    {0, "particles.count", PARTICLES, 8, true, write_length},
    {0, "matrix.columns", MATRICES, 8, true, write_length},
    {0, "matrix.rows", MATRICES, 8, true, write_rows},
    {0, "matrix.element", MATRICES, 8, true, write_element},
    {0, "run.threads", ALL, 8, true, write_few},
    {1, "matrix.batch", MATRICES, 3, false, write_few},
    {2, "grid.edges", GRIDS, 4, false, write_edges},
    {2, "grid.edge_value", GRIDS, 8, false, write_edge_value},
    {2, "grid.edge_shift", GRIDS, 8, false, write_edge_shift},
    {3, "grid.batch", GRIDS, 2, false, write_few},
    {3, "particles.batch", PARTICLES, 2, false, write_few},
    {4, "particles.box", PARTICLES, 4, false, write_box},
    {5, "init.source", ALL, 8, false, write_source},
    {6, "init.density", GRIDS, 5, false, write_density},
    {7, "init.seed", ALL, 8, false, write_seed},
    {8, "run.parts", ALL, 3, false, write_few},
    {9, "run.margin", GRIDS, 1, false, write_few},
};

enum { DRAWN_KEYS = sizeof drawn_keys / sizeof drawn_keys[0] };

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

static int set_keys(const struct draw *draw, struct engine_config *config, struct engine_error *error)
{
    for (uint32_t i = 0; i < draw->count; i++) {
        char assignment[DRAW_NAME_MAX + DRAW_VALUE_MAX];
        snprintf(assignment, sizeof assignment, "%s=%s", draw->at[i].name, draw->at[i].value);
        if (engine_config_set(config, assignment, error) != 0)
            return error->status;
    }
    return 0;
}

int draw_config(const struct test *test, const struct draw *draw, struct engine_config **config,
                struct engine_error *error)
{
    if ((test->config ? engine_config_copy(test->config, config, error)
                      : engine_config_open(test->context, NULL, config, error)) != 0)
        return error->status;
    engine_config_set_context(*config, test->context);
    int status = engine_config_put(*config, "run", "plugin", test->name, error);
    for (uint32_t i = 0; status == 0 && i < test->setting_count; i++)
        status = engine_config_set(*config, test->settings[i], error);
    if (status == 0 && set_keys(draw, *config, error) == 0)
        return 0;
    engine_config_close(*config);
    *config = NULL;
    return error->status;
}

static bool is_small(const struct test *test, struct engine_run *run)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < test->plugin->fields.count; i++) {
        struct engine_shape shape = {.size = sizeof shape};
        engine_run_shape(run, i, &shape);
        all += shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components;
    }
    return all <= ELEMENTS_MAX;
}

/* Does a plan take the keys that are drawn so far? */
static bool is_taken(const struct drawing *drawing)
{
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    struct engine_error error;
    const bool taken = draw_config(drawing->test, drawing->draw, &config, &error) == 0 &&
                       engine_run_plan_steps(config, NULL, &run, &error) == 0 &&
                       engine_run_check_init(run, &error) == 0 && is_small(drawing->test, run);
    engine_run_close(run);
    engine_config_close(config);
    return taken;
}

static bool is_given(const struct drawing *drawing, const char *name)
{
    char section[DRAW_NAME_MAX];
    struct engine_config *config;
    struct engine_error error;
    const struct draw none = {0};
    if (key_named(drawing->draw, name) || draw_config(drawing->test, &none, &config, &error) != 0)
        return true;
    const char *key = strchr(name, '.') + 1;
    snprintf(section, sizeof section, "%.*s", (int) (key - name - 1), name);
    const char *value = engine_config_get(config, section, key);
    const bool given = value && *value;
    engine_config_close(config);
    return given;
}

static void add(struct draw *draw, const char *name, const char *value, bool needed)
{
    struct draw_key *key = &draw->at[draw->count];
    key->needed = needed;
    snprintf(key->name, sizeof key->name, "%s", name);
    snprintf(key->value, sizeof key->value, "%s", value);
    draw->count += draw->count < DRAW_KEYS_MAX - 1;
}

/* Draws one key. Its `attempt` has random numbers of its own. */
static void draw_key(struct drawing *drawing, const char *name, uint32_t attempt, uint32_t eighths, bool needed,
                     writer *write)
{
    char value[DRAW_VALUE_MAX] = "";
    drawing->stream = XXH3_64bits_withSeed(name, strlen(name), attempt);
    drawing->taken = 0;
    if (chance(drawing, eighths) && !is_given(drawing, name) && write(drawing, value))
        add(drawing->draw, name, value, needed);
}

static uint32_t field_kinds(const struct test *test)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < test->plugin->fields.count; i++)
        kinds |= 1u << test->plugin->fields.at[i].kind;
    return kinds;
}

/* Draws the group that begins with key `first` until it is taken. Returns the first key of the next one. */
static uint32_t draw_group(struct drawing *drawing, uint32_t first)
{
    const uint32_t group = drawn_keys[first].group, kinds = field_kinds(drawing->test), kept = drawing->draw->count,
                   attempts = group == 0 ? 32 : 6;
    uint32_t next = first;
    bool taken = false;
    for (uint32_t attempt = 0; attempt < attempts && !taken; attempt++) {
        drawing->draw->count = kept;
        for (next = first; next < DRAWN_KEYS && drawn_keys[next].group == group; next++)
            if (drawn_keys[next].kinds & kinds)
                draw_key(drawing, drawn_keys[next].name, attempt, drawn_keys[next].eighths, drawn_keys[next].needed,
                         drawn_keys[next].write);
        taken = drawing->draw->count == kept || is_taken(drawing);
    }
    if (!taken && group != 0)
        drawing->draw->count = kept;
    return next;
}

static void draw_param(struct drawing *drawing, const struct engine_param *param)
{
    char name[DRAW_NAME_MAX];
    const uint32_t kept = drawing->draw->count;
    bool taken = false;
    snprintf(name, sizeof name, "%s.%s", drawing->test->name, param->name);
    drawing->param = param;
    for (uint32_t attempt = 0; attempt < 10 && !taken; attempt++) {
        drawing->draw->count = kept;
        draw_key(drawing, name, attempt, 4, false, param_writers[param->type]);
        taken = drawing->draw->count == kept || is_taken(drawing);
    }
    if (!taken)
        drawing->draw->count = kept;
}

/* Of keys that change together, each takes its part of the value. */
static void draw_sweep(struct drawing *drawing, const struct sweep *sweep)
{
    drawing->stream = XXH3_64bits(sweep->name, strlen(sweep->name));
    drawing->taken = 0;
    const char *value = sweep->values[below(drawing, sweep->count)];
    for (uint32_t i = 0; i < sweep->key_count; i++) {
        char part[DRAW_VALUE_MAX];
        const size_t length = sweep->key_count > 1 ? strcspn(value, ":") : strlen(value);
        snprintf(part, sizeof part, "%.*s", (int) length, value);
        add(drawing->draw, sweep->keys[i], part, false);
        value += length + 1;
    }
}

void draw_make(struct test *test, const struct sweeps *sweeps, uint64_t number, struct draw *draw)
{
    struct drawing drawing = {.test = test, .draw = draw, .number = number};
    draw->count = 0;
    draw->steps = below(&drawing, 2) ? 1 + below(&drawing, 100) : 1 + below(&drawing, 10);
    for (uint32_t i = 0; i < sweeps->count; i++)
        draw_sweep(&drawing, &sweeps->at[i]);
    for (uint32_t i = 0; i < DRAWN_KEYS;)
        i = draw_group(&drawing, i);
    for (uint32_t i = 0; i < test->plugin->params.count; i++)
        draw_param(&drawing, &test->plugin->params.at[i]);
}
