/* Reads a file of pairs that are not counted: two numbers of particles in each line, the CONECT records of a PDB file, the
 * pairs of one residue of a GRO file, or the pairs of one group of an index file of GROMACS. */
#include "rdf.h"

#include "common/input.h"

#include <stdio.h>

enum { SERIALS = 100000, SERIAL_ABSENT = -1, SERIAL_TWICE = -2 }; /* a serial number has five digits */
enum { BYTES_MAX = 1 << 28 };                                     /* of the file */
enum { MEMBERS_MAX = 4096 };                                      /* of a residue or a group; each pair is stored */
enum { RESIDUE = 10 };                                            /* the columns of a GRO file that name a residue */

/* A file that is being read. */
struct reading {
    const struct engine_host *host;
    const struct rdf_plan *plan;
    const char *path;
    uint64_t line, room, atoms;
    int32_t *atom_of; /* of each serial number, or SERIAL_ABSENT …; NULL until the first atom */
    int models;       /* 1: the first model has ended */
    uint32_t members[MEMBERS_MAX], member_count; /* of the present residue or group */
    char residue[RESIDUE + 1];
    struct rdf_pairs *pairs;
};

#define REFUSE(reading, format, ...) \
    ENGINE_FAIL((reading)->host, ENGINE_INVALID, "exclude: %s:%llu: " format, (reading)->path, \
                (unsigned long long) (reading)->line, __VA_ARGS__)

static int add_pair(struct reading *reading, uint64_t a, uint64_t b)
{
    struct rdf_pairs *pairs = reading->pairs;
    const uint64_t particles = reading->plan->particles, block = reading->plan->exclude_block;
    if (a >= particles || b >= particles || a == b)
        return REFUSE(reading, "%llu and %llu; expected two different numbers from 0 to %llu", (unsigned long long) a,
                      (unsigned long long) b, (unsigned long long) (particles - 1));
    if (a / block == b / block && block > 1)
        return 0;
    if (pairs->count == reading->room) {
        const uint64_t room = reading->room > 0 ? 2 * reading->room : 1024;
        void *larger = realloc(pairs->at, room * sizeof *pairs->at);
        if (!larger)
            return ENGINE_NO_MEMORY;
        pairs->at = (uint32_t(*)[2]) larger, reading->room = room;
    }
    uint32_t *pair = pairs->at[pairs->count++];
    pair[0] = (uint32_t) (a < b ? a : b), pair[1] = (uint32_t) (a < b ? b : a);
    return 0;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static int read_pair(struct reading *reading, const char *line)
{
    unsigned long long a, b;
    int end = 0;
    line += strspn(line, " \t\r\n");
    if (*line == '\0' || *line == '#')
        return 0;
    if (memchr(line, '-', strcspn(line, "#")) || sscanf(line, "%20llu %20llu %n", &a, &b, &end) != 2 ||
        (line[end] && line[end] != '#'))
        return REFUSE(reading, "'%.*s' is not a pair; expected two numbers of particles, as in '0 1'",
                      (int) strcspn(line, "\r\n"), line);
    return add_pair(reading, a, b);
}

/* ---- PDB files --------------------------------------------------------------------------------------------------- */

/* Reads the five columns from `column` on. Returns -1 if they are blank, and -2 if they are not a number. */
static long read_serial(const char *line, size_t length, size_t column)
{
    char text[6] = "", *end;
    if (column < length)
        snprintf(text, sizeof text, "%.5s", line + column);
    if (text[strspn(text, " \r\n")] == '\0')
        return -1;
    const long serial = strtol(text, &end, 10);
    return end == text || end[strspn(end, " \r\n")] != '\0' || serial < 0 ? -2 : serial;
}

static int read_atom(struct reading *reading, const char *line, size_t length)
{
    const long serial = read_serial(line, length, 6);
    if (!reading->atom_of) {
        if (!(reading->atom_of = (int32_t *) malloc(SERIALS * sizeof *reading->atom_of)))
            return ENGINE_NO_MEMORY;
        for (int k = 0; k < SERIALS; k++)
            reading->atom_of[k] = SERIAL_ABSENT;
    }
    if (serial >= 0)
        reading->atom_of[serial] = reading->atom_of[serial] == SERIAL_ABSENT ? (int32_t) reading->atoms : SERIAL_TWICE;
    reading->atoms++;
    return 0;
}

static int find_atom(struct reading *reading, long serial, uint64_t *atom)
{
    const int32_t found = serial >= 0 && reading->atom_of ? reading->atom_of[serial] : SERIAL_ABSENT;
    if (found == SERIAL_TWICE)
        return REFUSE(reading, "two atoms have the number %ld; expected a list of pairs instead", serial);
    if (found == SERIAL_ABSENT)
        return REFUSE(reading, "CONECT names an atom that is not in the file%s", "");
    *atom = (uint64_t) found;
    return 0;
}

static int read_bonds(struct reading *reading, const char *line, size_t length)
{
    uint64_t first, second;
    int status = find_atom(reading, read_serial(line, length, 6), &first);
    for (size_t column = 11; status == 0 && column < 31; column += 5) {
        const long serial = read_serial(line, length, column);
        if (serial != -1 && (status = find_atom(reading, serial, &second)) == 0)
            status = add_pair(reading, first, second);
    }
    return status;
}

/* ---- Residues and groups ----------------------------------------------------------------------------------------- */

static int add_member(struct reading *reading, uint64_t particle)
{
    if (reading->member_count == MEMBERS_MAX)
        return REFUSE(reading, "the residue or group has more than %d particles", MEMBERS_MAX);
    reading->members[reading->member_count++] = (uint32_t) particle;
    return 0;
}

/* Ends a residue or a group: adds its pairs. A particle may be in a group twice. */
static int end_members(struct reading *reading)
{
    int status = 0;
    for (uint32_t i = 0; i < reading->member_count; i++)
        for (uint32_t j = i + 1; status == 0 && j < reading->member_count; j++)
            if (reading->members[i] != reading->members[j])
                status = add_pair(reading, reading->members[i], reading->members[j]);
    reading->member_count = 0;
    return status;
}

/* A residue is atoms one after the other with the same number and name of the residue. */
static int read_gro(struct reading *reading, const char *line, size_t length)
{
    char residue[RESIDUE + 1] = "";
    int status = 0;
    if (reading->line == 2 && strtoull(line, NULL, 10) != reading->plan->particles)
        return REFUSE(reading, "'%.20s' atoms; expected %llu, one a particle", line + strspn(line, " "),
                      (unsigned long long) reading->plan->particles);
    if (reading->line <= 2 || reading->atoms == reading->plan->particles)
        return 0;
    memcpy(residue, line, length < RESIDUE ? length : RESIDUE);
    if (strcmp(residue, reading->residue) != 0)
        status = end_members(reading);
    strcpy(reading->residue, residue);
    return status == 0 ? add_member(reading, reading->atoms++) : status;
}

/* Reads a line of an index file: [ name ], or numbers of particles. */
static int read_index(struct reading *reading, char *line)
{
    const struct rdf_index_line place = {"exclude", reading->path, reading->line, reading->plan->particles};
    uint64_t particle = 0;
    int status = 0;
    line[strcspn(line, ";\r")] = '\0';
    line += strspn(line, " \t");
    if (*line == '[')
        return end_members(reading);
    while (status == 0 && (status = rdf_take_index(reading->host, &place, &line, &particle)) == 0 &&
           particle != UINT64_MAX)
        status = add_member(reading, particle);
    return status;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static int read_record(struct reading *reading, const char *line, size_t length)
{
    if (starts(line, "ENDMDL"))
        reading->models = 1;
    if ((starts(line, "ATOM  ") || starts(line, "HETATM")) && !reading->models)
        return read_atom(reading, line, length);
    return starts(line, "CONECT") ? read_bonds(reading, line, length) : 0;
}

enum kind { LIST, PDB, GRO, INDEX };

static int read_line(struct reading *reading, char *line, size_t length, enum kind kind)
{
    return kind == PDB     ? read_record(reading, line, length)
           : kind == GRO   ? read_gro(reading, line, length)
           : kind == INDEX ? read_index(reading, line)
                           : read_pair(reading, line);
}

/* The second line of a GRO file is one number, and the third one has decimals. A list begins with a number or a comment,
 * and an index file with [ or a comment. */
static enum kind kind_of(const char *text)
{
    const char *second = text + strcspn(text, "\n");
    second += strspn(second, "\n ");
    const size_t digits = strspn(second, "0123456789");
    const char *third = second + digits + strspn(second + digits, " \r");
    if (digits > 0 && *third == '\n') {
        third += strspn(third, " \r\n");
        if (*third != '[' && memchr(third, '.', strcspn(third, "\n")))
            return GRO;
    }
    text += strspn(text, " \t\r\n");
    return *text == '[' || *text == ';' ? INDEX : *text >= 'A' && *text <= 'Z' ? PDB : LIST;
}

static int read_lines(struct reading *reading, char *text)
{
    int status = 0;
    const enum kind kind = kind_of(text);
    for (char *line = text; status == 0 && *line; line = text) {
        const size_t length = strcspn(line, "\n");
        text = line + length + (line[length] == '\n');
        line[length] = '\0';
        reading->line++;
        status = read_line(reading, line, length, kind);
    }
    if (status == 0)
        status = end_members(reading);
    if (status == 0 && (kind == PDB || kind == GRO) && reading->atoms != reading->plan->particles)
        return ENGINE_FAIL(reading->host, ENGINE_INVALID, "exclude: %s: has %llu atoms, expected %llu, one a particle",
                           reading->path, (unsigned long long) reading->atoms,
                           (unsigned long long) reading->plan->particles);
    return status;
}

static int by_numbers(const void *a, const void *b)
{
    const uint32_t *first = (const uint32_t *) a, *second = (const uint32_t *) b;
    const int axis = first[0] == second[0];
    return first[axis] < second[axis] ? -1 : first[axis] > second[axis];
}

static void sort(struct rdf_pairs *pairs)
{
    uint64_t kept = 0;
    if (pairs->count > 0)
        qsort(pairs->at, pairs->count, sizeof *pairs->at, by_numbers);
    for (uint64_t k = 0; k < pairs->count; k++)
        if (kept == 0 || memcmp(pairs->at[k], pairs->at[kept - 1], sizeof *pairs->at) != 0)
            memmove(pairs->at[kept++], pairs->at[k], sizeof *pairs->at);
    pairs->count = kept;
}

int rdf_read_exclusions(const struct engine_host *host, const struct rdf_plan *plan, struct rdf_pairs *pairs)
{
    struct reading reading = {.host = host, .plan = plan, .path = plan->exclude, .pairs = pairs};
    *pairs = (struct rdf_pairs){NULL, 0};
    if (*plan->exclude == '\0')
        return 0;
    const char *reason;
    size_t length;
    char *text = input_read(plan->exclude, BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "exclude: %s: cannot be read: %s", plan->exclude, reason);
    const int status = read_lines(&reading, text);
    free(text);
    free(reading.atom_of);
    if (status == 0)
        sort(pairs);
    else
        free(pairs->at), pairs->at = NULL;
    return status;
}
