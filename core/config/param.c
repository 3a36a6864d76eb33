#include "config/param.h"
#include "base/nearest.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BAD(error, param, text, ...) \
    (error_set((error), ENGINE_STATUS_USAGE, __VA_ARGS__), refuse((error), (param), (text)))

/* Puts "key = text: " in front of the error. */
static int refuse(struct engine_error *error, const struct engine_param *param, const char *text)
{
    return error_prefix(error, "%.80s = %.80s%s: ", param->name, text, strlen(text) > 80 ? "…" : "");
}

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Checks for 0, or an optional '-' and digits of which the first is not 0. Returns NULL, or what is wrong. */
static const char *fault_of_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    size_t count = count_digits(digits);
    const char *rest = digits + count;
    if (*text == '+')
        return "expected a whole number without '+'";
    if (count == 0)
        return "expected a whole number";
    if (strncasecmp(digits, "0x", 2) == 0)
        return "expected a whole number in decimal digits, not hexadecimal";
    if (*rest == '.' || *rest == 'e' || *rest == 'E')
        return "expected a whole number in digits, without '.' and exponent";
    if (*rest != '\0')
        return "expected a whole number and nothing after it";
    if (digits[0] == '0' && count > 1)
        return "expected a whole number without leading zeros";
    return digits[0] == '0' && digits != text ? "expected 0 without a sign" : NULL;
}

/* Checks for the same with an optional fraction and a decimal exponent; there are digits on at least one side of the
 * point. */
static const char *fault_of_real(const char *text)
{
    const char *at = text + (*text == '-');
    size_t whole = count_digits(at), fraction = 0;
    if (*text == '+')
        return "expected a number without '+'";
    if (strncasecmp(at, "nan", 3) == 0 || strncasecmp(at, "inf", 3) == 0)
        return "expected a finite number";
    if (strncasecmp(at, "0x", 2) == 0)
        return "expected a number in decimal digits, not hexadecimal";
    if (whole > 1 && at[0] == '0')
        return "expected a number without leading zeros";
    at += whole;
    if (*at == '.')
        at += 1 + (fraction = count_digits(at + 1));
    if (whole + fraction == 0)
        return "expected a number";
    size_t sign = (*at == 'e' || *at == 'E') && (at[1] == '-' || at[1] == '+');
    size_t exponent = *at == 'e' || *at == 'E' ? count_digits(at + 1 + sign) : 0;
    if (exponent > 0)
        at += 1 + sign + exponent;
    return *at != '\0' ? "expected a number and nothing after it" : NULL;
}

static bool has_range(const struct engine_param *param)
{
    return param->min != param->max;
}

/* Prints "1 to 10", "at least 1" or "at most 10". A bound that no number of the type exceeds is left out. */
static const char *print_range(const struct engine_param *param, char out[128])
{
    bool whole = param->type == ENGINE_PARAM_INTEGER;
    double most = whole ? 0x1p63 : DBL_MAX;
    bool low = has_range(param) && param->min > -most, high = has_range(param) && param->max < most;
    int digits = whole ? 0 : 15;
    char least_text[48], most_text[48];
    snprintf(least_text, sizeof least_text, whole ? "%.*f" : "%.*g", digits, param->min);
    snprintf(most_text, sizeof most_text, whole ? "%.*f" : "%.*g", digits, param->max);
    if (low && high)
        snprintf(out, 128, "%s to %s", least_text, most_text);
    else if (low || high)
        snprintf(out, 128, "%s %s", low ? "at least" : "at most", low ? least_text : most_text);
    else
        snprintf(out, 128, "%s", whole ? "a number of 64 bits" : "a number below 1.8e308");
    return out;
}

static int refuse_range(const struct engine_param *param, const char *text, struct engine_error *error)
{
    char range[128];
    return BAD(error, param, text, "out of range, expected %s%s%.40s", print_range(param, range),
               param->unit ? " " : "", param->unit ? param->unit : "");
}

/* The bounds are doubles; long double holds every 64-bit number too, so that the comparison is exact. */
static bool in_range(const struct engine_param *param, long double number)
{
    return !has_range(param) || (number >= (long double) param->min && number <= (long double) param->max);
}

static int parse_integer(const struct engine_param *param, const char *text, struct engine_value *value,
                         struct engine_error *error)
{
    const char *fault = fault_of_integer(text);
    if (fault)
        return BAD(error, param, text, "%s", fault);
    errno = 0;
    value->integer = strtoll(text, NULL, 10);
    bool fits = errno != ERANGE && in_range(param, (long double) value->integer);
    return fits ? 0 : refuse_range(param, text, error);
}

/* A number too small for a double becomes 0 or the nearest small number. One too large is refused. */
static int parse_real(const struct engine_param *param, const char *text, struct engine_value *value,
                      struct engine_error *error)
{
    const char *fault = fault_of_real(text);
    if (fault)
        return BAD(error, param, text, "%s", fault);
    value->real = strtod(text, NULL);
    value->integer = fabs(value->real) < 0x1p63 ? (int64_t) value->real : 0;
    return isfinite(value->real) && in_range(param, (long double) value->real) ? 0 : refuse_range(param, text, error);
}

/* ---- Words -------------------------------------------------------------------------------------------------- */

static int parse_flag(const struct engine_param *param, const char *text, struct engine_value *value,
                      struct engine_error *error)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0) {
            value->integer = i % 2;
            return 0;
        }
    return BAD(error, param, text, "expected yes or no (true, false, on, off, 1, 0)");
}

static const char *choice_at(const void *list, uint32_t index)
{
    return ((const struct engine_param *) list)->choices[index];
}

static const char *param_name_at(const void *list, uint32_t index)
{
    const struct engine_param_array *params = list;
    return index < params->count ? params->at[index].name : NULL;
}

/* Prints "a, b, c", cut where the space ends. */
static const char *print_names(char out[512], const char *(*name_at)(const void *list, uint32_t index),
                               const void *list)
{
    const char *name;
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; (name = name_at(list, i)) && used + strlen(name) + 8 < 512; i++)
        used += (size_t) snprintf(out + used, 512 - used, "%s%s", i ? ", " : "", name);
    if (name)
        snprintf(out + used, 512 - used, ", …");
    return out;
}

static int parse_choice(const struct engine_param *param, const char *text, struct engine_value *value,
                        struct engine_error *error)
{
    for (uint32_t i = 0; param->choices[i]; i++)
        if (strcmp(text, param->choices[i]) == 0) {
            value->integer = i;
            return 0;
        }
    char names[512], hint[128];
    return BAD(error, param, text, "expected one of %s%s", print_names(names, choice_at, param),
               nearest_hint(hint, text, choice_at, param));
}

static int parse_text(const struct engine_param *param, const char *text, struct engine_value *value,
                      struct engine_error *error)
{
    (void) param, (void) text, (void) value, (void) error; /* every text is a value; `check` may refuse it */
    return 0;
}

/* ---- Values ------------------------------------------------------------------------------------------------- */

int param_parse(const struct engine_param *param, const char *text, const struct param_checker *checker,
                struct engine_value *value, struct engine_error *error)
{
    static int (*const parsers[])(const struct engine_param *, const char *, struct engine_value *,
                                  struct engine_error *) = {
        [ENGINE_PARAM_INTEGER] = parse_integer, [ENGINE_PARAM_REAL] = parse_real,     [ENGINE_PARAM_FLAG] = parse_flag,
        [ENGINE_PARAM_TEXT] = parse_text,       [ENGINE_PARAM_CHOICE] = parse_choice,
    };
    *value = (struct engine_value){.text = text};
    if (parsers[param->type](param, text, value, error) != 0)
        return error->status;
    value->real = param->type == ENGINE_PARAM_REAL ? value->real : (double) value->integer;
    const char *reason = param->check && checker ? checker->check(checker->context, param, value) : NULL;
    return reason ? BAD(error, param, text, "%s", reason) : 0;
}

static int refuse_key(const struct config *config, const char *section, const char *key,
                      const struct engine_param_array *params, struct engine_error *error)
{
    char names[512] = "", hint[128];
    const bool near = *nearest_hint(hint, key, param_name_at, params);
    const char *other = near ? hint : params->count == 0 ? ", which has none" : ", expected one of ";
    if (!near)
        print_names(names, param_name_at, params);
    return error_set(error, ENGINE_STATUS_USAGE, "%s: unknown key '%s' in [%s]%s%s", config_place(config, section, key),
                     key, section, other, names);
}

static bool knows(const struct engine_param_array *params, const char *key)
{
    for (uint32_t i = 0; i < params->count; i++)
        if (strcasecmp(params->at[i].name, key) == 0)
            return true;
    return false;
}

int param_read_section(const struct config *config, const char *section, const struct engine_param_array *params,
                       const struct engine_param_array *others, const struct param_checker *checker,
                       struct engine_value *values, struct engine_error *error)
{
    const char *key;
    char hint[128];
    for (uint32_t i = 0; (key = config_key_at(config, section, i)); i++)
        if (!knows(params, key) && !(others && knows(others, key))) {
            const bool near_others = others && *nearest_hint(hint, key, param_name_at, others);
            return refuse_key(config, section, key, near_others ? others : params, error);
        }
    for (uint32_t i = 0; i < params->count; i++) {
        const struct engine_param *param = &params->at[i];
        const char *text = config_get(config, section, param->name);
        if (param_parse(param, text ? text : param->initial, checker, &values[i], error))
            return error_prefix(error, "%s: [%s] %s", config_place(config, section, param->name), section,
                                text ? "" : "default of ");
    }
    return 0;
}

uint32_t param_parse_sizes(const char *text, bool zeros, uint64_t *numbers, uint32_t most)
{
    uint32_t count = 0;
    for (const char *at = text + strspn(text, " \t"); *at;) {
        size_t digits = count_digits(at), blanks = strspn(at + digits, " \t");
        if (count == most || digits == 0 || digits > 19 || (*at == '0' && (digits > 1 || !zeros)) ||
            (blanks == 0 && at[digits] != '\0'))
            return 0;
        errno = 0;
        long long number = strtoll(at, NULL, 10);
        if (errno == ERANGE)
            return 0;
        numbers[count++] = (uint64_t) number;
        at += digits + blanks;
    }
    return count;
}
