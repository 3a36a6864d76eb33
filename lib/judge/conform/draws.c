#include "judge/conform/draws.h"
#include "base/machine.h"
#include "base/text.h"
#include "judge/conform/apart.h"
#include "judge/conform/shrink.h"
#include "judge/verify_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char property[] = "keeps its promises in drawn configurations";

/* What the process of a draw shares with the one that starts it. */
struct drawn {
    const struct conform_request *request;
    uint64_t number;
    bool is_made;     /* verify `draw`; else it is drawn first */
    struct draw draw; /* the one that is verified */
};

/* ---- In the process -------------------------------------------------------------------------------------------- */

static _Noreturn void fail_result(struct test *test, const struct verify_result *result,
                                  const struct verify_check *check)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    test->drawn->draw.impl = result->impl;
    REQUIRE(test, stream, "no memory for the test");
    if (check)
        verify_print_difference(stream, result, check);
    else
        fprintf(stream, "failed: %s", result->text);
    text_stream_close(stream, &text);
    test_fails(test, "%s", text ? text : "no memory for the test");
}

/* Is the configuration refused by a sentence about its values? After the first step, an exact implementation fails in
 * this way where the reference does, and each of the others on a path of its own. */
static bool is_refusal(const struct verify_result *result)
{
    return !result->began || (result->status == ENGINE_STATUS_USAGE && !(result->impl->flags & ENGINE_EXACT));
}

/* Returns how many implementations were compared. */
static uint32_t judge_results(struct test *test, const struct verification *verification)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < verification->count; i++) {
        const struct verify_result *result = &verification->results[i];
        const struct verify_check *broken = verify_broken(result);
        if (broken || (result->status != 0 && !is_refusal(result)))
            fail_result(test, result, broken);
        compared += result->check_count > 0;
        if (result->check_count == 0 && !*test->refusal)
            snprintf(test->refusal, sizeof test->refusal, "%s: %.1900s", result->impl->name, result->text);
    }
    return compared;
}

static void verify_draw(struct test *test)
{
    struct drawn *drawn = test->drawn;
    struct verification verification = {0};
    struct engine_config *config;
    struct engine_error error;
    if (!drawn->is_made)
        draw_make(test, drawn->request->sweeps, drawn->number, &drawn->draw);
    drawn->is_made = true;
    SKIP_UNLESS(test, draw_config(test, &drawn->draw, &config, &error) == 0, "%s", error.text);
    const struct conform_request *request = drawn->request;
    char *const only[] = {(char *) (uintptr_t) (drawn->draw.impl ? drawn->draw.impl->name : "")};
    const int status = verify_all(config, drawn->draw.impl ? only : request->impls,
                                  drawn->draw.impl ? 1 : request->impl_count, drawn->draw.steps, &verification, &error);
    REQUIRE(test, engine_breaches(test->context) == 0,
            "a function returns an error without a reason, or `layout` an "
            "impossible layout");
    REQUIRE(test, status == 0 || status == ENGINE_STATUS_USAGE || !verification.began, "%s", error.text);
    SKIP_UNLESS(test, status == 0, "%s", error.text);
    const uint32_t compared = judge_results(test, &verification);
    SKIP_UNLESS(test, compared > 0, "%s", test->refusal);
    verify_release(&verification);
    engine_config_close(config);
}

/* ---- In the process that starts it ----------------------------------------------------------------------------- */

struct draws {
    struct conform_request *request;
    struct test *test;
    uint64_t held, refused;
    double deadline;                /* of shrinking (machine_clock) */
    char reason[TEST_REASON_MAX];   /* of the smallest draw that fails so far */
    char refusal[TEST_REASON_MAX];  /* the last one */
    const struct engine_impl *impl; /* that broke its promise */
};

static int run_once(struct draws *draws)
{
    char *written;
    apart_run(draws->test, verify_draw, draws->request->seconds, &written);
    free(written);
    for (char *c = draws->test->told->reason; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return draws->test->told->outcome;
}

/* Many steps may take long. Where one step does not return either, the implementation hangs. */
static int run_draw(struct draws *draws)
{
    struct draw *draw = &draws->test->drawn->draw;
    int outcome = run_once(draws);
    const uint64_t steps = draw->steps;
    if (!draws->test->told->late || steps == 1)
        return outcome;
    draw->steps = 1;
    if ((outcome = run_once(draws)) != ENGINE_BROKEN) {
        snprintf(draws->test->told->reason, sizeof draws->test->told->reason,
                 "%llu steps take more than %u s, and one step does not", (unsigned long long) steps,
                 draws->request->seconds);
        outcome = ENGINE_NOT_APPLICABLE;
    }
    draws->test->told->outcome = outcome;
    return outcome;
}

/* For --verbose: what was drawn, and what became of it. */
static void tell(const struct draws *draws)
{
    static const char *const outcomes[] = {
        [ENGINE_HOLDS] = "verified", [ENGINE_BROKEN] = "fails: ", [ENGINE_NOT_APPLICABLE] = "refused: "};
    const struct test *test = draws->test;
    const struct draw *draw = &test->drawn->draw;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return;
    fprintf(stream, "draw %llu:", (unsigned long long) test->drawn->number);
    for (uint32_t i = 0; i < draw->count; i++)
        fprintf(stream, " %s='%s'", draw->at[i].name, draw->at[i].value);
    fprintf(stream, ", %llu steps: %s%s", (unsigned long long) draw->steps, outcomes[test->told->outcome],
            test->told->outcome == ENGINE_HOLDS ? "" : test->told->reason);
    if (text_stream_close(stream, &text))
        context_pass(test->caller, ENGINE_LOG_DEBUG, test->name, text);
    free(text);
}

static bool still_fails(void *user, const struct draw *draw)
{
    struct draws *draws = user;
    struct drawn *drawn = draws->test->drawn;
    if (machine_clock() > draws->deadline)
        return false;
    drawn->draw = *draw;
    drawn->is_made = true;
    if (run_draw(draws) != ENGINE_BROKEN)
        return false;
    snprintf(draws->reason, sizeof draws->reason, "%s", draws->test->told->reason);
    return true;
}

/* Finds one implementation that is enough, which need not be known: it may have ended the process. */
static void find_impl(struct draws *draws, struct draw *draw)
{
    const struct engine_impl_array *impls = &draws->test->plugin->impls;
    for (uint32_t i = 0; i < impls->count; i++) {
        struct draw alone = *draw;
        alone.impl = draw->impl ? draw->impl : &impls->at[i];
        if (still_fails(draws, &alone)) {
            draw->impl = alone.impl;
            return;
        }
        if (draw->impl)
            return;
    }
}

static void report(struct draws *draws, const struct draw *draw, int outcome, const char *reason)
{
    const struct conform_request *request = draws->request;
    char lines[DRAW_KEYS_MAX][DRAW_NAME_MAX + DRAW_VALUE_MAX];
    const char *settings[DRAW_KEYS_MAX];
    for (uint32_t i = 0; draw && i < draw->count; i++) {
        snprintf(lines[i], sizeof lines[i], "%s=%s", draw->at[i].name, draw->at[i].value);
        settings[i] = lines[i];
    }
    request->report(request->user, &(struct engine_property){.plugin = draws->test->name,
                                                             .impl = draw && draw->impl ? draw->impl->name : NULL,
                                                             .property = property,
                                                             .outcome = outcome,
                                                             .reason = reason,
                                                             .draw = draws->test->drawn->number,
                                                             .steps = draw ? draw->steps : 0,
                                                             .settings = settings,
                                                             .setting_count = draw ? draw->count : 0});
}

static void report_broken(struct draws *draws)
{
    struct draw *smallest = malloc(sizeof *smallest);
    snprintf(draws->reason, sizeof draws->reason, "%s", draws->test->told->reason);
    if (smallest) {
        *smallest = draws->test->drawn->draw;
        draws->deadline = machine_clock() + draws->request->seconds;
        find_impl(draws, smallest);
        shrink(smallest, still_fails, draws);
    }
    report(draws, smallest, ENGINE_BROKEN, draws->reason);
    free(smallest);
}

static void report_held(struct draws *draws)
{
    char reason[TEST_REASON_MAX + 256];
    const int length =
        snprintf(reason, sizeof reason, "%llu of %llu configurations were verified, and the plugin refused %llu",
                 (unsigned long long) draws->held, (unsigned long long) draws->request->draws,
                 (unsigned long long) draws->refused);
    if (draws->refused)
        snprintf(reason + length, sizeof reason - (size_t) length, ", the last one: %s", draws->refusal);
    report(draws, NULL, draws->held ? ENGINE_HOLDS : ENGINE_BROKEN, reason);
}

static void examine(struct draws *draws)
{
    struct drawn *drawn = draws->test->drawn;
    for (uint64_t i = 0; i < draws->request->draws; i++) {
        drawn->number = draws->request->seed + i;
        drawn->is_made = false;
        drawn->draw.impl = NULL;
        const int outcome = run_draw(draws);
        tell(draws);
        if (outcome == ENGINE_BROKEN) {
            report_broken(draws);
            return;
        }
        draws->held += outcome == ENGINE_HOLDS;
        if (outcome != ENGINE_HOLDS) {
            draws->refused++;
            snprintf(draws->refusal, sizeof draws->refusal, "%s", draws->test->told->reason);
        }
    }
    report_held(draws);
}

int draws_examine(struct conform_request *request, struct engine_error *error)
{
    struct test *test = &request->test;
    struct draws *draws = calloc(1, sizeof *draws);
    void *shared = mmap(NULL, sizeof *test->drawn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (!draws || shared == MAP_FAILED)
        status = error_memory(error, sizeof *test->drawn, "a drawn configuration");
    else {
        test->drawn = shared;
        test->drawn->request = request;
        *draws = (struct draws){.request = request, .test = test};
        examine(draws);
    }
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *test->drawn);
    test->drawn = NULL;
    free(draws);
    return status;
}
