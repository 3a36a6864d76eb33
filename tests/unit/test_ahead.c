/* Frames of a trajectory that are read ahead: what the device is given, and when. The functions of the host's device are
 * replaced by some that watch. */
#include "../library/runs.h"
#include "api/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* More frames than there are places for. Fields: position and species. */
enum { FRAMES = 40, FIELDS = 2, MANY = 30000 };

static int (*upload_of_host)(struct device *, void *, const void *, uint64_t, uint32_t, struct engine_error *);
static int (*synchronise_of_host)(struct device *, struct engine_error *);
static int (*write_of_host)(struct device *, const struct geometry *, void *, uint64_t, uint64_t, const void *,
                            struct engine_error *);

/* The copies that a device would still be making. */
static struct {
    const void *from;
    char bytes[1024];
    uint64_t count;
} copies[FIELDS];
static int under_way, seen;

static int watch_upload(struct device *device, void *to, const void *from, uint64_t bytes, uint32_t threads,
                        struct engine_error *error)
{
    assert_true(under_way < FIELDS && bytes <= sizeof copies[0].bytes);
    copies[under_way].from = from;
    copies[under_way].count = bytes;
    memcpy(copies[under_way++].bytes, from, bytes);
    seen++;
    return upload_of_host(device, to, from, bytes, threads, error);
}

/* Gives other threads time to spoil the copies. */
static int watch_synchronise(struct device *device, struct engine_error *error)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    while (under_way > 0) {
        under_way--;
        assert_memory_equal(copies[under_way].from, copies[under_way].bytes, copies[under_way].count);
    }
    return synchronise_of_host(device, error);
}

static uint64_t pieces;

static int watch_write(struct device *device, const struct geometry *geometry, void *buffer, uint64_t begin,
                       uint64_t count, const void *canonical, struct engine_error *error)
{
    assert_int_equal(begin % geometry->shape.components, 0);
    assert_int_equal(count % geometry->shape.components, 0);
    pieces++;
    return write_of_host(device, geometry, buffer, begin, count, canonical, error);
}

/* ---- An implementation that only enqueues ------------------------------------------------------------------------- */

static int (*advance_of_rdf)(void *, struct engine_call *);

/* What the engine does, in order: a3 is advance of step 3, s3 settle. */
static char story[16 * FRAMES];
static uint64_t failing; /* the step that settle finds failed */
static int sign = -1;    /* of its code */

/* Copies to the device that may go on until the call of their step is settled: of even and odd steps. */
static struct {
    const void *from, *to;
    char bytes[1024];
    uint64_t count;
} beside[2][FIELDS];
static int begun[2];

/* A device clears memory in the order of its work, for which upload_beside does not wait. */
static int (*allocate_of_host)(struct device *, uint64_t, void **, struct engine_error *);
static bool clears;

static int watch_allocate(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    clears = true;
    return allocate_of_host(device, bytes, memory, error);
}

static int wait_for_cleared(struct device *device, struct engine_error *error)
{
    clears = false;
    return synchronise_of_host(device, error);
}

static uint64_t next_step;

static void tell(char what, uint64_t step)
{
    const size_t used = strlen(story);
    snprintf(story + used, sizeof story - used, "%c%llu ", what, (unsigned long long) step);
}

static int watch_advance(void *self, struct engine_call *call)
{
    tell('a', call->first_step);
    next_step = call->first_step + 1;
    return advance_of_rdf(self, call);
}

static int watch_upload_beside(struct device *device, void *buffer, void *to, const void *from, uint64_t bytes,
                               struct engine_error *error)
{
    const uint64_t odd = next_step % 2;
    const int i = begun[odd]++;
    assert_false(clears);
    assert_true(i < FIELDS && bytes <= sizeof beside[0][0].bytes);
    beside[odd][i].from = from;
    beside[odd][i].to = to;
    beside[odd][i].count = bytes;
    memcpy(beside[odd][i].bytes, from, bytes);
    for (int other = 0; other < begun[!odd]; other++)
        assert_ptr_not_equal(beside[!odd][other].to, to);
    return upload_of_host(device, to, from, bytes, 1, error) != 0 ? error->status
                                                                  : upload_of_host(device, buffer, to, bytes, 1, error);
}

/* Gives other threads time to spoil the memory of copies. */
static int watch_settle(void *self, const struct engine_call *call)
{
    const uint64_t odd = call->first_step % 2;
    (void) self;
    tell('s', call->first_step);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    for (; begun[odd] > 0; begun[odd]--)
        assert_memory_equal(beside[odd][begun[odd] - 1].from, beside[odd][begun[odd] - 1].bytes,
                            beside[odd][begun[odd] - 1].count);
    if (call->first_step == failing)
        return sign * (call->host->fail)(call->host, ENGINE_INVALID, __FILE__, __LINE__,
                                         "a particle is lost"); /* not cmocka's */
    return 0;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

/* A file of frames. In frame f, particles 0 and 1 are f + 1/2 apart, and all others are far from each other. */
static void write_frames(char path[64], int frames, int particles)
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, 64, "%.40s/ahead-XXXXXX.xyz", parent && strlen(parent) < 40 ? parent : "/tmp");
    const int file = mkstemps(path, 4);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    for (int f = 0; f < frames; f++) {
        fprintf(out, "%d\n\n", particles);
        for (int i = 0; i < particles; i++)
            fprintf(out, "A %g 0 0\n", i == 1 ? f + 0.5 : 100.0 * i);
    }
    assert_int_equal(fclose(out), 0);
}

struct trial {
    char file[64];
    struct engine_context *context;
    struct engine_config *config;
    struct engine_run *run;
    struct device *device;
    struct engine_error error;
};

static void open_trial(struct trial *trial, int frames, int particles)
{
    char setting[80];
    const char *const settings[] = {"run.plugin=rdf", "rdf.bins=40", "rdf.r_max=40", "run.implementation=cpu",
                                    "run.threads=1"};
    *trial = (struct trial){.error = {0}};
    write_frames(trial->file, frames, particles);
    snprintf(setting, sizeof setting, "init.file=%s", trial->file);
    assert_int_equal(open_built_context((struct engine_hooks){0}, &trial->context, &trial->error), 0);
    assert_int_equal(engine_config_open(trial->context, NULL, &trial->config, &trial->error), 0);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(engine_config_set(trial->config, settings[i], &trial->error), 0);
    assert_int_equal(engine_config_set(trial->config, setting, &trial->error), 0);
    assert_int_equal(engine_run_plan(trial->config, &trial->run, &trial->error), 0);
    trial->device = trial->run->run->plan->device;
    upload_of_host = trial->device->upload;
    synchronise_of_host = trial->device->synchronise;
    write_of_host = trial->device->write;
}

/* Makes calls of the plugin overlap. */
static void open_overlapping(struct trial *trial, int frames, uint64_t fails)
{
    open_trial(trial, frames, 2);
    struct engine_impl *impl = (struct engine_impl *) (uintptr_t) trial->run->run->plan->impl;
    advance_of_rdf = impl->advance;
    impl->advance = watch_advance;
    impl->settle = watch_settle;
    trial->device->upload_beside = watch_upload_beside;
    allocate_of_host = trial->device->allocate;
    trial->device->allocate = watch_allocate;
    trial->device->synchronise = wait_for_cleared;
    story[0] = '\0';
    failing = fails;
    memset(begun, 0, sizeof begun);
    assert_int_equal(engine_run_start(trial->run, &trial->error), 0);
}

static void close_trial(struct trial *trial)
{
    engine_run_close(trial->run);
    engine_config_close(trial->config);
    engine_close(trial->context);
    unlink(trial->file);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

static void given_frames_then_the_memory_of_a_copy_stays_until_the_device_is_done(void **state)
{
    struct trial trial;
    uint64_t counts[FRAMES];
    uint32_t field;
    (void) state;
    open_trial(&trial, FRAMES, 2);
    assert_int_equal(engine_run_start(trial.run, &trial.error), 0);
    trial.device->upload = watch_upload;
    trial.device->synchronise = watch_synchronise;
    assert_int_equal(engine_run_advance(trial.run, 2, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, FRAMES - 2, NULL, NULL, &trial.error), 0);
    assert_int_equal(seen, FIELDS * (FRAMES - 1)); /* frame 0 is the initial state */
    assert_int_equal(engine_run_field(trial.run, "counts", &field, &trial.error), 0);
    assert_int_equal(state_read(trial.run->run->state, field, 0, FRAMES, counts, &trial.error), 0);
    for (int bin = 0; bin < FRAMES; bin++) /* one of a bin's width for each frame */
        assert_int_equal(counts[bin], 1);
    close_trial(&trial);
}

static void given_no_frame_for_a_step_then_it_is_an_error(void **state)
{
    struct trial trial;
    (void) state;
    open_trial(&trial, 3, 2);
    assert_int_equal(engine_run_start(trial.run, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 3, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 1, NULL, NULL, &trial.error), ENGINE_STATUS_INPUT);
    assert_string_equal(trial.error.text, "step 3 has no frame: the files have 3");
    close_trial(&trial);
}

/* The thread may have read any of the frames, and it reads none twice. */
static void given_a_snapshot_of_another_step_then_it_is_refused_and_the_run_goes_on(void **state)
{
    struct trial trial;
    uint64_t counts[FRAMES];
    uint32_t field;
    char path[80];
    (void) state;
    open_trial(&trial, FRAMES, 2);
    snprintf(path, sizeof path, "%s.snapshot", trial.file);
    assert_int_equal(engine_run_start(trial.run, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 3, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_save(trial.run, path, &trial.error), 0);
    assert_int_equal(engine_run_restore(trial.run, path, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 17, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_restore(trial.run, path, &trial.error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_advance(trial.run, FRAMES - 20, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_field(trial.run, "counts", &field, &trial.error), 0);
    assert_int_equal(state_read(trial.run->run->state, field, 0, FRAMES, counts, &trial.error), 0);
    for (int bin = 0; bin < FRAMES; bin++)
        assert_int_equal(counts[bin], 1);
    unlink(path);
    close_trial(&trial);
}

static void given_calls_that_overlap_then_a_step_is_settled_after_the_next_has_begun(void **state)
{
    struct trial trial;
    uint64_t counts[FRAMES];
    uint32_t field;
    (void) state;
    open_overlapping(&trial, FRAMES, UINT64_MAX);
    assert_int_equal(engine_run_advance(trial.run, 4, NULL, NULL, &trial.error), 0);
    assert_string_equal(story, "a0 a1 s0 a2 s1 a3 s2 s3 ");
    assert_int_equal(engine_run_advance(trial.run, 1, NULL, NULL, &trial.error), 0);
    assert_string_equal(story + 24, "a4 s4 ");
    assert_int_equal(engine_run_advance(trial.run, FRAMES - 5, NULL, NULL, &trial.error), 0);
    assert_int_equal(engine_run_field(trial.run, "counts", &field, &trial.error), 0);
    assert_int_equal(state_read(trial.run->run->state, field, 0, FRAMES, counts, &trial.error), 0);
    for (int bin = 0; bin < FRAMES; bin++)
        assert_int_equal(counts[bin], 1);
    close_trial(&trial);
}

static int refuse_to_allocate(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    (void) device, (void) bytes;
    *memory = NULL;
    return error_set(error, ENGINE_STATUS_DEVICE, "the device has no memory");
}

static void given_no_memory_for_two_frames_on_the_device_then_the_run_goes_on(void **state)
{
    struct trial trial;
    uint64_t counts[FRAMES];
    uint32_t field;
    (void) state;
    open_overlapping(&trial, FRAMES, UINT64_MAX);
    trial.device->allocate = refuse_to_allocate;
    if (engine_run_advance(trial.run, FRAMES, NULL, NULL, &trial.error) != 0)
        fail_msg("%s", trial.error.text);
    trial.device->allocate = allocate_of_host;
    assert_int_equal(begun[0] + begun[1], 0);
    assert_int_equal(engine_run_field(trial.run, "counts", &field, &trial.error), 0);
    assert_int_equal(state_read(trial.run->run->state, field, 0, FRAMES, counts, &trial.error), 0);
    for (int bin = 0; bin < FRAMES; bin++)
        assert_int_equal(counts[bin], 1);
    close_trial(&trial);
}

static void given_a_device_that_copies_nothing_beside_its_work_then_no_calls_overlap(void **state)
{
    struct trial trial;
    (void) state;
    open_overlapping(&trial, FRAMES, UINT64_MAX);
    trial.device->upload_beside = NULL;
    assert_int_equal(engine_run_advance(trial.run, 3, NULL, NULL, &trial.error), 0);
    assert_string_equal(story, "a0 s0 a1 s1 a2 s2 ");
    close_trial(&trial);
}

/* The engine makes the instance again. */
static void given_an_input_that_was_written_then_each_step_is_settled_once(void **state)
{
    struct trial trial;
    uint32_t field;
    float positions[6];
    (void) state;
    open_overlapping(&trial, FRAMES, UINT64_MAX);
    assert_int_equal(engine_run_advance(trial.run, 2, NULL, NULL, &trial.error), 0);
    trial.device->allocate = allocate_of_host; /* what the instance allocates is not for frames */
    assert_int_equal(engine_run_field(trial.run, "position", &field, &trial.error), 0);
    assert_int_equal(engine_run_read(trial.run, field, NULL, positions, sizeof positions, &trial.error), 0);
    assert_int_equal(engine_run_write(trial.run, field, NULL, positions, sizeof positions, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 3, NULL, NULL, &trial.error), 0);
    assert_string_equal(story, "a0 a1 s0 s1 a2 a3 s2 a4 s3 s4 ");
    close_trial(&trial);
}

static void given_a_step_that_failed_then_the_error_names_it_although_the_next_has_begun(void **state)
{
    struct trial trial;
    int lost;
    (void) state;
    open_overlapping(&trial, FRAMES, 5);
    assert_int_equal(engine_run_advance(trial.run, 12, NULL, &lost, &trial.error), ENGINE_STATUS_USAGE);
    assert_true(lost);
    assert_string_equal(story, "a0 a1 s0 a2 s1 a3 s2 a4 s3 a5 s4 a6 s5 s6 ");
    assert_non_null(strstr(trial.error.text, "at step 5: rdf/cpu: advance: a particle is lost"));
    close_trial(&trial);
}

/* advance has changed the state, so it is lost whatever the sign of the code says. */
static void given_a_step_that_failed_with_a_positive_code_then_the_state_is_lost(void **state)
{
    struct trial trial;
    (void) state;
    sign = 1;
    for (int overlaps = 0; overlaps < 2; overlaps++) {
        int lost = 0;
        open_overlapping(&trial, FRAMES, 1);
        trial.device->upload_beside = overlaps ? trial.device->upload_beside : NULL;
        assert_int_equal(engine_run_advance(trial.run, 3, NULL, &lost, &trial.error), ENGINE_STATUS_USAGE);
        assert_true(lost);
        assert_non_null(strstr(trial.error.text, "at step 1: rdf/cpu: advance: a particle is lost; the state is lost"));
        close_trial(&trial);
    }
    sign = -1;
}

static void given_no_next_frame_then_the_failure_of_the_step_before_comes_first(void **state)
{
    struct trial trial;
    (void) state;
    open_overlapping(&trial, 6, 5);
    assert_int_equal(engine_run_advance(trial.run, 12, NULL, NULL, &trial.error), ENGINE_STATUS_USAGE);
    assert_string_equal(story, "a0 a1 s0 a2 s1 a3 s2 a4 s3 a5 s4 s5 ");
    assert_non_null(strstr(trial.error.text, "at step 5: "));
    close_trial(&trial);
    open_overlapping(&trial, 6, UINT64_MAX);
    assert_int_equal(engine_run_advance(trial.run, 12, NULL, NULL, &trial.error), ENGINE_STATUS_INPUT);
    assert_string_equal(trial.error.text, "step 6 has no frame: the files have 6");
    close_trial(&trial);
}

static void given_frames_that_are_left_then_a_run_ends_all_the_same(void **state)
{
    struct trial trial;
    (void) state;
    open_trial(&trial, FRAMES, 2);
    assert_int_equal(engine_run_start(trial.run, &trial.error), 0);
    assert_int_equal(engine_run_advance(trial.run, 3, NULL, NULL, &trial.error), 0);
    close_trial(&trial);
}

static void given_many_particles_then_a_device_gets_whole_cells(void **state)
{
    struct trial trial;
    (void) state;
    open_trial(&trial, 1, MANY);
    trial.device->write = watch_write;
    assert_int_equal(engine_run_start(trial.run, &trial.error), 0);
    assert_true(pieces > 1);
    close_trial(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_frames_then_the_memory_of_a_copy_stays_until_the_device_is_done),
        cmocka_unit_test(given_no_frame_for_a_step_then_it_is_an_error),
        cmocka_unit_test(given_a_snapshot_of_another_step_then_it_is_refused_and_the_run_goes_on),
        cmocka_unit_test(given_calls_that_overlap_then_a_step_is_settled_after_the_next_has_begun),
        cmocka_unit_test(given_no_memory_for_two_frames_on_the_device_then_the_run_goes_on),
        cmocka_unit_test(given_a_device_that_copies_nothing_beside_its_work_then_no_calls_overlap),
        cmocka_unit_test(given_an_input_that_was_written_then_each_step_is_settled_once),
        cmocka_unit_test(given_a_step_that_failed_then_the_error_names_it_although_the_next_has_begun),
        cmocka_unit_test(given_a_step_that_failed_with_a_positive_code_then_the_state_is_lost),
        cmocka_unit_test(given_no_next_frame_then_the_failure_of_the_step_before_comes_first),
        cmocka_unit_test(given_frames_that_are_left_then_a_run_ends_all_the_same),
        cmocka_unit_test(given_many_particles_then_a_device_gets_whole_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
