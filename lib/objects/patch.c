#include "objects/patch.h"

#include <stdlib.h>
#include <string.h>

int patch_make(struct patch *patch, int64_t x, int64_t y, int64_t width, int64_t height)
{
    *patch = (struct patch){.x = x, .y = y, .width = width, .height = height};
    if (width <= 0 || height <= 0) {
        patch->width = patch->height = 0;
        return 0;
    }
    patch->cells = calloc((size_t) height, (size_t) width);
    return patch->cells ? 0 : -1;
}

int patch_copy(const struct patch *from, struct patch *to)
{
    if (patch_make(to, from->x, from->y, from->width, from->height) != 0)
        return -1;
    if (to->cells)
        memcpy(to->cells, from->cells, (size_t) (to->width * to->height));
    return 0;
}

void patch_free(struct patch *patch)
{
    free(patch->cells);
    *patch = (struct patch){0};
}

static uint64_t population_of(const uint8_t *cells, int64_t count)
{
    uint64_t population = 0;
    for (int64_t i = 0; i < count; i++)
        population += cells[i];
    return population;
}

uint64_t patch_population(const struct patch *patch)
{
    return population_of(patch->cells, patch->width * patch->height);
}

/* The smallest part that holds all live cells: its first cell, and the cell behind its last one. */
struct part {
    int64_t left, top, right, bottom;
};

static struct part live_part(const struct patch *patch)
{
    struct part part = {patch->width, patch->height, 0, 0};
    for (int64_t y = 0; y < patch->height; y++) {
        const uint8_t *row = patch->cells + y * patch->width, *first = memchr(row, 1, (size_t) patch->width);
        if (!first)
            continue;
        const uint8_t *last = memrchr(row, 1, (size_t) patch->width);
        part.top = part.top < y ? part.top : y;
        part.bottom = y + 1;
        part.left = part.left < first - row ? part.left : first - row;
        part.right = part.right > last - row + 1 ? part.right : last - row + 1;
    }
    return part;
}

int patch_trim(struct patch *patch)
{
    const struct part part = live_part(patch);
    struct patch small;
    if (part.right - part.left == patch->width && part.bottom - part.top == patch->height)
        return 0;
    if (patch_make(&small, patch->x + part.left, patch->y + part.top, part.right - part.left, part.bottom - part.top) !=
        0)
        return -1;
    for (int64_t y = 0; y < small.height; y++)
        memcpy(small.cells + y * small.width, patch->cells + (y + part.top) * patch->width + part.left,
               (size_t) small.width);
    patch_free(patch);
    *patch = small;
    return 0;
}

/* Widens an interval so that it holds another one, by at least half of its size, so that growing stays cheap. */
static bool widen(int64_t *begin, int64_t *size, int64_t other_begin, int64_t other_size)
{
    const int64_t end = *begin + *size, other_end = other_begin + other_size, more = *size / 2 + 8;
    const bool left = other_begin<*begin, right = other_end> end;
    const int64_t first = left ? other_begin - more : *begin, behind = right ? other_end + more : end;
    *begin = first;
    *size = behind - first;
    return left || right;
}

static int cover(struct patch *patch, const struct patch *other)
{
    struct patch large = *patch;
    const bool wider = widen(&large.x, &large.width, other->x, other->width);
    const bool higher = widen(&large.y, &large.height, other->y, other->height);
    if (!wider && !higher)
        return 0;
    if (patch_make(&large, large.x, large.y, large.width, large.height) != 0)
        return -1;
    for (int64_t y = 0; y < patch->height; y++)
        memcpy(patch_cell(&large, patch->x, patch->y + y), patch->cells + y * patch->width, (size_t) patch->width);
    patch_free(patch);
    *patch = large;
    return 0;
}

int patch_add(struct patch *patch, const struct patch *other)
{
    if (!other->cells)
        return 0;
    if (!patch->cells)
        return patch_copy(other, patch);
    if (cover(patch, other) != 0)
        return -1;
    for (int64_t y = 0; y < other->height; y++) {
        uint8_t *row = patch_cell(patch, other->x, other->y + y);
        for (int64_t x = 0; x < other->width; x++)
            row[x] |= other->cells[y * other->width + x];
    }
    return 0;
}

/* The next states of a row of the patch that a step makes. `above`, `at` and `below` have a dead cell at each end. */
static void step_row(const struct object_rule *rule, const uint8_t *above, const uint8_t *at, const uint8_t *below,
                     uint8_t *next, int64_t width)
{
    /* Bits 2, 5 and 8 are the newest column. */
    uint32_t window = 0;
    for (int64_t x = -1; x <= width; x++) {
        window = (window >> 1 & 0333) | (uint32_t) above[x + 1] << 2 | (uint32_t) at[x + 1] << 5 |
                 (uint32_t) below[x + 1] << 8;
        if (x > 0)
            next[x - 1] = rule->next[window];
    }
}

void object_rule_count(struct object_rule *rule)
{
    rule->counts = true;
    rule->birth = rule->survive = 0;
    for (uint32_t total = 0; total < 9; total++) {
        const uint32_t some = (1u << total) - 1, around = (some & 15) | (some >> 4) << 5;
        rule->birth = (uint16_t) (rule->birth | rule->next[around] << total);
        rule->survive = (uint16_t) (rule->survive | rule->next[around | 16] << total);
    }
    for (uint32_t square = 0; square < 512; square++) {
        const int total = __builtin_popcount(square & ~16u);
        rule->counts = rule->counts && rule->next[square] == ((square & 16 ? rule->survive : rule->birth) >> total & 1);
    }
}

/* The same for a rule that counts neighbours. `sums`: room for the sums of columns. The compiler makes vectors of the
 * loops. */
static void count_row(const struct object_rule *rule, const uint8_t *restrict above, const uint8_t *restrict at,
                      const uint8_t *restrict below, uint8_t *restrict sums, uint8_t *restrict next, int64_t width)
{
    for (int64_t x = 0; x < width + 2; x++)
        sums[x] = (uint8_t) (above[x] + at[x] + below[x]);
    memset(next, 0, (size_t) width);
    for (int total = 0; total < 9; total++) {
        const uint8_t birth = rule->birth >> total & 1, survive = rule->survive >> total & 1;
        for (int64_t x = 0; (birth || survive) && x < width; x++) {
            const uint8_t neighbours = (uint8_t) (sums[x] + sums[x + 1] + sums[x + 2] - at[x + 1]);
            const uint8_t cell = at[x + 1], lives = (uint8_t) ((cell & survive) | ((cell ^ 1) & birth));
            next[x] = (uint8_t) (next[x] | (neighbours == total ? lives : 0));
        }
    }
}

int patch_step(struct patch *patch, const struct object_rule *rule)
{
    const int64_t width = patch->width, padded = width + 4;
    struct patch next;
    if (!patch->cells)
        return 0;
    uint8_t *rows = calloc((size_t) (patch->height + 5), (size_t) padded); /* the last one is for sums */
    if (!rows || patch_make(&next, patch->x - 1, patch->y - 1, width + 2, patch->height + 2) != 0) {
        free(rows);
        return -1;
    }
    for (int64_t y = 0; y < patch->height; y++)
        memcpy(rows + (y + 2) * padded + 2, patch->cells + y * width, (size_t) width);
    for (int64_t y = 0; y < next.height; y++) {
        const uint8_t *const above = rows + y * padded;
        uint8_t *const cells = next.cells + y * next.width;
        if (rule->counts)
            count_row(rule, above, above + padded, above + 2 * padded, rows + (patch->height + 4) * padded, cells,
                      next.width);
        else
            step_row(rule, above, above + padded, above + 2 * padded, cells, next.width);
    }
    free(rows);
    const int status = patch_trim(&next);
    patch_free(status == 0 ? patch : &next);
    if (status == 0)
        *patch = next;
    return status;
}

bool patch_has_form(const struct patch *patch, const struct patch *other)
{
    return patch->width == other->width && patch->height == other->height &&
           (!patch->cells || memcmp(patch->cells, other->cells, (size_t) (patch->width * patch->height)) == 0);
}

bool patch_is(const struct patch *patch, const struct patch *other)
{
    return patch_has_form(patch, other) && (!patch->cells || (patch->x == other->x && patch->y == other->y));
}

bool patch_meets(const struct patch *patch, const struct patch *other)
{
    for (int64_t y = 0; y < other->height; y++)
        for (int64_t x = 0; x < other->width; x++)
            if (other->cells[y * other->width + x] && patch_get(patch, other->x + x, other->y + y))
                return true;
    return false;
}
