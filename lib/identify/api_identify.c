/* engine_identify: runs a pattern until it is known what it is. */
#include "base/error.h"
#include "base/numeric.h"
#include "identify/identity.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_STEPS = 20000, FIRST_LOOK = 192;

/* Looks for what takes long to find, when the number of steps has grown by a quarter. */
static int look(struct search *search, bool *done, struct engine_error *error)
{
    if (search->has_objects && settled_find(search, done, error) != 0)
        return error->status;
    return *done ? 0 : growth_find(search, done, error);
}

static int run(struct search *search, struct engine_error *error)
{
    uint64_t next_look = FIRST_LOOK;
    bool done = false, full = false;
    int status = 0;
    while (status == 0 && !done && !full && search->trace.count <= search->most_steps) {
        status = search_step(search, &full, error);
        if (status == 0 && !full)
            status = cycle_find(search, &done, error);
        if (status != 0 || done || search->plane.bounded || search->trace.count < next_look)
            continue;
        status = look(search, &done, error);
        next_look += next_look / 4;
    }
    if (status == 0 && !done && !search->plane.bounded)
        status = look(search, &done, error);
    if (!done)
        search->identity->why = full ? "its grid would have more cells than the limit"
                                     : "it has not become periodic within the limit of steps";
    return status;
}

static int open_search(struct search *search, struct engine_context *context, const char *path,
                       const struct engine_question *question, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_identity *identity = search->identity;
    struct plane *plane = &search->plane;
    search->most_steps = question->steps ? question->steps : MOST_STEPS;
    if (plane_open(context, path, question, plane, error) != 0 ||
        (!plane->bounded && plane_rule(plane, search->rule.next, &search->has_rule, error) != 0))
        return error->status;
    object_rule_count(&search->rule);
    search->symmetry = apgcode_symmetry(&search->rule);
    search->has_objects = search->has_rule && plane->values == 2 && !search->rule.next[0];
    engine_run_plugin(plane->run, &plugin);
    identity->path = strdup(path);
    identity->plugin = strdup(plugin.about->name);
    identity->bounded = plane->bounded;
    identity->rank = plane->rank;
    identity->values = plane->values;
    identity->first = plane->sight;
    return identity->path && identity->plugin ? 0 : error_memory(error, 1, "the name of the pattern");
}

int engine_identify(struct engine_context *context, const char *path, const struct engine_question *given,
                    struct engine_identity **identity, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_question question = {.size = sizeof question};
    if (given)
        memcpy(&question, given, given->size < sizeof question ? given->size : sizeof question);
    struct search search = {.identity = calloc(1, sizeof *search.identity)};
    *identity = search.identity;
    int status = search.identity ? open_search(&search, context, path, &question, error)
                                 : error_memory(error, sizeof *search.identity, "the identity of a pattern");
    if (status == 0)
        status = run(&search, error);
    if (status == 0)
        search.identity->steps = search.plane.step;
    plane_close(&search.plane);
    free(search.trace.at);
    if (status == 0)
        return 0;
    engine_identity_close(*identity);
    *identity = NULL;
    return status;
}

void engine_identity_close(struct engine_identity *identity)
{
    if (!identity)
        return;
    tally_free(&identity->objects);
    tally_free(&identity->emitted);
    free(identity->path);
    free(identity->plugin);
    free(identity);
}
