#include "objects/islands.h"

#include <stdlib.h>
#include <string.h>

void parts_free(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        patch_free(&parts->at[i]);
    free(parts->at);
    *parts = (struct parts){0};
}

int parts_append(struct parts *parts, const struct patch *cells)
{
    struct patch *at = realloc(parts->at, (parts->count + 1) * sizeof *at);
    if (!at)
        return -1;
    parts->at = at;
    if (patch_copy(cells, &at[parts->count]) != 0)
        return -1;
    parts->count++;
    return 0;
}

int islands_history(const struct object_rule *rule, const struct patch *patch, uint64_t steps, int64_t most,
                    struct patch *history)
{
    struct patch now;
    const int done = rule->past ? rule->past(rule->context, patch, steps, most, history) : 1;
    if (done <= 0)
        return done;
    *history = (struct patch){0};
    int status = patch_copy(patch, &now);
    for (uint64_t step = 0; status == 0 && step <= steps && history->width * history->height <= most; step++) {
        status = patch_add(history, &now);
        if (status == 0)
            status = patch_step(&now, rule);
    }
    patch_free(&now);
    return status;
}

enum reach islands_reach(const struct object_rule *rule)
{
    /* A birth between two live cells at opposite corners. */
    return rule->next[1 | 1 << 8] || rule->next[1 << 2 | 1 << 6] ? REACH_ALL : REACH_COMMON;
}

/* ---- Labels ------------------------------------------------------------------------------------------------------ */

/* The label of each cell of a history, 0 for dead ones. */
struct labels {
    const struct patch *history;
    uint32_t *at;
    uint32_t count;
    int64_t *queue;
};

static bool is_near(enum reach reach, int64_t dx, int64_t dy)
{
    const bool corner = (dx == 2 || dx == -2) && (dy == 2 || dy == -2);
    return reach == REACH_ALL || !corner;
}

/* Labels the island of the history in which a cell lies. */
static void flood(struct labels *labels, int64_t first, enum reach reach)
{
    const struct patch *history = labels->history;
    const int64_t far = reach == REACH_TOUCH ? 1 : 2;
    int64_t done = 0, found = 0;
    labels->queue[found++] = first;
    labels->at[first] = ++labels->count;
    for (; done < found; done++) {
        const int64_t x = labels->queue[done] % history->width, y = labels->queue[done] / history->width;
        for (int64_t dy = -far; dy <= far; dy++)
            for (int64_t dx = -far; dx <= far; dx++) {
                const int64_t cell = (y + dy) * history->width + x + dx;
                if (x + dx < 0 || x + dx >= history->width || y + dy < 0 || y + dy >= history->height ||
                    !history->cells[cell] || labels->at[cell] || !is_near(reach, dx, dy))
                    continue;
                labels->at[cell] = labels->count;
                labels->queue[found++] = cell;
            }
    }
}

static void labels_close(struct labels *labels)
{
    free(labels->at);
    free(labels->queue);
}

static int labels_open(const struct patch *history, enum reach reach, struct labels *labels)
{
    const int64_t cells = history->width * history->height;
    *labels = (struct labels){.history = history,
                              .at = calloc((size_t) cells + 1, sizeof *labels->at),
                              .queue = malloc(((size_t) cells + 1) * sizeof *labels->queue)};
    if (!labels->at || !labels->queue) {
        labels_close(labels);
        return -1;
    }
    for (int64_t cell = 0; cell < cells; cell++)
        if (history->cells[cell] && !labels->at[cell])
            flood(labels, cell, reach);
    return 0;
}

static uint32_t label_at(const struct labels *labels, int64_t x, int64_t y)
{
    const struct patch *history = labels->history;
    const int64_t column = x - history->x, row = y - history->y;
    const bool inside = column >= 0 && row >= 0 && column < history->width && row < history->height;
    return inside ? labels->at[row * history->width + column] : 0;
}

/* The smallest box of the cells of each label. */
struct bounds {
    int64_t left, top, right, bottom;
};

static void widen(struct bounds *bounds, int64_t x, int64_t y)
{
    if (bounds->right == bounds->left)
        *bounds = (struct bounds){x, y, x + 1, y + 1};
    bounds->left = x < bounds->left ? x : bounds->left;
    bounds->right = x >= bounds->right ? x + 1 : bounds->right;
    bounds->bottom = y + 1;
}

static void find_bounds(const struct labels *labels, const struct patch *patch, struct bounds *bounds)
{
    for (int64_t y = patch->y; y < patch->y + patch->height; y++)
        for (int64_t x = patch->x; x < patch->x + patch->width; x++)
            if (*patch_cell(patch, x, y))
                widen(&bounds[label_at(labels, x, y)], x, y);
}

/* Makes a patch for each label that cells of `patch` have. */
static int make_parts(const struct labels *labels, const struct patch *patch, struct parts *parts)
{
    int status = 0;
    struct bounds *bounds = calloc(labels->count + 1, sizeof *bounds);
    *parts = (struct parts){.at = calloc(labels->count + 1, sizeof *parts->at)};
    uint32_t *part_of = calloc(labels->count + 1, sizeof *part_of);
    if (!bounds || !parts->at || !part_of)
        status = -1;
    else
        find_bounds(labels, patch, bounds);
    for (uint32_t i = 1; status == 0 && i <= labels->count; i++) {
        if (bounds[i].right == bounds[i].left)
            continue;
        part_of[i] = parts->count;
        status = patch_make(&parts->at[parts->count++], bounds[i].left, bounds[i].top, bounds[i].right - bounds[i].left,
                            bounds[i].bottom - bounds[i].top);
    }
    for (int64_t y = patch->y; status == 0 && y < patch->y + patch->height; y++)
        for (int64_t x = patch->x; x < patch->x + patch->width; x++)
            if (*patch_cell(patch, x, y))
                *patch_cell(&parts->at[part_of[label_at(labels, x, y)]], x, y) = 1;
    free(bounds);
    free(part_of);
    return status;
}

int islands_cut(const struct patch *patch, const struct patch *history, enum reach reach, struct parts *parts)
{
    struct labels labels;
    *parts = (struct parts){0};
    if (labels_open(history, reach, &labels) != 0)
        return -1;
    const int status = make_parts(&labels, patch, parts);
    labels_close(&labels);
    return status;
}

/* ---- Islands that depend on each other --------------------------------------------------------------------------- */

/* The label of the live cells around a dead one that would make it alive if they were alone; 0: no cells would. *others
 * has the labels around, `count` of them. */
static uint32_t label_that_bears(const struct object_rule *rule, const struct labels *labels, const struct patch *now,
                                 int64_t x, int64_t y, uint32_t others[9], int *count)
{
    uint32_t cells[9] = {0}, bearing = 0;
    *count = 0;
    for (int bit = 0; bit < 9; bit++) {
        const int64_t nx = x + bit % 3 - 1, ny = y + bit / 3 - 1;
        if (!patch_get(now, nx, ny))
            continue;
        const uint32_t label = label_at(labels, nx, ny);
        int i = 0;
        while (i < *count && others[i] != label)
            i++;
        others[i] = label;
        *count = i == *count ? i + 1 : *count;
        cells[i] |= 1u << bit;
    }
    for (int i = 0; i < *count; i++)
        bearing = rule->next[cells[i]] ? others[i] : bearing;
    return bearing;
}

static void relabel(struct labels *labels, uint32_t from, uint32_t to)
{
    const int64_t cells = labels->history->width * labels->history->height;
    for (int64_t cell = 0; cell < cells; cell++)
        if (labels->at[cell] == from)
            labels->at[cell] = to;
}

/* Joins the islands around the dead cells that no island has ever had. Returns whether it has joined any. */
static bool join_islands(const struct object_rule *rule, struct labels *labels, const struct patch *now)
{
    bool joined = false;
    for (int64_t y = now->y - 1; y <= now->y + now->height; y++)
        for (int64_t x = now->x - 1; x <= now->x + now->width; x++) {
            uint32_t others[9];
            int count;
            if (patch_get(labels->history, x, y))
                continue;
            const uint32_t bearing = label_that_bears(rule, labels, now, x, y, others, &count);
            for (int i = 0; bearing && i < count; i++)
                if (others[i] != bearing) {
                    relabel(labels, others[i], bearing);
                    joined = true;
                }
        }
    return joined;
}

/* Walks through the steps as often as islands are joined. */
static int join_all(const struct object_rule *rule, struct labels *labels, const struct patch *patch, uint64_t steps)
{
    int status = 0;
    for (bool joined = true; joined && status == 0;) {
        struct patch now;
        joined = false;
        status = patch_copy(patch, &now);
        for (uint64_t step = 0; status == 0 && step < steps; step++) {
            joined |= join_islands(rule, labels, &now);
            status = patch_step(&now, rule);
        }
        patch_free(&now);
    }
    return status;
}

int islands_cut_dependent(const struct object_rule *rule, const struct patch *patch, const struct patch *history,
                          uint64_t steps, struct parts *parts)
{
    struct labels labels;
    *parts = (struct parts){0};
    if (labels_open(history, REACH_TOUCH, &labels) != 0)
        return -1;
    int status = labels.count > 1 ? join_all(rule, &labels, patch, steps) : 0;
    if (status == 0)
        status = make_parts(&labels, patch, parts);
    labels_close(&labels);
    return status;
}

/* ---- Parts that live alone --------------------------------------------------------------------------------------- */

static int copy_parts(const struct parts *parts, struct parts *copy)
{
    int status = 0;
    *copy = (struct parts){0};
    for (uint32_t i = 0; status == 0 && i < parts->count; i++)
        status = parts_append(copy, &parts->at[i]);
    return status;
}

/* Puts the cells of all parts into one patch. Sets *apart to whether no two share a cell. */
static int unite(const struct parts *parts, struct patch *all, bool *apart)
{
    int status = 0;
    *all = (struct patch){0};
    for (uint32_t i = 0; *apart && status == 0 && i < parts->count; i++) {
        *apart = parts->at[i].cells && !patch_meets(all, &parts->at[i]);
        status = patch_add(all, &parts->at[i]);
    }
    return status == 0 ? patch_trim(all) : status;
}

static int step_all(const struct object_rule *rule, struct parts *parts)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < parts->count; i++)
        status = patch_step(&parts->at[i], rule);
    return status;
}

int islands_live_alone(const struct object_rule *rule, const struct patch *whole, const struct parts *parts,
                       uint64_t steps, bool *alone)
{
    struct parts now = {0};
    struct patch all, whole_now = {0};
    int status = patch_copy(whole, &whole_now);
    if (status == 0)
        status = copy_parts(parts, &now);
    *alone = true;
    for (uint64_t step = 0; *alone && status == 0 && step <= steps; step++) {
        status = unite(&now, &all, alone);
        *alone = *alone && patch_is(&all, &whole_now);
        patch_free(&all);
        if (status == 0)
            status = step_all(rule, &now);
        if (status == 0)
            status = patch_step(&whole_now, rule);
    }
    patch_free(&whole_now);
    parts_free(&now);
    return status;
}

/* ---- Groups of islands ------------------------------------------------------------------------------------------- */

enum { MOST_ISLANDS = 24 };

/* The groups of a colouring of the islands. */
static int make_groups(const struct parts *islands, const uint8_t *colours, uint32_t count, struct parts *groups)
{
    int status = 0;
    *groups = (struct parts){.at = calloc(count, sizeof *groups->at), .count = count};
    if (!groups->at)
        return -1;
    for (uint32_t i = 0; status == 0 && i < islands->count; i++)
        status = patch_add(&groups->at[colours[i]], &islands->at[i]);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        status = patch_trim(&groups->at[i]);
    return status;
}

/* Goes to the next colouring in which a colour comes first after all smaller ones. Returns false after the last. */
static bool next_colouring(uint8_t *colours, uint32_t count, uint32_t most)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint8_t largest = 0;
        for (uint32_t j = 0; j < i; j++)
            largest = colours[j] > largest ? colours[j] : largest;
        if (colours[i] <= largest && colours[i] + 1u < most) {
            colours[i]++;
            memset(colours + i + 1, 0, count - i - 1);
            return true;
        }
    }
    return false;
}

static bool uses_all(const uint8_t *colours, uint32_t count, uint32_t most)
{
    return memchr(colours, (int) most - 1, count) != NULL;
}

static bool too_many(uint32_t islands, uint32_t groups, double most_tries)
{
    double tries = 1;
    for (uint32_t i = 0; i < islands; i++)
        tries *= groups;
    return islands > MOST_ISLANDS || tries > most_tries;
}

/* Sets *repeat to whether each part alone has its form again after so many steps. */
static int parts_repeat(const struct object_rule *rule, const struct parts *parts, uint64_t steps, bool *repeat)
{
    struct parts now;
    int status = copy_parts(parts, &now);
    for (uint64_t step = 0; status == 0 && step < steps; step++)
        status = step_all(rule, &now);
    *repeat = status == 0;
    for (uint32_t i = 0; *repeat && i < parts->count; i++)
        *repeat = patch_has_form(&now.at[i], &parts->at[i]);
    parts_free(&now);
    return status;
}

/* Tries all ways to make so many groups. Sets *found if one is right: two spaceships side by side may exchange cells that
 * make no difference within a period, so that neither group repeats itself. */
static int try_groups(const struct object_rule *rule, const struct patch *whole, const struct parts *islands,
                      uint64_t steps, uint32_t count, struct parts *groups, bool *found)
{
    uint8_t colours[MOST_ISLANDS] = {0};
    int status = 0;
    *found = false;
    *groups = (struct parts){0};
    for (bool more = true; more && status == 0 && !*found; more = next_colouring(colours, islands->count, count)) {
        if (!uses_all(colours, islands->count, count))
            continue;
        parts_free(groups);
        status = make_groups(islands, colours, count, groups);
        if (status == 0)
            status = islands_live_alone(rule, whole, groups, steps, found);
        if (status == 0 && *found)
            status = parts_repeat(rule, groups, steps, found);
    }
    return status;
}

int islands_group(const struct object_rule *rule, const struct patch *whole, const struct parts *parts, uint64_t steps,
                  uint32_t most_groups, double most_tries, struct parts *groups)
{
    int status = 0;
    bool found = false;
    *groups = (struct parts){0};
    for (uint32_t count = 2;
         count <= most_groups && count <= parts->count && !too_many(parts->count, count, most_tries); count++) {
        parts_free(groups);
        status = try_groups(rule, whole, parts, steps, count, groups, &found);
        if (status != 0 || found)
            return status;
    }
    parts_free(groups);
    return parts_append(groups, whole);
}
