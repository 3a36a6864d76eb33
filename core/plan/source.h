/* A source gives the initial state and the inputs of each step from outside the run: from files, or from the run that
 * an analysis reads. Random numbers, generators and defaults need no such table (run/init.h). */
#ifndef CORE_PLAN_SOURCE_H
#define CORE_PLAN_SOURCE_H

#include "plan/plan.h"

struct state;

/* A function that has nothing to do is NULL. Functions return 0 or a status, with its error. */
struct source {
    /* Opens the source after the settings and parameters of a plan were read: fills in plan->found and plan->sources,
     * and keeps its data in plan->source_own. After an error the caller calls close. */
    int (*open)(struct plan *plan, struct engine_error *error);
    void (*close)(struct plan *plan);

    /* The text that gives a parameter with this file_key its value, or "". */
    const char *(*text)(const struct plan *plan, const char *file_key);

    /* The shape of a field at a step, before the plugin adjusts it. NULL: that of the configuration. check_shape gets
     * the adjusted shape. */
    int (*shape)(const struct plan *plan, uint32_t field, uint64_t step, struct engine_shape *shape,
                 struct engine_error *error);
    int (*check_shape)(const struct plan *plan, uint32_t field, uint64_t step, const struct engine_shape *shape,
                       struct engine_error *error);

    /* Does each frame need a converted copy of a bound field? NULL: never. */
    bool (*converts)(const struct plan *plan, uint32_t field);

    /* The layout of a field, before the implementation changes it. NULL: layout_default. */
    struct engine_layout (*layout)(const struct plan *plan, uint32_t field);
    int (*check_layout)(const struct plan *plan, uint32_t field, const struct engine_layout *layout,
                        struct engine_error *error);

    /* Checks that the data of the source fit the fields. The shapes are known. */
    int (*check)(const struct plan *plan, struct engine_error *error);

    /* Fills a state whose fields are undefined. NULL: each field gets its initial value. */
    int (*make)(struct state *state, struct engine_error *error);

    /* Replaces the box and the inputs that come from frames by those of the next frame. `overlaps`: the call that uses
     * the present frame may still run. state_close calls end_frames, which ends the work that next_frame has begun. */
    int (*next_frame)(struct state *state, bool overlaps, struct engine_error *error);
    void (*end_frames)(struct state *state);
};

#endif
