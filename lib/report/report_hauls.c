#include "report/report_hauls.h"
#include "formats/pictures/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HAUL_MOST = 1 << 30 /* bytes */, ROWS = 25, CODE = 2048 };

static const char table_title[] = "@CENSUS TABLE\n";

/* Of how many still lifes one is this, in the soups C1 of Life of catagolue.hatsya.com: "Relative frequency" in the
 * LifeWiki, https://conwaylife.com/wiki/List_of_common_still_lifes, from a copy of the page that has no date. */
static const struct {
    const char *code;
    double one_in;
} published[] = {{"xs4_33", 2.0141},     {"xs6_696", 3.8007},          {"xs7_2596", 12.883},
                 {"xs5_253", 13.963},    {"xs6_356", 20.223},          {"xs4_252", 63.991},
                 {"xs8_6996", 65.793},   {"xs7_25ac", 198.66},         {"xs12_g8o653z11", 391.58},
                 {"xs6_25a4", 945.81},   {"xs14_g88m952z121", 1156.2}, {"xs8_69ic", 2567.6},
                 {"xs7_178c", 3986.2},   {"xs8_25ak8", 7075.9},        {"xs6_39c", 8189.3},
                 {"xs14_69bqic", 14104}, {"xs8_35ac", 20723},          {"xs9_31ego", 22515}};

/* The limits of the mean of a Poisson distribution of which a number was drawn, 95 % of confidence, by the approximation
 * of Wilson and Hilferty to the chi-squared distribution. */
static void poisson_limits(double number, double *low, double *high)
{
    const double z = 1.959964, next = number + 1;
    *low = number > 0 ? number * pow(1 - 1 / (9 * number) - z / (3 * sqrt(number)), 3) : 0;
    *high = next * pow(1 - 1 / (9 * next) + z / (3 * sqrt(next)), 3);
}

/* The limits of a probability by which a number of `all` were drawn, 95 % of confidence: the interval of Wilson. */
static void binomial_limits(double number, double all, double *low, double *high)
{
    const double z = 1.959964, share = number / all, wide = 1 + z * z / all;
    const double half = z * sqrt(share * (1 - share) / all + z * z / (4 * all * all));
    *low = (share + z * z / (2 * all) - half) / wide;
    *high = (share + z * z / (2 * all) + half) / wide;
}

/* Reads a row of the table and moves to the next one. Returns false at its end. */
static bool next_row(const char **at, char code[CODE], uint64_t *number)
{
    int used = 0;
    if (sscanf(*at, "%2047s %" SCNu64 "%n", code, number, &used) != 2 || (*at)[used] != '\n' || **at == '\n')
        return false;
    *at += used + 1;
    return true;
}

static bool is_still(const char *code)
{
    return strncmp(code, "xs", 2) == 0 && strcmp(code, "xs0_0") != 0;
}

/* is_known: the published frequencies are those of such soups. */
static void put_row(FILE *page, const char *code, uint64_t number, double stills, bool is_known)
{
    double low, high;
    poisson_limits((double) number, &low, &high);
    fputs("<tr><td><code>", page);
    plot_put(page, code);
    fprintf(page, "</code></td><td>%" PRIu64 "</td><td>%.0f to %.0f</td><td>", number, low, high);
    if (is_still(code)) {
        binomial_limits((double) number, stills, &low, &high);
        fprintf(page, "%.4g %%</td><td>%.4g %% to %.4g %%</td><td>", 100 * (double) number / stills, 100 * low,
                100 * high);
        for (size_t i = 0; is_known && i < sizeof published / sizeof *published; i++)
            if (strcmp(published[i].code, code) == 0)
                fprintf(page, "%.4g %%", 100 / published[i].one_in);
    }
    fputs("</td></tr>\n", page);
}

static void put_haul(FILE *page, const char *name, const char *text)
{
    const char *const first = strstr(text, table_title) + strlen(table_title), *at = first;
    const bool is_known = strstr(text, "\n@RULE b3s23\n@SYMMETRY C1\n");
    char code[CODE];
    uint64_t number;
    double stills = 0;
    while (next_row(&at, code, &number))
        stills += is_still(code) ? (double) number : 0;
    fputs("<h2>", page);
    plot_put(page, name);
    fputs("</h2>\n<table><tr><th>object</th><th>number</th><th>95 %</th><th>of still lifes</th><th>95 %</th>"
          "<th>published</th></tr>\n",
          page);
    at = first;
    for (int row = 0; row < ROWS && next_row(&at, code, &number); row++)
        put_row(page, code, number, stills, is_known);
    fputs(
        "</table>\n<p>The limits are those of a Poisson distribution. The objects of one soup depend on each other, so "
        "those of frequent objects are further apart. Published are the frequencies of Catagolue in the LifeWiki, "
        "&ldquo;List of common still lifes&rdquo;.</p>\n",
        page);
}

void report_hauls(FILE *page, const struct report_folder *folder)
{
    for (uint32_t i = 0; i < folder->count; i++) {
        const char *name = folder->files[i], *ending = strrchr(name, '.');
        struct engine_error ignored;
        char *text;
        size_t count;
        if (!ending || strcmp(ending, ".txt") != 0 ||
            folder_read(folder->folder, name, HAUL_MOST, &text, &count, &ignored) != 0)
            continue;
        if (strncmp(text, "@VERSION ", 9) == 0 && strstr(text, table_title))
            put_haul(page, name, text);
        free(text);
    }
}
