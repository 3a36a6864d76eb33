/* engine_audit finds every fault in a segment that it checks, and gives no alarm where there is none.
 *
 * A fault is a flipped bit in a file, or a record that was changed with right checksums: a cell of a state, a hash, a
 * metric, the record of a run whose state somebody changed at one step, or of one that took a step by another rule. The
 * forged records go on from there without a contradiction, so that only the segment of the change is wrong.
 *
 * The suite injects 60 faults. LONG=1 tests/run library/test_audit injects 1,000, and checks 1,000 sound segments. Most
 * of the time goes to the synchronisation of files, so TMPDIR=/dev/shm makes it shorter. */
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

/* The run, and what it records. A segment has KEPT steps. The last one ends with the run. */
enum { WIDTH = 128, HEIGHT = 64, STEPS = 190, KEPT = 20, SNAPSHOT = 40, HASHED = 5, MEASURED = 4, SEGMENTS = 10 };
enum { BYTES_MAX = 1 << 20, PATH_BYTES = 256 };

static struct engine_context *context;
static char top[128], folder[160];
static unsigned long long word = 88172645463325252ULL;

/* xorshift64: a number below `below`. */
static unsigned long long draw(unsigned long long below)
{
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    return word % below;
}

static int count_of(int few)
{
    return getenv("LONG") ? 1000 : few;
}

static void shell(const char *command)
{
    char text[512];
    snprintf(text, sizeof text, "cd %s && %s", top, command);
    if (system(text) != 0) // NOLINT(cert-env33-c): the folder is this test's own
        fail_msg("%s", text);
}

#define NEED(call) \
    do { \
        if ((call) != 0) \
            fail_msg("%s", error.text); \
    } while (0)

/* ---- Another run: c = a * b + c, whose inputs a and b are no part of the hash ------------------------------------- */

static void make_products(void)
{
    static const char *const settings[] = {"run.plugin=matrix",  "run.steps=40",         "matrix.rows=16",
                                           "matrix.columns=16",  "matrix.operation=mad", "matrix.element=float32",
                                           "init.source=random", "output.hash_every=5",  "checkpoint.every=10",
                                           "checkpoint.keep=all"};
    struct engine_error error;
    struct engine_config *config;
    struct engine_run *run;
    struct engine_result result = {.size = sizeof result};
    const struct engine_execution execution = {.size = sizeof execution, .flags = ENGINE_RUN_FORCE};
    NEED(engine_config_open(context, NULL, &config, &error));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        NEED(engine_config_set(config, settings[i], &error));
    NEED(engine_config_put(config, "run", "output", folder, &error));
    NEED(engine_run_plan(config, &run, &error));
    NEED(engine_run_execute(run, &execution, &result, &error));
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- The run ---------------------------------------------------------------------------------------------------- */

/* Executes a run with that seed, rule and implementation into `folder`. */
static void make_run(unsigned seed, const char *rule, const char *impl)
{
    char settings[16][256];
    struct engine_error error;
    struct engine_config *config;
    struct engine_run *run;
    struct engine_result result = {.size = sizeof result};
    const struct engine_execution execution = {.size = sizeof execution, .flags = ENGINE_RUN_FORCE};
    int count = 0;
    snprintf(settings[count++], sizeof settings[0], "run.plugin=life2d-bit");
    snprintf(settings[count++], sizeof settings[0], "run.steps=%d", STEPS);
    snprintf(settings[count++], sizeof settings[0], "run.output=%s", folder);
    snprintf(settings[count++], sizeof settings[0], "run.implementation=%s", impl);
    snprintf(settings[count++], sizeof settings[0], "grid.size=%d %d", WIDTH, HEIGHT);
    snprintf(settings[count++], sizeof settings[0], "init.source=random");
    snprintf(settings[count++], sizeof settings[0], "init.seed=%u", seed);
    snprintf(settings[count++], sizeof settings[0], "life2d-bit.rule=%s", rule);
    snprintf(settings[count++], sizeof settings[0], "output.every=%d", SNAPSHOT);
    snprintf(settings[count++], sizeof settings[0], "output.formats=snapshot");
    snprintf(settings[count++], sizeof settings[0], "output.hash_every=%d", HASHED);
    snprintf(settings[count++], sizeof settings[0], "output.metrics_every=%d", MEASURED);
    snprintf(settings[count++], sizeof settings[0], "checkpoint.every=%d", KEPT);
    snprintf(settings[count++], sizeof settings[0], "checkpoint.keep=all");
    NEED(engine_config_open(context, NULL, &config, &error));
    for (int i = 0; i < count; i++)
        NEED(engine_config_set(config, settings[i], &error));
    NEED(engine_run_plan(config, &run, &error));
    NEED(engine_run_execute(run, &execution, &result, &error));
    engine_run_close(run);
    engine_config_close(config);
}

/* A run in memory that stands at a kept step of the run in `folder`, and that takes steps by `rule`, or by its own. */
static struct engine_run *open_at(int step, const char *rule)
{
    char path[PATH_BYTES];
    struct engine_error error;
    struct engine_config *config;
    struct engine_run *run;
    snprintf(path, sizeof path, "%s/config.ini", folder);
    NEED(engine_config_open(context, path, &config, &error));
    if (rule)
        NEED(engine_config_put(config, "life2d-bit", "rule", rule, &error));
    NEED(engine_run_plan_steps(config, NULL, &run, &error));
    NEED(engine_run_choose(run, "cpu-serial", &error));
    NEED(engine_run_start(run, &error));
    snprintf(path, sizeof path, "%s/checkpoint-%010d.snapshot", folder, step);
    if (step > 0)
        NEED(engine_run_restore(run, path, &error));
    engine_config_close(config);
    return run;
}

/* ---- The audit -------------------------------------------------------------------------------------------------- */

static bool has_number(const char *json, const char *key, int number)
{
    char wanted[32];
    const char *list = strstr(json, key), *end = list ? strchr(list, ']') : NULL;
    snprintf(wanted, sizeof wanted, "%d", number);
    for (const char *at = list; at && at < end && (at = strpbrk(at, "0123456789")) && at < end;
         at += strspn(at, "0123456789"))
        if (strspn(at, "0123456789") == strlen(wanted) && strncmp(at, wanted, strlen(wanted)) == 0)
            return true;
    return false;
}

/* Audits `count` segments; 0: all. Returns whether it found something. *drawn: it has checked the segment that begins
 * at that step. *text: what it found first. */
static bool audit(uint64_t count, int step, bool *drawn, struct engine_error *error)
{
    const struct engine_audit given = {
        .size = sizeof given, .all = count == 0, .segments = count, .seed = 1 + draw(1000000000)};
    char *json;
    const int status = engine_audit(context, folder, &given, &json, error);
    if (status != 0 && status != ENGINE_STATUS_UNVERIFIED)
        fail_msg("%s", error->text);
    *drawn = count == 0 || has_number(json, "\"begins\"", step);
    free(json);
    return status != 0;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static char *path_of(const char *name)
{
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static size_t read_file(const char *name, char *bytes)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, BYTES_MAX - 1, file);
    fclose(file);
    bytes[length] = '\0';
    return length;
}

static void write_file(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static char content[BYTES_MAX];

static void flip_bit(const char *name)
{
    const size_t length = read_file(name, content);
    content[draw(length)] ^= (char) (1 << draw(8));
    write_file(name, content, length);
}

/* The row of a step: its text behind the comma. */
static char *row_of(char *text, int step)
{
    char begin[32];
    const int length = snprintf(begin, sizeof begin, "\n%d,", step);
    char *row = strstr(text, begin);
    return row ? row + length : NULL;
}

/* ---- Faults ----------------------------------------------------------------------------------------------------- */

/* Each makes a fault, and returns the step at which the segment begins that is wrong: a fault at a kept step is in two
 * segments, and then -1 - the step. WHOLE: it may be in any. */
enum { WHOLE = 1 << 20 };

static int kept_step(void)
{
    return KEPT * (1 + (int) draw(SEGMENTS - 1));
}

static int flip_in_checkpoint(void)
{
    char name[64];
    const int step = kept_step();
    snprintf(name, sizeof name, "checkpoint-%010d.snapshot", step);
    flip_bit(name);
    return -1 - step;
}

static int flip_in_snapshot(void)
{
    char name[64];
    const int step = SNAPSHOT * (1 + (int) draw(STEPS / SNAPSHOT));
    snprintf(name, sizeof name, "cells-%010d.snapshot", step);
    flip_bit(name);
    return -1 - step;
}

static int flip_in_hashes(void)
{
    flip_bit("hashes.csv");
    return WHOLE;
}

static int flip_in_metrics(void)
{
    flip_bit("metrics.csv");
    return WHOLE;
}

static void flip_cell(struct engine_run *run)
{
    struct engine_error error;
    unsigned char cell;
    const uint64_t x = draw(WIDTH), y = draw(HEIGHT);
    const struct engine_box box = {{x, y, 0}, {x + 1, y + 1, 1}};
    NEED(engine_run_read(run, 0, &box, &cell, 1, &error));
    cell = !cell;
    NEED(engine_run_write(run, 0, &box, &cell, 1, &error));
}

/* Another state with right checksums. */
static int forge_state(const char *kind, int step)
{
    char name[64];
    struct engine_error error;
    struct engine_run *run = open_at(step, NULL);
    flip_cell(run);
    snprintf(name, sizeof name, "%s-%010d.snapshot", kind, step);
    NEED(engine_run_save(run, path_of(name), &error));
    engine_run_close(run);
    return -1 - step;
}

static int forge_checkpoint(void)
{
    return forge_state("checkpoint", kept_step());
}

static int forge_snapshot(void)
{
    return forge_state("cells", SNAPSHOT * (1 + (int) draw(STEPS / SNAPSHOT)));
}

static int segment_of(int step)
{
    return step % KEPT == 0 ? -1 - step : step / KEPT * KEPT;
}

static int forge_hash(void)
{
    const int step = HASHED * (int) draw(STEPS / HASHED + 1);
    const size_t length = read_file("hashes.csv", content);
    char *digit = row_of(content, step) + draw(32);
    *digit = *digit == 'a' ? 'b' : 'a';
    write_file("hashes.csv", content, length);
    return segment_of(step);
}

static int forge_metric(void)
{
    const int step = MEASURED * (int) draw(STEPS / MEASURED + 1);
    const size_t length = read_file("metrics.csv", content);
    char *digit = row_of(content, step) + draw(3);
    *digit = *digit == '7' ? '8' : '7';
    write_file("metrics.csv", content, length);
    return segment_of(step);
}

/* Replaces the text of the row of a step in a table. */
static void put_row(const char *name, int step, const char *text)
{
    static char changed[BYTES_MAX];
    const size_t length = read_file(name, content);
    char *row = row_of(content, step);
    if (!row)
        return;
    const char *end = row + strcspn(row, "\n");
    const int made = snprintf(changed, sizeof changed, "%.*s%s%.*s", (int) (row - content), content, text,
                              (int) (content + length - end), end);
    write_file(name, changed, (size_t) made);
}

static void put_summary(const char *hash)
{
    read_file("summary.json", content);
    char *at = strstr(content, "\"hash\":\"");
    assert_non_null(at);
    memcpy(at + 8, hash, 32);
    write_file("summary.json", content, strlen(content));
}

/* Records the present state of a forged run as the run would have done. */
static void record_step(struct engine_run *run)
{
    const int step = (int) engine_run_step(run);
    char hash[ENGINE_HASH_SIZE], name[64], text[32];
    struct engine_error error;
    double population;
    NEED(engine_run_hash(run, hash, &error));
    put_row("hashes.csv", step, hash);
    NEED(engine_run_measure(run, &population, 1, &error));
    snprintf(text, sizeof text, "%.17g", population);
    put_row("metrics.csv", step, text);
    snprintf(name, sizeof name, "checkpoint-%010d.snapshot", step);
    if (access(path_of(name), F_OK) == 0)
        NEED(engine_run_save(run, path_of(name), &error));
    snprintf(name, sizeof name, "cells-%010d.snapshot", step);
    if (access(path_of(name), F_OK) == 0)
        NEED(engine_run_save(run, path_of(name), &error));
    if (step == STEPS)
        put_summary(hash);
}

static void step_by_another_rule(struct engine_run *run)
{
    struct engine_error error;
    struct engine_run *other = open_at(0, "B36/S23");
    NEED(engine_run_copy(other, run, &error));
    NEED(engine_run_take(other, 1, 1, &error));
    NEED(engine_run_copy(run, other, &error));
    engine_run_close(other);
}

static void step_and_change(struct engine_run *run)
{
    struct engine_error error;
    NEED(engine_run_take(run, 1, 1, &error));
    for (int i = 0; i < 8; i++) /* one cell may be lost before the next hash */
        flip_cell(run);
}

/* A segment with a forged step. What follows is computed from it, and recorded. If the change is lost before the segment
 * ends, nothing is wrong, and the next draw tries again. */
static int forge_segment(void (*step)(struct engine_run *run))
{
    struct engine_error error;
    char honest[ENGINE_HASH_SIZE], forged[ENGINE_HASH_SIZE];
    const int begin = KEPT * (int) draw(SEGMENTS), end = begin + KEPT < STEPS ? begin + KEPT : STEPS;
    const int at = begin + (int) draw((unsigned) (end - begin));
    struct engine_run *run = open_at(begin, NULL), *same = open_at(begin, NULL);
    NEED(engine_run_take(run, (uint64_t) (at - begin), 0, &error));
    step(run);
    NEED(engine_run_take(same, (uint64_t) (end - begin), 0, &error));
    NEED(engine_run_hash(same, honest, &error));
    engine_run_close(same);
    struct engine_kept *kept;
    NEED(engine_run_keep(run, &kept, &error));
    NEED(engine_run_take(run, (uint64_t) (end - at - 1), 0, &error));
    NEED(engine_run_hash(run, forged, &error));
    NEED(engine_run_return(run, kept, &error));
    engine_kept_close(kept);
    const bool lost = strcmp(honest, forged) == 0;
    while (!lost) {
        record_step(run);
        if (engine_run_step(run) == STEPS)
            break;
        NEED(engine_run_take(run, 1, 1, &error));
    }
    engine_run_close(run);
    return lost ? forge_segment(step) : begin;
}

static int forge_by_rule(void)
{
    return forge_segment(step_by_another_rule);
}

static int forge_by_change(void)
{
    return forge_segment(step_and_change);
}

static const struct {
    const char *name;
    int (*make)(void);
    int divisor; /* one of so many faults of this kind: it takes longer */
} kinds[] = {{"a flipped bit of a checkpoint", flip_in_checkpoint, 1},
             {"a flipped bit of a snapshot", flip_in_snapshot, 1},
             {"a flipped bit of hashes.csv", flip_in_hashes, 1},
             {"a flipped bit of metrics.csv", flip_in_metrics, 1},
             {"a checkpoint of another state", forge_checkpoint, 1},
             {"a snapshot of another state", forge_snapshot, 1},
             {"another hash", forge_hash, 1},
             {"another metric", forge_metric, 1},
             {"a step by another rule, and what follows", forge_by_rule, 1},
             {"a changed state, and what follows", forge_by_change, 1}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

static int open_all(void **state)
{
    (void) state;
    struct engine_error error;
    const char *temporary = getenv("TMPDIR");
    snprintf(top, sizeof top, "%.100s/test_audit.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(top) || open_built_context((struct engine_hooks){0}, &context, &error) != 0)
        return -1;
    snprintf(folder, sizeof folder, "%s/run", top);
    return 0;
}

static int close_all_of(void **state)
{
    (void) state;
    char text[256];
    engine_close(context);
    snprintf(text, sizeof text, "rm -rf %s", top);
    return system(text); // NOLINT(cert-env33-c)
}

/* Is a segment drawn that the fault is in? A fault at a kept step is at the end of one and at the begin of the next. */
static bool covers(int where, uint64_t count, struct engine_error *error, bool *found)
{
    bool drawn, before = false;
    const unsigned long long seed = word;
    const int step = where < 0 ? -1 - where : where;
    *found = audit(count, step == STEPS ? STEPS / KEPT * KEPT : step, &drawn, error);
    if (where >= 0 || step == 0 || step == STEPS)
        return drawn;
    word = seed; /* the same audit, asked about the segment before */
    const bool again = audit(count, step - KEPT, &before, error);
    assert_int_equal(again, *found);
    return drawn || before;
}

static void every_fault_in_a_checked_segment_is_found(void **state)
{
    (void) state;
    int in_drawn = 0, found_in = 0, count = count_of(60), of_kind[KINDS] = {0};
    struct engine_error error = {0};
    make_run(7, "B3/S23", "cpu");
    shell("cp -r run whole");
    for (int i = 0; i < count; i++) {
        bool found;
        const int kind = i % KINDS;
        const uint64_t segments = i / KINDS % 2 ? SEGMENTS / 2 : 0;
        const int where = kinds[kind].make();
        const bool drawn = covers(where, where == WHOLE ? 0 : segments, &error, &found);
        if (found != drawn)
            fail_msg("%s, in %d: %s", kinds[kind].name, where, found ? error.text : "not found");
        in_drawn += drawn;
        found_in += found;
        of_kind[kind] += drawn;
        shell("rm -r run && cp -r whole run");
    }
    for (int kind = 0; kind < KINDS; kind++)
        printf("# %s: %d of %d were in checked segments\n", kinds[kind].name, of_kind[kind], count / KINDS);
    printf("# %d faults, %d of them in a checked segment, %d found\n", count, in_drawn, found_in);
    shell("rm -r run whole");
}

static void sound_segments_give_no_alarm(void **state)
{
    (void) state;
    static const char *const rules[] = {"B3/S23", "B36/S23", "B3678/S34678", "B2/S", "B1357/S1357"};
    static const char *const impls[] = {"cpu", "cpu-serial", "cpu-words", "hashlife"};
    const int runs = count_of(60) / SEGMENTS;
    struct engine_error error = {0};
    for (int i = 0; i < runs; i++) {
        bool drawn;
        make_run((unsigned) i, rules[i % 5], impls[i % 4]);
        if (audit(0, 0, &drawn, &error))
            fail_msg("%s", error.text);
    }
    printf("# %d sound segments, no alarm\n", runs * SEGMENTS);
}

/* A kept state with other inputs, whose hash is that of the state, and the same inputs in all later states. */
static void other_inputs_are_found(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_run *run;
    const float other = 0.75F;
    char *json, name[64];
    if (engine_plugin_find(context, "matrix", &plugin, &error) != 0)
        skip();
    make_products();
    const struct engine_audit all = {.size = sizeof all, .all = 1};
    assert_int_equal(engine_audit(context, folder, &all, NULL, &error), 0);
    run = open_at(20, NULL);
    const struct engine_box first = {{0, 0, 0}, {1, 1, 1}};
    NEED(engine_run_write(run, 1, &first, &other, sizeof other, &error));
    NEED(engine_run_save(run, path_of("checkpoint-0000000020.snapshot"), &error));
    for (int step = 21; step <= 40; step++) {
        char hash[ENGINE_HASH_SIZE];
        NEED(engine_run_take(run, 1, 1, &error));
        NEED(engine_run_hash(run, hash, &error));
        put_row("hashes.csv", step, hash);
        snprintf(name, sizeof name, "checkpoint-%010d.snapshot", step);
        if (step % 10 == 0)
            NEED(engine_run_save(run, path_of(name), &error));
        if (step == 40)
            put_summary(hash);
    }
    engine_run_close(run);
    assert_int_equal(engine_audit(context, folder, &all, &json, &error), ENGINE_STATUS_UNVERIFIED);
    assert_non_null(strstr(json, "checkpoint-0000000020.snapshot: holds other inputs than the run begins with"));
    free(json);
    shell("rm -r run");
}

/* The first row that differs, and a table that ends earlier. */
static void two_tables_are_compared(void **state)
{
    (void) state;
    struct engine_error error = {0};
    char other[PATH_BYTES + 8], *text;
    make_run(3, "B3/S23", "cpu");
    shell("rm -rf other && cp -r run other");
    snprintf(other, sizeof other, "%s/other", top);
    assert_int_equal(engine_audit_compare(folder, other, ENGINE_TEXT, &text, &error), 0);
    assert_non_null(strstr(text, "in 39 rows, all that both have, up to step 190"));
    free(text);
    put_row("hashes.csv", 55, "00000000000000000000000000000000");
    assert_int_equal(engine_audit_compare(folder, other, ENGINE_TEXT, &text, &error), ENGINE_STATUS_UNVERIFIED);
    assert_non_null(strstr(text, "first differ at step 55; they are the same in 11 rows before it, up to step 50"));
    free(text);
    assert_int_equal(engine_audit_compare(folder, top, ENGINE_JSON, &text, &error), ENGINE_STATUS_INPUT);
    assert_null(text);
    shell("rm -r run other");
}

/* C(N - w, n) / C(N, n) by hand: of 4 segments of which 1 is wrong, 2 drawn miss it in 3 of 6 cases. */
static void the_figures_are_those_of_a_draw_without_replacement(void **state)
{
    (void) state;
    struct engine_error error;
    char *json;
    make_run(3, "B3/S23", "cpu");
    const struct engine_audit given = {.size = sizeof given, .segments = 4, .seed = 11};
    assert_int_equal(engine_audit(context, folder, &given, &json, &error), 0);
    const char *five = strstr(json, "\"misses_5_percent\":"), *one = strstr(json, "\"misses_one\":");
    assert_true(strtod(strchr(five, ':') + 1, NULL) == strtod(strchr(one, ':') + 1, NULL)); /* 5 % of 10 is one */
    assert_true(strtod(strchr(one, ':') + 1, NULL) > 0.5999999 && strtod(strchr(one, ':') + 1, NULL) < 0.6000001);
    free(json);
}

static int stop_later(void *user)
{
    int *calls = user;
    return ++*calls > 40 ? 15 : 0;
}

static long hashes_in(const char *json)
{
    return strtol(strstr(json, "\"hashes\":") + strlen("\"hashes\":"), NULL, 10);
}

/* An audit that is stopped goes on: it checks each segment once, and finds what was found before. */
static void an_interrupted_audit_goes_on(void **state)
{
    (void) state;
    int calls = 0;
    struct engine_error error = {0};
    struct engine_context *stopped;
    char *json;
    make_run(5, "B3/S23", "cpu");
    read_file("hashes.csv", content);
    put_row("hashes.csv", 5, "0123456789abcdef0123456789abcdef");
    char progress[PATH_BYTES];
    snprintf(progress, sizeof progress, "%s/progress", top);
    const struct engine_audit all = {.size = sizeof all, .all = 1, .progress = progress};
    NEED(open_built_context((struct engine_hooks){.user = &calls, .stop = stop_later}, &stopped, &error));
    assert_int_equal(engine_audit(stopped, folder, &all, &json, &error), 128 + 15);
    assert_null(json);
    engine_close(stopped);
    assert_int_equal(access(progress, F_OK), 0);
    shell("cp progress again");
    assert_int_equal(engine_audit(context, folder, &all, &json, &error), ENGINE_STATUS_UNVERIFIED);
    assert_non_null(strstr(json, "0123456789abcdef0123456789abcdef"));
    const long left = hashes_in(json);
    free(json);
    assert_int_not_equal(access(progress, F_OK), 0);
    shell("mv again progress && touch run/hashes.csv"); /* another record: the audit begins again */
    assert_int_equal(engine_audit(context, folder, &all, &json, &error), ENGINE_STATUS_UNVERIFIED);
    assert_true(left > 0 && left < hashes_in(json)); /* the others were checked before */
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_in_a_checked_segment_is_found),
        cmocka_unit_test(sound_segments_give_no_alarm),
        cmocka_unit_test(other_inputs_are_found),
        cmocka_unit_test(two_tables_are_compared),
        cmocka_unit_test(the_figures_are_those_of_a_draw_without_replacement),
        cmocka_unit_test(an_interrupted_audit_goes_on),
    };
    return cmocka_run_group_tests_name("audit", tests, open_all, close_all_of);
}
