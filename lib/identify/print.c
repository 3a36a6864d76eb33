/* engine_identity_print: what a pattern is, as lines and as JSON. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "files/json.h"
#include "identify/identity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum kind. */
static const struct {
    const char *name, *words;
} kinds[] = {{"unknown", "not known"},
             {"dies", "dies"},
             {"still life", "still life"},
             {"oscillator", "oscillator"},
             {"spaceship", "spaceship"},
             {"settles", "settles"},
             {"gun", "gun, grows linearly"},
             {"puffer", "puffer, grows linearly"},
             {"rake", "rake, grows linearly"},
             {"linear growth", "grows linearly"},
             {"quadratic growth", "grows quadratically, as breeders do"}};

static bool moves(const struct engine_identity *identity)
{
    return identity->move[0] || identity->move[1] || identity->move[2];
}

static bool settles(const struct engine_identity *identity)
{
    return identity->kind == KIND_SETTLES || identity->kind == KIND_DIES;
}

/* ---- Speed ------------------------------------------------------------------------------------------------------- */

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t distance(int64_t move)
{
    return move < 0 ? (uint64_t) -move : (uint64_t) move;
}

/* "orthogonal", "diagonal" or "oblique". */
static const char *direction(const struct engine_identity *identity)
{
    uint64_t largest = 0;
    bool oblique = false;
    int axes = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t far = distance(identity->move[axis]);
        oblique = oblique || (far && largest && far != largest);
        largest = far ? far : largest;
        axes += far > 0;
    }
    return axes == 1 ? "orthogonal" : oblique ? "oblique" : "diagonal";
}

/* "c/4", "2c/5" and, in an oblique direction, "(2,1)c/6". Returns text. */
static const char *speed(const struct engine_identity *identity, char text[96])
{
    uint64_t common = identity->period, far[3];
    char times[48] = "";
    for (int axis = 0; axis < 3; axis++) {
        far[axis] = distance(identity->move[axis]);
        common = divisor(common, far[axis]);
    }
    const uint64_t largest = far[0] > far[1] ? (far[0] > far[2] ? far[0] : far[2]) : far[1] > far[2] ? far[1] : far[2];
    if (strcmp(direction(identity), "oblique") == 0 && identity->rank == 2)
        snprintf(times, sizeof times, "(%" PRIu64 ",%" PRIu64 ")", (far[0] > far[1] ? far[0] : far[1]) / common,
                 (far[0] > far[1] ? far[1] : far[0]) / common);
    else if (largest > common)
        snprintf(times, sizeof times, "%" PRIu64, largest / common);
    if (identity->period == common)
        snprintf(text, 96, "%sc", times);
    else
        snprintf(text, 96, "%sc/%" PRIu64, times, identity->period / common);
    return text;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

enum { COLUMN = 16 };

static void print_line(FILE *out, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void print_line(FILE *out, const char *key, const char *format, ...)
{
    va_list list;
    fprintf(out, "%-*s", COLUMN, key);
    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fputc('\n', out);
}

static void print_numbers(FILE *out, const char *key, const int64_t *numbers, uint32_t count, const char *between)
{
    fprintf(out, "%-*s", COLUMN, key);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%" PRId64, i ? between : "", numbers[i]);
    fputc('\n', out);
}

static void print_tally(FILE *out, const char *key, const struct tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        print_line(out, i == 0 ? key : "", "%" PRIu64 " x %s", tally->at[i].count,
                   *tally->at[i].code ? tally->at[i].code : "cells without a period");
}

static void print_population(FILE *out, const struct engine_identity *identity)
{
    if (identity->fewest == identity->most)
        print_line(out, "population", "%" PRIu64, identity->most);
    else
        print_line(out, "population", "%" PRIu64 " to %" PRIu64, identity->fewest, identity->most);
}

static void print_motion(FILE *out, const struct engine_identity *identity)
{
    char text[96];
    if (!moves(identity))
        return;
    print_numbers(out, "displacement", identity->move, identity->rank, " ");
    print_line(out, "speed", "%s %s", speed(identity, text), direction(identity));
}

static void print_cells(FILE *out, const struct engine_identity *identity)
{
    if (!identity->measured)
        return;
    if (identity->kind == KIND_OSCILLATOR) {
        const double rotor = (double) identity->rotor;
        print_line(out, "rotor", "%" PRIu64 " cells", identity->rotor);
        print_line(out, "stator", "%" PRIu64 " cells", identity->stator);
        print_line(out, "volatility", "%.4g", rotor / (rotor + (double) identity->stator));
        print_line(out, "temperature", "%.4g", rotor > 0 ? identity->heat / rotor : 0);
    }
    if (identity->kind == KIND_OSCILLATOR || identity->kind == KIND_SPACESHIP)
        print_line(out, "heat", "%.4g changes a step", identity->heat);
}

static void print_growth(FILE *out, const struct engine_identity *identity)
{
    if (identity->growth > 0)
        print_line(out, "growth", "%.6g cells a period%s", identity->growth,
                   identity->kind == KIND_QUADRATIC ? ", more than in the period before" : "");
    print_tally(out, "emits", &identity->emitted);
}

static void print_lines(FILE *out, const struct engine_identity *identity)
{
    char text[64];
    print_line(out, "pattern", "%s, %s", identity->path, text_count(identity->first.population, "cell", text));
    print_numbers(out, "box", identity->first.extent, identity->rank, " x ");
    print_line(out, "plugin", "%s%s", identity->plugin, identity->bounded ? ", on the grid that the file states" : "");
    print_line(out, "kind", "%s", kinds[identity->kind].words);
    if (identity->why)
        print_line(out, "reason", "%s: %" PRIu64 " steps", identity->why, identity->steps);
    if (settles(identity))
        print_line(out, "settled", "at step %" PRIu64 ", with %s", identity->settled,
                   text_count(identity->population, "cell", text));
    if (identity->period && identity->kind != KIND_DIES)
        print_line(out, "period", "%" PRIu64, identity->period);
    print_motion(out, identity);
    if (identity->measured)
        print_population(out, identity);
    print_cells(out, identity);
    print_growth(out, identity);
    if (*identity->code)
        print_line(out, "apgcode", "%s", identity->code);
    else
        print_tally(out, "objects", &identity->objects);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_numbers(struct json_object *json, const char *key, const int64_t *numbers, uint32_t count)
{
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < count; i++)
        json_append(array, json_new_integer(numbers[i]));
    json_add(json, key, array);
}

static void add_tally(struct json_object *json, const char *key, const struct tally *tally)
{
    struct json_object *object = json_new_object();
    for (size_t i = 0; i < tally->count; i++)
        json_add_count(object, *tally->at[i].code ? tally->at[i].code : "unknown", tally->at[i].count);
    json_add(json, key, object);
}

static void add_motion(struct json_object *json, const struct engine_identity *identity)
{
    char text[96];
    if (!moves(identity))
        return;
    add_numbers(json, "displacement", identity->move, identity->rank);
    json_add_text(json, "speed", speed(identity, text));
    json_add_text(json, "direction", direction(identity));
}

static void add_cells(struct json_object *json, const struct engine_identity *identity)
{
    const double rotor = (double) identity->rotor;
    if (!identity->measured)
        return;
    json_add_count(json, "fewest_cells", identity->fewest);
    json_add_count(json, "most_cells", identity->most);
    json_add_real(json, "heat", identity->heat);
    if (identity->kind != KIND_OSCILLATOR)
        return;
    json_add_count(json, "rotor", identity->rotor);
    json_add_count(json, "stator", identity->stator);
    json_add_real(json, "volatility", rotor / (rotor + (double) identity->stator));
    json_add_real(json, "temperature", rotor > 0 ? identity->heat / rotor : 0);
}

static void add_growth(struct json_object *json, const struct engine_identity *identity)
{
    if (identity->kind < KIND_GUN)
        return;
    json_add_real(json, "growth", identity->growth);
    add_tally(json, "emits", &identity->emitted);
}

static struct json_object *as_json(const struct engine_identity *identity)
{
    struct json_object *json = json_new_object();
    json_add_text(json, "pattern", identity->path);
    json_add_text(json, "plugin", identity->plugin);
    json_add(json, "bounded", json_new_flag(identity->bounded));
    json_add_count(json, "cells", identity->first.population);
    add_numbers(json, "box", identity->first.extent, identity->rank);
    json_add_text(json, "kind", kinds[identity->kind].name);
    json_add_text(json, "reason", identity->why);
    json_add_count(json, "steps", identity->steps);
    if (settles(identity)) {
        json_add_count(json, "settled", identity->settled);
        json_add_count(json, "population", identity->population);
    }
    if (identity->period && identity->kind != KIND_DIES)
        json_add_count(json, "period", identity->period);
    add_motion(json, identity);
    add_cells(json, identity);
    add_growth(json, identity);
    json_add_known_text(json, "apgcode", identity->code);
    add_tally(json, "objects", &identity->objects);
    return json;
}

int engine_identity_print(const struct engine_identity *identity, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    size_t length;
    *text = NULL;
    if (form == ENGINE_JSON)
        return json_take_lines(as_json(identity), text, error);
    FILE *out = open_memstream(text, &length);
    if (out)
        print_lines(out, identity);
    return out && text_stream_close(out, text) ? 0 : error_memory(error, 1, "the text about a pattern");
}
