#include "judge/contender.h"
#include "base/text.h"
#include "judge/compare.h"
#include "run/init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; /* elements moved at a time */

const char *contender_impl(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

int contender_names_read(struct contender_names *names, const char *list, struct engine_error *error)
{
    *names = (struct contender_names){0};
    if (!list)
        return 0;
    if (!(names->text = strdup(list)))
        return error_memory(error, strlen(list), "names of implementations");
    names->count = text_split(',', names->text, names->at, CONTENDERS_MAX);
    if (names->count)
        return 0;
    contender_names_release(names);
    return error_set(error, ENGINE_STATUS_USAGE, "expected names separated by commas, as in cpu,cuda");
}

void contender_names_release(struct contender_names *names)
{
    free(names->text);
    *names = (struct contender_names){0};
}

static int open_plan(const struct config *config, struct registry *registry, const char *name, struct plan **plan,
                     struct engine_error *error)
{
    const char *impl = contender_impl(name);
    char plugin[128];
    snprintf(plugin, sizeof plugin, "%.*s", impl > name ? (int) (impl - name - 1) : 0, name);
    if (plan_open_with(config, registry, impl > name ? plugin : NULL, plan, error) != 0)
        return error->status;
    return plan_choose(*plan, impl, error);
}

int contender_open(const struct config *config, struct registry *registry, const char *name,
                   struct contender *contender, struct engine_error *error)
{
    *contender = (struct contender){0};
    if (open_plan(config, registry, name, &contender->plan, error) == 0 &&
        state_open(contender->plan, &contender->state, error) == 0 && init_state(contender->state, error) == 0 &&
        instance_open(contender->state, &contender->instance, error) == 0)
        return 0;
    contender_close(contender);
    return error->status;
}

void contender_close(struct contender *contender)
{
    instance_close(contender->instance);
    state_close(contender->state);
    plan_close(contender->plan);
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        free(contender->kept[i]);
    *contender = (struct contender){0};
}

static bool is_kept(const struct contender *contender, uint32_t field)
{
    return plan_is_result(contender->plan->fields[field].about);
}

uint64_t contender_kept_bytes(const struct contender *contender)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < contender->plan->plugin->about.fields.count; i++)
        bytes += is_kept(contender, i) ? state_geometry(contender->state, i)->bytes : 0;
    return bytes;
}

int contender_keep(struct contender *contender, struct engine_error *error)
{
    contender->kept_step = contender->state->step;
    for (uint32_t i = 0; i < contender->plan->plugin->about.fields.count; i++) {
        const uint64_t bytes = state_geometry(contender->state, i)->bytes;
        if (!is_kept(contender, i))
            continue;
        if (!(contender->kept[i] = malloc(bytes)))
            return error_memory(error, bytes, "a copy of the initial state");
        if (state_copy_out(contender->state, i, contender->kept[i], error) != 0)
            return error->status;
    }
    return 0;
}

int contender_restart(struct contender *contender, struct engine_error *error)
{
    contender->state->step = contender->kept_step;
    for (uint32_t i = 0; i < contender->plan->plugin->about.fields.count; i++)
        if (contender->kept[i] && state_copy_in(contender->state, i, contender->kept[i], error) != 0)
            return error->status;
    instance_input_written(contender->instance);
    if (instance_renew(contender->instance, error) != 0)
        return error->status;
    return state_synchronise(contender->state, error);
}

static int copy_field(struct state *to, const struct state *from, uint32_t field, void *piece,
                      struct engine_error *error)
{
    uint64_t count;
    shape_elements(&state_geometry(from, field)->shape, &count);
    for (uint64_t begin = 0; begin < count; begin += PIECE) {
        const uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        if (state_read(from, field, begin, n, piece, error) != 0 || state_write(to, field, begin, n, piece, error) != 0)
            return error->status;
    }
    return 0;
}

int contender_follow(struct contender *contender, const struct contender *other, struct engine_error *error)
{
    void *piece = malloc((size_t) PIECE * ELEMENT_BYTES_MAX);
    int status = piece ? 0 : error_memory(error, (uint64_t) PIECE * ELEMENT_BYTES_MAX, "a copy of a state");
    contender->state->step = other->state->step;
    for (uint32_t i = 0; status == 0 && i < other->plan->plugin->about.fields.count; i++)
        if (plan_is_result(other->plan->fields[i].about))
            status = copy_field(contender->state, other->state, i, piece, error);
    free(piece);
    instance_state_changed(contender->instance);
    return status;
}

int contender_advance(struct contender *contender, uint64_t steps, uint64_t most, struct engine_error *error)
{
    const struct plan *plan = contender->plan;
    most = most < plan->most_steps ? most : plan->most_steps;
    for (uint64_t taken = 0, now; taken < steps; taken += now) {
        now = steps - taken < most ? steps - taken : most;
        if (instance_advance(contender->instance, now, NULL, error) != 0)
            return error_prefix(error, "at step %llu: ", (unsigned long long) contender->state->step);
    }
    return state_synchronise(contender->state, error);
}
