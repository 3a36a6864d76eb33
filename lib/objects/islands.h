/* Cutting a patch into islands, and putting islands together into parts that live alone as they do together. */
#ifndef OBJECTS_ISLANDS_H
#define OBJECTS_ISLANDS_H

#include "objects/patch.h"

/* A patch that is cut: part i of the parts holds the cells whose label is i + 1. */
struct parts {
    struct patch *at; /* trimmed; a part may be empty */
    uint32_t count;
};

/* All functions that return int return 0, or -1 if there is no memory. */
void parts_free(struct parts *parts);

/* Appends the part that holds the live cells of both. */
int parts_append(struct parts *parts, const struct patch *cells);

/* The cells that have been alive in `steps` steps, the first state included. The patch covers at most `most` cells; a
 * history that would need more ends early. */
int islands_history(const struct object_rule *rule, const struct patch *patch, uint64_t steps, int64_t most,
                    struct patch *history);

/* How far the cells of an island are apart at most: neighbours; cells that have a common neighbour that both could make
 * alive. */
enum reach { REACH_TOUCH, REACH_COMMON, REACH_ALL };

enum reach islands_reach(const struct object_rule *rule);

/* Cuts the live cells of a patch by the islands of a history that contains them. */
int islands_cut(const struct patch *patch, const struct patch *history, enum reach reach, struct parts *parts);

/* The same with islands whose cells touch. Islands are joined if one prevents, within `steps` steps, a birth that
 * another one would cause. */
int islands_cut_dependent(const struct object_rule *rule, const struct patch *patch, const struct patch *history,
                          uint64_t steps, struct parts *parts);

/* Says whether the parts, each alone, become in each of so many steps what the whole becomes, and never share a cell.
 * Sets *alone. */
int islands_live_alone(const struct object_rule *rule, const struct patch *whole, const struct parts *parts,
                       uint64_t steps, bool *alone);

/* Puts parts together to groups that live alone and repeat themselves after `steps` steps, at least two and as few as
 * possible. If there are none, or if more than
 * `most_tries` ways would have to be tried, there is one group. */
int islands_group(const struct object_rule *rule, const struct patch *whole, const struct parts *parts, uint64_t steps,
                  uint32_t most_groups, double most_tries, struct parts *groups);

#endif
