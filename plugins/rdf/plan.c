/* Reads parameters and box into a struct rdf_plan. */
#include "rdf.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- between ----------------------------------------------------------------------------------------------------- */

/* A species, or a pattern for the names of several, as it stands in the text. */
struct word {
    const char *at;
    size_t length;
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_number(struct word word)
{
    size_t digits = 0;
    while (digits < word.length && is_digit(word.at[digits]))
        digits++;
    return digits == word.length;
}

/* Does the text match the pattern, where * stands for any characters? */
static int matches(struct word pattern, const char *text)
{
    if (pattern.length == 0)
        return *text == '\0';
    const struct word rest = {pattern.at + 1, pattern.length - 1};
    if (*pattern.at != '*')
        return *pattern.at == *text && matches(rest, text + 1);
    return matches(rest, text) || (*text != '\0' && matches(pattern, text + 1));
}

static void add_member(struct rdf_members *members, uint32_t species)
{
    members->bits[species / 64] |= UINT64_C(1) << species % 64;
}

static int overlap(const struct rdf_members *a, const struct rdf_members *b)
{
    uint64_t both = 0;
    for (int k = 0; k < RDF_SYMBOLS_MAX / 64; k++)
        both |= a->bits[k] & b->bits[k];
    return both != 0;
}

static int count_members(const struct rdf_members *members)
{
    int count = 0;
    for (int k = 0; k < RDF_SYMBOLS_MAX / 64; k++)
        count += __builtin_popcountll(members->bits[k]);
    return count;
}

/* Lists the names of the species, for messages. */
static const char *names_of(const struct engine_plan *plan, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < plan->symbols.count && used < 230; i++)
        if (engine_plan_symbol(plan, i))
            used += (size_t) snprintf(text + used, 256 - used, " %s", engine_plan_symbol(plan, i));
    return text;
}

static int refuse_name(const struct engine_host *host, const struct engine_plan *plan, struct word word)
{
    char names[256];
    if (plan->symbols.count == 0)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "between: '%.*s' is the name of a species, but the input has no names; expected numbers of "
                           "species, as in '0 1', or a file with names in [init]",
                           (int) word.length, word.at);
    return ENGINE_FAIL(host, ENGINE_INVALID, "between: no species is called '%.*s'; the first frame has%s",
                       (int) word.length, word.at, names_of(plan, names));
}

/* Finds the species of a word: those with such a name, or else that of the number. */
static int read_members(const struct engine_host *host, const struct engine_plan *plan, struct word word,
                        int32_t *species, struct rdf_members *members)
{
    memset(members, 0, sizeof *members);
    for (uint32_t i = plan->symbols.count < RDF_SYMBOLS_MAX ? plan->symbols.count : RDF_SYMBOLS_MAX; i-- > 0;) {
        const char *symbol = engine_plan_symbol(plan, i);
        if (symbol && matches(word, symbol))
            *species = (int32_t) i, add_member(members, i);
    }
    if (count_members(members) > 0 || !is_number(word))
        return count_members(members) > 0 ? 0 : refuse_name(host, plan, word);
    const long value = word.length < 12 ? strtol(word.at, NULL, 10) : LONG_MAX;
    if (value > INT32_MAX)
        return ENGINE_FAIL(host, ENGINE_INVALID, "between: species %.*s is too large; expected at most 2147483647",
                           (int) word.length, word.at);
    *species = (int32_t) value;
    if (value < RDF_SYMBOLS_MAX)
        add_member(members, (uint32_t) value);
    return 0;
}

/* Notes how a word of digits is read. If species have names of digits, numbers beside them are refused: "0 1" could be
 * two species, or one of two names. */
static int read_digits(const struct engine_host *host, const struct engine_plan *plan, struct word word,
                       int32_t species, struct rdf_plan *out)
{
    char names[256];
    const char *symbol = engine_plan_symbol(plan, (uint32_t) species);
    if (!is_number(word))
        return 0;
    out->digits |= strtol(word.at, NULL, 10) != species;
    out->numbers |= !symbol || !matches(word, symbol);
    return out->digits && out->numbers
               ? ENGINE_FAIL(host, ENGINE_INVALID,
                             "between: of the numbers, some are names of species and some are not; expected names "
                             "alone; the first frame has%s",
                             names_of(plan, names))
               : 0;
}

/* The group of an index file that a word names; added if it is missing. */
static void find_named(struct word word, struct rdf_plan *out, uint32_t *group)
{
    for (*group = 0; *group < out->group_count; ++*group)
        if (out->names[*group].length == word.length && memcmp(out->names[*group].at, word.at, word.length) == 0)
            return;
    out->names[*group] = (struct rdf_name){word.at, word.length};
    out->group_count++;
}

int rdf_find_group(const struct engine_host *host, const struct engine_plan *plan, const char *at, size_t length,
                   struct rdf_plan *out, uint32_t *group)
{
    const struct word word = {at, length};
    struct rdf_members members;
    int32_t species = 0;
    if (*out->index) {
        find_named(word, out, group);
        return 0;
    }
    int status = read_members(host, plan, word, &species, &members);
    if (status == 0)
        status = read_digits(host, plan, word, species, out);
    for (*group = 0; status == 0 && *group < out->group_count; ++*group) {
        const struct rdf_members *own = &out->members[*group];
        if (species == out->species[*group] && memcmp(&members, own, sizeof members) == 0)
            return 0;
        if (overlap(&members, own))
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "between: '%.*s' has a species that another group has too; expected groups without "
                               "common species",
                               (int) word.length, word.at);
    }
    if (status != 0)
        return status;
    out->species[*group] = species, out->members[*group] = members;
    out->several |= count_members(&members) > 1;
    out->group_count++;
    return 0;
}

static int add_row(const struct engine_host *host, const struct engine_plan *plan, struct word a, struct word b,
                   struct rdf_plan *out)
{
    struct rdf_row *row = &out->rows[out->row_count];
    if (out->row_count == RDF_ROWS_MAX)
        return ENGINE_FAIL(host, ENGINE_INVALID, "between: more than %d pairs of species", RDF_ROWS_MAX);
    const int status = plan ? rdf_find_group(host, plan, a.at, a.length, out, &row->a) : 0;
    out->row_count++;
    return status == 0 && plan ? rdf_find_group(host, plan, b.at, b.length, out, &row->b) : status;
}

/* Adds a row for each pair of species that have a name. */
static int add_each(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out)
{
    int status = 0;
    if (*out->index)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "between = each: expected pairs of groups of the file index, as in 'Protein Water'");
    if (plan && plan->symbols.count == 0)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "between = each: the input has no names of species; expected numbers of species, as in "
                           "'0 0, 0 1', or a file with names in [init]");
    for (uint32_t i = 0; plan && status == 0 && i < plan->symbols.count; i++)
        for (uint32_t j = i; status == 0 && j < plan->symbols.count; j++) {
            const char *a = engine_plan_symbol(plan, i), *b = engine_plan_symbol(plan, j);
            if (a && b)
                status = add_row(host, plan, (struct word){a, strlen(a)}, (struct word){b, strlen(b)}, out);
        }
    return status;
}

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

/* Reads a word at *text and moves *text behind it. */
static struct word read_word(const char **text)
{
    skip_blanks(text);
    const struct word word = {*text, strcspn(*text, " \t,")};
    *text += word.length;
    return word;
}

/* Reads "A B" or "A-B" at *text and moves *text behind it. 0: there is neither. */
static int read_pair(const char **text, struct word *a, struct word *b)
{
    *a = read_word(text);
    *b = read_word(text);
    const char *dash = a->length > 2 && b->length == 0 ? memchr(a->at + 1, '-', a->length - 2) : NULL;
    if (dash) {
        *b = (struct word){dash + 1, (size_t) (a->at + a->length - dash - 1)};
        a->length = (size_t) (dash - a->at);
    }
    skip_blanks(text);
    return a->length > 0 && b->length > 0 && *a->at != '-' && *b->at != '-';
}

int rdf_read_between(const struct engine_host *host, const struct engine_plan *plan, const char *text,
                     struct rdf_plan *out)
{
    const char *at = text;
    struct word a, b;
    out->everything = strcmp(text, "all") == 0;
    out->row_count = out->group_count = out->everything;
    out->several = out->digits = out->numbers = 0;
    out->index = plan ? engine_param_text(plan, RDF_INDEX) : "";
    out->rows[0] = (struct rdf_row){0, 0};
    if (out->everything)
        return *out->index ? ENGINE_FAIL(host, ENGINE_INVALID,
                                         "index: between is all; expected pairs of groups of the "
                                         "file, as in 'Protein Water'")
                           : 0;
    if (strcmp(text, "each") == 0)
        return add_each(host, plan, out);
    while (read_pair(&at, &a, &b)) {
        const int status = add_row(host, plan, a, b, out);
        if (status != 0 || *at == '\0')
            return status;
        if (*at++ != ',')
            break;
    }
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "'%s' is neither 'all' nor pairs of species, as in '0 1', 'O-O, O-H' or 'each'", text);
}

/* Finds the words of row `row`: the names of its species, or what `text` has at *at, which moves to the next pair. */
static void words_of_row(const struct engine_plan *plan, const struct rdf_plan *read, uint32_t row, const char **at,
                         struct word *a, struct word *b)
{
    if (strcmp(*at, "each") == 0) {
        a->at = engine_plan_symbol(plan, (uint32_t) read->species[read->rows[row].a]);
        b->at = engine_plan_symbol(plan, (uint32_t) read->species[read->rows[row].b]);
        a->length = strlen(a->at), b->length = strlen(b->at);
        return;
    }
    read_pair(at, a, b);
    *at += **at == ',';
}

void rdf_name_row(const struct engine_plan *plan, uint32_t row, char *name, uint64_t size)
{
    const char *at = engine_param_text(plan, RDF_BETWEEN);
    struct rdf_plan read;
    struct word a = {"", 0}, b = a;
    *name = '\0';
    if (strcmp(at, "all") == 0 || rdf_read_between(NULL, plan, at, &read) != 0)
        return;
    for (uint32_t i = 0; i <= row && i < read.row_count; i++)
        words_of_row(plan, &read, i, &at, &a, &b);
    snprintf(name, size, "%.*s-%.*s", (int) a.length, a.at, (int) b.length, b.at);
}

/* Fails, and lists the species that particles have. */
static int refuse_number(const struct engine_call *call, int32_t wanted, const int32_t *species, uint64_t count)
{
    char list[128] = "";
    size_t used = 0;
    for (int64_t next = 0, least; used < 100; next = least + 1) {
        least = INT64_MAX;
        for (uint64_t i = 0; i < count; i++)
            if ((species ? species[i] : 0) >= next && (species ? species[i] : 0) < least)
                least = species ? species[i] : 0;
        if (least == INT64_MAX)
            break;
        used += (size_t) snprintf(list + used, sizeof list - used, " %d", (int) least);
    }
    return ENGINE_FAIL(call->host, ENGINE_INVALID,
                       "between: no particle has the species %d; the first frame has%s. Numbers count from 0: the type "
                       "1 of a dump is the species 0",
                       (int) wanted, list);
}

int rdf_check_species(const struct engine_call *call, const struct rdf_plan *read, const int32_t *species)
{
    if (!(read->volume > 0))
        call->host->note(call->host, "g", "%s", "a number density, as there is no box and no [rdf] volume");
    for (uint64_t i = 0; species && read->q_bins > 0 && i < read->particles; i++)
        if (species[i] < 0)
            return ENGINE_FAIL(call->host, ENGINE_INVALID,
                               "q_bins: particle %llu is absent; the structure factor needs the same particles in all "
                               "frames",
                               (unsigned long long) i);
    for (uint32_t group = 0; group < read->group_count && !read->everything; group++) {
        const int32_t wanted = read->species[group];
        uint64_t i = 0;
        if (*read->index || engine_plan_symbol(call->plan, (uint32_t) wanted))
            continue;
        while (i < read->particles && (species ? species[i] : 0) != wanted)
            i++;
        if (i == read->particles && call->first_step == 0)
            return refuse_number(call, wanted, species, read->particles);
    }
    if (read->numbers)
        call->host->note(call->host, "species", "%s", "numbers count from 0: the type 1 of a dump is the species 0");
    if (read->numbers && read->row_count == 1)
        call->host->note(call->host, "columns", "g = %d-%d", (int) read->species[read->rows[0].a],
                         (int) read->species[read->rows[0].b]);
    return 0;
}

/* ---- The box ----------------------------------------------------------------------------------------------------- */

/* A tilt less whole edges: it gives the same lattice. */
static double reduce(double tilt, double edge)
{
    return edge > 0 ? tilt - edge * rint(tilt / edge) : tilt;
}

static int check_tilts(const struct engine_host *host, const double box[6])
{
    const int open[3] = {!(box[0] > 0), !(box[1] > 0), !(box[2] > 0)};
    if ((box[3] != 0 && (open[0] || open[1])) || (box[4] != 0 && (open[0] || open[2])) ||
        (box[5] != 0 && (open[1] || open[2])))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "the box is open along an axis that one of its tilts %g %g %g refers to", box[3], box[4],
                           box[5]);
    return 0;
}

static void set_box(const double box[6], struct rdf_box *out)
{
    const int tilted = box[3] != 0 || box[4] != 0 || box[5] != 0;
    const double yz = reduce(box[5], box[1]);
    const double along_b = box[1] > 0 ? rint(box[5] / box[1]) : 0;
    out->form = tilted ? RDF_TRICLINIC : box[0] > 0 || box[1] > 0 || box[2] > 0 ? RDF_ORTHORHOMBIC : RDF_OPEN;
    for (int axis = 0; axis < 3; axis++) {
        const float edge = (float) box[axis];
        out->periodic[axis] = edge > 0;
        out->edge[axis] = edge > 0 ? edge : tilted ? 0 : INFINITY;
        out->inverse[axis] = tilted && edge > 0 ? 1 / edge : 0;
    }
    out->xy = (float) reduce(box[3], box[0]);
    out->xz = (float) reduce(box[4] - along_b * box[3], box[0]);
    out->yz = (float) yz;
}

static int check_reach(const struct engine_host *host, const double box[6], double r_max)
{
    double most = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > 0 && box[axis] / 2 < most)
            most = box[axis] / 2;
    if (r_max <= most)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "r_max = %g is more than half of the smallest edge of the box; expected r_max = %.9g or less, "
                       "because only the nearest image of a particle is counted",
                       r_max, most);
}

/* Keeps squares of distances within the range of a float. */
static int check_edges(const struct engine_host *host, const double box[6])
{
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > 0 && (box[axis] < 1e-9 || box[axis] > 1e15))
            return ENGINE_FAIL(host, ENGINE_INVALID, "an edge of the box is %g; expected 1e-9 to 1e15", box[axis]);
    return 0;
}

static int read_volume(const struct engine_host *host, const struct engine_plan *plan, const struct rdf_layer *layer,
                       double *volume)
{
    static const char *const names[] = {"volume of the box", "area of the box", "volume of the slab"};
    const double heights[] = {[RDF_BULK] = plan->box[2], [RDF_PLANE] = 1, [RDF_SLAB] = layer->high - layer->low};
    const double inside = plan->box[0] * plan->box[1] * heights[layer->geometry];
    *volume = engine_param_real(plan, RDF_VOLUME);
    if (inside > 0 && *volume > 0)
        return ENGINE_FAIL(host, ENGINE_INVALID, "volume = %g, but the %s is %g; leave out volume", *volume,
                           names[layer->geometry], inside);
    if (inside > 0)
        *volume = inside;
    return 0;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

int rdf_plan_read(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out)
{
    const double r_max = engine_param_real(plan, RDF_R_MAX);
    double box[6];
    memcpy(box, plan->box, sizeof box);
    int status = rdf_read_between(host, plan, engine_param_text(plan, RDF_BETWEEN), out);
    out->particles = engine_field_shape(plan, RDF_POSITION)->extent[0];
    out->bins.count = (uint32_t) engine_param_integer(plan, RDF_BINS);
    out->bins.width = (float) (r_max / (double) out->bins.count);
    out->bins.end = rdf_threshold(&out->bins, out->bins.count);
    out->exclude_block = (uint32_t) engine_param_integer(plan, RDF_EXCLUDE_BLOCK);
    out->finite_size = (uint32_t) engine_param_flag(plan, RDF_FINITE_SIZE);
    out->cells = (uint32_t) engine_param_choice(plan, RDF_CELLS);
    out->exclude = engine_param_text(plan, RDF_EXCLUDE);
    out->blocks = (uint32_t) engine_param_integer(plan, RDF_BLOCKS);
    out->q_bins = (uint32_t) engine_param_integer(plan, RDF_Q_BINS);
    out->q_window = (uint32_t) engine_param_choice(plan, RDF_Q_WINDOW);
    out->q_max = engine_param_real(plan, RDF_Q_MAX);
    out->spatial_bins = (uint32_t) engine_param_integer(plan, RDF_SPATIAL_BINS);
    if (status == 0 && out->particles > INT32_MAX)
        status = ENGINE_FAIL(host, ENGINE_INVALID, "%llu particles are too many; expected at most 2147483647",
                             (unsigned long long) out->particles);
    if (status == 0 && out->blocks == 1)
        status = ENGINE_FAIL(host, ENGINE_INVALID, "blocks = 1; expected 0, or 2 to %d", RDF_BLOCKS_MAX);
    if (status == 0 && (status = check_tilts(host, box)) == 0 && (status = check_edges(host, box)) == 0 &&
        (status = rdf_read_layer(host, plan, box, &out->layer)) == 0)
        status = check_reach(host, box, r_max);
    if (status == 0)
        status = rdf_check_spatial(host, out);
    if (status == 0)
        status = rdf_read_within(host, plan, out);
    set_box(box, &out->box);
    if (status == 0)
        status = rdf_check_within(host, out);
    return status == 0 ? read_volume(host, plan, &out->layer, &out->volume) : status;
}
