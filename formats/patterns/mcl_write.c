/* Writes MCell patterns. The board of a torus or a plane is kept; MCell has no other edges. */
#include "formats/patterns/rle.h"

#include <string.h>

/* The game whose rules have the form of this one, or NULL. */
static const char *game_of(const char *rule)
{
    const char *slash = strchr(rule, '/');
    if (*rule == 'R' && rule[1] >= '0' && rule[1] <= '9')
        return "Larger than Life";
    if (*rule == 'M' && rule[1] >= '0' && rule[1] <= '9')
        return "Margolus";
    if (slash != NULL && rule[strspn(rule, "0123456789/BSbs")] == '\0')
        return strchr(slash + 1, '/') == NULL ? "Life" : "Generations";
    return NULL;
}

/* Writes M0,8,4 as MS,D0;8;4. */
static int put_blocks(FILE *stream, const char *rule)
{
    int written = fputs("MS,D", stream);
    for (rule++; *rule != '\0' && written >= 0; rule++)
        written = fputc(*rule == ',' ? ';' : *rule, stream);
    return written;
}

static int put_rule(FILE *stream, const char *rule)
{
    const char *game = rule != NULL ? game_of(rule) : NULL;
    if (rule == NULL)
        return 1;
    if (game == NULL)
        return fprintf(stream, "#GAME Rules table\n#GOLLY %s\n", rule);
    return fprintf(stream, "#GAME %s\n#RULE ", game) > 0 &&
           (*rule == 'M' ? put_blocks(stream, rule) >= 0 : pattern_put_survivals(stream, rule) > 0) &&
           fprintf(stream, "\n") > 0;
}

static int put_board(FILE *stream, const struct engine_file_pattern *pattern)
{
    const bool torus = pattern->edges[0] == ENGINE_EDGE_TORUS && pattern->shift[0] == 0 && pattern->shift[1] == 0;
    if (pattern->grid[0] == 0 || pattern->edges[0] != pattern->edges[1] ||
        (!torus && pattern->edges[0] != ENGINE_EDGE_DEAD))
        return 1;
    return fprintf(stream, "#BOARD %llux%llu\n#WRAP %d\n", (unsigned long long) pattern->grid[0],
                   (unsigned long long) pattern->grid[1], torus);
}

static int put_note(void *stream, const char *key, const char *line, int length)
{
    return pattern_put_marked(stream, "#D ", key, line, length);
}

static int put_head(FILE *stream, const struct rle_state *state)
{
    const struct engine_file_content *content = state->content;
    return fprintf(stream, "#MCell 4.00\n") > 0 && put_rule(stream, content->rule) > 0 &&
           (content->pattern == NULL || put_board(stream, content->pattern) > 0) &&
           pattern_put_notes(content, stream, put_note) > 0;
}

int mcl_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    static const struct rle_style style = {.line = "#L ", .end = "", .first = 'a', .many = true};
    (void) self;
    return rle_write_file(file, frame, UINT8_MAX, &style, put_head);
}
