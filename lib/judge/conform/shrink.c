#include "judge/conform/shrink.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 72 }; /* the numbers below are all tried: a period of 64 cells and some more */

struct shrinking {
    struct draw *best, candidate;
    bool (*fails)(void *user, const struct draw *draw);
    void *user;
    bool changed;
};

/* Keeps the candidate if it fails. */
static bool try(struct shrinking *shrinking)
{
    if (!shrinking->fails(shrinking->user, &shrinking->candidate))
        return false;
    *shrinking->best = shrinking->candidate;
    shrinking->changed = true;
    return true;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static void remove_key(struct draw *draw, uint32_t key)
{
    draw->count--;
    memmove(&draw->at[key], &draw->at[key + 1], (draw->count - key) * sizeof *draw->at);
}

static void leave_out_single(struct shrinking *shrinking)
{
    for (uint32_t i = shrinking->best->count; i-- > 0;) {
        shrinking->candidate = *shrinking->best;
        remove_key(&shrinking->candidate, i);
        if (!shrinking->best->at[i].needed)
            try(shrinking);
    }
}

/* Leaves out a key together with an earlier one, such as the value of a fixed edge and the edge. */
static bool leave_out_with(struct shrinking *shrinking, uint32_t key)
{
    for (uint32_t i = 0; i < key; i++) {
        shrinking->candidate = *shrinking->best;
        remove_key(&shrinking->candidate, key);
        remove_key(&shrinking->candidate, i);
        if (!shrinking->best->at[i].needed && try(shrinking))
            return true;
    }
    return false;
}

static void leave_out_pairs(struct shrinking *shrinking)
{
    for (uint32_t i = shrinking->best->count; i-- > 1;)
        if (i < shrinking->best->count && !shrinking->best->at[i].needed)
            leave_out_with(shrinking, i);
}

/* ---- Words of a value ------------------------------------------------------------------------------------------ */

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0' && strlen(word) < 16;
}

/* Copies word `index` of a value. Returns false after the last. */
static bool word_at(const char *value, uint32_t index, char word[DRAW_VALUE_MAX])
{
    for (; *value && index > 0; index--)
        value += strcspn(value, " "), value += strspn(value, " ");
    snprintf(word, DRAW_VALUE_MAX, "%.*s", (int) strcspn(value, " "), value);
    return *word;
}

/* Replaces word `index` of a value, or where `old` is not NULL each word that equals it. */
static void replace(char value[DRAW_VALUE_MAX], uint32_t index, const char *old, const char *with)
{
    char word[DRAW_VALUE_MAX], made[2 * DRAW_VALUE_MAX] = "";
    for (uint32_t i = 0; word_at(value, i, word); i++)
        snprintf(made + strlen(made), sizeof made - strlen(made), "%s%s", i ? " " : "",
                 (old ? strcmp(word, old) == 0 : i == index) ? with : word);
    snprintf(value, DRAW_VALUE_MAX, "%.*s", DRAW_VALUE_MAX - 1, made);
}

static bool try_word(struct shrinking *shrinking, uint32_t key, uint32_t index, const char *with)
{
    shrinking->candidate = *shrinking->best;
    replace(shrinking->candidate.at[key].value, index, NULL, with);
    return try(shrinking);
}

/* Sizes that are equal may have to stay so, as those of a sphere or a matrix that is transposed in place. */
static bool try_equal(struct shrinking *shrinking, const char *old, const char *with)
{
    shrinking->candidate = *shrinking->best;
    for (uint32_t i = 0; i < shrinking->candidate.count; i++)
        if (shrinking->candidate.at[i].needed)
            replace(shrinking->candidate.at[i].value, 0, old, with);
    return try(shrinking);
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

uint64_t shrink_smaller(uint64_t number, uint32_t index)
{
    static const uint64_t less[] = {64, 32, 16, 8, 4, 2, 1};
    const uint32_t each = number < EACH ? (uint32_t) number : EACH;
    if (index < each)
        return index;
    index -= each;
    if (number <= EACH || index > sizeof less / sizeof less[0])
        return UINT64_MAX;
    return index == 0 ? number / 2 : number - less[index - 1];
}

static bool shrink_once(struct shrinking *shrinking, uint32_t key, uint32_t index, const char *word)
{
    const uint64_t number = strtoull(word, NULL, 10);
    uint64_t with;
    const bool needed = shrinking->best->at[key].needed; /* and so at least 1 */
    for (uint32_t i = needed; (with = shrink_smaller(number, i)) != UINT64_MAX; i++) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long) with);
        if (try_word(shrinking, key, index, text) || (needed && try_equal(shrinking, word, text)))
            return true;
    }
    return false;
}

static void shrink_steps(struct shrinking *shrinking)
{
    for (uint64_t steps = 1; steps < shrinking->best->steps; steps++) {
        shrinking->candidate = *shrinking->best;
        shrinking->candidate.steps = steps;
        try(shrinking);
    }
}

/* ---- Texts ----------------------------------------------------------------------------------------------------- */

/* Removes single characters of a text such as a rule, and makes an edge that of a torus. */
static void shrink_text(struct shrinking *shrinking, uint32_t key, uint32_t index, const char *word)
{
    char with[DRAW_VALUE_MAX];
    if (strcmp(shrinking->best->at[key].name, "grid.edges") == 0 && strcmp(word, "torus") != 0)
        try_word(shrinking, key, index, "torus");
    char *end;
    strtod(word, &end);
    if (*end == '\0' || word[strcspn(word, "0123456789")] == '\0')
        return;
    snprintf(with, sizeof with, "%s", word);
    for (size_t i = strlen(with); i-- > 0;) {
        char removed[DRAW_VALUE_MAX];
        snprintf(removed, sizeof removed, "%.*s%s", (int) i, with, with + i + 1);
        if (try_word(shrinking, key, index, removed))
            snprintf(with, sizeof with, "%s", removed);
    }
}

/* Tries one word for all, such as an edge for all axes. */
static void join_words(struct shrinking *shrinking, uint32_t key)
{
    char word[DRAW_VALUE_MAX];
    for (uint32_t i = 0;
         strchr(shrinking->best->at[key].value, ' ') && word_at(shrinking->best->at[key].value, i, word); i++) {
        shrinking->candidate = *shrinking->best;
        snprintf(shrinking->candidate.at[key].value, DRAW_VALUE_MAX, "%s", word);
        try(shrinking);
    }
}

static void shrink_value(struct shrinking *shrinking, uint32_t key)
{
    char word[DRAW_VALUE_MAX];
    join_words(shrinking, key);
    for (uint32_t i = 0; word_at(shrinking->best->at[key].value, i, word); i++) {
        if (!is_number(word))
            shrink_text(shrinking, key, i, word);
        else
            while (shrink_once(shrinking, key, i, word) && word_at(shrinking->best->at[key].value, i, word))
                ;
    }
}

void shrink(struct draw *draw, bool (*fails)(void *user, const struct draw *draw), void *user)
{
    struct shrinking *shrinking = malloc(sizeof *shrinking);
    if (!shrinking)
        return;
    *shrinking = (struct shrinking){.best = draw, .fails = fails, .user = user};
    do {
        shrinking->changed = false;
        leave_out_single(shrinking);
        leave_out_pairs(shrinking);
        shrink_steps(shrinking);
        for (uint32_t i = 0; i < draw->count; i++)
            shrink_value(shrinking, i);
    } while (shrinking->changed);
    free(shrinking);
}
