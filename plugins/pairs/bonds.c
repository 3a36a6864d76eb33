/* Bonds along chains: particles 0 … n - 1 are a chain, n … 2n - 1 the next one; or those of a file. The potential is
 * `fene` of potential.h. A bond takes the place of the other force between its particles. */
#include "cell.h"

#include "common/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 30 };

/* ---- A file of bonds --------------------------------------------------------------------------------------------- */

/* The bonds of a file, in memory of malloc. */
struct list {
    uint32_t *pairs; /* two particles for each bond */
    uint64_t count, room;
    uint32_t *first, *other; /* see struct pairs_bonds */
};

static void free_list(struct list *list)
{
    free(list->pairs);
    free(list->first);
    free(list->other);
}

/* Reads the number of a particle. Returns what is behind it, or NULL. */
static char *read_number(char *text, uint64_t count, uint32_t *number)
{
    char *end;
    text += strspn(text, " \t,");
    const unsigned long long read = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || read >= count)
        return NULL;
    *number = (uint32_t) read;
    return end;
}

/* Reads a line, whose end is a zero byte. Returns 0 if it is wrong. */
static int read_line(char *line, uint64_t count, struct list *list)
{
    uint32_t *pair = list->pairs + 2 * list->count;
    line[strcspn(line, "#\r")] = '\0';
    if (!line[strspn(line, " \t")])
        return 1;
    line = read_number(line, count, pair);
    line = line && strchr(" \t,", *line) ? read_number(line, count, pair + 1) : NULL;
    list->count++;
    return line && !line[strspn(line, " \t")] && pair[0] != pair[1];
}

static int read_lines(const struct engine_host *host, const struct pairs_plan *plan, char *text, struct list *list)
{
    for (unsigned number = 1; *text; number++) {
        char *line = text;
        text += strcspn(line, "\n");
        if (*text)
            *text++ = '\0';
        if (!read_line(line, plan->count, list))
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "%s: line %u is no bond; expected the numbers of two particles, from 0 to %" PRIu64,
                               plan->bonds_file, number, plan->count - 1);
    }
    return 0;
}

/* Enters particle b in the bonds of particle a, at its place in the order. `end`: of those that are there already. */
static int enter(struct list *list, uint32_t a, uint32_t b, uint32_t *end)
{
    uint32_t at = end[a]++;
    for (; at > list->first[a] && list->other[at - 1] >= b; at--)
        list->other[at] = list->other[at - 1];
    list->other[at] = b;
    return at + 1 == end[a] || list->other[at + 1] != b;
}

/* Sorts the bonds by particles. */
static int sort_list(const struct engine_host *host, const struct pairs_plan *plan, struct list *list)
{
    uint32_t *const first = list->first, *const end = first + plan->count + 1;
    for (uint64_t k = 0; k < 2 * list->count; k++)
        first[list->pairs[k] + 1]++;
    for (uint64_t i = 0; i < plan->count; i++) {
        if (first[i + 1] > PAIRS_BONDS_MAX)
            return ENGINE_FAIL(host, ENGINE_INVALID, "%s: particle %" PRIu64 " has %u bonds; expected at most %d",
                               plan->bonds_file, i, first[i + 1], PAIRS_BONDS_MAX);
        end[i] = first[i];
        first[i + 1] += first[i];
    }
    for (uint64_t k = 0; k < list->count; k++) {
        const uint32_t a = list->pairs[2 * k], b = list->pairs[2 * k + 1];
        if (!enter(list, a, b, end) || !enter(list, b, a, end))
            return ENGINE_FAIL(host, ENGINE_INVALID, "%s: particles %u and %u are bonded twice", plan->bonds_file, a,
                               b);
    }
    return 0;
}

static int read_list(const struct engine_host *host, const struct pairs_plan *plan, struct list *list)
{
    const char *reason;
    size_t length;
    *list = (struct list){NULL, 0, 1, NULL, NULL};
    char *text = input_read(plan->bonds_file, FILE_BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "bonds = %s: %s; expected a regular file of at most %d bytes",
                           plan->bonds_file, reason, FILE_BYTES_MAX);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        list->room++;
    list->pairs = (uint32_t *) malloc(2 * list->room * sizeof(uint32_t));
    list->other = (uint32_t *) malloc(2 * list->room * sizeof(uint32_t));
    list->first = (uint32_t *) calloc(2 * plan->count + 1, sizeof(uint32_t));
    int status = list->pairs && list->other && list->first ? 0 : ENGINE_NO_MEMORY;
    if (status == 0)
        status = read_lines(host, plan, text, list);
    free(text);
    return status == 0 ? sort_list(host, plan, list) : status;
}

int pairs_bonds_check(const struct engine_host *host, const struct pairs_plan *plan)
{
    struct list list;
    uint64_t checksum = PAIRS_NO_NUMBERS;
    if (!*plan->bonds_file)
        return 0;
    const int status = read_list(host, plan, &list);
    for (uint64_t i = 0; status == 0 && i < plan->count; i++)
        for (uint32_t k = list.first[i]; k < list.first[i + 1]; k++)
            checksum = pairs_with_number(pairs_with_number(checksum, i), list.other[k]);
    if (status == 0)
        host->note(host, "checksum of the bonds", "%016" PRIx64, checksum);
    free_list(&list);
    return status;
}

/* ---- Bonds ------------------------------------------------------------------------------------------------------- */

static void link_chains(const struct pairs_plan *plan, uint32_t *first, uint32_t *other)
{
    first[0] = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t at = first[i];
        if (i % plan->chain > 0)
            other[at++] = i - 1;
        if (i % plan->chain + 1 < plan->chain)
            other[at++] = i + 1;
        first[i + 1] = at;
    }
}

int pairs_bonds_load(const struct engine_host *host, struct pairs_plan *plan)
{
    const uint64_t count = plan->count;
    struct list list = {NULL, count, 0, NULL, NULL}; /* chains have fewer bonds than particles */
    int status = *plan->bonds_file ? read_list(host, plan, &list) : 0;
    if (status == 0 && plan->bonded) {
        uint32_t *first = (uint32_t *) host->scratch(host, (count + 1) * sizeof *first, ENGINE_HOST_MEMORY);
        uint32_t *other = (uint32_t *) host->scratch(host, (2 * list.count + 1) * sizeof *other, ENGINE_HOST_MEMORY);
        if (!first || !other) {
            status = ENGINE_NO_MEMORY;
        } else if (plan->chain) {
            link_chains(plan, first, other);
        } else {
            memcpy(first, list.first, (count + 1) * sizeof *first);
            memcpy(other, list.other, 2 * list.count * sizeof *other);
        }
        plan->bonds = (struct pairs_bonds){first, other};
    }
    free_list(&list);
    return status;
}

int pairs_partners(const struct pairs_solver *solver, uint64_t i, uint32_t partners[PAIRS_BONDS_MAX])
{
    const struct pairs_bonds *bonds = &solver->plan.bonds;
    int count = 0;
    if (!bonds->first)
        return 0;
    const uint32_t id = solver->now.id[i];
    for (uint32_t k = bonds->first[id]; k < bonds->first[id + 1]; k++)
        partners[count++] = solver->where[bonds->other[k]];
    return count;
}

double pairs_apart(const struct pairs_solver *solver, uint64_t i, uint64_t j, double d[3])
{
    for (int c = 0; c < 3; c++)
        d[c] = solver->now.x[c][i] - solver->now.x[c][j];
    pairs_nearest(&solver->plan, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

int pairs_torn(const struct engine_host *host, const struct pairs_plan *plan, uint64_t step, uint64_t particle)
{
    return -ENGINE_FAIL(
        host, ENGINE_INVALID,
        "%sstep %llu: a bond of particle %llu is not shorter than bond_length, %g; set a smaller dt, or "
        "start from particles whose bonds are shorter",
        plan->system, (unsigned long long) step, (unsigned long long) particle, plan->bond_length);
}
