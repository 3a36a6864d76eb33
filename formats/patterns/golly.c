/* Golly emulates rules by which cells are born without neighbours (gollybase/liferules.cpp): with the opposite rule for
 * dead and live cells, or with other rules for even and odd generations. */
#include "formats/patterns/golly.h"

#include <stddef.h>
#include <string.h>

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_map(const char *rule)
{
    return (rule[0] | 0x20) == 'm' && (rule[1] | 0x20) == 'a' && (rule[2] | 0x20) == 'p';
}

bool golly_is_life(const char *rule)
{
    static const char *const allowed = "0123456789bBsS/_-aceijknqrtwyzACEIJKNQRTWYZhHvV";
    if (rule == NULL || *rule == '\0' || is_map(rule))
        return true;
    const char *slash = strpbrk(rule, "/_");
    const bool one = slash == NULL || strpbrk(slash + 1, "/_") == NULL;
    return one && rule[strspn(rule, allowed)] == '\0' &&
           (strchr("0123456789/_", *rule) != NULL ||
            (rule[1] != '\0' && strchr("bBsS", *rule) != NULL && strchr("0123456789/_sSbB", rule[1]) != NULL));
}

/* Does the part of births, or of survivals, of a rule with or without letters list this number? */
static bool lists(const char *rule, bool births, char number)
{
    const bool lettered = strpbrk(rule, "bBsS") != NULL;
    bool here = !births; /* 23/3: survivals come first */
    for (const char *at = rule; *at != '\0'; at++) {
        if (strchr("bBsS", *at) != NULL)
            here = births == ((*at | 0x20) == 'b');
        else if (!lettered && (*at == '/' || *at == '_'))
            here = births;
        else if (here && *at == number)
            return true;
    }
    return false;
}

/* The first bit of a MAP string is the next state of a dead cell without neighbours, the last one that of a live cell
 * with all. A character has six bits, the last one only as many as are left. */
static bool map_bit(const char *rule, bool first)
{
    const size_t length = strspn(rule + 3, base64);
    const char *found = length > 0 ? strchr(base64, rule[3 + (first ? 0 : length - 1)]) : NULL;
    return found != NULL && ((found - base64) & (first ? 32 : 16)) != 0;
}

const char *golly_difference(const char *rule, bool odd)
{
    if (rule == NULL || !golly_is_life(rule))
        return NULL;
    const char last = *rule != '\0' ? rule[strlen(rule) - 1] : '\0';
    const char most = strchr("hH", last) != NULL ? '6' : strchr("vV", last) != NULL ? '4' : '8';
    if (is_map(rule) ? !map_bit(rule, true) : !lists(rule, true, '0'))
        return NULL;
    if (is_map(rule) ? map_bit(rule, false) : lists(rule, false, most))
        return "the rule has B0 and cells survive among live ones, so Golly takes the live cells of the file for dead "
               "ones";
    return odd ? "the rule has B0, so Golly takes the live cells of files of odd generations for dead ones" : NULL;
}

const char *golly_difference_of(const char *format, const char *rule, bool odd)
{
    if (strcmp(format, "mc") == 0 && rule != NULL && rule[0] == 'R' && rule[1] >= '0' && rule[1] <= '9')
        return "Golly opens no macrocells of Larger than Life; rle files hold the same cells";
    return golly_difference(rule, odd);
}
