/* Functions on text: splitting, parsing and printing numbers, quoting, UTF-8, and streams that write into memory. */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Splits a text in place at a character, and removes the spaces around the parts. Returns the number of parts, or 0
 * where one is empty or there are more than `most`. */
uint32_t text_split(char separator, char *text, char **parts, uint32_t most);

/* Is the word one of a list of words, which spaces or commas separate? */
bool text_has_word(const char *list, const char *word);

/* Read a decimal number at *at and move *at behind it: a whole number with or without a sign, or a finite number such
 * as -1.5e-3. Return false where there is none, or where it does not fit. */
bool text_number(const char **at, int64_t *value);
bool text_real(const char **at, double *value);

/* Writes a number with three digits and an SI prefix: 1234567 as "1.23 M". Returns text. */
const char *text_si(double number, char text[32]);

/* Writes a number and what it counts: "1 step", "3 steps". `noun` is the singular of a noun whose plural ends in s.
 * Returns text. */
const char *text_count(uint64_t count, const char *noun, char text[64]);

/* Appends a blank and a word, quoted for a shell, to a text in a buffer of `size` bytes. A text that does not fit is
 * cut. */
void text_quote(char *text, size_t size, const char *word);

/* Returns the number of bytes of the UTF-8 character that begins at `text`, 1 to 4, or 0 where none begins there. Reads
 * at most `left` bytes. */
uint32_t text_utf8(const char *text, size_t left);

/* Copies `length` bytes of text. Each byte that is not part of a UTF-8 character becomes U+FFFD, because JSON, XML and
 * PNG files hold UTF-8 only, and the name of a file may hold anything. The caller frees the copy; NULL: no memory. */
char *text_to_utf8(const char *text, size_t length);

/* Replaces in place each byte of a control character, and each byte that is not part of a UTF-8 character, by '?'. A
 * terminal would obey control characters. */
void text_make_printable(char *text);

/* Shortens "run.steps: [run] steps" in place to "[run] steps", and "--set run.steps: [run] steps" to "--set: [run]
 * steps". The name of a key is the place of a value that an assignment set. */
void text_name_once(char *text);

/* Returns the text at *at, and moves on to the one behind its final 0. */
const char *text_take(const char **at);

/* Closes a stream of open_memstream. Returns false, with *text NULL, where there was not enough memory for the whole
 * text, which fclose does not report. */
bool text_stream_close(FILE *stream, char **text);

/* Reads a range of frames, first, end (exclusive) and stride, from "first:end:stride". Any number may be left out, as in
 * "100:" or "::10". Returns false for any other text, and if the range is empty. */
bool text_frames(const char *text, uint64_t frames[3]);

#endif
