/* Index files of GROMACS: groups of particles, each a line [ name ] and lines of numbers of particles from 1 on. What
 * follows ; is a comment. */
#include "rdf.h"

#include "common/input.h"

#include <stdio.h>

enum { BYTES_MAX = 1 << 28 }; /* of the file */

int rdf_take_index(const struct engine_host *host, const struct rdf_index_line *line, char **at, uint64_t *particle)
{
    char *end = *at + strspn(*at, " \t"), *begin = end;
    *at = begin;
    *particle = UINT64_MAX;
    if (*begin == '\0')
        return 0;
    const unsigned long long number = *begin >= '0' && *begin <= '9' ? strtoull(begin, &end, 10) : 0;
    if (number < 1 || number > line->particles || !strchr(" \t", *end))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "%s: %s:%llu: '%.20s' begins with no number of a particle from 1 to %llu", line->param,
                           line->path, (unsigned long long) line->number, begin, (unsigned long long) line->particles);
    *at = end;
    *particle = number - 1;
    return 0;
}

/* The number of the group that a line [ name ] begins; the count of groups if `between` does not name it. */
static uint32_t find_group(const struct rdf_plan *plan, const char *line)
{
    line += 1 + strspn(line + 1, " \t");
    const size_t length = strcspn(line, " \t]");
    uint32_t group = 0;
    while (group < plan->group_count &&
           (plan->names[group].length != length || memcmp(plan->names[group].at, line, length) != 0))
        group++;
    return group;
}

static int add_particles(const struct engine_host *host, const struct rdf_plan *plan, const struct rdf_index_line *line,
                         char *at, uint32_t group, uint32_t *groups)
{
    uint64_t particle;
    for (;;) {
        const int status = rdf_take_index(host, line, &at, &particle);
        if (status != 0 || particle == UINT64_MAX)
            return status;
        if (group == plan->group_count)
            continue;
        const uint32_t before = groups[particle];
        if (before != RDF_NO_GROUP && before != group)
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "index: %s:%llu: particle %llu is in the groups '%.*s' and '%.*s' of between; expected "
                               "groups without common particles",
                               line->path, (unsigned long long) line->number, (unsigned long long) particle + 1,
                               (int) plan->names[before].length, plan->names[before].at,
                               (int) plan->names[group].length, plan->names[group].at);
        groups[particle] = group;
    }
}

static int read_lines(const struct engine_host *host, const struct rdf_plan *plan, char *text, uint32_t *groups)
{
    struct rdf_index_line line = {"index", plan->index, 0, plan->particles};
    char found[RDF_GROUPS_MAX] = {0};
    uint32_t group = plan->group_count;
    int status = 0;
    for (char *at = text; status == 0 && *at; at = text) {
        const size_t length = strcspn(at, "\n");
        text = at + length + (at[length] == '\n');
        at[strcspn(at, ";\r\n")] = '\0';
        at += strspn(at, " \t");
        line.number++;
        if (*at != '[')
            status = add_particles(host, plan, &line, at, group, groups);
        else if ((group = find_group(plan, at)) < plan->group_count)
            found[group] = 1;
    }
    for (group = 0; status == 0 && group < plan->group_count; group++)
        if (!found[group])
            return ENGINE_FAIL(host, ENGINE_INVALID, "between: the index file %s has no group '%.*s'", plan->index,
                               (int) plan->names[group].length, plan->names[group].at);
    return status;
}

int rdf_read_index(const struct engine_host *host, const struct rdf_plan *plan, uint32_t *groups)
{
    const char *reason;
    size_t length;
    char *text = input_read(plan->index, BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "index: %s: cannot be read: %s", plan->index, reason);
    for (uint64_t i = 0; i < plan->particles; i++)
        groups[i] = RDF_NO_GROUP;
    const int status = read_lines(host, plan, text, groups);
    free(text);
    return status;
}

int rdf_check_index(const struct engine_host *host, const struct rdf_plan *plan)
{
    if (*plan->index == '\0')
        return 0;
    uint32_t *groups = (uint32_t *) malloc(plan->particles * sizeof *groups);
    const int status = groups ? rdf_read_index(host, plan, groups) : ENGINE_NO_MEMORY;
    free(groups);
    return status;
}
