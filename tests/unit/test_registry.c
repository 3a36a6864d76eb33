/* Finding plugins by name. The test copies files of tests/bad into folders of a temporary tree:
 *
 *   a/ liar.so crashing.so     b/ liar.so failing_probe.so name_mismatch.so readme.so.txt sub/      c/ (nothing)
 */
#include "tests/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char tree[64];

static const char *in_tree(const char *name)
{
    static char paths[4][160];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", tree, name);
    return path;
}

static void shell(const char *format, ...) ENGINE_PRINTF(1, 2);

static void shell(const char *format, ...)
{
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void copy_plugin(const char *name, const char *to)
{
    const char *build = getenv("BUILD");
    shell("cp '%s/tests/bad/%s.so' '%s/%s' && chmod -R go-w '%s'", build ? build : "build", name, tree, to, tree);
}

/* A registry of up to two folders given and those of a search path. */
static struct registry *open_registry(const char *first, const char *second, const char *path)
{
    const char *folders[] = {first, second};
    struct registry *registry;
    struct engine_error error = {0, ""};
    if (open_registry_of(folders, (uint32_t) (!!first + !!second), path, &registry, &error) != 0)
        fail_msg("%s", error.text);
    return registry;
}

static const struct plugin *find(struct registry *registry, const char *name)
{
    const struct plugin *plugin;
    struct engine_error error = {0, ""};
    if (registry_find(registry, name, &plugin, &error) != 0)
        fail_msg("%s", error.text);
    return plugin;
}

static void assert_refused(struct registry *registry, const char *name, const char *fragment)
{
    const struct plugin *plugin;
    struct engine_error error = {0, ""};
    if (registry_find(registry, name, &plugin, &error) != ENGINE_STATUS_PLUGIN)
        fail_msg("'%s' is not refused", name);
    if (!strstr(error.text, fragment))
        fail_msg("'%s': message '%s', expected '…%s…'", name, error.text, fragment);
}

/* The names on the path, each followed by a blank. */
static const char *names_of(const struct registry *registry)
{
    static char names[1024];
    const char *name;
    names[0] = '\0';
    for (uint32_t i = 0; (name = registry_name_at(registry, i)); i++)
        strcat(strcat(names, name), " ");
    return names;
}

static void given_folders_when_listed_then_names_are_sorted_and_each_stands_once(void **state)
{
    struct registry *registry = open_registry(in_tree("b"), in_tree("a"), NULL);
    assert_string_equal(names_of(registry), "crashing failing_probe liar name_mismatch ");
    registry_close(registry);
    registry = open_registry(in_tree("c"), NULL, NULL);
    assert_string_equal(names_of(registry), "");
    registry_close(registry);
    registry_close(NULL);
}

static void given_many_plugins_when_listed_then_all_are_there(void **state)
{
    shell("mkdir '%s/many' && cd '%s/many' && for i in $(seq 100 299); do : >p$i.so; done", tree, tree);
    struct registry *registry = open_registry(in_tree("many"), in_tree("a"), NULL);
    assert_string_equal(registry_name_at(registry, 0), "crashing");
    assert_string_equal(registry_name_at(registry, 2), "p100");
    assert_string_equal(registry_name_at(registry, 201), "p299");
    assert_null(registry_name_at(registry, 202));
    registry_close(registry);
    shell("rm -r '%s/many'", tree);
}

static void given_a_plugin_in_two_folders_when_found_then_the_first_folder_counts(void **state)
{
    static const struct {
        const char *first, *second, *variable, *expected;
    } cases[] = {
        {"a", "b", NULL, "a/liar.so"}, {"b", "a", NULL, "b/liar.so"},  {"c", "b", NULL, "b/liar.so"},
        {"a", NULL, "b", "a/liar.so"}, {NULL, NULL, "b", "b/liar.so"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct registry *registry = open_registry(cases[i].first ? in_tree(cases[i].first) : NULL,
                                                  cases[i].second ? in_tree(cases[i].second) : NULL,
                                                  cases[i].variable ? in_tree(cases[i].variable) : NULL);
        assert_string_equal(find(registry, "liar")->path, in_tree(cases[i].expected));
        registry_close(registry);
    }
}

static void given_the_variable_when_opened_then_its_folders_come_in_order_and_empty_parts_mean_nothing(void **state)
{
    char list[1024];
    char *before = getcwd(NULL, 0);
    snprintf(list, sizeof list, "::%s:%s::%s:", in_tree("absent"), in_tree("b"), in_tree("a"));
    struct registry *registry = open_registry(NULL, NULL, list);
    assert_string_equal(find(registry, "liar")->path, in_tree("b/liar.so"));
    assert_string_equal(find(registry, "crashing")->path, in_tree("a/crashing.so"));
    registry_close(registry);
    assert_int_equal(chdir(in_tree("a")), 0);
    registry = open_registry(NULL, NULL, "::");
    assert_refused(registry, "liar", "unknown plugin 'liar'");
    assert_int_equal(chdir(before), 0);
    registry_close(registry);
    free(before);
}

static void given_a_plugin_found_when_found_again_then_it_is_the_same(void **state)
{
    struct registry *registry = open_registry(in_tree("a"), in_tree("b"), NULL);
    const struct plugin *liar = find(registry, "liar"), *crashing = find(registry, "crashing");
    assert_ptr_not_equal(liar, crashing);
    assert_ptr_equal(find(registry, "liar"), liar);
    assert_ptr_equal(find(registry, "crashing"), crashing);
    assert_string_equal(liar->about.name, "liar");
    registry_close(registry);
}

static void given_no_such_plugin_when_found_then_the_nearest_or_the_names_and_the_folders_are_said(void **state)
{
    struct registry *registry = open_registry(in_tree("a"), in_tree("b"), NULL);
    char folders[512];
    snprintf(folders, sizeof folders, "searched: %s, %s, ", in_tree("a"), in_tree("b"));
    assert_refused(registry, "lair", "unknown plugin 'lair', did you mean 'liar'?");
    assert_refused(registry, "nothing", "Available: crashing, failing_probe, liar, name_mismatch; ");
    assert_refused(registry, "nothing", folders);
    assert_refused(registry, "nothing", "/plugins");
    assert_refused(registry, "nothing", "/../lib/engine/plugins");
    assert_refused(registry, "nothing", "unknown plugin 'nothing'. Available: crashing");
    registry_close(registry);
    registry = open_registry(in_tree("c"), NULL, NULL);
    assert_refused(registry, "liar", "unknown plugin 'liar'. Available: none; searched: ");
    registry_close(registry);
}

static void given_a_path_when_found_then_it_is_no_name(void **state)
{
    static const char *const names[] = {"",       "../a/liar", "./liar", "a/liar", "/etc/passwd", "liar.so", "li ar",
                                        "liar\n", "..",        "$HOME",  "liar;",  "l\xc3\xaf",   "%s%s%s%n"};
    struct registry *registry = open_registry(in_tree("a"), in_tree("b"), NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_refused(registry, names[i], "': expected a name of letters, digits, '-' and '_', never a path");
    registry_close(registry);
}

static void given_a_broken_plugin_when_found_then_the_loader_says_why_and_the_next_folder_is_not_asked(void **state)
{
    shell("mkdir '%s/d' && : >'%s/d/liar.so' && mkdir '%s/d/crashing.so' && ln -s nowhere '%s/d/dangling.so'", tree,
          tree, tree, tree);
    struct registry *registry = open_registry(in_tree("d"), in_tree("b"), NULL);
    assert_refused(registry, "name_mismatch", "b/name_mismatch.so: it contains the plugin 'another-name'");
    assert_refused(registry, "liar", "d/liar.so: cannot be loaded: ");
    assert_refused(registry, "liar", "d/liar.so: cannot be loaded: ");
    assert_refused(registry, "crashing", "d/crashing.so: this is a folder");
    assert_refused(registry, "dangling", "d/dangling.so: this is a link to ");
    assert_string_equal(find(registry, "failing_probe")->about.name, "failing_probe");
    registry_close(registry);
    shell("rm -r '%s/d'", tree);
}

static void given_a_folder_that_others_may_write_when_found_in_it_then_it_is_refused(void **state)
{
    struct registry *registry = open_registry(in_tree("a"), NULL, NULL);
    assert_int_equal(chmod(in_tree("a"), 0777), 0);
    assert_refused(registry, "liar", "a/liar.so: everyone can put files into its folder; use chmod o-w ");
    assert_int_equal(chmod(in_tree("a"), 01777), 0);
    assert_non_null(find(registry, "liar"));
    assert_int_equal(chmod(in_tree("a"), 0755), 0);
    registry_close(registry);
}

static void given_a_folder_that_is_none_when_opened_then_only_a_given_one_is_an_error(void **state)
{
    static const struct {
        const char *folder, *fragment;
    } cases[] = {
        {"absent", "/absent: No such file or directory, expected a folder of plugins"},
        {"a/liar.so", "/a/liar.so: this is not a folder, expected a folder of plugins"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *folder = in_tree(cases[i].folder);
        struct registry *registry;
        struct engine_error error;
        assert_int_equal(open_registry_of(&folder, 1, NULL, &registry, &error), ENGINE_STATUS_USAGE);
        assert_non_null(strstr(error.text, cases[i].fragment));
        assert_null(registry);
        registry_close(open_registry(NULL, NULL, folder));
    }
}

/* This program, copied, lists what it finds. */
static void given_a_program_anywhere_when_it_looks_then_folders_beside_it_are_searched(void **state)
{
    char listed[256] = "";
    shell("mkdir -p '%s/bin/plugins' '%s/lib/engine/plugins' && cp /proc/%d/exe '%s/bin/program'", tree, tree,
          (int) getpid(), tree);
    copy_plugin("liar", "bin/plugins/liar.so");
    copy_plugin("failing_probe", "lib/engine/plugins/failing_probe.so");
    FILE *pipe = popen(in_tree("bin/program list"), "r");
    assert_non_null(pipe);
    assert_non_null(fgets(listed, sizeof listed, pipe));
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(listed, "failing_probe liar ");
}

static int list_names(void)
{
    struct registry *registry;
    struct engine_error error;
    if (registry_open(NULL, &registry, &error) != 0)
        return 1;
    fputs(names_of(registry), stdout);
    registry_close(registry);
    return 0;
}

static int make_tree(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(tree, sizeof tree, "%.40s/engine-test-XXXXXX", parent && strlen(parent) < 40 ? parent : "/tmp");
    if (!mkdtemp(tree))
        return -1;
    shell("cd '%s' && mkdir a b c b/sub && : >b/readme.so.txt && : >b/.so && : >'b/a b.so'", tree);
    copy_plugin("liar", "a/liar.so");
    copy_plugin("crashing", "a/crashing.so");
    copy_plugin("liar", "b/liar.so");
    copy_plugin("failing_probe", "b/failing_probe.so");
    copy_plugin("name_mismatch", "b/name_mismatch.so");
    return 0;
}

static int remove_tree(void **state)
{
    shell("rm -r '%s'", tree);
    return 0;
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_folders_when_listed_then_names_are_sorted_and_each_stands_once),
        cmocka_unit_test(given_many_plugins_when_listed_then_all_are_there),
        cmocka_unit_test(given_a_plugin_in_two_folders_when_found_then_the_first_folder_counts),
        cmocka_unit_test(given_the_variable_when_opened_then_its_folders_come_in_order_and_empty_parts_mean_nothing),
        cmocka_unit_test(given_a_plugin_found_when_found_again_then_it_is_the_same),
        cmocka_unit_test(given_no_such_plugin_when_found_then_the_nearest_or_the_names_and_the_folders_are_said),
        cmocka_unit_test(given_a_path_when_found_then_it_is_no_name),
        cmocka_unit_test(given_a_broken_plugin_when_found_then_the_loader_says_why_and_the_next_folder_is_not_asked),
        cmocka_unit_test(given_a_folder_that_others_may_write_when_found_in_it_then_it_is_refused),
        cmocka_unit_test(given_a_folder_that_is_none_when_opened_then_only_a_given_one_is_an_error),
        cmocka_unit_test(given_a_program_anywhere_when_it_looks_then_folders_beside_it_are_searched),
    };
    if (count == 2 && strcmp(words[1], "list") == 0)
        return list_names();
    return cmocka_run_group_tests_name("registry", tests, make_tree, remove_tree);
}
