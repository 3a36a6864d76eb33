/* Reads numbers of residues, see residues.h. */
#include "residues.h"

#include <engine/format_text.h>

enum { DECIMAL = 10000, HEX = 16, DIGITS = 36 };

static const char hex_digits[] = "0123456789abcdefABCDEF";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool residues_are_hybrid(const char *line)
{
    char word[8];
    engine_columns(line, RESIDUES_FIRST, RESIDUES_END, word);
    return strlen(word) == 4 && strspn(word, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 4 && word[0] >= 'A' &&
           strpbrk(word, "GHIJKLMNOPQRSTUVWXYZ") != NULL;
}

/* A number in base 36 of four digits, the first of which is a letter. */
static bool take_hybrid(const char *word, int64_t *number)
{
    const bool lower = word[0] >= 'a' && word[0] <= 'z', upper = word[0] >= 'A' && word[0] <= 'Z';
    const int64_t first = (int64_t) 10 * DIGITS * DIGITS * DIGITS, letters = (int64_t) 26 * DIGITS * DIGITS * DIGITS;
    char *end;
    *number = strtoll(word, &end, DIGITS) - first + DECIMAL + (lower ? letters : 0);
    return (lower || upper) && strlen(word) == 4 && *end == '\0';
}

/* Has the frame come to numbers like those of VMD? The word 2710 follows 9999, and no other program writes numbers such as
 * 271a. */
static bool begins_hexadecimal(const struct residues *residues, const char *word)
{
    if (strlen(word) != 4 || strspn(word, hex_digits) != 4)
        return false;
    return (residues->number == DECIMAL - 1 && strcmp(word, "2710") == 0) ||
           (is_digit(word[0]) && strpbrk(word, "abcdefABCDEF") != NULL) ||
           (!residues->hybrid && word[0] >= 'a' && word[0] <= 'f');
}

static bool take_word(struct residues *residues, const char *word, int64_t *number)
{
    if (*word == '\0') {
        *number = 0;
        return true;
    }
    residues->hexadecimal = residues->hexadecimal ? strlen(word) == 4 && strspn(word, hex_digits) == 4 &&
                                                        strtoll(word, NULL, HEX) >= DECIMAL
                                                  : begins_hexadecimal(residues, word);
    if (residues->hexadecimal) {
        *number = strtoll(word, NULL, HEX);
        return true;
    }
    if (engine_word_integer(word, number))
        return true;
    if (residues->hybrid)
        return take_hybrid(word, number);
    *number = strtoll(word, NULL, HEX) - 0xA000 + DECIMAL;
    return strlen(word) == 4 && strspn(word, "0123456789ABCDEF") == 4;
}

/* Is this an atom of the residue of the atom before it? With the word ****, a residue begins where its name changes or
 * the name of its first atom comes again. */
static bool continues(const struct residues *residues, const char *line, const char *word)
{
    const bool stars = *word == '*';
    return strcmp(word, residues->word) == 0 && line[21] == residues->chain &&
           (!stars || (memcmp(line + 17, residues->residue, sizeof residues->residue) == 0 &&
                       memcmp(line + 12, residues->atom, sizeof residues->atom) != 0));
}

bool residues_take(struct residues *residues, const char *line, int64_t *number)
{
    char word[sizeof residues->word];
    const bool five = strspn(line + RESIDUES_FIRST, "0123456789") >= 5;
    engine_columns(line, RESIDUES_FIRST, five ? RESIDUES_END + 1 : RESIDUES_END, word);
    *number = residues->number;
    if (continues(residues, line, word))
        return true;
    if (line[21] != residues->chain)
        residues->hexadecimal = false;
    memcpy(residues->word, word, sizeof word);
    if (strspn(word, "*") == 4)
        *number = residues->number + 1;
    else if (!take_word(residues, word, number))
        return false;
    memcpy(residues->atom, line + 12, sizeof residues->atom);
    memcpy(residues->residue, line + 17, sizeof residues->residue);
    residues->chain = line[21];
    residues->number = *number;
    return true;
}
