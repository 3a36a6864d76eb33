/* `within`: in each frame only particles near to those of a group count. */
#include "rdf.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static int check_reach(const struct engine_host *host, const struct rdf_plan *plan)
{
    float most = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        if (plan->box.periodic[axis] && plan->box.edge[axis] / 2 < most)
            most = plan->box.edge[axis] / 2;
    return plan->within <= most
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID,
                             "within: %g is more than half of the smallest edge of the box; expected %.9g or less",
                             (double) plan->within, (double) most);
}

int rdf_read_within(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out)
{
    const char *text = engine_param_text(plan, RDF_WITHIN);
    char *end;
    out->within = 0;
    if (*text == '\0')
        return 0;
    const double distance = strtod(text, &end);
    const char *word = end + strspn(end, " \t");
    const size_t length = strcspn(word, " \t,");
    if (!(distance > 0 && distance < 1e15) || word == end || length == 0 || word[length] != '\0')
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "within: '%.60s' is not a distance above 0 and a group, as in '5 Na' or '3.5 O*'", text);
    if (out->everything)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "within: between is all; expected pairs of species or groups, as in 'O-O'");
    if (out->group_count == RDF_GROUPS_MAX)
        return ENGINE_FAIL(host, ENGINE_INVALID, "within: between has %d groups; expected fewer", RDF_GROUPS_MAX);
    out->within = (float) distance;
    return rdf_find_group(host, plan, word, length, out, &out->within_group);
}

int rdf_check_within(const struct engine_host *host, const struct rdf_plan *plan)
{
    return plan->within > 0 ? check_reach(host, plan) : 0;
}

/* ---- A frame ----------------------------------------------------------------------------------------------------- */

struct search {
    const struct rdf_plan *plan;
    struct rdf_frame *frame;
    uint64_t centres, tasks; /* centres: particles of the group */
};

static int is_near(const struct search *search, uint64_t i)
{
    float *const *r = search->frame->wrapped;
    const uint32_t *centre = search->frame->centres;
    for (uint64_t k = 0; k < search->centres; k++) {
        const uint32_t j = centre[k];
        const float square = rdf_square(&search->plan->box, r[0][i] - r[0][j], r[1][i] - r[1][j], r[2][i] - r[2][j]);
        if (sqrtf(square) <= search->plan->within)
            return 1;
    }
    return 0;
}

static void search_task(void *argument, uint64_t task)
{
    const struct search *search = (const struct search *) argument;
    uint32_t *group = search->frame->group;
    for (uint64_t i = task; i < search->plan->particles; i += search->tasks)
        if (group[i] != RDF_NO_GROUP && group[i] != search->plan->within_group && !is_near(search, i))
            group[i] = RDF_NO_GROUP;
}

void rdf_take_within(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame)
{
    struct search search = {plan, frame, 0, call->plan->threads};
    for (uint64_t i = 0; i < plan->particles; i++)
        if (frame->group[i] == plan->within_group)
            frame->centres[search.centres++] = (uint32_t) i;
    call->host->parallel(call->host, search.tasks, search_task, &search);
}
