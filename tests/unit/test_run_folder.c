/* The folder of a run: its lock, its checkpoints, and files that are complete or absent. */
#include "files/replace.h"
#include "files/run_folder.h"
#include "folder.h"
#include "record/checkpoint_files.h"
#include "record/lock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void put(const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fclose(file);
}

static bool is_there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static void a_lock_keeps_others_out_and_says_who_has_it(void **state)
{
    (void) state;
    struct lock *first, *second;
    struct engine_error error;
    char process[32];
    snprintf(process, sizeof process, "process %ld", (long) getpid());
    assert_int_equal(lock_take(NULL, opened_folder(), &first, &error), 0);
    assert_int_equal(lock_take(NULL, opened_folder(), &second, &error), ENGINE_STATUS_OUTPUT);
    assert_null(second);
    assert_non_null(strstr(error.text, process));
    lock_release(first);
    assert_false(is_there(LOCK_NAME));
    assert_int_equal(lock_take(NULL, opened_folder(), &second, &error), 0);
    lock_release(second);
}

static void a_killed_process_holds_no_lock(void **state)
{
    (void) state;
    struct lock *lock;
    struct engine_error error;
    int status;
    const pid_t child = fork();
    if (child == 0) {
        lock_take(NULL, opened_folder(), &lock, &error);
        raise(SIGKILL);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_true(is_there(LOCK_NAME));
    assert_int_equal(lock_take(NULL, opened_folder(), &lock, &error), 0);
    lock_release(lock);
}

static void a_link_in_its_place_is_not_followed(void **state)
{
    (void) state;
    struct lock *lock;
    struct engine_error error;
    put("victim");
    assert_int_equal(symlink("victim", path_of(LOCK_NAME)), 0);
    assert_int_equal(lock_take(NULL, opened_folder(), &lock, &error), ENGINE_STATUS_OUTPUT);
    unlink(path_of(LOCK_NAME));
    unlink(path_of("victim"));
}

static uint64_t newest(uint64_t below, bool analysis)
{
    uint64_t step;
    struct engine_error error;
    if (checkpoint_newest(opened_folder(), below, analysis, &step, &error) != 0)
        fail_msg("%s", error.text);
    return step;
}

static void the_newest_checkpoint_is_that_of_the_highest_step(void **state)
{
    (void) state;
    static const char *const names[] = {"checkpoint-0000000090.snapshot",     "checkpoint-0000000100.snapshot",
                                        "checkpoint-12345678901.snapshot",    "checkpoint-0000000200-analysis.snapshot",
                                        "checkpoint-0000000300.snapshot.bak", "checkpoint-.snapshot",
                                        "cells-0000000400.snapshot",          ".tmp.1.checkpoint-0000000500.snapshot"};
    assert_true(newest(UINT64_MAX, false) == UINT64_MAX);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put(names[i]);
    assert_true(newest(UINT64_MAX, false) == 12345678901);
    assert_true(newest(12345678901, false) == 100);
    assert_true(newest(100, false) == 90);
    assert_true(newest(90, false) == UINT64_MAX);
    assert_true(newest(UINT64_MAX, true) == UINT64_MAX);
    put("checkpoint-0000000090-analysis.snapshot");
    assert_true(newest(UINT64_MAX, true) == 90);
    unlink(path_of("checkpoint-0000000090-analysis.snapshot"));
}

static void only_checkpoints_are_removed_and_not_those_kept(void **state)
{
    (void) state;
    static const struct checkpoint_steps none = {0};
    struct checkpoint_steps steps;
    struct engine_error error;
    assert_int_equal(checkpoint_list(opened_folder(), 200, true, &steps, &error), 0);
    assert_int_equal(steps.count, 0);
    assert_int_equal(checkpoint_list(opened_folder(), 100, false, &steps, &error), 0);
    assert_int_equal(steps.count, 2);
    assert_true(steps.at[0] == 90 && steps.at[1] == 100);
    assert_int_equal(checkpoint_remove_others(opened_folder(), &steps, &error), 0);
    free(steps.at);
    assert_true(is_there("checkpoint-0000000090.snapshot"));
    assert_true(is_there("checkpoint-0000000100.snapshot"));
    assert_false(is_there("checkpoint-12345678901.snapshot"));
    assert_false(is_there("checkpoint-0000000200-analysis.snapshot"));
    assert_true(is_there("checkpoint-0000000300.snapshot.bak"));
    assert_true(is_there("cells-0000000400.snapshot"));
    assert_int_equal(checkpoint_remove_others(opened_folder(), &none, &error), 0);
    assert_false(is_there("checkpoint-0000000090.snapshot"));
    assert_true(is_there("checkpoint-.snapshot"));
}

static void temporary_files_are_cleaned_and_others_are_not(void **state)
{
    (void) state;
    struct engine_error error;
    put(".tmp.77.cells.npy");
    put(".tmp.x.cells");
    put(".tmp.77");
    put(".tmp.0123456789abcdef");
    put(".tmp.0123456789abcdeg");
    assert_int_equal(run_folder_clean(opened_folder(), &error), 0);
    assert_false(is_there(".tmp.0123456789abcdef"));
    assert_true(is_there(".tmp.0123456789abcdeg"));
    assert_false(is_there(".tmp.77.cells.npy"));
    assert_false(is_there(".tmp.1.checkpoint-0000000500.snapshot"));
    assert_true(is_there(".tmp.x.cells"));
    assert_true(is_there(".tmp.77"));
}

static void a_text_takes_the_place_of_another(void **state)
{
    (void) state;
    struct engine_error error;
    char text[16] = "";
    assert_int_equal(replace_text(opened_folder(), "text", "old and long\n", &error), 0);
    assert_int_equal(replace_text(opened_folder(), "text", "new\n", &error), 0);
    FILE *file = fopen(path_of("text"), "r");
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "new\n");
    struct folder *removed = removed_folder();
    assert_int_equal(replace_text(removed, "text", "", &error), ENGINE_STATUS_OUTPUT);
    folder_close(removed);
}

static void a_folder_with_a_lock_alone_is_empty(void **state)
{
    (void) state;
    struct engine_error error;
    char inner[512];
    snprintf(inner, sizeof inner, "%s", path_of("inner"));
    struct folder *made;
    assert_int_equal(run_folder_make(inner, &made, &error), 0);
    assert_int_equal(run_folder_check_empty(made, NULL, &error), 0);
    put("inner/" LOCK_NAME);
    assert_int_equal(run_folder_check_empty(made, NULL, &error), 0);
    put("inner/x");
    assert_int_equal(run_folder_check_empty(made, NULL, &error), ENGINE_STATUS_OUTPUT);
    unlink(path_of("inner/x"));
    unlink(path_of("inner/" LOCK_NAME));
    folder_close(made);
    assert_int_equal(rmdir(inner), 0);
}

static void a_folder_that_cannot_be_listed_is_not_empty(void **state)
{
    (void) state;
    struct engine_error error;
    const struct folder unlisted = {open("/dev/null", O_RDONLY), folder};
    uint64_t step;
    bool found;
    assert_int_equal(run_folder_check_empty(&unlisted, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "cannot list the files of this folder"));
    assert_int_equal(checkpoint_newest(&unlisted, UINT64_MAX, false, &step, &error), ENGINE_STATUS_OUTPUT);
    assert_int_equal(checkpoint_remove_others(&unlisted, &(struct checkpoint_steps){0}, &error), ENGINE_STATUS_OUTPUT);
    assert_int_equal(checkpoint_has_damaged(&unlisted, &found, &error), ENGINE_STATUS_OUTPUT);
    assert_int_equal(run_folder_clean(&unlisted, &error), ENGINE_STATUS_OUTPUT);
    close(unlisted.file);
}

static void a_damaged_checkpoint_is_set_aside(void **state)
{
    (void) state;
    struct engine_error error;
    bool found;
    put("checkpoint-0000000090.snapshot");
    put("checkpoint-0000000090-analysis.snapshot");
    assert_int_equal(checkpoint_set_aside(opened_folder(), 90, &error), 0);
    assert_true(newest(UINT64_MAX, false) == UINT64_MAX);
    assert_true(is_there("damaged-checkpoint-0000000090.snapshot"));
    assert_true(is_there("damaged-checkpoint-0000000090-analysis.snapshot"));
    assert_int_equal(checkpoint_has_damaged(opened_folder(), &found, &error), 0);
    assert_true(found);
    assert_int_equal(checkpoint_remove_damaged(opened_folder(), &error), 0);
    assert_false(is_there("damaged-checkpoint-0000000090.snapshot"));
}

/* Others may make files in the folder. Nobody can guess the next temporary name. */
static void temporary_names_are_random_and_new(void **state)
{
    (void) state;
    struct engine_error error;
    struct replacement first, second;
    assert_int_equal(replace_begin(opened_folder(), "text", &first, &error), 0);
    assert_int_equal(replace_begin(opened_folder(), "text", &second, &error), 0);
    assert_string_not_equal(first.temporary, second.temporary);
    assert_true(replace_is_temporary(first.temporary) && is_there(first.temporary));
    assert_int_equal(replace_finish(&first, "text", false, ENGINE_STATUS_OUTPUT, &error), ENGINE_STATUS_OUTPUT);
    assert_false(is_there(first.temporary));
    assert_int_equal(replace_finish(&second, "text", false, 0, &error), 0);
    assert_true(is_there("text") && !is_there(second.temporary));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_keeps_others_out_and_says_who_has_it),
        cmocka_unit_test(a_killed_process_holds_no_lock),
        cmocka_unit_test(a_link_in_its_place_is_not_followed),
        cmocka_unit_test(the_newest_checkpoint_is_that_of_the_highest_step),
        cmocka_unit_test(only_checkpoints_are_removed_and_not_those_kept),
        cmocka_unit_test(temporary_files_are_cleaned_and_others_are_not),
        cmocka_unit_test(a_text_takes_the_place_of_another),
        cmocka_unit_test(a_folder_with_a_lock_alone_is_empty),
        cmocka_unit_test(a_folder_that_cannot_be_listed_is_not_empty),
        cmocka_unit_test(a_damaged_checkpoint_is_set_aside),
        cmocka_unit_test(temporary_names_are_random_and_new),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
