/* Loading: the loader refuses a plugin that is broken, foreign or not to be trusted, with a sentence that names the
 * file, before it calls any of its functions. The files come from tests/bad. */
#include "base/context.h"
#include "base/type.h"
#include "modules.h"
#include "plugin/descriptor.h"
#include "plugin/plugin.h"

#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/skipped.h"

static char folder[64];

/* Where the build put a plugin of tests/bad. */
static const char *bad(const char *name)
{
    static char path[1024];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/tests/bad/%s.so", build ? build : "build", name);
    return path;
}

static void assert_refused(const char *path, const char *fragment)
{
    struct plugin *plugin = (void *) folder;
    struct engine_error error = {0, ""};
    int status = plugin_load(NULL, path, NULL, &plugin, &error);
    if (status != ENGINE_STATUS_PLUGIN || error.status != status || plugin != NULL)
        fail_msg("%s: status %d, expected %d", path, status, ENGINE_STATUS_PLUGIN);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, fragment))
        fail_msg("%s: message '%s', expected '%s:…%s'", path, error.text, path, fragment);
}

static struct plugin *load(const char *path)
{
    struct plugin *plugin = NULL;
    struct engine_error error = {0, ""};
    if (plugin_load(NULL, path, NULL, &plugin, &error) != 0)
        fail_msg("%s", error.text);
    return plugin;
}

/* ---- Broken plugins ----------------------------------------------------------------------------------------- */

static void given_a_broken_plugin_when_loaded_then_it_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *name, *fragment;
    } cases[] = {
        {"wrong_magic", ".so: its symbol engine_plugin does not start with ENGPLUG: is this a plugin?"},
        {"newer_major", ".so: built for plugin interface 2, this engine has 1; rebuild it with this engine's header"},
        {"newer_minor", ".so: needs plugin interface 1.17, this engine has 1.16; use a newer engine"},
        {"short_struct", ".so: its descriptor has 64 bytes, expected at least "},
        {"long_struct", ".so: its descriptor claims "},
        {"wrong_pointer_size", ".so: built for pointers of "},
        {"missing_symbol", ".so: exports no symbol engine_plugin: is this a plugin?"},
        {"function_symbol", ".so: its symbol engine_plugin is not data"},
        {"name_mismatch", ".so: it contains the plugin 'another-name'; name the file another-name.so"},
        {"null_name", ".so: its name is NULL"},
        {"bad_default", ".so: the default of a parameter is wrong: width = 12abc: expected a whole number and nothing"},
        {"duplicate_param", ".so: parameter 'width' is listed twice"},
        {"zero_item_size", ".so: its array 'params' has elements of 0 bytes, expected at least "},
        {"short_table", ".so: its extension 'engine.advice/cpu' has 8 bytes, expected at least 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(bad(cases[i].name), cases[i].fragment);
}

static void given_a_plugin_that_breaks_later_when_loaded_then_it_is_whole(void **state)
{
    static const char *const names[] = {"failing_probe", "failing_create", "failing_advance", "losing_advance",
                                        "crashing",      "short_layout",   "no_impl_built",   "liar"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct plugin *plugin = load(bad(names[i]));
        assert_string_equal(plugin->about.name, names[i]);
        assert_int_equal(plugin->about.fields.count, 1);
        assert_string_equal(plugin->about.fields.at[0].name, "cells");
        assert_string_equal(plugin->about.params.at[0].initial, "4");
        assert_true(plugin->path[0] == '/');
        plugin_free(plugin);
    }
    plugin_free(NULL);
}

static void given_longer_structures_of_a_later_minor_when_loaded_then_what_is_known_is_read(void **state)
{
    struct plugin *plugin = load(bad("older_minor_larger_struct"));
    const struct engine_plugin *about = &plugin->about;
    assert_int_equal(about->abi.struct_size, sizeof *about);
    assert_int_equal(about->params.item_size, sizeof(struct engine_param));
    assert_int_equal(about->params.count, 2);
    assert_string_equal(about->params.at[0].name, "width");
    assert_string_equal(about->params.at[1].name, "height");
    assert_string_equal(about->params.at[1].initial, "5");
    assert_true(about->params.at[1].max == 9);
    assert_null(about->metrics.at);
    assert_non_null(about->impls.at[0].advance);
    plugin_free(plugin);
}

static void given_extensions_when_loaded_then_they_take_the_place_of_older_members(void **state)
{
    static const char *const expected[] = {"new", "old"};
    struct plugin *plugin = load(bad("extended"));
    const struct engine_impl *impls = plugin->about.impls.at;
    uint32_t count = 0;
    assert_int_equal(plugin->about.impls.count, 3);
    for (int i = 0; i < 2; i++) {
        char text[8] = "";
        assert_int_equal(impls[i].advise(NULL, NULL, text, sizeof text), 0);
        assert_string_equal(text, expected[i]);
    }
    assert_null(impls[2].advise);
    assert_int_equal(plugin->about.colours(NULL, NULL, 0, NULL, &count), 0);
    assert_int_equal(count, 7);
    plugin_free(plugin);
}

/* Since 1.12 a flag of its own says what two flags together said before. */
static void given_two_flags_of_an_older_version_when_copied_then_they_become_one(void **state)
{
    static const struct engine_impl impls[] = {
        {.flags = ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_TEAMWORK},
        {.flags = ENGINE_EXACT | ENGINE_DIVISIBLE},
        {.flags = ENGINE_TEAMWORK},
        {.flags = ENGINE_OWN_ROWS},
    };
    static const uint32_t expected[] = {ENGINE_EXACT | ENGINE_OWN_ROWS, ENGINE_EXACT | ENGINE_DIVISIBLE,
                                        ENGINE_TEAMWORK, ENGINE_OWN_ROWS};
    const struct engine_plugin about = {.abi.struct_size = sizeof about, .impls = ENGINE_ARRAY(impls)};
    struct engine_plugin copy;
    struct engine_error error = {0, ""};
    assert_int_equal(descriptor_copy(&about.abi, &copy, &error), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(copy.impls.at[i].flags, expected[i]);
    descriptor_release(&copy);
}

static void given_implementations_when_asked_by_name_then_they_and_the_reference_are_found(void **state)
{
    struct plugin *plugin = load(bad("liar"));
    assert_int_equal(plugin->about.impls.count, 2);
    assert_ptr_equal(plugin_impl(plugin, "cpu"), &plugin->about.impls.at[0]);
    assert_ptr_equal(plugin_impl(plugin, "cpu-wrong"), &plugin->about.impls.at[1]);
    assert_null(plugin_impl(plugin, "cpu-"));
    assert_null(plugin_impl(plugin, "auto"));
    assert_ptr_equal(plugin_reference(plugin), &plugin->about.impls.at[0]);
    struct engine_impl *impls = (struct engine_impl *) plugin->about.impls.at;
    impls[0].flags &= ~ENGINE_REFERENCE;
    assert_ptr_equal(plugin_reference(plugin), &impls[0]);
    impls[1].flags |= ENGINE_REFERENCE;
    assert_ptr_equal(plugin_reference(plugin), &impls[1]);
    plugin_free(plugin);
}

/* ---- Files that are no plugin, or not to be trusted --------------------------------------------------------- */

static const char *in_folder(const char *name)
{
    static char paths[2][128];
    static int turn;
    char *path = paths[turn ^= 1];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void copy_plugin(const char *name, const char *to)
{
    char command[2048];
    snprintf(command, sizeof command, "cp '%s' '%s' && chmod 755 '%s'", bad(name), to, to);
    assert_int_equal(system(command), 0);
}

static void given_no_plugin_file_when_loaded_then_it_is_refused(void **state)
{
    FILE *file = fopen(in_folder("text.so"), "w");
    assert_non_null(file);
    assert_true(fputs("this is no shared object\n", file) > 0);
    fclose(file);
    file = fopen(in_folder("empty.so"), "w");
    assert_non_null(file);
    fclose(file);
    assert_refused(in_folder("absent.so"), ": No such file or directory");
    assert_refused("", ": No such file or directory");
    assert_refused(in_folder("text.so"), ": cannot be loaded: ");
    assert_refused(in_folder("empty.so"), ": cannot be loaded: ");
    assert_refused(folder, ": this is a folder, expected a plugin's shared object");
    assert_refused("/dev/null", ": this is not a regular file, expected a plugin's shared object");
    unlink(in_folder("text.so"));
    unlink(in_folder("empty.so"));
}

/* Behind the first program header that dlopen maps, and before the last byte that it does. */
static void given_a_plugin_file_cut_short_when_loaded_then_it_is_refused_and_nothing_dies(void **state)
{
    static const off_t lengths[] = {0, 3, 20, 64, 100, 500, 1000, 4096, 5000, 8192, 10000};
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("liar.so"));
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        copy_plugin("liar", path);
        assert_int_equal(truncate(path, lengths[i]), 0);
        assert_refused(path, lengths[i] < 1000 ? ": " : ": the file ends too early; build or copy it again");
        unlink(path);
    }
}

static void given_a_plugin_that_others_may_write_when_loaded_then_it_is_refused(void **state)
{
    static const struct {
        mode_t file, folder;
        const char *fragment;
    } cases[] = {
        {0755, 0700, NULL},
        {0555, 0775, NULL},
        {0775, 0700, NULL}, /* a group is the owner's matter */
        {0757, 0700, "liar.so: everyone can write to it; use chmod o-w /"},
        {0777, 01777, "liar.so: everyone can write to it; use chmod o-w /"},
        {0755, 0777, "liar.so: everyone can put files into its folder; use chmod o-w /"},
        {0755, 0703, "liar.so: everyone can put files into its folder; use chmod o-w /"},
        {0755, 01777, NULL}, /* sticky: others may not replace it */
    };
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("liar.so"));
    copy_plugin("liar", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(chmod(path, cases[i].file), 0);
        assert_int_equal(chmod(folder, cases[i].folder), 0);
        if (cases[i].fragment)
            assert_refused(path, cases[i].fragment);
        else
            plugin_free(load(path));
    }
    assert_int_equal(chmod(folder, 0700), 0);
    unlink(path);
}

static void given_a_link_to_a_plugin_when_loaded_then_both_places_are_checked_and_its_name_counts(void **state)
{
    char inner[128], link[160], other[160];
    snprintf(inner, sizeof inner, "%s", in_folder("inner"));
    snprintf(link, sizeof link, "%s/liar.so", inner);
    snprintf(other, sizeof other, "%s/truth.so", inner);
    copy_plugin("liar", in_folder("liar.so"));
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(symlink("../liar.so", link), 0);
    assert_int_equal(symlink("../liar.so", other), 0);
    struct plugin *plugin = load(link);
    assert_string_equal(plugin->path, in_folder("liar.so"));
    plugin_free(plugin);
    assert_refused(other, ": it contains the plugin 'liar'; name the file liar.so");
    assert_int_equal(chmod(inner, 0777), 0);
    assert_refused(link, "everyone can put files into its folder");
    unlink(link), unlink(other), rmdir(inner);
    unlink(in_folder("liar.so"));
}

/* link.so -> open/liar.so; through -> inner, which is open/inner; around -> around. */
static void given_a_way_that_others_may_change_when_loaded_then_it_is_refused(void **state)
{
    static const struct {
        const char *path, *fragment;
    } cases[] = {
        {"link.so", "everyone can put files into its folder; use chmod o-w /"},
        {"open/../open/liar.so", "everyone can put files into its folder; use chmod o-w /"},
        {"open/inner/liar.so", "everyone can replace a folder or link on the way to it; use chmod o-w /"},
        {"through/liar.so", "everyone can replace a folder or link on the way to it; use chmod o-w /"},
        {"open/up/liar.so", "everyone can replace a folder or link on the way to it; use chmod o-w /"},
        {"around/liar.so", "Too many levels of symbolic links"},
    };
    char open[128];
    snprintf(open, sizeof open, "%s", in_folder("open"));
    assert_int_equal(mkdir(open, 0700), 0);
    assert_int_equal(mkdir(in_folder("open/inner"), 0700), 0);
    copy_plugin("liar", in_folder("liar.so"));
    copy_plugin("liar", in_folder("open/liar.so"));
    copy_plugin("liar", in_folder("open/inner/liar.so"));
    assert_int_equal(symlink("open/liar.so", in_folder("link.so")), 0);
    assert_int_equal(symlink("open/inner", in_folder("through")), 0);
    assert_int_equal(symlink("..", in_folder("open/up")), 0);
    assert_int_equal(symlink("around", in_folder("around")), 0);
    plugin_free(load(in_folder("open/inner/liar.so")));
    plugin_free(load(in_folder("open/up/through/liar.so")));
    assert_int_equal(chmod(open, 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(in_folder(cases[i].path), cases[i].fragment);
    plugin_free(load(in_folder("liar.so")));
    static const char *const made[] = {"link.so", "through",      "open/up",           "around",
                                       "liar.so", "open/liar.so", "open/inner/liar.so"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        unlink(in_folder(made[i]));
    rmdir(in_folder("open/inner")), rmdir(open);
}

static void given_a_link_to_nothing_when_loaded_then_the_message_says_where_it_leads(void **state)
{
    char expected[256];
    assert_int_equal(symlink("elsewhere/liar.so", in_folder("liar.so")), 0);
    snprintf(expected, sizeof expected, ": this is a link to %s: No such file or directory", in_folder("elsewhere"));
    assert_refused(in_folder("liar.so"), expected);
    unlink(in_folder("liar.so"));
}

/* ---- Files for other machines ------------------------------------------------------------------------------- */

static void write_byte(const char *path, off_t place, unsigned char byte)
{
    const int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, &byte, 1, place), 1);
    close(file);
}

static void given_a_file_for_another_machine_when_loaded_then_both_machines_are_named(void **state)
{
    static const struct {
        off_t place;
        unsigned char byte;
        const char *fragment;
    } cases[] = {
        {offsetof(Elf64_Ehdr, e_machine), EM_RISCV, ": built for RISC-V with 64 bits; this engine needs "},
        {offsetof(Elf64_Ehdr, e_machine), EM_SPARC, ": built for another machine with 64 bits; this engine needs "},
        {EI_CLASS, ELFCLASS32, " with 32 bits; this engine needs "},
    };
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("liar.so"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copy_plugin("liar", path);
        write_byte(path, cases[i].place, cases[i].byte);
        assert_refused(path, cases[i].fragment);
        unlink(path);
    }
}

/* ---- Owners, and files that are exchanged ------------------------------------------------------------------- */

enum { OTHER = 12345, ME = 12346, LOADED = 0, REFUSED = 1, WRONG = 2 };

/* Loads the file in a process of its own, as this user. */
static int load_as(uid_t user, const char *path, const char *fragment)
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        struct plugin *plugin = NULL;
        struct engine_error error = {0, ""};
        if (seteuid(user) != 0)
            _exit(WRONG);
        if (plugin_load(NULL, path, NULL, &plugin, &error) != 0)
            _exit(strstr(error.text, fragment) ? REFUSED : WRONG);
        _exit(strcmp(plugin->about.summary, "LEFT XOR ABOVE") == 0 ? WRONG : LOADED);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

static void given_a_plugin_of_another_user_when_loaded_then_root_and_shared_folders_refuse_it(void **state)
{
    static const struct {
        uid_t user, file_owner, folder_owner;
        mode_t folder;
        int expected;
        const char *fragment;
    } cases[] = {
        {0, 0, 0, 0755, LOADED, ""},
        {0, OTHER, 0, 0755, REFUSED, "liar.so belongs to the user with number 12345; root loads only plugins of root"},
        {0, 0, OTHER, 0755, REFUSED, "inner belongs to the user with number 12345; root loads only plugins of root"},
        {ME, OTHER, OTHER, 0755, LOADED, ""}, /* an ordinary user who names the folder trusts its owner */
        {ME, 0, 0, 01777, LOADED, ""},
        {ME, ME, 0, 01777, LOADED, ""},
        {ME, OTHER, 0, 01777, REFUSED,
         "12345, in a folder that everyone can put files into; copy the file to a folder"},
        {0, OTHER, 0, 01777, REFUSED, "12345, in a folder that everyone can put files into; root loads only"},
    };
    char inner[128], path[160];
    if (geteuid() != 0)
        SKIP("only root may give files to other users");
    snprintf(inner, sizeof inner, "%s", in_folder("inner"));
    snprintf(path, sizeof path, "%s/liar.so", inner);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(mkdir(inner, 0755), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copy_plugin("liar", path);
        assert_int_equal(chmod(path, 0644), 0);
        assert_int_equal(chown(path, cases[i].file_owner, 0), 0);
        assert_int_equal(chown(inner, cases[i].folder_owner, 0), 0);
        assert_int_equal(chmod(inner, cases[i].folder), 0);
        const int outcome = load_as(cases[i].user, path, cases[i].fragment);
        if (outcome != cases[i].expected)
            fail_msg("case %d: outcome %d, expected %d", (int) i, outcome, cases[i].expected);
        unlink(path);
    }
    rmdir(inner);
    assert_int_equal(chmod(folder, 0700), 0);
}

/* Exchanges two files until it is killed. */
static pid_t exchange(const char *one, const char *other)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
    return child;
}

/* Everyone can write to the other file, and its summary is "LEFT XOR ABOVE". */
static void given_a_file_that_is_exchanged_while_it_is_loaded_then_only_the_checked_one_is_accepted(void **state)
{
    char inner[128], path[160], other[160], command[512];
    int outcomes[3] = {0};
    snprintf(inner, sizeof inner, "%s", in_folder("exchanged")); /* this process has loaded nothing from there */
    snprintf(path, sizeof path, "%s/liar.so", inner);
    snprintf(other, sizeof other, "%s/other.so", inner);
    assert_int_equal(mkdir(inner, 0700), 0);
    copy_plugin("liar", path);
    copy_plugin("liar", other);
    snprintf(command, sizeof command, "sed -i 's/left XOR above/LEFT XOR ABOVE/g' '%s'", other);
    assert_int_equal(system(command), 0);
    assert_int_equal(chmod(other, 0646), 0);
    const pid_t child = exchange(path, other);
    assert_true(child > 0);
    for (int i = 0; i < 500; i++)
        outcomes[load_as(geteuid(), path, "")]++;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    unlink(path), unlink(other), rmdir(inner);
    if (outcomes[WRONG] > 0)
        fail_msg("%d of 500 loads were of the file that was not checked", outcomes[WRONG]);
    assert_true(outcomes[LOADED] > 0 && outcomes[REFUSED] > 0);
}

static void given_a_path_without_a_folder_when_loaded_then_the_working_folder_is_meant(void **state)
{
    char *before = getcwd(NULL, 0);
    copy_plugin("liar", in_folder("liar.so"));
    assert_int_equal(chdir(folder), 0);
    plugin_free(load("liar.so"));
    assert_int_equal(chmod(folder, 0777), 0);
    assert_refused("liar.so", "everyone can put files into its folder");
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    unlink(in_folder("liar.so"));
}

/* ---- Descriptors that make no sense ------------------------------------------------------------------------- */

/* A whole plugin, and room to break each of its tables. */
struct whole {
    struct engine_plugin about;
    struct engine_param params[2];
    struct engine_field fields[2];
    struct engine_metric metrics[2];
    struct engine_generator generators[2];
    struct engine_impl impls[2];
};

static int no_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator,
                       uint32_t field, uint64_t begin, uint64_t count, void *out)
{
    fail_msg("a function of the plugin was called");
    return 0;
}

static int no_shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                    struct engine_shape *shape)
{
    fail_msg("a function of the plugin was called");
    return 0;
}

static int no_check(const struct engine_host *host, const struct engine_value *value)
{
    fail_msg("a function of the plugin was called");
    return 0;
}

static void make_whole(struct whole *w)
{
    static const char *const choices[] = {"a", "b", NULL};
    *w = (struct whole){
        .about =
            {.abi = ENGINE_ABI(ENGINE_MINOR), .name = "whole", .version = "1", .summary = "s", .generate = no_generate},
        .params = {{.name = "n", .help = "h", .initial = "1", .min = 1, .max = 9, .check = no_check},
                   {.name = "c_2", .help = "h", .type = ENGINE_PARAM_CHOICE, .initial = "b", .choices = choices}},
        .fields = {{.name = "cells", .help = "h", .components = 1, .rank = 2, .values = 256, .reach = {1, 1, 0}},
                   {.name = "mass",
                    .help = "h",
                    .kind = ENGINE_PARTICLES,
                    .role = ENGINE_INPUT,
                    .type = ENGINE_F32,
                    .components = 1,
                    .flags = ENGINE_FIELD_OPTIONAL,
                    .initial = 0.5}},
        .metrics = {{.name = "population", .help = "h"}, {.name = "energy", .help = "h"}},
        .generators = {{.name = "plummer", .help = "h"}, {.name = "cold-disk", .help = "h"}},
        .impls = {{.name = "cpu", .help = "h", .flags = ENGINE_EXACT | ENGINE_REFERENCE},
                  {.name = "cuda-2", .help = "h", .memory = ENGINE_CUDA_MEMORY, .tolerance = 1e-5}},
    };
    w->about.params = (struct engine_param_array) ENGINE_ARRAY(w->params);
    w->about.fields = (struct engine_field_array) ENGINE_ARRAY(w->fields);
    w->about.metrics = (struct engine_metric_array) ENGINE_ARRAY(w->metrics);
    w->about.generators = (struct engine_generator_array) ENGINE_ARRAY(w->generators);
    w->about.impls = (struct engine_impl_array) ENGINE_ARRAY(w->impls);
}

/* Through the copy, as the loader goes; fragment NULL: it must pass. */
static void check_whole(struct whole *w, const char *change, const char *fragment)
{
    struct engine_plugin copy;
    struct engine_error error = {0, ""};
    int status = descriptor_copy(&w->about.abi, &copy, &error);
    if (status == 0)
        status = descriptor_check(NULL, &copy, "whole", &error);
    descriptor_release(&copy);
    if (!fragment && status != 0)
        fail_msg("%s: refused: %s", change, error.text);
    if (fragment && (status != ENGINE_STATUS_PLUGIN || !strstr(error.text, fragment)))
        fail_msg("%s: status %d, message '%s', expected '%s'", change, status, error.text, fragment);
}

#define REFUSED(change, fragment) \
    do { \
        struct whole w; \
        make_whole(&w); \
        change; \
        check_whole(&w, #change, fragment); \
    } while (0)

#define PASSES(change) REFUSED(change, NULL)

static void given_a_sensible_descriptor_when_checked_then_it_passes(void **state)
{
    PASSES((void) 0);
    PASSES(w.about.metrics.count = w.about.generators.count = 0);
    PASSES(w.about.params.at = NULL; w.about.params.count = w.about.params.item_size = 0);
    PASSES(w.fields[0].rank = 3; w.fields[0].reach[2] = 2);
    PASSES(w.fields[0].values = 0; w.fields[0].initial = 255);
    PASSES(w.fields[1].type = ENGINE_CONFIGURED; w.fields[1].initial = 0);
    PASSES(w.fields[1].initial = NAN);
    PASSES(w.fields[1].kind = ENGINE_BINS; w.about.shape = no_shape);
    PASSES(w.impls[0].flags = ENGINE_EXACT);
    PASSES(w.params[0].initial = "9");
    PASSES(w.params[0].min = w.params[0].max = 0; w.params[0].initial = "-77");
}

static void given_wrong_names_when_checked_then_they_are_refused(void **state)
{
    REFUSED(w.about.name = NULL, "its name is NULL");
    REFUSED(w.about.version = NULL, "its version is NULL");
    REFUSED(w.about.summary = NULL, "its summary is NULL");
    REFUSED(w.about.name = "part", "plugin 'part'; name the file part.so");
    REFUSED(w.about.name = "a/b", "plugin name 'a/b'");
    REFUSED(w.about.name = "", "plugin name ''");
    REFUSED(w.params[0].name = NULL, "parameter 0 has no name");
    REFUSED(w.params[0].name = "", "parameter name ''");
    REFUSED(w.params[0].name = "N", "parameter name 'N'");
    REFUSED(w.params[0].name = "a b", "parameter name 'a b'");
    REFUSED(w.params[0].name = "a=b", "parameter name 'a=b'");
    REFUSED(w.params[0].name = "a-b", "parameter name 'a-b'");
    REFUSED(w.params[0].name = "1a", "parameter name '1a'");
    REFUSED(w.params[1].name = "n", "parameter 'n' is listed twice");
    REFUSED(w.params[1].help = NULL, "parameter 'c_2' has no help");
    REFUSED(w.fields[1].name = "cells", "field 'cells' is listed twice");
    REFUSED(w.fields[1].name = "../x", "field name '../x'");
    REFUSED(w.fields[1].help = NULL, "field 'mass' has no help");
    REFUSED(w.fields[1].name = "density",
            "field name 'density' is taken by the engine's key [init] density (source = random: ");
    REFUSED(w.fields[1].name = "frames",
            "field name 'frames' is taken by the engine's key [init] frames (frames to read from");
    PASSES(w.fields[1].name = "frames"; w.fields[1].role = ENGINE_OUTPUT; w.fields[1].flags = 0); /* rdf has it */
    REFUSED(w.metrics[1].name = "population", "metric 'population' is listed twice");
    REFUSED(w.metrics[1].name = "a,b", "metric name 'a,b'");
    REFUSED(w.metrics[1].name = "step",
            "metric name 'step' is taken by the first column of metrics.csv; choose another name");
    REFUSED(w.generators[1].name = "plummer", "generator 'plummer' is listed twice");
    REFUSED(w.generators[1].name = "random",
            "generator name 'random' is taken by a source of the engine in [init] source;");
    REFUSED(w.impls[1].name = "cpu", "implementation 'cpu' is listed twice");
    REFUSED(w.impls[1].name = "auto",
            "implementation name 'auto' is taken by the choice of the engine in [run] implementation;");
    REFUSED(w.impls[1].name = "cuda_2", "implementation name 'cuda_2'");
    REFUSED(w.impls[1].name = "a,b", "implementation name 'a,b'");
    REFUSED(w.impls[1].name = NULL, "implementation 1 has no name");
}

static void given_wrong_arrays_when_copied_then_they_are_refused(void **state)
{
    REFUSED(w.about.params.at = NULL, "its array 'params' has 2 elements at NULL");
    REFUSED(w.about.fields.at = NULL, "its array 'fields' has 2 elements at NULL");
    REFUSED(w.about.impls.count = 4097, "its array 'impls' has 4097 elements, at most 4096");
    REFUSED(w.about.metrics.count = UINT32_MAX, "its array 'metrics' has 4294967295 elements");
    REFUSED(w.about.fields.item_size = 0, "its array 'fields' has elements of 0 bytes");
    REFUSED(w.about.metrics.item_size = 8, "its array 'metrics' has elements of 8 bytes");
    REFUSED(w.about.generators.item_size = 15, "its array 'generators' has elements of 15 bytes");
    REFUSED(w.about.impls.item_size = 88, "its array 'impls' has elements of 88 bytes");
    REFUSED(w.about.fields.count = 0, "it has no fields");
    REFUSED(w.about.impls.count = 0, "it has no implementations");
}

static void given_wrong_parameters_when_checked_then_they_are_refused(void **state)
{
    static const char *const none[] = {NULL}, *const twice[] = {"b", "a", "a", NULL};
    REFUSED(w.params[0].type = 5, "parameter 'n' has the unknown type 5");
    REFUSED(w.params[0].initial = NULL, "parameter 'n' has no default");
    REFUSED(w.params[0].initial = "0", "n = 0: out of range, expected 1 to 9");
    REFUSED(w.params[0].initial = "", "n = : expected a whole number");
    REFUSED(w.params[0].min = 10, "parameter 'n' has the range 10 to 9");
    REFUSED(w.params[0].min = NAN, "parameter 'n' has the range nan to 9");
    REFUSED(w.params[1].choices = NULL, "parameter 'c_2' has no choices");
    REFUSED(w.params[1].choices = none, "parameter 'c_2' has no choices");
    REFUSED(w.params[1].choices = twice, "parameter 'c_2' has the choice 'a' twice");
    REFUSED(w.params[1].initial = "d", "c_2 = d: expected one of a, b");
}

static void given_wrong_fields_when_checked_then_they_are_refused(void **state)
{
    REFUSED(w.fields[0].kind = 4, "field 'cells' has the illegal kind 4");
    REFUSED(w.fields[0].role = 3, "field 'cells' has the illegal role 3");
    REFUSED(w.fields[0].type = TYPE_COUNT, "field 'cells' has the illegal type 12");
    REFUSED(w.fields[0].components = 0, "field 'cells' has the illegal components 0");
    REFUSED(w.fields[0].reduction = 1, "field 'cells' has the illegal reduction 1");
    REFUSED(w.fields[1].role = ENGINE_OUTPUT; w.fields[1].flags = 0; w.fields[1].reduction = 2, "illegal reduction 2");
    REFUSED(w.fields[0].flags = ENGINE_FIELD_OPTIONAL, "illegal flags (optional) 1");
    REFUSED(w.fields[0].rank = 0, "field 'cells' has rank 0, expected 1, 2 or 3");
    REFUSED(w.fields[0].rank = 4, "field 'cells' has rank 4, expected 1, 2 or 3");
    REFUSED(w.fields[1].rank = 1, "field 'mass' has rank 1, expected 0");
    REFUSED(w.fields[0].reach[2] = 1, "field 'cells' has a reach along axis z");
    REFUSED(w.fields[1].reach[0] = 1, "field 'mass' has a reach along axis x");
    REFUSED(w.fields[0].values = 257, "field 'cells' has 257 values, too many for type uint8");
    REFUSED(w.fields[0].type = ENGINE_I8; w.fields[0].values = 129, "has 129 values, too many for type int8");
    REFUSED(w.fields[1].values = 2, "field 'mass' has 2 values, too many for type float32");
    REFUSED(w.fields[0].initial = 256, "field 'cells' starts at 256, expected a whole number from 0 to 255");
    REFUSED(w.fields[0].values = 2; w.fields[0].initial = 2, "starts at 2, expected a whole number from 0 to 1");
    REFUSED(w.fields[0].initial = 0.5, "field 'cells' starts at 0.5");
    REFUSED(w.fields[0].initial = -1, "field 'cells' starts at -1");
    REFUSED(w.fields[0].initial = NAN, "field 'cells' starts at nan");
    REFUSED(w.fields[1].kind = ENGINE_BINS, "field 'mass' is made of bins, but the plugin has no shape function");
}

static void given_wrong_implementations_when_checked_then_they_are_refused(void **state)
{
    REFUSED(w.impls[0].memory = 2, "implementation 'cpu' asks for the unknown memory 2");
    REFUSED(w.impls[0].tolerance = 1e-6, "implementation 'cpu' is exact but has the tolerance 1e-06");
    REFUSED(w.impls[1].tolerance = 0, "implementation 'cuda-2' is not exact and has the tolerance 0");
    REFUSED(w.impls[1].tolerance = -1, "implementation 'cuda-2' is not exact and has the tolerance -1");
    REFUSED(w.impls[1].tolerance = INFINITY, "implementation 'cuda-2' is not exact and has the tolerance inf");
    REFUSED(w.impls[1].tolerance = NAN, "implementation 'cuda-2' is not exact");
    REFUSED(w.impls[1].flags = ENGINE_REFERENCE, "implementations 'cpu' and 'cuda-2' are both the reference");
    REFUSED(w.about.generate = NULL, "it has generators but no generate function");
}

static void given_a_name_of_an_engine_section_when_checked_then_it_is_refused(void **state)
{
    static const char *const sections[] = {"run",    "grid",       "particles", "init",     "analyse",
                                           "output", "checkpoint", "bench",     "ensemble", "Run"};
    const struct context context = {.modules = &engine_modules};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        struct whole w;
        struct engine_error error;
        make_whole(&w);
        w.about.name = sections[i];
        assert_int_equal(descriptor_check(&context, &w.about, sections[i], &error), ENGINE_STATUS_PLUGIN);
        assert_non_null(strstr(error.text, "is reserved for the engine's section ["));
    }
}

static void given_plugin_names_when_judged_then_only_plain_ones_are_valid(void **state)
{
    static const struct {
        const char *name;
        bool valid;
    } cases[] = {
        {"life2d-bit", true},
        {"a", true},
        {"A_1", true},
        {"", false},
        {"a/b", false},
        {"..", false},
        {".", false},
        {"a.so", false},
        {"a b", false},
        {"a\n", false},
        {"\xc3\xa9", false},
        {"0123456789012345678901234567890123456789012345678901234567890123", true},
        {"01234567890123456789012345678901234567890123456789012345678901234", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (descriptor_is_plugin_name(cases[i].name) != cases[i].valid)
            fail_msg("'%s' should %sbe valid", cases[i].name, cases[i].valid ? "" : "not ");
}

static int make_folder(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/engine-test-XXXXXX", parent && strlen(parent) < 40 ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_broken_plugin_when_loaded_then_it_is_refused_with_the_reason),
        cmocka_unit_test(given_a_plugin_that_breaks_later_when_loaded_then_it_is_whole),
        cmocka_unit_test(given_longer_structures_of_a_later_minor_when_loaded_then_what_is_known_is_read),
        cmocka_unit_test(given_extensions_when_loaded_then_they_take_the_place_of_older_members),
        cmocka_unit_test(given_two_flags_of_an_older_version_when_copied_then_they_become_one),
        cmocka_unit_test(given_implementations_when_asked_by_name_then_they_and_the_reference_are_found),
        cmocka_unit_test(given_no_plugin_file_when_loaded_then_it_is_refused),
        cmocka_unit_test(given_a_plugin_file_cut_short_when_loaded_then_it_is_refused_and_nothing_dies),
        cmocka_unit_test(given_a_plugin_that_others_may_write_when_loaded_then_it_is_refused),
        cmocka_unit_test(given_a_link_to_a_plugin_when_loaded_then_both_places_are_checked_and_its_name_counts),
        cmocka_unit_test(given_a_way_that_others_may_change_when_loaded_then_it_is_refused),
        cmocka_unit_test(given_a_link_to_nothing_when_loaded_then_the_message_says_where_it_leads),
        cmocka_unit_test(given_a_file_for_another_machine_when_loaded_then_both_machines_are_named),
        cmocka_unit_test(given_a_plugin_of_another_user_when_loaded_then_root_and_shared_folders_refuse_it),
        cmocka_unit_test(given_a_file_that_is_exchanged_while_it_is_loaded_then_only_the_checked_one_is_accepted),
        cmocka_unit_test(given_a_path_without_a_folder_when_loaded_then_the_working_folder_is_meant),
        cmocka_unit_test(given_a_sensible_descriptor_when_checked_then_it_passes),
        cmocka_unit_test(given_wrong_names_when_checked_then_they_are_refused),
        cmocka_unit_test(given_wrong_arrays_when_copied_then_they_are_refused),
        cmocka_unit_test(given_wrong_parameters_when_checked_then_they_are_refused),
        cmocka_unit_test(given_wrong_fields_when_checked_then_they_are_refused),
        cmocka_unit_test(given_wrong_implementations_when_checked_then_they_are_refused),
        cmocka_unit_test(given_a_name_of_an_engine_section_when_checked_then_it_is_refused),
        cmocka_unit_test(given_plugin_names_when_judged_then_only_plain_ones_are_valid),
    };
    return cmocka_run_group_tests_name("loader", tests, make_folder, remove_folder);
}
