/* Messages of the library know no options and verbs of a program. A program that has some gives its words for them with
 * the hook `words`. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct trial {
    struct engine_context *context;
    struct engine_config *config;
    struct engine_error error;
};

static void begin(struct trial *trial, const char *(*words)(uint32_t, const char *, char *, size_t))
{
    struct engine_error *error = &trial->error;
    assert_int_equal(open_built_context((struct engine_hooks){.words = words}, &trial->context, error), 0);
    assert_int_equal(engine_config_open(trial->context, NULL, &trial->config, error), 0);
    assert_int_equal(engine_config_set(trial->config, "run.plugin=life2d-bit", error), 0);
    assert_int_equal(engine_config_set(trial->config, "grid.size=8 8", error), 0);
}

static void end(struct trial *trial)
{
    engine_config_close(trial->config);
    engine_close(trial->context);
}

/* The message of a plan with one more assignment. */
static const char *plan_with(struct trial *trial, const char *assignment)
{
    struct engine_run *run = NULL;
    trial->error.text[0] = '\0';
    if (engine_config_set(trial->config, assignment, &trial->error) == 0)
        (void) engine_run_plan(trial->config, &run, &trial->error);
    engine_run_close(run);
    return trial->error.text;
}

static const char *convert_with(struct trial *trial, const struct engine_conversion *conversion)
{
    (void) engine_convert(trial->context, "configs/patterns/gosper-gun.rle", "/tmp/no-such-folder/x.png", conversion,
                          &trial->error);
    return trial->error.text;
}

static const char *verify_with(struct trial *trial, const struct engine_trial *given)
{
    struct engine_verification *verification = NULL;
    trial->error.text[0] = '\0';
    (void) engine_verify(trial->config, given, &verification, &trial->error);
    engine_verification_close(verification);
    return trial->error.text;
}

static void expect_start(const char *text, const char *start)
{
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("'%s' does not start with '%s'", text, start);
    if (strstr(text, "--") || strstr(text, "`engine ") || strstr(text, "mpirun"))
        fail_msg("'%s' speaks of a program", text);
}

static void messages_name_keys_and_members(void **state)
{
    static const char *const sweeps[] = {"run.implementation=cpu,cpu-serial"};
    struct trial trial;
    (void) state;
    begin(&trial, NULL);
    expect_start(plan_with(&trial, "run steps"), "run steps: expected section.key=value");
    expect_start(plan_with(&trial, "grid.size=x"), "[grid] size: 'x' is not a size");
    expect_start(plan_with(&trial, "grid.size=8 8"), "");
    expect_start(plan_with(&trial, "output.formats=nothing"), "[output] formats: 'nothing' is not");
    expect_start(plan_with(&trial, "output.formats=npy"), "");
    expect_start(plan_with(&trial, "output.fields=nothing"), "[output] fields: 'nothing' is not");
    expect_start(plan_with(&trial, "output.fields="), "");
    expect_start(plan_with(&trial, "ensemble.sweep=run.threads"), "");
    expect_start(plan_with(&trial, "run.plugin=nothing"), "run.plugin: unknown plugin 'nothing'. Available: ");
    expect_start(plan_with(&trial, "run.plugin=a/b"), "run.plugin: plugin 'a/b': expected a name of letters");
    expect_start(plan_with(&trial, "run.plugin="), "[run] plugin is missing");
    expect_start(
        convert_with(&trial, &(struct engine_conversion){.size = sizeof(struct engine_conversion), .frames = "a"}),
        "frames: 'a' is not a range of frames");
    expect_start(verify_with(&trial, &(struct engine_trial){.size = sizeof(struct engine_trial), .impls = ""}),
                 "impl: expected names");
    expect_start(
        verify_with(&trial,
                    &(struct engine_trial){.size = sizeof(struct engine_trial), .sweeps = sweeps, .sweep_count = 1}),
        "sweep run.implementation: a sweep takes other keys");
    end(&trial);
}

/* A program with words of its own for keys and members alone. */
static const char *words(uint32_t topic, const char *subject, char *text, size_t size)
{
    if (topic > ENGINE_WORDS_OPTION)
        return topic == ENGINE_WORDS_PLUGINS ? "press F1 for their names" : NULL;
    snprintf(text, size, topic == ENGINE_WORDS_KEY ? "field <%s>" : "button <%s>", subject);
    return text;
}

static void the_caller_has_its_own_words(void **state)
{
    struct trial trial;
    (void) state;
    begin(&trial, words);
    expect_start(plan_with(&trial, "grid.size=x"), "field <grid.size>: [grid] size: 'x' is not a size");
    expect_start(plan_with(&trial, "grid.size=8 8"), "");
    assert_string_equal(plan_with(&trial, "run.plugin="),
                        "field <run.plugin>: [run] plugin is missing; press F1 for their names");
    expect_start(
        convert_with(&trial, &(struct engine_conversion){.size = sizeof(struct engine_conversion), .frames = "a"}),
        "button <frames>: 'a' is not a range of frames");
    end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_keys_and_members),
        cmocka_unit_test(the_caller_has_its_own_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
