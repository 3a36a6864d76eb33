#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
