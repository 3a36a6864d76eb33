#include "base/nearest.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 }; /* longer names have no near ones */

static int lower(char c)
{
    return tolower((unsigned char) c);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that make b of a, each place edited once: the restricted
 * Damerau-Levenshtein distance. Rows i - 2, i - 1 and i of the table take turns. */
static uint32_t distance(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    uint32_t rows[3][LONGEST + 1];
    for (uint32_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; j++) {
            uint32_t same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            bool swap = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swap)
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* How far apart two names are, UINT32_MAX when too far: at most a third of the longer one's letters may differ; a name
 * and its beginning count as the farthest that is near. */
static uint32_t farness(const char *a, const char *b)
{
    size_t a_length = strnlen(a, LONGEST + 1), b_length = strnlen(b, LONGEST + 1);
    size_t shorter = a_length < b_length ? a_length : b_length;
    size_t longer = a_length + b_length - shorter;
    if (shorter == 0 || longer > LONGEST)
        return UINT32_MAX;
    uint32_t near = longer < 6 ? 1 : (uint32_t) longer / 3;
    uint32_t apart = distance(a, (uint32_t) a_length, b, (uint32_t) b_length);
    if (apart <= near && apart < longer)
        return apart;
    return shorter >= 2 && strncasecmp(a, b, shorter) == 0 ? near + 1 : UINT32_MAX;
}

const char *nearest(const char *name, const char *(*name_at)(const void *list, uint32_t index), const void *list)
{
    const char *best = NULL, *candidate;
    uint32_t least_far = UINT32_MAX;
    for (uint32_t i = 0; (candidate = name_at(list, i)); i++) {
        uint32_t far = farness(name, candidate);
        if (far < least_far) {
            least_far = far;
            best = candidate;
        }
    }
    return best;
}

const char *nearest_hint(char hint[128], const char *name, const char *(*name_at)(const void *list, uint32_t index),
                         const void *list)
{
    const char *near = nearest(name, name_at, list);
    hint[0] = '\0';
    if (near)
        snprintf(hint, 128, ", did you mean '%s'?", near);
    return hint;
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

struct entries {
    struct dirent **at;
    uint32_t count;
};

static const char *entry_at(const void *list, uint32_t index)
{
    const struct entries *entries = list;
    return index < entries->count ? entries->at[index]->d_name : NULL;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

const char *nearest_file_hint(char hint[128], const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    struct entries entries = {0};
    hint[0] = '\0';
    if (slash && snprintf(folder, sizeof folder, "%.*s/", (int) (slash - path), path) >= (int) sizeof folder)
        return hint;
    const int count = scandir(folder, &entries.at, is_shown, alphasort);
    if (count < 0)
        return hint;
    entries.count = (uint32_t) count;
    nearest_hint(hint, slash ? slash + 1 : path, entry_at, &entries);
    for (uint32_t i = 0; i < entries.count; i++)
        free(entries.at[i]);
    free(entries.at);
    return hint;
}
