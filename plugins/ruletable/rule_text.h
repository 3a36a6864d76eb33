/* The text of a rule's file, line by line and word by word. */
#ifndef RULETABLE_RULE_TEXT_H
#define RULETABLE_RULE_TEXT_H

#include "rule.h"

#include <stdio.h>
#include <string.h>

/* The text that is left, and the present line without its end. */
struct rule_text {
    const char *next, *end; /* the text after the line */
    const char *line, *stop;
    uint32_t number; /* of the line, from 1 */
    struct rule_error *error;
};

/* A part of a line. begin == end: there is none. */
struct rule_word {
    const char *begin, *end;
};

/* Returns the end of the line that begins at `at`: LF, CR, CR LF, or that of the text. */
static inline const char *rule_line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    return at;
}

/* Moves to the next line. False: there is none. */
static inline bool rule_next_line(struct rule_text *text)
{
    if (text->next >= text->end)
        return false;
    const char *stop = rule_line_end(text->next, text->end);
    text->line = text->next;
    text->stop = stop;
    text->next = stop + (stop < text->end) + (text->end - stop > 1 && stop[0] == '\r' && stop[1] == '\n');
    text->number++;
    while (text->stop > text->line && strchr(" \t", text->stop[-1]) && text->stop[-1] != '\0')
        text->stop--;
    return true;
}

/* Is the whole line this word? */
static inline bool rule_line_is(const struct rule_text *text, const char *word)
{
    const size_t length = strlen(word);
    return (size_t) (text->stop - text->line) == length && memcmp(text->line, word, length) == 0;
}

/* Returns the next word of the line from *at on, which ends at one of the separators, and moves *at behind it. */
static inline struct rule_word rule_next_word(const struct rule_text *text, const char **at, const char *separators)
{
    struct rule_word word;
    while (*at < text->stop && **at != '\0' && strchr(separators, **at))
        ++*at;
    word.begin = *at;
    while (*at < text->stop && (**at == '\0' || !strchr(separators, **at)))
        ++*at;
    word.end = *at;
    return word;
}

static inline bool rule_word_is(const struct rule_word *word, const char *text)
{
    return (size_t) (word->end - word->begin) == strlen(text) &&
           memcmp(word->begin, text, (size_t) (word->end - word->begin)) == 0;
}

/* Reads a number of digits alone, at most 10^9. */
static inline bool rule_number(const struct rule_word *word, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = word->begin;
    for (; at < word->end && *at >= '0' && *at <= '9' && value <= 1000000000; at++)
        value = value * 10 + (uint64_t) (*at - '0');
    *number = (uint32_t) value;
    return at == word->end && at > word->begin && value <= 1000000000;
}

static inline void rule_set_place(const struct rule_text *text, const char *at)
{
    text->error->line = at ? text->number : 0;
    text->error->column = at ? (uint32_t) (at - text->line) + 1 : 0;
}

/* Records what is wrong at a place of the line; NULL: the file as a whole. Returns false. */
#define RULE_WRONG(text_, at_, ...) \
    (rule_set_place(text_, at_), snprintf((text_)->error->text, sizeof(text_)->error->text, __VA_ARGS__), false)

/* The arguments of %.*s for a word in a message. */
#define RULE_SHOW(word) (int) ((word).end - (word).begin > 40 ? 40 : (word).end - (word).begin), (word).begin

/* Read a section up to a line that begins with '@', which stays the present line, or up to the end of the text. */
bool rule_read_table(struct rule_text *text, struct rule *rule);
bool rule_read_tree(struct rule_text *text, struct rule *rule);

#endif
