#include "scene.h"
#include "elements.h"
#include "message.h"
#include "moment.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 1 << 28, AT_ONCE = 1 << 30 }; /* bytes of a state that is kept in memory; steps of a call */
static const double RATE_TIME = 0.5;             /* seconds over which the rate is measured */
static const double BEHIND_MOST = 0.25;          /* seconds of steps that are made up for */

/* ---- Marks ----------------------------------------------------------------------------------------------------- */

static void forget(struct scene *scene, uint32_t index)
{
    engine_kept_close(scene->mark[index].kept);
    scene->marks--;
    memmove(&scene->mark[index], &scene->mark[index + 1], (scene->marks - index) * sizeof scene->mark[0]);
}

static struct scene_mark *add_mark(struct scene *scene, uint64_t step, const char *name)
{
    if (scene->marks == SCENE_MARKS)
        forget(scene, 1);
    struct scene_mark *mark = &scene->mark[scene->marks++];
    *mark = (struct scene_mark){.id = ++scene->next_mark, .step = step, .edited = scene->edited};
    snprintf(mark->name, sizeof mark->name, "%s", name);
    return mark;
}

static bool can_keep(const struct engine_run *run)
{
    struct engine_run_info about = {.size = sizeof about};
    engine_run_about(run, &about);
    return about.kept_bytes <= KEPT_MOST;
}

int scene_mark(struct scene *scene, const char *name, struct engine_error *error)
{
    struct engine_kept *kept;
    if (!can_keep(scene->run))
        return fail(error, ENGINE_STATUS_DEVICE,
                          "a state of more than 256 MiB is not remembered; save a snapshot instead");
    if (engine_run_keep(scene->run, &kept, error) != 0)
        return error->status;
    add_mark(scene, engine_run_step(scene->run), name)->kept = kept;
    return 0;
}

/* Do both configurations give the parameter the same text, or none? */
static bool same_value(const struct scene *scene, const char *key)
{
    const char *first = engine_config_get(scene->first, scene->about->name, key),
               *value = engine_config_get(scene->config, scene->about->name, key);
    return first && value ? strcmp(first, value) == 0 : first == value;
}

/* Has the run parameters or inputs, which no mark holds, that give other results than those that were opened? */
static bool is_altered(const struct scene *scene)
{
    const struct engine_impl *impl = engine_run_impl(scene->run);
    bool same = !scene->drew_inputs && (impl == scene->first_impl || impl->flags & scene->first_impl->flags & ENGINE_EXACT);
    for (uint32_t i = 0; same && i < scene->about->params.count; i++) {
        const char *key = scene->about->params.at[i].name;
        same = engine_key_flags(scene->about, scene->about->name, key) & ENGINE_PARAM_TUNING || same_value(scene, key);
    }
    return !same;
}

int scene_back(struct scene *scene, uint32_t id, struct engine_error *error)
{
    for (uint32_t i = 0; i < scene->marks; i++) {
        const struct scene_mark *mark = &scene->mark[i];
        if (mark->id != id)
            continue;
        const int status = mark->kept ? engine_run_return(scene->run, mark->kept, error)
                                      : engine_run_restore(scene->run, mark->path, error);
        scene->state++;
        if (status == 0)
            scene->edited = mark->edited == UINT64_MAX && is_altered(scene) ? mark->step : mark->edited;
        scene_set_playing(scene, false, scene->speed);
        return status;
    }
    return fail(error, ENGINE_STATUS_USAGE, "there is no state of that number");
}

/* The checkpoints of a run's folder, by their steps. */
static void find_checkpoints(struct scene *scene, const char *folder)
{
    struct dirent **names;
    const int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        unsigned long long step;
        int length = 0;
        if (sscanf(names[i]->d_name, "checkpoint-%llu.snapshot%n", &step, &length) == 1 && length > 0 &&
            names[i]->d_name[length] == '\0') {
            struct scene_mark *mark = add_mark(scene, step, names[i]->d_name);
            snprintf(mark->path, sizeof mark->path, "%s/%s", folder, names[i]->d_name);
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

/* ---- Edits ----------------------------------------------------------------------------------------------------- */

int scene_begin_edit(struct scene *scene, struct engine_error *error)
{
    if (scene->read_only)
        return fail(error, ENGINE_STATUS_USAGE, "this view only shows: the program was started with --read-only");
    const uint64_t step = engine_run_step(scene->run);
    const struct scene_mark *last = scene->marks > 0 ? &scene->mark[scene->marks - 1] : NULL;
    const bool there = last && last->kept && last->step == step;
    return there || !can_keep(scene->run) ? 0 : scene_mark(scene, "before an edit", error);
}

void scene_end_edit(struct scene *scene)
{
    if (scene->edited == UINT64_MAX)
        scene->edited = engine_run_step(scene->run);
    scene->state++;
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

/* Plans and starts a run that writes nothing. */
static int start(const struct engine_config *config, struct engine_run **run, struct engine_error *error)
{
    if (engine_run_plan(config, run, error) != 0)
        return error->status;
    engine_run_set_flags(*run, ENGINE_RUN_NO_FILES);
    if (engine_run_start(*run, error) == 0)
        return 0;
    engine_run_close(*run);
    *run = NULL;
    return error->status;
}

static void set_run(struct scene *scene, struct engine_run *run)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    engine_picture_release(&scene->picture);
    engine_run_close(scene->run);
    scene->run = run;
    scene->about = plugin.about;
    scene->picture = (struct engine_picture){.size = sizeof scene->picture};
    scene->number++;
    scene->state++;
    scene_set_playing(scene, scene->playing, scene->speed);
}

static void forget_all(struct scene *scene)
{
    while (scene->marks > 0)
        forget(scene, scene->marks - 1);
}

/* Gives the state of a mark to another run, and keeps it there. A mark for which there is no memory goes. */
static void move_mark(struct scene *scene, uint32_t index, struct engine_run *run)
{
    struct scene_mark *mark = &scene->mark[index];
    struct engine_kept *kept;
    struct engine_error error;
    if (engine_run_return(scene->run, mark->kept, &error) != 0 || engine_run_copy(run, scene->run, &error) != 0 ||
        engine_run_keep(run, &kept, &error) != 0) {
        forget(scene, index);
        return;
    }
    engine_kept_close(mark->kept);
    mark->kept = kept;
}

/* Gives the state and the marks of the scene's run to another run. The marks come first, because each of them takes the
 * place of the state for a moment. */
static int move_state(struct scene *scene, struct engine_run *run, struct engine_error *error)
{
    struct engine_kept *now = NULL;
    if (engine_run_copy(run, scene->run, error) != 0 ||
        (can_keep(run) && engine_run_keep(run, &now, error) != 0))
        return error->status;
    for (uint32_t i = scene->marks; i-- > 0;)
        if (scene->mark[i].kept && now)
            move_mark(scene, i, run);
        else if (scene->mark[i].kept)
            forget(scene, i);
    const int status = now ? engine_run_return(run, now, error) : 0;
    engine_kept_close(now);
    return status;
}

/* Copies the inputs that the viewer has drawn to another run. */
static int move_inputs(const struct scene *scene, struct engine_run *run, struct engine_error *error)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && scene->drew_inputs && i < scene->about->fields.count; i++) {
        struct engine_shape shape = {.size = sizeof shape};
        engine_run_shape(run, i, &shape);
        const struct engine_box all = {{0}, {shape.extent[0], shape.extent[1], shape.extent[2]}};
        const uint64_t bytes = box_elements(&all, &shape) * element_bytes(shape.type);
        void *array = scene->about->fields.at[i].role == ENGINE_INPUT ? malloc(bytes) : NULL;
        if (array && (status = engine_run_read(scene->run, i, NULL, array, bytes, error)) == 0)
            status = engine_run_write(run, i, NULL, array, bytes, error);
        free(array);
    }
    return status;
}

/* The first mark is the begin, or in a run's folder its checkpoints, of which the newest is shown. */
static int begin(struct scene *scene, const char *folder, struct engine_error *error)
{
    scene->edited = UINT64_MAX;
    scene->drew_inputs = false;
    scene->first_impl = engine_run_impl(scene->run);
    engine_config_close(scene->first);
    scene->first = NULL;
    if (engine_config_copy(scene->config, &scene->first, error) != 0)
        return error->status;
    if (can_keep(scene->run) && scene_mark(scene, "the begin", error) != 0)
        return error->status;
    if (folder)
        find_checkpoints(scene, folder);
    return folder && scene->marks > 0 && !scene->mark[scene->marks - 1].kept
               ? scene_back(scene, scene->mark[scene->marks - 1].id, error)
               : 0;
}

int scene_open(struct scene *scene, struct engine_config *config, const char *folder, struct engine_error *error)
{
    struct engine_run *run;
    scene->config = config;
    scene->context = engine_config_context(config);
    if (start(config, &run, error) != 0)
        return error->status;
    set_run(scene, run);
    return begin(scene, folder, error);
}

int scene_replace(struct scene *scene, struct engine_config *config, bool same, struct engine_error *error)
{
    struct engine_run *run;
    int status = start(config, &run, error);
    if (status == 0 && same && (move_inputs(scene, run, error) != 0 || move_state(scene, run, error) != 0)) {
        engine_run_close(run);
        status = error->status;
    }
    if (status != 0) {
        engine_config_close(config);
        return status;
    }
    if (!same)
        forget_all(scene);
    set_run(scene, run);
    engine_config_close(scene->config);
    scene->config = config;
    return same ? 0 : begin(scene, NULL, error);
}

void scene_close(struct scene *scene)
{
    forget_all(scene);
    engine_picture_release(&scene->picture);
    engine_run_close(scene->run);
    engine_config_close(scene->config);
    engine_config_close(scene->first);
    moment_remove(scene->opened);
    scene->run = NULL;
    scene->config = scene->first = NULL;
}

bool scene_is_unbounded(const struct scene *scene)
{
    char size[80];
    return strstr(engine_run_size(scene->run, 0, size), "unbounded");
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

void scene_set_playing(struct scene *scene, bool playing, double speed)
{
    scene->trouble.status = 0;
    scene->playing = playing;
    scene->speed = speed;
    scene->rate = 0;
    scene->from_time = seconds_now();
    scene->from_step = scene->run ? engine_run_step(scene->run) : 0;
}

static int advance(struct scene *scene, uint64_t count, struct engine_error *error)
{
    uint64_t taken = 0;
    scene->stepping = true;
    const int status = engine_run_advance(scene->run, count, &taken, NULL, error);
    scene->stepping = false;
    if (taken > 0)
        scene->state++;
    return status;
}

int scene_step(struct scene *scene, uint64_t count, struct engine_error *error)
{
    scene_set_playing(scene, false, scene->speed);
    scene->counted = true;
    const int status = advance(scene, count, error);
    scene->counted = false;
    return status;
}

/* The steps that are due by the speed. Steps that are far behind are left out. */
static uint64_t due(struct scene *scene, double now)
{
    const double behind =
        scene->speed * (now - scene->from_time) - (double) (engine_run_step(scene->run) - scene->from_step);
    if (behind > fmax(1, scene->speed * BEHIND_MOST)) {
        scene->from_time = now - 1 / scene->speed;
        scene->from_step = engine_run_step(scene->run);
        return 1;
    }
    return behind >= 1 ? (uint64_t) behind : 0;
}

/* Measures the rate. With a speed, the time is counted from when the steps last kept up with it. */
static void measure_rate(struct scene *scene, double now)
{
    const double time = now - scene->from_time;
    if (time < RATE_TIME)
        return;
    scene->rate = (double) (engine_run_step(scene->run) - scene->from_step) / time;
    if (scene->speed == 0) {
        scene->from_time = now;
        scene->from_step = engine_run_step(scene->run);
    }
}

double scene_play(struct scene *scene)
{
    const double now = seconds_now();
    if (!scene->playing)
        return -1;
    const uint64_t count = scene->speed > 0 ? due(scene, now) : AT_ONCE;
    if (count == 0)
        return 1 / scene->speed -
               fmod((now - scene->from_time), 1 / scene->speed); /* the time that is left to the next step */
    if (advance(scene, count, &scene->trouble) != 0)
        scene->playing = false;
    measure_rate(scene, seconds_now());
    return 0;
}
