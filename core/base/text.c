#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint32_t text_split(char separator, char *text, char **parts, uint32_t most)
{
    uint32_t count = 0;
    for (char *next = text; next; count++) {
        char *part = next + strspn(next, " ");
        next = strchr(part, separator);
        if (next)
            *next++ = '\0';
        for (char *end = part + strlen(part); end > part && end[-1] == ' ';)
            *--end = '\0';
        if (count == most || *part == '\0')
            return 0;
        parts[count] = part;
    }
    return count;
}

bool text_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (list += strspn(list, " \t,"); *list != '\0'; list += strspn(list, " \t,")) {
        const size_t size = strcspn(list, " \t,");
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        list += size;
    }
    return false;
}

bool text_number(const char **at, int64_t *value)
{
    const char *digit = *at;
    bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+')
        digit++;
    if (*digit < '0' || *digit > '9')
        return false;
    int64_t number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *digit - '0', &number))
            return false;
    *value = negative ? -number : number;
    *at = digit;
    return true;
}

bool text_real(const char **at, double *value)
{
    /* strtod reads more than that: blanks in front, hexadecimal, infinity, NaN. */
    const char *digit = *at + (**at == '-' || **at == '+');
    if ((digit[0] < '0' || digit[0] > '9') && (digit[0] != '.' || digit[1] < '0' || digit[1] > '9'))
        return false;
    if (digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X'))
        return false;
    char *end;
    *value = strtod(*at, &end);
    *at = end;
    return isfinite(*value);
}

const char *text_si(double number, char text[32])
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    int i = 0;
    while (number >= 999.5 && i < 6) {
        number /= 1000;
        i++;
    }
    int digits = number >= 99.95 || (i == 0 && number == (double) (long) number) ? 0 : number >= 9.995 ? 1 : 2;
    snprintf(text, 32, "%.*f%s", digits, number, i ? prefixes[i] : " ");
    return text;
}

const char *text_count(uint64_t count, const char *noun, char text[64])
{
    snprintf(text, 64, "%llu %s%s", (unsigned long long) count, noun, count == 1 ? "" : "s");
    return text;
}

/* RFC 3629. The second byte of E0, ED, F0 and F4 has a smaller range, which excludes longer forms of short characters,
 * surrogates, and numbers above 10FFFF. */
uint32_t text_utf8(const char *text, size_t left)
{
    const uint8_t *byte = (const uint8_t *) text;
    const uint32_t count = byte[0] < 0x80                       ? 1
                           : byte[0] >= 0xc2 && byte[0] <= 0xdf ? 2
                           : byte[0] >= 0xe0 && byte[0] <= 0xef ? 3
                           : byte[0] >= 0xf0 && byte[0] <= 0xf4 ? 4
                                                                : 0;
    if (left < count || count < 2)
        return left < count ? 0 : count;
    const uint8_t low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : 0xbf;
    if (byte[1] < low || byte[1] > high)
        return 0;
    for (uint32_t i = 2; i < count; i++)
        if (byte[i] < 0x80 || byte[i] > 0xbf)
            return 0;
    return count;
}

char *text_to_utf8(const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *copy = malloc(3 * length + 1), *to = copy;
    for (size_t i = 0; copy && i < length;) {
        const uint32_t count = text_utf8(text + i, length - i);
        memcpy(to, count ? text + i : replacement, count ? count : 3);
        to += count ? count : 3;
        i += count ? count : 1;
    }
    if (copy)
        *to = '\0';
    return copy;
}

void text_make_printable(char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const uint32_t count = text_utf8(text, left), bytes = count ? count : 1;
        const uint8_t *byte = (const uint8_t *) text;
        const bool control = byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] < 0xa0); /* C0 and C1 */
        if (count == 0 || control)
            memset(text, '?', bytes);
        text += bytes;
        left -= bytes;
    }
}

void text_name_once(char *text)
{
    char section[65], key[65], name[130];
    for (char *at = text; (at = strstr(at, ": [")); at++) {
        const int read = sscanf(at, ": [%64[^]]] %64[A-Za-z0-9_-]", section, key);
        const int length = read == 2 ? snprintf(name, sizeof name, "%s.%s", section, key) : 0;
        if (length == 0 || at - text < length || strncasecmp(at - length, name, (size_t) length) != 0)
            continue;
        char *begin = at - length;
        const bool said = begin > text + 1 && begin[-1] == ' ' && begin[-2] != ':';
        at = memmove(begin - said, said ? at : at + 2, strlen(said ? at : at + 2) + 1);
    }
}

const char *text_take(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

bool text_stream_close(FILE *stream, char **text)
{
    const bool whole = !ferror(stream);
    if (fclose(stream) == 0 && whole && *text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

void text_quote(char *text, size_t size, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:@%+-";
    const bool plain = *word && word[strspn(word, harmless)] == '\0';
    size_t at = strlen(text);
    at += (size_t) snprintf(text + at, size - at, plain ? " " : " '");
    for (; *word && at + 8 < size; word++)
        at += (size_t) snprintf(text + at, size - at, *word == '\'' ? "'\\''" : "%c", *word);
    if (!plain && at + 1 < size)
        snprintf(text + at, size - at, "'");
}

bool text_frames(const char *text, uint64_t frames[3])
{
    const uint64_t all[3] = {0, UINT64_MAX, 1};
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        int64_t number = -1;
        const bool given = *at >= '0' && *at <= '9' && text_number(&at, &number);
        frames[i] = given ? (uint64_t) number : all[i];
        at += i < 2 && *at == ':';
    }
    return *at == '\0' && strchr(text, ':') != NULL && frames[0] < frames[1] && frames[2] > 0;
}
