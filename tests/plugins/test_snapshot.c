/* Snapshots of running plugins: a state is written while the run continues. Restored into another implementation, it
 * leads to the bits of the uninterrupted run. */
#include "files/snapshot_header.h"
#include "files/snapshot_member.h"
#include "record/snapshot.h"
#include "run/state_hash.h"
#include "tests/candidate.h"
#include "tests/registry.h"
#include "tests/unit/folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

#include <cmocka.h>

struct run {
    struct config *config;
    struct candidate candidate;
};

static struct registry *registry;

static int open_all(void **state)
{
    struct engine_error error;
    return open_built_plugins(&registry, &error) || make_folder(state);
}

static int close_all(void **state)
{
    registry_close(registry);
    return remove_folder(state);
}

/* `settings`: assignments separated by blanks; "~" in them stands for one. */
static void open_run(struct run *run, const char *impl, const char *settings)
{
    char words[512], *rest = NULL;
    struct engine_error error;
    *run = (struct run){0};
    snprintf(words, sizeof words, "%s", settings);
    assert_int_equal(config_open(NULL, &run->config, &error), 0);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        for (char *blank; (blank = strchr(word, '~'));)
            *blank = ' ';
        if (config_set(run->config, word, &error) != 0)
            fail_msg("%s", error.text);
    }
    if (candidate_open(run->config, registry, impl, &run->candidate, &error) != 0)
        fail_msg("%s %s: %s", impl, settings, error.text);
}

static void close_run(struct run *run)
{
    candidate_close(&run->candidate);
    config_close(run->config);
}

static void advance(struct run *run, uint64_t steps)
{
    struct engine_error error;
    if (candidate_advance(&run->candidate, steps, UINT64_MAX, &error) != 0)
        fail_msg("%s", error.text);
}

static void hash(const struct run *run, char text[HASH_TEXT])
{
    struct engine_error error;
    if (state_hash(run->candidate.state, HASH_RESULTS, text, &error) != 0)
        fail_msg("%s", error.text);
}

static struct snapshot *opened(const char *path)
{
    struct engine_error error;
    struct snapshot *snapshot;
    if (snapshot_open(path, &snapshot, &error) != 0)
        fail_msg("%s", error.text);
    return snapshot;
}

static void restore(struct run *run, const char *path)
{
    struct engine_error error;
    struct snapshot *snapshot = opened(path);
    if (snapshot_restore(snapshot, run->candidate.state, NULL, &error) != 0)
        fail_msg("%s", error.text);
    snapshot_close(snapshot);
    instance_state_changed(run->candidate.instance);
}

/* Writes a snapshot after `before` steps, with `after` more taken while it is being written. */
static void leave(const char *impl, const char *settings, uint64_t before, uint64_t after, char at[HASH_TEXT],
                  char end[HASH_TEXT])
{
    struct run run;
    struct engine_error error;
    struct snapshot_writing *writing;
    open_run(&run, impl, settings);
    advance(&run, before);
    hash(&run, at);
    if (snapshot_start(run.candidate.instance, "{\"a\": 1}", opened_folder(), "a.snapshot", true, &writing, &error) !=
        0)
        fail_msg("%s", error.text);
    advance(&run, after);
    if (snapshot_finish(writing, &error) != 0)
        fail_msg("%s", error.text);
    hash(&run, end);
    close_run(&run);
}

static const struct {
    const char *settings, *from, *to;
    uint64_t before, after;
} cases[] = {
    {"run.plugin=life2d-bit init.source=random grid.size=300~70", "cpu", "cpu-serial", 33, 20},
    {"run.plugin=life2d-bit init.source=random grid.size=2000~1500", "cpu-serial", "cpu", 3, 50},
    {"run.plugin=life3d-packed init.source=random grid.size=100~20~11 life3d-packed.rule=B6/S5..7", "cpu", "cpu-serial",
     9, 5},
    {"run.plugin=life3d-packed init.source=random grid.size=37~20~11 life3d-packed.rule=B6/S5..7", "cpu-serial", "cpu",
     9, 5},
    {"run.plugin=nbody init.source=plummer particles.count=100", "cpu", "cpu", 5, 7},
    {"run.plugin=nbody init.source=plummer particles.count=100 nbody.integrator=hermite", "cpu", "cpu", 5, 7},
    {"run.plugin=transpose init.source=random matrix.rows=70 matrix.columns=1300 matrix.element=complex128", "cpu",
     "cpu-serial", 3, 4},
    {"run.plugin=transpose init.source=random matrix.rows=70 matrix.columns=70 matrix.element=uint8", "cpu-in-place",
     "cpu", 5, 1},
};

static void runs_go_on_from_snapshots(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char at[HASH_TEXT], end[HASH_TEXT], got[HASH_TEXT];
        struct run run;
        leave(cases[i].from, cases[i].settings, cases[i].before, cases[i].after, at, end);
        open_run(&run, cases[i].to, cases[i].settings);
        advance(&run, 2); /* what is there has to go */
        restore(&run, path_of("a.snapshot"));
        hash(&run, got);
        assert_string_equal(got, at);
        assert_int_equal(run.candidate.state->step, cases[i].before);
        advance(&run, cases[i].after);
        hash(&run, got);
        if (strcmp(got, end) != 0)
            fail_msg("%s: %s to %s ends in %s, %s was expected", cases[i].settings, cases[i].from, cases[i].to, got,
                     end);
        close_run(&run);
    }
}

static void header_tells_of_the_run(void **state)
{
    char at[HASH_TEXT], end[HASH_TEXT];
    leave("cpu", "run.plugin=nbody init.source=plummer particles.count=100 init.seed=5", 5, 1, at, end);
    struct snapshot *snapshot = opened(path_of("a.snapshot"));
    const struct snapshot_header *header = snapshot_header(snapshot);
    assert_string_equal(header->plugin, "nbody");
    assert_string_equal(header->implementation, "cpu");
    assert_string_equal(header->extra, "{\"a\": 1}");
    assert_string_equal(header->hash, at);
    assert_true(header->step == 5 && header->seed == 5);
    assert_string_equal(header->fields[2].name, "mass");
    assert_int_equal(header->roles[2], ENGINE_INPUT);
    assert_non_null(strstr(header->config, "[particles]\ncount = 100\n"));
    assert_true(*header->device && *header->host && *header->engine);
    snapshot_close(snapshot);
}

/* ---- What is wrong ------------------------------------------------------------------------------------------ */

static void another_state_is_refused(void **state)
{
    static const struct {
        const char *settings, *what;
    } others[] = {
        {"run.plugin=life2d-bit grid.size=301~70", "field cells is 300 x 70 x 1 of 1 uint8, expected 301 x 70 x 1"},
        {"run.plugin=life3d-naive grid.size=300~70~2", "field cells is 300 x 70 x 1 of 1 uint8, expected 300 x 70 x 2"},
        {"run.plugin=nbody init.source=plummer particles.count=10", "has no field position"},
    };
    char at[HASH_TEXT], end[HASH_TEXT];
    leave("cpu", "run.plugin=life2d-bit init.source=random grid.size=300~70", 1, 1, at, end);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct run run;
        struct engine_error error = {0};
        struct snapshot *snapshot = opened(path_of("a.snapshot"));
        open_run(&run, "cpu", others[i].settings);
        assert_int_equal(snapshot_restore(snapshot, run.candidate.state, NULL, &error), ENGINE_STATUS_INPUT);
        if (!strstr(error.text, others[i].what))
            fail_msg("%s", error.text);
        snapshot_close(snapshot);
        close_run(&run);
    }
}

/* Puts another hash into the index of a file, all checksums right. */
static void forge_hash(const char *path)
{
    static uint8_t bytes[1 << 16], member[1 << 16];
    static char text[1 << 16];
    static struct isal_zstream deflater;
    static struct inflate_state inflater;
    struct snapshot_end end;
    FILE *file = fopen(path, "r+b");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(end_parse(bytes + size - SNAPSHOT_END_BYTES, &end));
    const uint32_t length = member_content(bytes + end.index_begin, end.index_bytes);
    assert_true(member_unpack(&inflater, bytes + end.index_begin, end.index_bytes, text, length));
    memcpy(text, "hash 00000000000000000000000000000000", 37);
    end.index_bytes = member_make(&deflater, text, length, member);
    end.index_check = XXH3_64bits(member, end.index_bytes);
    end_make(&end, member + end.index_bytes);
    fseek(file, (long) end.index_begin, SEEK_SET);
    fwrite(member, 1, end.index_bytes + SNAPSHOT_END_BYTES, file);
    fclose(file);
    assert_int_equal(truncate(path, (off_t) (end.index_begin + end.index_bytes + SNAPSHOT_END_BYTES)), 0);
}

static void the_hash_of_the_whole_is_checked(void **state)
{
    static const char settings[] = "run.plugin=life2d-bit init.source=random grid.size=300~70";
    char at[HASH_TEXT], end[HASH_TEXT];
    struct run run;
    struct engine_error error = {0};
    leave("cpu", settings, 1, 1, at, end);
    forge_hash(path_of("a.snapshot"));
    struct snapshot *snapshot = opened(path_of("a.snapshot"));
    open_run(&run, "cpu", settings);
    assert_int_equal(snapshot_restore(snapshot, run.candidate.state, NULL, &error), ENGINE_STATUS_INPUT);
    if (!strstr(error.text, "expected 00000000000000000000000000000000"))
        fail_msg("%s", error.text);
    snapshot_close(snapshot);
    close_run(&run);
}

/* A limit on a file's size stands for a full disk; the old file stays. */
static void what_cannot_be_written_leaves_nothing(void **state)
{
    char at[HASH_TEXT], end[HASH_TEXT];
    struct run run;
    struct engine_error error = {0};
    struct snapshot_writing *writing;
    const struct rlimit small = {2000, RLIM_INFINITY}, before = {RLIM_INFINITY, RLIM_INFINITY};
    leave("cpu", "run.plugin=life2d-bit init.source=random grid.size=300~70", 1, 1, at, end);
    open_run(&run, "cpu", "run.plugin=life2d-bit init.source=random grid.size=300~300");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(
        snapshot_start(run.candidate.instance, NULL, opened_folder(), "a.snapshot", true, &writing, &error), 0);
    assert_int_equal(snapshot_finish(writing, &error), ENGINE_STATUS_OUTPUT);
    setrlimit(RLIMIT_FSIZE, &before);
    if (!strstr(error.text, "a.snapshot: cannot be written: File too large"))
        fail_msg("%s", error.text);
    struct snapshot *snapshot = opened(path_of("a.snapshot"));
    assert_string_equal(snapshot_header(snapshot)->hash, at);
    snapshot_close(snapshot);
    struct folder *removed = removed_folder();
    assert_int_equal(snapshot_start(run.candidate.instance, NULL, removed, "b.snapshot", true, &writing, &error), 0);
    assert_int_equal(snapshot_finish(writing, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "removed/b.snapshot: cannot be created: its folder was removed"));
    folder_close(removed);
    close_run(&run);
    DIR *open = opendir(folder);
    for (struct dirent *entry; (entry = readdir(open));)
        assert_true(strncmp(entry->d_name, ".tmp", 4) != 0);
    closedir(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_go_on_from_snapshots),
        cmocka_unit_test(header_tells_of_the_run),
        cmocka_unit_test(another_state_is_refused),
        cmocka_unit_test(the_hash_of_the_whole_is_checked),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
    };
    return cmocka_run_group_tests_name("snapshots", tests, open_all, close_all);
}
