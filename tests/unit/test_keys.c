/* The keys of a configuration: docs/reference/configuration.md repeats the names, defaults, ranges and words of the
 * tables. */
#include "base/context.h"
#include "base/type.h"
#include "config/keys.h"
#include "config/param.h"
#include "modules.h"
#include "plan/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct context all = {.modules = &engine_modules};

/* A row of the table: | `[section]` | `key` | default | meaning |. The section is that of the last row that has one. */
struct row {
    char section[80], key[80], initial[400], meaning[1000];
};

static struct row rows[100];
static uint32_t row_count;

/* Takes the next cell of a row, without blanks around it; *rest is behind it. */
static void take_cell(const char **rest, char *cell, size_t size)
{
    const char *end = strstr(*rest, " |");
    assert_non_null(end);
    const char *begin = *rest + strspn(*rest, " |");
    snprintf(cell, size, "%.*s", end > begin ? (int) (end - begin) : 0, begin);
    *rest = end + 2;
}

static int read_rows(void **state)
{
    char line[2000], section[80];
    FILE *page = fopen("docs/reference/configuration.md", "r");
    (void) state;
    while (page && fgets(line, sizeof line, page) && strcmp(line, "|---|---|---|---|\n") != 0)
        ;
    while (page && fgets(line, sizeof line, page) && line[0] == '|') {
        const char *rest = line + 1;
        struct row *row = &rows[row_count++];
        take_cell(&rest, section, sizeof section);
        snprintf(row->section, sizeof row->section, "%s", *section ? section : rows[row_count - 2].section);
        take_cell(&rest, row->key, sizeof row->key);
        take_cell(&rest, row->initial, sizeof row->initial);
        take_cell(&rest, row->meaning, sizeof row->meaning);
    }
    if (page)
        fclose(page);
    return row_count > 0 ? 0 : -1;
}

static const struct row *row_of(const struct engine_section *section, const struct engine_param *key)
{
    char name[80], heading[80];
    snprintf(heading, sizeof heading, "`[%s]`", section->name);
    snprintf(name, sizeof name, "`%s`", key->name);
    for (uint32_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].section, heading) == 0 && strcmp(rows[i].key, name) == 0)
            return &rows[i];
    return NULL;
}

/* A default in `quotes` is that of the table. Other defaults are words, and the table has "", or 0 for a number. */
static void check_initial(const struct engine_param *key, const struct row *row)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "`%s`", key->initial);
    const bool depends = row->initial[0] != '`' || strchr(row->initial, ' ');
    const bool none = strcmp(key->initial, "") == 0 || strcmp(key->initial, "0") == 0;
    if (depends ? !none : strcmp(row->initial, quoted) != 0)
        fail_msg("%s %s: the page has the default %s, the table '%s'", row->section, row->key, row->initial,
                 key->initial);
}

/* Limits that a person may meet are in the text: not those of 10^9 and more. */
static void check_range(const struct engine_param *key, const struct row *row)
{
    char range[100];
    snprintf(range, sizeof range, "%.15g to %.15g", key->min, key->max);
    if (key->type <= ENGINE_PARAM_REAL && key->max < 1e9 && !strstr(row->meaning, range))
        fail_msg("%s %s: the page does not have the range %s", row->section, row->key, range);
}

static void check_choices(const struct engine_param *key, const struct row *row)
{
    char quoted[100];
    for (uint32_t i = 0; key->type == ENGINE_PARAM_CHOICE && key->choices[i]; i++) {
        snprintf(quoted, sizeof quoted, "`%s`", key->choices[i]);
        if (!strstr(row->meaning, quoted))
            fail_msg("%s %s: the page does not have the word %s", row->section, row->key, quoted);
    }
}

static void the_page_has_every_key_as_the_table_has_it(void **state)
{
    const struct engine_section *section;
    uint32_t count = 0;
    (void) state;
    for (uint32_t i = 0; (section = keys_section_at(&all, i)); i++)
        for (uint32_t k = 0; k < section->keys.count; k++, count++) {
            const struct engine_param *key = &section->keys.at[k];
            const struct row *row = row_of(section, key);
            if (!row)
                fail_msg("[%s] %s: the page has no row", section->name, key->name);
            check_initial(key, row);
            check_range(key, row);
            check_choices(key, row);
        }
    assert_int_equal(row_count, count + 2); /* besides, [init] <field> and [<plugin>] */
}

/* Pages that name the keys of [init], because fields cannot have these names. */
static void the_pages_about_fields_name_every_key_of_init(void **state)
{
    static const struct {
        const char *path, *before, *after;
    } pages[] = {{"docs/tutorial/my-rule.md", "`", "`"}, {"include/engine/plugin.h", " ", ""}};
    const struct engine_param_array *keys = &keys_sections[KEYS_INIT].keys;
    (void) state;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char text[1 << 17], name[80];
        FILE *page = fopen(pages[i].path, "r");
        assert_non_null(page);
        text[fread(text, 1, sizeof text - 1, page)] = '\0';
        fclose(page);
        const char *begin = strstr(text, "cannot have the name of");
        assert_non_null(begin);
        text[begin - text + 300] = '\0';
        for (uint32_t k = 0; k < keys->count; k++) {
            snprintf(name, sizeof name, "%s%s%s", pages[i].before, keys->at[k].name, pages[i].after);
            if (!strstr(begin, name))
                fail_msg("%s does not name the key %s", pages[i].path, keys->at[k].name);
        }
    }
}

static void defaults_are_values_that_a_person_may_give(void **state)
{
    const struct engine_section *section;
    (void) state;
    for (uint32_t i = 0; (section = keys_section_at(&all, i)); i++)
        for (uint32_t k = 0; k < section->keys.count; k++) {
            const struct engine_param *key = &section->keys.at[k];
            struct engine_value value;
            struct engine_error error = {0, ""};
            if (param_parse(key, key->initial, NULL, &value, &error) != 0)
                fail_msg("[%s] %s", section->name, error.text);
            assert_non_null(key->help);
        }
}

/* One attribute says what a value changes. An analysis has its implementation too, which files name. */
static void every_key_says_what_its_value_changes(void **state)
{
    const struct engine_section *section;
    (void) state;
    for (uint32_t i = 0; (section = keys_section_at(&all, i)); i++)
        for (uint32_t k = 0; k < section->keys.count; k++) {
            const uint32_t flags = keys_flags(&all, section->name, section->keys.at[k].name);
            const int kinds = !!(flags & KEY_FREE) + !!(flags & KEY_SUBJECT) + !!(flags & KEY_EXTENT) +
                              !!(flags & KEY_IMPLEMENTATION);
            const bool both = flags & KEY_IMPLEMENTATION && strcmp(section->name, "analyse") == 0;
            if (kinds != 1 + both)
                fail_msg("[%s] %s", section->name, section->keys.at[k].name);
        }
    assert_int_equal(keys_flags(&all, "Init", "File"), KEY_SUBJECT | KEY_PATH | KEY_BASIC);
    assert_int_equal(keys_flags(&all, "init", "cells"), 0);
    assert_int_equal(keys_flags(&all, "life2d-bit", "rule"), 0);
}

static void the_settings_have_room_for_every_section(void **state)
{
    uint32_t count = 0, read = 0;
    (void) state;
    for (; engine_modules.sections[count]; count++) {
        assert_true(engine_modules.sections[count]->about.keys.count <= SECTION_KEYS_MAX);
        read += engine_modules.sections[count]->read != NULL;
    }
    assert_true(read <= SETTINGS_SECTIONS_MAX);
    assert_int_equal(
        count,
        7); /* docs/reference/configuration.md: [frames] [analyse] [output] [checkpoint] [bench] [ensemble] [tiles] */
}

static void a_section_is_found_by_its_name(void **state)
{
    (void) state;
    assert_ptr_equal(keys_section_named(&all, "Run"), &keys_sections[KEYS_RUN]);
    assert_null(keys_section_named(&all, "life2d-bit"));
    assert_ptr_equal(keys_of_plugin("matrix"), &keys_sections[KEYS_MATRIX].keys);
    assert_null(keys_of_plugin("run"));
    assert_null(keys_section_at(NULL, KEYS_SECTIONS));
    assert_string_equal(keys_init_sources[0], "file");
    assert_string_equal(keys_init_sources[4], "random-unit");
    assert_null(keys_init_sources[5]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_every_key_as_the_table_has_it),
        cmocka_unit_test(the_pages_about_fields_name_every_key_of_init),
        cmocka_unit_test(defaults_are_values_that_a_person_may_give),
        cmocka_unit_test(every_key_says_what_its_value_changes),
        cmocka_unit_test(the_settings_have_room_for_every_section),
        cmocka_unit_test(a_section_is_found_by_its_name),
    };
    return cmocka_run_group_tests_name("keys", tests, read_rows, NULL);
}
