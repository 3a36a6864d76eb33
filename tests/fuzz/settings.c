/* Configurations: the strict scan, iniparser, and the values of all sections. */
#include "fuzz.h"

#include "base/context.h"
#include "config/param.h"
#include "modules.h"
#include "plugin/host.h"
#include "record/section_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A plugin with a parameter of each type, which no file holds --------------------------------------------- */

static int refuse_dashes(const struct engine_host *host, const struct engine_value *value)
{
    return strchr(value->text, '-') ? ENGINE_FAIL(host, ENGINE_INVALID, "'%s' has a dash", value->text) : 0;
}

static const char *const words[] = {"auto", "streaming", "resident", NULL};
static const struct engine_param params[] = {
    {.name = "whole", .help = "a number", .type = ENGINE_PARAM_INTEGER, .initial = "0", .min = -9e18, .max = 9e18},
    {.name = "real", .help = "a number", .unit = "m", .type = ENGINE_PARAM_REAL, .initial = "0.5"},
    {.name = "flag", .help = "yes or no", .type = ENGINE_PARAM_FLAG, .initial = "no"},
    {.name = "choice", .help = "a word", .type = ENGINE_PARAM_CHOICE, .initial = "auto", .choices = words},
    {.name = "text", .help = "a text", .type = ENGINE_PARAM_TEXT, .initial = "", .check = refuse_dashes},
};
static const struct engine_field fields[] = {
    {.name = "cells", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_U8, .components = 1, .rank = 2},
    {.name = "position", .kind = ENGINE_PARTICLES, .role = ENGINE_INPUT, .type = ENGINE_F32, .components = 3},
};
static const struct plugin plugin = {
    .path = "fuzz.so",
    .about = {.name = "fuzz", .params = ENGINE_ARRAY(params), .fields = ENGINE_ARRAY(fields)},
};

/* ---- Values ------------------------------------------------------------------------------------------------- */

/* The message "was the file changed?" means that iniparser and the strict scan read the same file differently, which is
 * an error of the engine. */
static void expect_error(int status, const struct engine_error *error)
{
    static const char differ[] = "was the file changed?";
    const size_t length = strlen(error->text), end = sizeof differ - 1;
    fuzz_expect(status == ENGINE_STATUS_USAGE || status == ENGINE_STATUS_DEVICE, "status %d: %s", status, error->text);
    fuzz_expect(error->text[0] != '\0', "an error without a text");
    fuzz_expect(length < end || strcmp(error->text + length - end, differ) != 0, "%s", error->text);
}

static void expect_settings(const struct settings *settings)
{
    const struct output_settings *output = settings_section(settings, &output_section);
    for (int i = 0; i < 6; i++)
        fuzz_expect(isfinite(settings->box[i]), "box[%d] is %g", i, settings->box[i]);
    for (int i = 0; i < 4; i++)
        fuzz_expect(isfinite(output->how.bounds[i]), "bounds[%d] is %g", i, output->how.bounds[i]);
    fuzz_expect(settings->grid_rank <= 3 && output->format_count <= OUTPUT_FORMATS_MAX, "counts beyond the limits");
    fuzz_expect(settings->threads >= 1, "no threads");
}

static void read_settings(const struct config *config)
{
    static const struct context context = {.modules = &engine_modules};
    static struct registry *none; /* no plugin but the one above */
    struct settings settings;
    struct engine_error error = {0};
    if (none == NULL)
        fuzz_expect(registry_open(&context, &none, &error) == 0, "no registry: %s", error.text);
    const int status = settings_read(config, none, &plugin, &settings, &error);
    if (status == 0)
        expect_settings(&settings);
    else
        expect_error(status, &error);
    settings_release(&settings);
}

static void read_params(const struct config *config)
{
    struct engine_value values[sizeof params / sizeof params[0]];
    struct engine_error error = {0};
    struct host host;
    host_init(&host, NULL, "fuzz", 1, NULL);
    const struct param_checker checker = host_param_checker(&host);
    const int status = param_read_section(config, "fuzz", &plugin.about.params, NULL, &checker, values, &error);
    if (status == 0)
        fuzz_expect(isfinite(values[1].real) && values[2].integer >> 1 == 0 && values[3].integer < 3, "a wrong value");
    else
        expect_error(status, &error);
    host_release(&host);
}

static void expect_names(const struct config *config)
{
    const char *section, *key;
    for (uint32_t i = 0; (section = config_section_at(config, i)) != NULL; i++)
        for (uint32_t k = 0; (key = config_key_at(config, section, k)) != NULL; k++)
            fuzz_expect(config_get(config, section, key) != NULL && config_place(config, section, key) != NULL,
                        "[%s] %s has no text", section, key);
}

static void read_all(struct config *config)
{
    expect_names(config);
    read_settings(config);
    read_params(config);
    config_close(config);
}

/* ---- The targets -------------------------------------------------------------------------------------------- */

bool fuzz_config(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    struct config *config;
    struct engine_error error = {0};
    (void) target;
    const int status = config_open(fuzz_file(bytes, size), &config, &error);
    if (status == 0)
        read_all(config);
    else
        expect_error(status, &error);
    return status == 0;
}

bool fuzz_set(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    struct config *config = NULL;
    struct engine_error error = {0};
    char *text = malloc(size + 1);
    (void) target;
    fuzz_expect(text != NULL && config_open(NULL, &config, &error) == 0, "no memory");
    memcpy(text, bytes, size);
    text[size] = '\0';
    const int status = config_set(config, text, &error);
    if (status != 0)
        expect_error(status, &error);
    read_all(config);
    free(text);
    return status == 0;
}
