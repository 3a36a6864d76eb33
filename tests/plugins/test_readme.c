/* Compares every plugin's README.md with the plugin's tables: parameters, their defaults, implementations, and
 * limits. */
#include <engine/plugin.h>

#include <dlfcn.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nbody/nbody.h>
#include <rdf/cuda_tiles.h>
#include <rdf/rdf.h>

/* ---- Reading a README ------------------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    if (fread(text, 1, (1 << 16) - 1, file) == 0)
        fail_msg("%s cannot be read", path);
    fclose(file);
    return text;
}

enum { BAR = 1 }; /* stands for a bar that does not end a cell */

static char *readme_of(const char *plugin)
{
    char path[256];
    snprintf(path, sizeof path, "plugins/%s/README.md", plugin);
    char *text = read_file(path);
    for (char *at = text; (at = strstr(at, "\\|"));) /* a bar in a cell of a table */
        memcpy(at, (char[]){' ', BAR}, 2);
    return text;
}

/* The comma that ends the first item of a list, or its end. Commas between backticks belong to an item. */
static const char *item_end(const char *list)
{
    for (bool quoted = false; *list && (quoted || *list != ','); list++)
        quoted ^= *list == '`';
    return list;
}

/* Item number `index` of the list "a, `b`, c", without backticks and blanks. */
static void list_item(const char *list, int index, char *out, size_t size)
{
    size_t length = 0;
    for (int i = 0; i < index; i++)
        list = item_end(list) + 1;
    for (const char *end = item_end(list); list < end && length + 1 < size; list++)
        if (*list != '`' && *list != ' ')
            out[length++] = *list == BAR ? '|' : *list;
    out[length] = '\0';
}

static int list_length(const char *list)
{
    int length = 1;
    while (*(list = item_end(list))) {
        length++;
        list++;
    }
    return length;
}

/* The row of a table under `heading` whose first cell lists `name`. Its second cell's item for that name goes to
 * `value`. 0: there is none. */
static int find_row(const char *readme, const char *heading, const char *name, char *value, size_t size)
{
    const char *line = strstr(readme, heading);
    for (; line && *line == '|'; line = strchr(line, '\n') + 1) {
        char first[512] = "", second[2048] = "", item[128];
        if (sscanf(line, "| %511[^|]| %2047[^|]|", first, second) < 1) /* a default may be an empty text */
            continue;
        for (int i = 0; i < list_length(first); i++) {
            list_item(first, i, item, sizeof item);
            if (strcmp(item, name) != 0)
                continue;
            list_item(second, list_length(second) == 1 ? 0 : i, value, size);
            return 1;
        }
    }
    return 0;
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static void expect_parameters(const struct engine_plugin *plugin, const char *readme)
{
    for (uint32_t p = 0; p < plugin->params.count; p++) {
        const struct engine_param *param = &plugin->params.at[p];
        char value[128];
        if (!find_row(readme, "| parameter |", param->name, value, sizeof value))
            fail_msg("%s: README.md has no parameter %s", plugin->name, param->name);
        if (strcmp(value, param->initial) != 0)
            fail_msg("%s: README.md gives %s the default %s, expected %s", plugin->name, param->name, value,
                     param->initial);
    }
}

static void expect_implementations(const struct engine_plugin *plugin, const char *readme)
{
    for (uint32_t i = 0; i < plugin->impls.count; i++) {
        char how[128];
        if (!find_row(readme, "| implementation |", plugin->impls.at[i].name, how, sizeof how))
            fail_msg("%s: README.md has no implementation %s", plugin->name, plugin->impls.at[i].name);
    }
}

static void readmes_have_the_tables_of_their_plugins(void **state)
{
    (void) state;
    char pattern[256];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/plugins/*.so", getenv("BUILD") ? getenv("BUILD") : "build");
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        if (strstr(files.gl_pathv[f], ".format.so"))
            continue;
        void *library = dlopen(files.gl_pathv[f], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            fail_msg("%s", dlerror());
        const struct engine_plugin *plugin = dlsym(library, "engine_plugin");
        assert_non_null(plugin);
        char *readme = readme_of(plugin->name);
        expect_parameters(plugin, readme);
        expect_implementations(plugin, readme);
        free(readme);
    }
    globfree(&files);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------- */

/* The number behind a text. */
static void expect_number(const char *plugin, const char *text, double expected)
{
    char *readme = readme_of(plugin);
    const char *at = strstr(readme, text);
    if (!at)
        fail_msg("%s: README.md does not have the text '%s'", plugin, text);
    const double number = strtod(at + strlen(text), NULL);
    if (number < expected || number > expected)
        fail_msg("%s: README.md says '%s%.0f', expected %.0f", plugin, text, number, expected);
    free(readme);
}

static void readmes_have_the_limits_of_the_code(void **state)
{
    (void) state;
    expect_number("nbody", "A GPU takes up to ", NBODY_CUDA_BODIES_MAX);
    expect_number("rdf", "A GPU takes up to ", RDF_CUDA_PARTICLES_MAX);
    expect_number("rdf", "| up to ", RDF_BINS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readmes_have_the_tables_of_their_plugins),
        cmocka_unit_test(readmes_have_the_limits_of_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
