#include "record/section_until.h"
#include "base/nearest.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char blanks[] = " \t";
static const char word_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/* Longer signs come before those that they begin with. */
static const struct {
    const char *sign;
    enum until_comparison comparison;
} signs[] = {{"<=", UNTIL_AT_MOST}, {">=", UNTIL_AT_LEAST}, {"==", UNTIL_EQUAL},
             {"!=", UNTIL_OTHER},   {"<", UNTIL_BELOW},     {">", UNTIL_ABOVE}};

static const char *metric_at(const void *list, uint32_t index)
{
    const struct engine_metric_array *metrics = list;
    return index < metrics->count ? metrics->at[index].name : NULL;
}

/* Lists the names of the metrics, as many as the text holds. */
static const char *metric_names(const struct engine_metric_array *metrics, char text[512])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < metrics->count && used < 400; i++)
        used += (size_t) snprintf(text + used, 512 - used, "%s%.100s", i ? ", " : "", metrics->at[i].name);
    return text;
}

static int refuse_word(const struct reading *reading, const char *word)
{
    const struct engine_plugin *about = &reading->plugin->about;
    char hint[128], names[512];
    if (about->metrics.count == 0)
        return REFUSE(
            reading, "run", "until",
            "'%s' is not a condition; %s has no metrics, so repeats, unchanged, settled and edge are the only ones",
            word, about->name);
    return REFUSE(reading, "run", "until",
                  "'%s' is not a metric of %s%s; its metrics are %s; expected a metric and a number, as in %s < 10, or "
                  "repeats, unchanged, settled or edge",
                  word, about->name, nearest_hint(hint, word, metric_at, &about->metrics),
                  metric_names(&about->metrics, names), about->metrics.at[0].name);
}

/* The index of the metric whose name is the first `length` characters; the number of metrics: none. */
static uint32_t metric_named(const struct engine_metric_array *metrics, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < metrics->count &&
           (strlen(metrics->at[i].name) != length || strncmp(metrics->at[i].name, name, length) != 0))
        i++;
    return i;
}

/* Finds the metric, or the metric before `_error`. */
static bool find_metric(const struct reading *reading, const char *word, struct until_condition *condition)
{
    static const char ending[] = "_error";
    const struct engine_metric_array *metrics = &reading->plugin->about.metrics;
    const size_t length = strlen(word), shorter = length - (sizeof ending - 1);
    condition->metric = metric_named(metrics, word, length);
    if (condition->metric < metrics->count)
        return true;
    condition->error = length >= sizeof ending && strcmp(word + shorter, ending) == 0;
    condition->metric = condition->error ? metric_named(metrics, word, shorter) : metrics->count;
    return condition->metric < metrics->count;
}

/* Reads the rest of a comparison, `word` `< 10`, and moves *at behind it. */
static int read_comparison(const struct reading *reading, const char *word, const char **at,
                           struct until_condition *condition)
{
    size_t s = 0;
    condition->kind = UNTIL_METRIC;
    if (!find_metric(reading, word, condition))
        return refuse_word(reading, word);
    if (condition->error && condition->metric >= UNTIL_ERRORS_MAX)
        return REFUSE(reading, "run", "until", "only the first %d metrics of a plugin have an error", UNTIL_ERRORS_MAX);
    while (s < sizeof signs / sizeof signs[0] && strncmp(*at, signs[s].sign, strlen(signs[s].sign)) != 0)
        s++;
    if (s == sizeof signs / sizeof signs[0])
        return REFUSE(reading, "run", "until", "expected < <= > >= == or != and a number after '%s', found '%.40s'",
                      word, *at);
    condition->comparison = signs[s].comparison;
    *at += strlen(signs[s].sign);
    *at += strspn(*at, blanks);
    const char *number = *at;
    if (!text_real(at, &condition->number) || (**at && !strchr(blanks, **at)))
        return REFUSE(reading, "run", "until", "expected a number after '%s %s', such as 10 or 1e-3, found '%.40s'",
                      word, signs[s].sign, number);
    return 0;
}

/* Is it a condition of one word? */
static bool is_word(const char *word, enum until_kind *kind)
{
    static const char *const words[] = {[UNTIL_REPEATS] = "repeats",
                                        [UNTIL_UNCHANGED] = "unchanged",
                                        [UNTIL_SETTLED] = "settled",
                                        [UNTIL_EDGE] = "edge"};
    for (size_t i = UNTIL_REPEATS; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            *kind = (enum until_kind) i;
            return true;
        }
    return false;
}

/* Reads one condition, and moves *at behind it and the blanks that follow. */
static int read_condition(const struct reading *reading, const char **at, struct until_condition *condition)
{
    const char *begin = *at;
    char word[64];
    const size_t length = strspn(begin, word_characters);
    if (length == 0 || length >= sizeof word)
        return REFUSE(reading, "run", "until",
                      "expected a condition, found '%.40s'; a condition is a metric and a number, as in population < "
                      "10, or repeats, unchanged, settled or edge",
                      begin);
    snprintf(word, sizeof word, "%.*s", (int) length, begin);
    *at += length;
    *at += strspn(*at, blanks);
    const bool alone = !**at || !strchr("<>=!", **at);
    if (!(alone && is_word(word, &condition->kind)) && read_comparison(reading, word, at, condition) != 0)
        return reading->error->status;
    size_t bytes = (size_t) (*at - begin);
    while (strchr(blanks, begin[bytes - 1]))
        bytes--;
    if (bytes >= sizeof condition->text)
        return REFUSE(reading, "run", "until", "'%.40s…' has more than %zu characters", begin,
                      sizeof condition->text - 1);
    memcpy(condition->text, begin, bytes);
    condition->text[bytes] = '\0';
    *at += strspn(*at, blanks);
    return 0;
}

int section_read_until(const struct reading *reading, const char *text, struct until_conditions *conditions)
{
    const char *at = text + strspn(text, blanks);
    while (*at || conditions->count > 0) {
        if (conditions->count == UNTIL_MAX)
            return REFUSE(reading, "run", "until", "more than %d conditions", UNTIL_MAX);
        if (read_condition(reading, &at, &conditions->at[conditions->count]) != 0)
            return reading->error->status;
        conditions->count++;
        if (!*at)
            break;
        if (strncmp(at, "or", 2) != 0 || (at[2] && !strchr(blanks, at[2])))
            return REFUSE(reading, "run", "until", "expected 'or' and a further condition after '%s', found '%.40s'",
                          conditions->at[conditions->count - 1].text, at);
        at += 2 + strspn(at + 2, blanks);
    }
    return 0;
}
