/* Rules of Life: a rule that is accepted is printed in each notation, and must mean the same when it is read again. */
#include "fuzz.h"

#include <generations/rule.h>
#include <larger-than-life/rule.h>
#include <life/rule.h>
#include <life/rule3d.h>
#include <margolus/rule.h>

#include <stdio.h>
#include <stdlib.h>

static void print_set(char *out, uint32_t mask, const char *separator)
{
    const char *before = "";
    *out = '\0';
    for (int n = 0; n < 32; n++)
        if (mask >> n & 1) {
            out += sprintf(out, "%s%d", before, n);
            before = separator;
        }
}

static bool try_2d(const char *text)
{
    struct life_rule rule, again;
    char written[LIFE_RULE_TEXT], rewritten[LIFE_RULE_TEXT];
    size_t place = 0;
    const char *wrong = life_rule_parse(text, &rule, &place);
    fuzz_expect(wrong == NULL || *wrong != '\0', "a refusal without a text");
    fuzz_expect(wrong == NULL || place <= strlen(text), "the wrong character is behind the end");
    if (wrong != NULL)
        return false;
    fuzz_expect(rule.birth < 1u << 9 && rule.survive < 1u << 9, "%s: more than eight neighbours", text);
    life_rule_write(&rule, written);
    wrong = life_rule_parse(written, &again, &place);
    fuzz_expect(wrong == NULL && memcmp(again.table, rule.table, sizeof rule.table) == 0, "%s is not %s", text,
                written);
    life_rule_write(&again, rewritten);
    fuzz_expect(strcmp(written, rewritten) == 0, "%s is written as %s", written, rewritten);
    return true;
}

static bool try_3d(const char *text)
{
    struct life3d_rule rule = {0}, again = {0};
    char births[128], survivals[128], written[300];
    const char *wrong = life3d_rule_parse(text, &rule);
    fuzz_expect(wrong == NULL || *wrong != '\0', "a refusal without a text");
    if (wrong != NULL)
        return false;
    fuzz_expect(rule.birth < 1u << 27 && rule.survive < 1u << 27, "%s: more than 26 neighbours", text);
    print_set(births, rule.birth, ",");
    print_set(survivals, rule.survive, ",");
    snprintf(written, sizeof written, "3D%s/%s", survivals, births);
    wrong = life3d_rule_parse(written, &again);
    fuzz_expect(wrong == NULL && again.birth == rule.birth && again.survive == rule.survive, "%s is not %s", text,
                written);
    return true;
}

static bool try_generations(const char *text)
{
    struct generations_rule rule = {0}, again = {0};
    char births[128], survivals[128], written[300];
    const char *at, *wrong = generations_parse_at(text, &rule, &at);
    fuzz_expect(wrong == NULL || *wrong != '\0', "a refusal without a text");
    fuzz_expect(at >= text && at <= text + strlen(text), "a place outside the text");
    if (wrong != NULL)
        return false;
    fuzz_expect(rule.birth < 1u << 9 && rule.survive < 1u << 9, "%s: more than eight neighbours", text);
    fuzz_expect(rule.states >= 2 && rule.states <= GENERATIONS_STATES_MAX, "%s: %u states", text, rule.states);
    print_set(births, rule.birth, "");
    print_set(survivals, rule.survive, "");
    for (int lettered = 0; lettered < 2; lettered++) {
        if (lettered)
            snprintf(written, sizeof written, "B%s/S%s/G%u", births, survivals, rule.states);
        else
            snprintf(written, sizeof written, "%s/%s/%u", survivals, births, rule.states);
        wrong = generations_parse(written, &again);
        fuzz_expect(wrong == NULL && again.birth == rule.birth && again.survive == rule.survive &&
                        again.states == rule.states,
                    "%s is not %s", text, written);
    }
    return true;
}

/* Writes the ranges of counts of S or B. */
static char *print_counts(char *out, const struct ltl_rule *rule, int cell)
{
    const char *before = "";
    for (uint32_t n = 0, first; n <= rule->most; n++) {
        for (first = n; n <= rule->most && ltl_holds(rule->counts[cell], (int32_t) n);)
            n++;
        if (n > first)
            out += sprintf(out, "%s%u-%u", before, first, n - 1), before = ",";
    }
    return out;
}

/* Writes the rule with weights, in two digits for each cell. Returns false if it has none, if a weight has three digits,
 * or if the rule would be too long. */
static bool print_larger(char *text, const struct ltl_rule *rule)
{
    char *out = text;
    const uint32_t side = 2 * rule->radius + 1;
    if (rule->radius > LTL_RADIUS_MAX)
        return false;
    out += sprintf(out, "R%u,C%u,M0,S", rule->radius, rule->states);
    out = print_counts(out, rule, LTL_ALIVE);
    out += sprintf(out, ",B");
    out = print_counts(out, rule, LTL_DEAD);
    out += sprintf(out, ",NW");
    for (uint32_t i = 0; i < side * side; i++) {
        const int weight = rule->weight[i / side][i % side];
        if (abs(weight) > 127)
            return false;
        out += sprintf(out, "%02x", weight < 0 ? 128 - weight : weight);
    }
    *out++ = ',';
    for (uint32_t i = 0; i < rule->states; i++)
        out += sprintf(out, "%x", rule->state_weight[i]);
    out += sprintf(out, "%s", rule->triangular ? "L" : "");
    return out - text <= LTL_TEXT_MAX;
}

static bool try_larger(const char *text)
{
    static struct ltl_rule rule, again;
    static char written[1 << 17];
    const char *at, *wrong = ltl_parse_at(text, &rule, &at);
    fuzz_expect(wrong == NULL || *wrong != '\0', "a refusal without a text");
    fuzz_expect(at >= text && at <= text + strlen(text), "a place outside the text");
    if (wrong != NULL)
        return false;
    fuzz_expect(rule.states >= 2 && rule.states <= LTL_STATES_MAX, "%s: %u states", text, rule.states);
    fuzz_expect(rule.radius >= 1 && rule.radius <= LTL_WIDE_MAX, "%s: radius %u", text, rule.radius);
    if (!print_larger(written, &rule))
        return true;
    wrong = ltl_parse_at(written, &again, &at);
    again.neighbourhood = rule.neighbourhood;
    again.middle = rule.middle; /* a weight says it */
    again.most = rule.most;     /* M0 allows a count more */
    fuzz_expect(wrong == NULL && memcmp(&again, &rule, sizeof rule) == 0, "%s is not %s", text, written);
    return true;
}

static bool try_margolus(const char *text)
{
    struct margolus_rule rule, again;
    char written[MARGOLUS_TEXT];
    const char *at, *wrong = margolus_parse_at(text, &rule, &at);
    fuzz_expect(wrong == NULL || *wrong != '\0', "a refusal without a text");
    fuzz_expect(at >= text && at <= text + strlen(text), "a place outside the text");
    if (wrong != NULL)
        return false;
    margolus_write(&rule, written);
    wrong = margolus_parse(written, &again);
    fuzz_expect(wrong == NULL && memcmp(&again, &rule, sizeof rule) == 0, "%s is not %s", text, written);
    return true;
}

bool fuzz_rules(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1); /* of exactly its size, so that the sanitizer finds a read behind its end */
    (void) target;
    fuzz_expect(text != NULL, "no memory");
    memcpy(text, bytes, size);
    text[size] = '\0';
    const bool plane = try_2d(text), volume = try_3d(text), generations = try_generations(text),
               larger = try_larger(text), blocks = try_margolus(text);
    free(text);
    return plane || volume || generations || larger || blocks;
}
