/* The simulation that somebody looks at: a run in memory, which writes no file. One thread uses it, except for the
 * functions that say otherwise. */
#ifndef VIEW_SCENE_H
#define VIEW_SCENE_H

#include "moment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCENE_MARKS = 16, SCENE_NAME = 96 };

/* A state to which the viewer can go back. */
struct scene_mark {
    uint32_t id;
    uint64_t step, edited;
    char name[SCENE_NAME];
    struct engine_kept *kept; /* in memory; NULL: in the file of the path */
    char path[MOMENT_PATH];
};

struct scene {
    struct engine_context *context;
    struct engine_config *config;
    struct engine_config *first;           /* as it was opened */
    const struct engine_impl *first_impl;  /* of its run */
    struct engine_run *run;
    struct engine_picture picture;
    const struct engine_plugin *about; /* of the run's plugin */
    char title[SCENE_NAME];
    bool read_only;
    char opened[MOMENT_PATH]; /* the folder of the file that the viewer opened last, or "" */

    bool stepping; /* the engine takes steps now: */
    bool counted;  /* as many as a request says */
    bool playing;
    double speed;     /* steps a second; 0: as many as possible */
    double rate;      /* steps a second that were taken */
    double from_time; /* of the clock: since when the rate is measured */
    uint64_t from_step;

    struct engine_error trouble; /* what ended the playing; status 0: nothing did */
    uint64_t edited;  /* the step of the first edit; UINT64_MAX: none */
    bool drew_inputs; /* the viewer has changed an input of the plugin */
    uint64_t state;  /* counts changes of the state */
    uint64_t number; /* counts runs */
    uint32_t marks, next_mark;
    struct scene_mark mark[SCENE_MARKS];
};

/* Starts the run of a configuration, which the scene owns from then on, also after an error. `folder` is that of a run
 * whose newest checkpoint is shown, or NULL. scene_close may be called after an error. */
int scene_open(struct scene *scene, struct engine_config *config, const char *folder, struct engine_error *error);
void scene_close(struct scene *scene);

bool scene_is_unbounded(const struct scene *scene);

/* Replaces the run by that of another configuration, which the scene then owns; after an error, the scene is as
 * before. With `same`, the new run goes on from the state of the old one, and the marks stay. */
int scene_replace(struct scene *scene, struct engine_config *config, bool same, struct engine_error *error);

/* Takes steps for as long as the stop hook lets it, if the scene plays. Returns the seconds after which the next step
 * is due; 0: at once; negative: the scene does not play. After an error, which scene->trouble has, it stops playing. */
double scene_play(struct scene *scene);

int scene_step(struct scene *scene, uint64_t count, struct engine_error *error);

/* Sets whether the scene plays, and its speed. */
void scene_set_playing(struct scene *scene, bool playing, double speed);

/* Remembers the state in memory under a name. If there is no room for another mark, the oldest one but the first goes. */
int scene_mark(struct scene *scene, const char *name, struct engine_error *error);

/* Returns to the state of a mark. Parameters and inputs stay as they are: if they were changed, what follows is edited
 * from the step of the mark on. */
int scene_back(struct scene *scene, uint32_t id, struct engine_error *error);

/* To be called before and after an edit. The first one keeps the state before it, where that is small enough. */
int scene_begin_edit(struct scene *scene, struct engine_error *error);
void scene_end_edit(struct scene *scene);

#endif
