/* Turns a line of text into a row of particles. */
#include "base/text.h"
#include "files/particles.h"

#include <string.h>

bool particles_add_word(struct particles_row *row, enum particles_use use, int column, uint32_t component)
{
    if (row->words == PARTICLES_WORDS_MAX)
        return false;
    row->word[row->words].use = use;
    row->word[row->words].column = column;
    row->word[row->words].component = component;
    row->words++;
    return true;
}

/* Returns the number of a symbol, which may be new. */
static int64_t symbol_number(struct particles *particles, const char *word)
{
    if (particles->many)
        return 0;
    for (uint32_t i = 0; i < particles->symbols; i++)
        if (strcmp(particles->symbol[i], word) == 0)
            return i;
    const size_t length = strlen(word);
    particles->many = particles->symbols == PARTICLES_SYMBOLS_MAX || length >= IO_SYMBOL_SIZE;
    if (particles->many)
        return 0;
    memcpy(particles->symbol[particles->symbols], word, length + 1);
    return particles->symbols++;
}

/* Notes the symbol of the last row's species, unless the species has one. "X" means that there is none. */
static void label_species(struct particles *particles, int column, const char *word)
{
    const int64_t species = ((const int64_t *) particles->columns[column].at)[particles->rows - 1];
    const size_t length = strlen(word);
    if (species < 0 || species >= PARTICLES_SYMBOLS_MAX || length >= IO_SYMBOL_SIZE || strcmp(word, "X") == 0)
        return;
    for (; particles->symbols <= species; particles->symbols++)
        particles->symbol[particles->symbols][0] = '\0';
    if (particles->symbol[species][0] == '\0')
        memcpy(particles->symbol[species], word, length + 1);
}

static int refuse_word(const struct text_file *text, const char *word, const char *expected)
{
    return text_file_error(text, "'%.40s' is not a %s", word, expected);
}

static int parse_word(struct particles *particles, const struct particles_row *row, uint32_t index,
                      const struct text_file *text, const char *word)
{
    const enum particles_use use = row->word[index].use;
    if (use == PARTICLES_SKIP || use == PARTICLES_LABEL)
        return 0;
    const struct particles_column *column = &particles->columns[row->word[index].column];
    const uint64_t element = (particles->rows - 1) * column->components + row->word[index].component;
    const char *at = word;
    if (use == PARTICLES_REAL)
        return text_real(&at, (double *) column->at + element) && *at == '\0'
                   ? 0
                   : refuse_word(text, word, "finite number");
    int64_t *number = (int64_t *) column->at + element;
    if (use == PARTICLES_SYMBOL) {
        *number = symbol_number(particles, word);
        return 0;
    }
    if (!text_number(&at, number) || *at != '\0')
        return refuse_word(text, word, "whole number");
    if (use == PARTICLES_FROM_ONE && --*number < 0)
        return refuse_word(text, word, "type; types are numbered from 1");
    return 0;
}

int particles_parse_row(struct particles *particles, const struct particles_row *row, const struct text_file *text,
                        char *line)
{
    uint32_t words = 0;
    char *rest = NULL;
    const char *label = NULL;
    int species = -1;
    if (text->cut)
        return text_file_error(text, "the line is too long");
    if (particles_add_row(particles, text->file) != 0)
        return ENGINE_INVALID;
    for (char *word = strtok_r(line, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest), words++) {
        if (words < row->words && parse_word(particles, row, words, text, word) != 0)
            return ENGINE_INVALID;
        if (words < row->words && row->word[words].use == PARTICLES_LABEL) {
            label = word;
            species = row->word[words].column;
        }
    }
    if (label != NULL && words == row->words)
        label_species(particles, species, label);
    return words == row->words ? 0 : text_file_error(text, "%u columns; expected %u", words, row->words);
}
