#include "help.h"
#include "installed.h"
#include "option_table.h"
#include <engine/engine.h>

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80 };

/* The number of columns that UTF-8 text takes: it counts the bytes that begin a character. */
static int columns(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char) text[i] & 0xc0) != 0x80;
    return count;
}

/* Prints one line of text, broken between words where it is longer than COLUMNS. */
static void print_line(FILE *to, const char *line, size_t length, int indent)
{
    const char *end = line + length;
    int column = indent;
    while (line < end) {
        const size_t word = strcspn(line, " \n");
        const int width = columns(line, word);
        const bool first = column == indent;
        if (!first && column + 1 + width > COLUMNS) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        } else if (!first)
            column += fprintf(to, " ");
        fwrite(line, 1, word, to);
        column += width;
        line += word + (line + word < end);
    }
    fprintf(to, "\n");
}

void help_print_text(FILE *to, const char *text, int indent)
{
    for (bool first = true; *text; first = false) {
        const size_t length = strcspn(text, "\n");
        if (!first && length > 0)
            fprintf(to, "%*s", indent, "");
        if (*text == ' ')
            fprintf(to, "%.*s\n", (int) length, text);
        else
            print_line(to, text, length, indent);
        text += length + (text[length] == '\n');
    }
}

static void print_option(const struct option *option)
{
    char title[64];
    snprintf(title, sizeof title, "%s%s%s", option->name, option->argument && *option->argument != '[' ? " " : "",
             option->argument ? option->argument : "");
    printf("  %-*s", HELP_COLUMN - 2, title);
    if (strlen(title) > HELP_COLUMN - 3)
        printf("\n%*s", HELP_COLUMN, "");
    help_print_text(stdout, option->help, HELP_COLUMN);
}

void help_print(const struct verb *verb)
{
    const struct option *option;
    printf("usage: engine %s%s%s [options]\n\n", verb->name, *verb->words ? " " : "", verb->words);
    help_print_text(stdout, verb->help, 0);
    printf("\nOptions:\n");
    for (uint32_t i = 0; (option = option_at(verb, i)); i++)
        print_option(option);
    if (verb->more) {
        printf("\n");
        help_print_text(stdout, verb->more, 0);
    }
    if (verb->print_list)
        verb->print_list();
}

void help_print_formats(void)
{
    struct engine_format format = {.size = sizeof format};
    for (uint32_t i = 0; engine_format_at(i, &format); i++)
        printf("  %-9s %s (%s)\n", format.name, format.help,
               format.reads && format.writes ? "read and written"
               : format.reads                ? "read"
                                             : "written");
}

void help_print_verbs(FILE *to)
{
    const struct verb *verb;
    char documents[INSTALLED_PATH];
    const bool has_documents = installed_docs(documents); /* before printing: it changes errno */
    fprintf(to, "engine " ENGINE_VERSION ": runs simulations whose algorithms are plugins\n\n"
                "usage: engine VERB …\n\n");
    for (uint32_t i = 0; (verb = verb_at(i)); i++)
        fprintf(to, "  %-12s %s\n", verb->name, verb->summary);
    fprintf(to, "\nStart with `engine run gosper-gun.ini`. `engine run --help` lists the other\n"
                "configurations that come with the engine. `engine VERB --help` explains a verb,\n"
                "and `engine --version` prints the version.\n");
    if (has_documents)
        fprintf(to, "The documentation is in %s\n", documents);
}
