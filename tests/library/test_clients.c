/* The functions of engine.h that a program needs to manage many runs, as the library's own ensembles do: it looks into
 * configurations, asks what runs need, claims their folders and takes their results. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct engine_context *context;
static char folder[64], said[256];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void message(void *user, int level, const char *source, const char *text)
{
    snprintf(said, sizeof said, "%s %d %s: %s", (const char *) user, level, source, text);
}

static const char *words(uint32_t topic, const char *subject, char *text, size_t size)
{
    snprintf(text, size, "set %s", subject);
    return topic == ENGINE_WORDS_KEY ? text : NULL;
}

static int begin(void **state)
{
    (void) state;
    struct engine_error error;
    strcpy(folder, "/tmp/engine-clients-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return open_built_context((struct engine_hooks){.user = "me", .message = message, .words = words}, &context,
                              &error);
}

static int end(void **state)
{
    (void) state;
    char command[128];
    engine_close(context);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); // NOLINT(cert-env33-c): the folder is this test's own
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static struct engine_config *open_file(const char *text)
{
    struct engine_config *config = NULL;
    struct engine_error error;
    write_file(path_of("gun.ini"), text);
    if (engine_config_open(context, path_of("gun.ini"), &config, &error) != 0)
        fail_msg("%s", error.text);
    return config;
}

static void put(struct engine_config *config, const char *section, const char *key, const char *value)
{
    struct engine_error error;
    if (engine_config_put(config, section, key, value, &error) != 0)
        fail_msg("%s", error.text);
}

/* A glider in the folder, with 4 steps, after which it has moved by a cell. */
static struct engine_config *glider(void)
{
    write_file(path_of("glider.rle"), "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n");
    struct engine_config *config = open_file("[run]\nplugin = life2d-bit\nsteps = 4\nthreads = 2\n"
                                             "[grid]\nsize = 20 21\n[init]\nfile = glider.rle\n");
    put(config, "run", "implementation", tested_implementation());
    put(config, "run", "output", path_of("out"));
    return config;
}

static struct engine_run *planned(const struct engine_config *config)
{
    struct engine_run *run;
    struct engine_error error;
    if (engine_run_plan(config, &run, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

/* ---- Contexts and plugins --------------------------------------------------------------------------------------- */

static void messages_and_words_go_through_the_hooks(void **state)
{
    (void) state;
    char text[64];
    assert_string_equal(engine_context_hooks(context)->user, "me");
    assert_null(engine_context_hooks(context)->stop);
    engine_message(context, ENGINE_LOG_WARNING, "one\nline");
    snprintf(text, sizeof text, "me %d engine: one?line", ENGINE_LOG_WARNING);
    assert_string_equal(said, text);
    assert_string_equal(engine_words(context, ENGINE_WORDS_KEY, "run.steps", text, sizeof text), "set run.steps");
    assert_null(engine_words(context, ENGINE_WORDS_OPTION, "frames", text, sizeof text));
}

static void a_kind_of_implementation_has_those_of_its_memory(void **state)
{
    (void) state;
    const struct engine_impl host = {.name = "a", .memory = ENGINE_HOST_MEMORY};
    const struct engine_impl cuda = {.name = "b", .memory = ENGINE_CUDA_MEMORY};
    assert_true(engine_impl_is_of(&host, "auto") && engine_impl_is_of(&cuda, "auto"));
    assert_true(engine_impl_is_of(&host, "cpu") && !engine_impl_is_of(&host, "cuda"));
    assert_true(engine_impl_is_of(&cuda, "cuda") && !engine_impl_is_of(&cuda, "cpu"));
    assert_false(engine_impl_is_of(&host, "a"));
}

static void a_plugin_is_found_in_the_folder_of_its_configuration(void **state)
{
    (void) state;
    struct engine_context *other;
    struct engine_config *config;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    char plugins[4096];
    const char *build = getenv("BUILD");
    snprintf(plugins, sizeof plugins, "%s/plugins", build ? build : "build");
    assert_int_equal(engine_open(NULL, &other, &error), 0);
    assert_int_equal(engine_config_open(other, NULL, &config, &error), 0);
    assert_int_equal(engine_config_plugin(config, "life2d-lut", &plugin, &error), ENGINE_STATUS_PLUGIN);
    put(config, "run", "plugins", plugins);
    assert_int_equal(engine_config_plugin(config, "life2d-lut", &plugin, &error), 0);
    assert_string_equal(plugin.about->name, "life2d-lut");
    put(config, "run", "plugins", path_of("none"));
    assert_int_equal(engine_config_plugin(config, "life2d-lut", &plugin, &error), ENGINE_STATUS_USAGE);
    engine_config_close(config);
    engine_close(other);
}

/* ---- Configurations --------------------------------------------------------------------------------------------- */

static void the_keys_of_a_configuration_are_listed(void **state)
{
    (void) state;
    static const char *const names[][2] = {{"run", "plugin"}, {"run", "steps"}, {"init", "file"}};
    struct engine_config *config = open_file("[Run]\nplugin = a\nsteps = 3\n[grid]\n[init]\nfile = a.rle\n");
    const char *section, *key;
    char path[256];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(engine_config_at(config, i, &section, &key), 1);
        assert_string_equal(section, names[i][0]);
        assert_string_equal(key, names[i][1]);
    }
    assert_int_equal(engine_config_at(config, 3, &section, &key), 0);
    assert_string_equal(engine_config_resolve(config, "a.rle", path, sizeof path), path_of("a.rle"));
    assert_string_equal(engine_config_resolve(config, "/a.rle", path, sizeof path), "/a.rle");
    engine_config_close(config);
}

static void a_key_has_the_place_where_it_was_written(void **state)
{
    (void) state;
    struct engine_config *config = open_file("[run]\nplugin = a\nsteps = 3\n");
    char place[256];
    snprintf(place, sizeof place, "%s:3", path_of("gun.ini"));
    assert_string_equal(engine_config_place(config, "run", "steps"), place);
    assert_int_equal(engine_config_is_assigned(config, "run", "steps"), 0);
    put(config, "run", "steps", "4");
    assert_string_equal(engine_config_place(config, "run", "steps"), "set run.steps");
    assert_int_equal(engine_config_is_assigned(config, "run", "steps"), 1);
    assert_int_equal(engine_config_is_assigned(config, "run", "threads"), 0);
    assert_string_equal(engine_config_place(config, "run", "threads"), path_of("gun.ini"));
    engine_config_close(config);
}

static void a_copy_of_a_configuration_changes_alone(void **state)
{
    (void) state;
    struct engine_config *config = open_file("[run]\nsteps = 3\n"), *copy;
    struct engine_context *other;
    struct engine_error error;
    char place[256];
    assert_int_equal(engine_open(NULL, &other, &error), 0);
    assert_int_equal(engine_config_copy(config, &copy, &error), 0);
    put(copy, "run", "threads", "4");
    assert_null(engine_config_get(config, "run", "threads"));
    assert_ptr_equal(engine_config_context(copy), context);
    engine_config_close(config);
    engine_config_set_context(copy, other);
    assert_ptr_equal(engine_config_context(copy), other);
    put(copy, "run", "margin", "1"); /* the words of the other context, which has none */
    assert_string_equal(engine_config_place(copy, "run", "margin"), "run.margin");
    snprintf(place, sizeof place, "%s:2", path_of("gun.ini"));
    assert_string_equal(engine_config_place(copy, "run", "steps"), place);
    engine_config_close(copy);
    engine_close(other);
}

static void a_configuration_is_printed_as_a_file(void **state)
{
    (void) state;
    struct engine_config *config = open_file("[run]\nsteps = 3\nplugin=a\n[init]\nfile = \"b#c\"\n");
    struct engine_error error;
    char *text;
    assert_int_equal(engine_config_print(config, &text, &error), 0);
    assert_string_equal(text, "[run]\nsteps = 3\nplugin = a\n\n[init]\nfile = \"b#c\"\n");
    free(text);
    put(config, "init", "file", "'\"");
    assert_int_equal(engine_config_print(config, &text, &error), ENGINE_STATUS_USAGE);
    assert_null(text);
    engine_config_close(config);
}

static void a_pattern_gives_a_configuration(void **state)
{
    (void) state;
    static const struct {
        const char *head, *only, *plugin, *size, *behind;
    } cases[] = {
        {"x = 3, y = 3, rule = B36/S23\n", NULL, "life2d-bit", "67 67", NULL},
        {"x = 3, y = 3, rule = B36/S23:T9,9\n", NULL, "life2d-bit", NULL, NULL},
        {"", "life2d-lut", "life2d-lut", "67 67", NULL},
        {"x = 3, y = 3, rule = nobodys\n", NULL, NULL, NULL, NULL},
        {"x = 3, y = 3, rule = mine\n", NULL, "ruletable", "67 67",
         "@RULE mine\n@TABLE\nn_states:2\nneighborhood:oneDimensional\nsymmetries:none\n1,0,0,0\n"},
        {"x = 3, y = 3, rule = B2o3m/S1W\n", NULL, NULL, NULL, NULL},
        {"x = 3, y = 3, rule = B2o3m/S1H\n", NULL, "life2d-bit", "67 67", NULL},
        {"x = 3, y = 3, rule = W110\n", NULL, "life2d-bit", "67 67", NULL},
        {"x = 3, y = 3, rule = B3/S23Super\n", NULL, "ruletable", "67 67", NULL},
        {"x = 3, y = 3, rule = 12/2-a/3\n", NULL, "ruletable", "67 67", NULL},
        {"x = 3, y = 3, rule = B3/S23\n", "life3d-naive", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_config *config;
        struct engine_error error;
        char text[256];
        snprintf(text, sizeof text, "%sbo$2bo$3o!\n%s", cases[i].head, cases[i].behind ? cases[i].behind : "");
        write_file(path_of("posted.rle"), text);
        const int status = engine_config_of_pattern(context, path_of("posted.rle"), cases[i].only, &config, &error);
        assert_int_equal(status, cases[i].plugin ? 0 : ENGINE_STATUS_PLUGIN);
        if (status != 0) {
            assert_null(config);
            continue;
        }
        const char *size = engine_config_get(config, "grid", "size");
        assert_string_equal(engine_config_get(config, "run", "plugin"), cases[i].plugin);
        assert_string_equal(size ? size : "none", cases[i].size ? cases[i].size : "none");
        engine_run_close(planned(config));
        engine_config_close(config);
    }
    struct engine_config *config;
    struct engine_error error;
    write_file(path_of("posted.rle"), "no pattern\n");
    assert_int_equal(engine_config_of_pattern(context, path_of("posted.rle"), NULL, &config, &error),
                     ENGINE_STATUS_INPUT);
}

static void the_values_of_a_section_are_read(void **state)
{
    (void) state;
    struct engine_param keys[] = {{ENGINE_INTEGER_PARAM("size", "", "7", 1, 100)},
                                  {ENGINE_TEXT_PARAM("name", "", "none")}};
    const struct engine_section section = {"mine", "a section of a program", ENGINE_ARRAY(keys)};
    struct engine_config *config = open_file("[mine]\nsize = 12\n");
    struct engine_value values[2];
    struct engine_error error;
    assert_int_equal(engine_config_values(config, &section, values, &error), 0);
    assert_int_equal(values[0].integer, 12);
    assert_string_equal(values[1].text, "none");
    put(config, "mine", "size", "101");
    assert_int_equal(engine_config_values(config, &section, values, &error), ENGINE_STATUS_USAGE);
    put(config, "mine", "size", "1");
    put(config, "mine", "sizes", "2");
    assert_int_equal(engine_config_values(config, &section, values, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'size'?"));
    engine_config_close(config);
}

static void flags_tell_which_keys_change_no_result(void **state)
{
    (void) state;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    assert_int_equal(engine_plugin_find(context, "life2d-bit", &plugin, &error), 0);
    assert_true(engine_key_flags(NULL, "run", "threads") & ENGINE_PARAM_TUNING);
    assert_false(engine_key_flags(NULL, "run", "steps") & ENGINE_PARAM_TUNING);
    assert_true(engine_key_flags(NULL, "init", "file") & ENGINE_PARAM_PATH);
    assert_true(engine_key_flags(plugin.about, "life2d-bit", "steps_per_pass") & ENGINE_PARAM_TUNING);
    assert_false(engine_key_flags(plugin.about, "life2d-bit", "rule") & ENGINE_PARAM_TUNING);
    assert_false(engine_key_flags(NULL, "life2d-bit", "steps_per_pass") & ENGINE_PARAM_TUNING);
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

static void a_run_keeps_its_configuration(void **state)
{
    (void) state;
    struct engine_config *config = glider();
    struct engine_run *run = planned(config);
    struct engine_error error;
    struct engine_result result = {.size = sizeof result};
    put(config, "run", "steps", "9");
    engine_config_close(config);
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    engine_run_close(run);
    assert_int_equal(engine_config_open(context, path_of("out/config.ini"), &config, &error), 0);
    assert_string_equal(engine_config_get(config, "run", "steps"), "4");
    engine_config_close(config);
}

static void a_run_tells_what_it_needs(void **state)
{
    (void) state;
    struct engine_config *config = glider();
    put(config, "run", "implementation", "cpu-serial");
    put(config, "output", "every", "1");
    struct engine_run *run = planned(config);
    struct engine_run_info about = {.size = sizeof about};
    struct engine_error error;
    uint64_t one, five;
    engine_run_about(run, &about);
    assert_int_equal(about.threads, 1); /* the implementation is serial */
    assert_int_equal(about.devices, 1);
    assert_int_equal(about.parts, 1);
    assert_int_equal(about.memory, ENGINE_HOST_MEMORY);
    assert_true(about.bytes >= 20 * 21 / 8);
    assert_non_null(about.device);
    assert_int_equal(engine_run_check_rooms(run, 1, 1, &one, &error), 0);
    assert_int_equal(engine_run_check_rooms(run, 5, 100, &five, &error), 0);
    assert_true(one > 0 && five == 5 * one);
    /* 10^18 runs write more files than there are disks for. */
    assert_int_equal(engine_run_check_rooms(run, 1, UINT64_C(1000000000000000000), &one, &error), ENGINE_STATUS_OUTPUT);
    engine_run_close(run);
    put(config, "grid", "size", "100000 100000");
    run = planned(config);
    assert_int_equal(engine_run_check_rooms(run, UINT32_MAX, UINT32_MAX, &five, &error), ENGINE_STATUS_DEVICE);
    engine_run_close(run);
    engine_config_close(config);
}

static void a_run_that_has_room_is_not_checked(void **state)
{
    (void) state;
    struct engine_config *config = glider();
    put(config, "run", "steps", "1000000000000000");
    put(config, "output", "every", "1"); /* more files than there are disks for */
    struct engine_run *run = planned(config);
    struct engine_error error;
    assert_int_equal(engine_run_check_room(run, &error), ENGINE_STATUS_OUTPUT);
    engine_run_set_flags(run, ENGINE_RUN_HAS_ROOM);
    assert_int_equal(engine_run_check_room(run, &error), 0);
    engine_run_close(run);
    engine_config_close(config);
}

static void a_folder_belongs_to_the_run_that_claims_it(void **state)
{
    (void) state;
    struct engine_config *config = glider();
    struct engine_run *first = planned(config), *second = planned(config);
    struct engine_error error;
    char file[256];
    assert_int_equal(engine_run_claim(first, 0, &error), 0);
    assert_int_equal(engine_run_claim(first, 0, &error), 0);
    assert_int_equal(engine_run_claim(second, ENGINE_RUN_FORCE, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "another run writes there"));
    engine_run_close(first);
    snprintf(file, sizeof file, "%s/mine", path_of("out"));
    write_file(file, "");
    assert_int_equal(engine_run_claim(second, 0, &error), ENGINE_STATUS_OUTPUT);
    assert_int_equal(engine_run_claim(second, ENGINE_RUN_GOES_ON, &error), 0);
    assert_int_equal(access(file, F_OK), 0);
    struct engine_result result = {.size = sizeof result};
    assert_int_equal(engine_run_execute(second, NULL, &result, &error), 0); /* in the folder that it has claimed */
    engine_run_close(second);
    engine_config_close(config);
}

static void a_run_tells_what_it_has_measured(void **state)
{
    (void) state;
    struct engine_config *config = glider();
    struct engine_run *run = planned(config);
    struct engine_measured measured = {.size = sizeof measured};
    struct engine_result result = {.size = sizeof result}, again = {.size = sizeof again};
    struct engine_error error;
    char hash[ENGINE_HASH_SIZE];
    engine_run_set_flags(run, ENGINE_RUN_NO_FILES);
    assert_int_equal(engine_run_measured(run, 0, &measured, &error), 0);
    assert_string_equal(measured.about->name, "life2d-bit");
    assert_non_null(strstr(measured.path, "/life2d-bit.so"));
    assert_string_equal(measured.file, "metrics.csv");
    assert_true(!measured.values && !measured.rows && !*measured.hash);
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    assert_int_not_equal(access(path_of("out"), F_OK), 0); /* no files */
    engine_run_result(run, &again);
    assert_memory_equal(&result, &again, sizeof result);
    assert_int_equal(result.step, 4);
    assert_true(result.seconds > 0);
    assert_int_equal(engine_run_measured(run, 0, &measured, &error), 0);
    assert_string_equal(measured.about->metrics.at[0].name, "population");
    assert_true(measured.values[0] == 5);
    assert_int_equal(strncmp(measured.rows, "step,population", 15), 0);
    assert_non_null(strstr(measured.rows, "\n4,5"));
    assert_int_equal(engine_run_hash(run, hash, &error), 0);
    assert_string_equal(measured.hash, hash);
    assert_int_equal(engine_run_measured(run, 1, &measured, &error), 0);
    assert_null(measured.about); /* it has no analysis */
    engine_run_close(run);
    engine_config_close(config);
}

static void an_analysis_has_measurements_of_its_own(void **state)
{
    (void) state;
    struct engine_config *config = open_file("[run]\nplugin = pairs\nsteps = 4\n[particles]\ncount = 64\nbox = 8 8 8\n"
                                             "[analyse]\nplugin = rdf\n[rdf]\nr_max = 1\n");
    struct engine_run *run = planned(config);
    struct engine_measured measured = {.size = sizeof measured};
    struct engine_error error;
    assert_int_equal(engine_run_measured(run, 1, &measured, &error), 0);
    assert_string_equal(measured.about->name, "rdf");
    assert_string_equal(measured.file, ""); /* it has no metrics */
    engine_run_close(run);
    engine_config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_and_words_go_through_the_hooks, begin, end),
        cmocka_unit_test_setup_teardown(a_kind_of_implementation_has_those_of_its_memory, begin, end),
        cmocka_unit_test_setup_teardown(a_plugin_is_found_in_the_folder_of_its_configuration, begin, end),
        cmocka_unit_test_setup_teardown(the_keys_of_a_configuration_are_listed, begin, end),
        cmocka_unit_test_setup_teardown(a_key_has_the_place_where_it_was_written, begin, end),
        cmocka_unit_test_setup_teardown(a_copy_of_a_configuration_changes_alone, begin, end),
        cmocka_unit_test_setup_teardown(a_configuration_is_printed_as_a_file, begin, end),
        cmocka_unit_test_setup_teardown(a_pattern_gives_a_configuration, begin, end),
        cmocka_unit_test_setup_teardown(the_values_of_a_section_are_read, begin, end),
        cmocka_unit_test_setup_teardown(flags_tell_which_keys_change_no_result, begin, end),
        cmocka_unit_test_setup_teardown(a_run_keeps_its_configuration, begin, end),
        cmocka_unit_test_setup_teardown(a_run_tells_what_it_needs, begin, end),
        cmocka_unit_test_setup_teardown(a_run_that_has_room_is_not_checked, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_belongs_to_the_run_that_claims_it, begin, end),
        cmocka_unit_test_setup_teardown(a_run_tells_what_it_has_measured, begin, end),
        cmocka_unit_test_setup_teardown(an_analysis_has_measurements_of_its_own, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
