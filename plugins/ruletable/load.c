/* Finds the file of a rule, and reads it. */
#include "machine.h"
#include "rule_text.h"
#include "ruletable.h"

#include "common/input.h"

#include <stdio.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Where Debian's golly installs its rules. */
static const char golly[] = "/usr/share/golly/Rules";

static const struct {
    const char *ending;
    enum rule_kind kind;
} kinds[] = {{".rule", RULE_FILE}, {".table", RULE_TABLE}, {".tree", RULE_TREE}};
enum { KINDS = sizeof kinds / sizeof kinds[0], FILE_BYTES_MAX = 1 << 26 };
enum { FOLDER_MAX = RULETABLE_PATH_MAX - 512 }; /* a rule has at most 511 characters */

/* Which kind of file a name ends with; -1: it is the name of a rule. */
static int kind_of(const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < KINDS; i++) {
        const size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcmp(name + length - ending, kinds[i].ending) == 0)
            return i;
    }
    return -1;
}

int ruletable_spell(const char *value, char *text, uint64_t size)
{
    const int kind = kind_of(value);
    const char *slash = strrchr(value, '/'), *name = kind >= 0 && slash ? slash + 1 : value;
    const size_t length = strlen(name) - (kind >= 0 ? strlen(kinds[kind].ending) : 0);
    if (length >= size)
        return ENGINE_INVALID;
    memcpy(text, name, length);
    text[length] = '\0';
    return 0;
}

static bool is_file(const char *path)
{
    struct stat info;
    return TEMP_FAILURE_RETRY(stat(path, &info)) == 0 && S_ISREG(info.st_mode);
}

/* Finds the file for the name of a rule. A slash in the name is an underscore in that of the file, as in Golly. */
static int find_named(const char *folder, const char *name, char path[RULETABLE_PATH_MAX])
{
    const char *const folders[] = {folder, golly};
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++)
        for (int i = 0; i < KINDS; i++) {
            snprintf(path, RULETABLE_PATH_MAX, "%s/", folders[f]);
            const size_t begin = strlen(path);
            snprintf(path + begin, RULETABLE_PATH_MAX - begin, "%s%s", name, kinds[i].ending);
            for (char *c = path + begin; *c; c++)
                *c = *c == '/' || *c == '\\' ? '_' : *c;
            if (is_file(path))
                return i;
        }
    return -1;
}

/* `above` lines of the file stand before the text. */
static int parse(const struct engine_host *host, const char *path, const char *text, size_t length, int kind,
                 uint32_t above, struct rule *rule)
{
    struct rule_error error;
    char place[32] = "";
    if (rule_parse(text, length, kinds[kind].kind, rule, &error)) {
        rule->checksum = XXH3_64bits(text, length);
        return 0;
    }
    if (error.line > 0)
        snprintf(place, sizeof place, "%u:%u:", above + error.line, error.column);
    return ENGINE_FAIL(host, ENGINE_INVALID, "%s:%s %s", path, place, error.text);
}

static int read_file(const struct engine_host *host, const char *path, int kind, struct rule *rule)
{
    size_t length;
    const char *reason;
    char *text = input_read(path, FILE_BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "%s: cannot be read: %s", path, reason);
    const int status = parse(host, path, text, length, kind, 0, rule);
    free(text);
    return status;
}

/* ---- Behind a pattern -------------------------------------------------------------------------------------------- */

/* Returns the next line "@RULE" from `at` on, or the end. */
static const char *next_rule(const char *at, const char *begin, const char *end)
{
    static const char mark[] = "@RULE";
    for (; (at = (const char *) memmem(at, (size_t) (end - at), mark, sizeof mark - 1)); at++)
        if (at == begin || at[-1] == '\n' || at[-1] == '\r')
            return at;
    return end;
}

/* Does the line "@RULE NAME" state this name? */
static bool is_named(const char *line, const char *end, const char *name)
{
    const size_t length = strlen(name);
    const char *at = line + strlen("@RULE"), *stop = at;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (stop = at; stop < end && *stop != '\n' && *stop != '\r';)
        stop++;
    while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
        stop--;
    return (size_t) (stop - at) == length && memcmp(at, name, length) == 0;
}

/* Reads the rule that stands behind the cells of a pattern file, as people post it. False: the file has none of this
 * name. */
static bool read_behind(const struct engine_host *host, const char *file, const char *name, struct rule *rule,
                        int *status)
{
    size_t length;
    const char *reason;
    char *text = input_read(file, FILE_BYTES_MAX, &length, &reason);
    const char *end = text ? text + length : NULL, *at = text ? next_rule(text, text, end) : NULL;
    while (at < end && !is_named(at, end, name))
        at = next_rule(at + 1, text, end);
    const bool found = at < end;
    uint32_t above = 0;
    for (const char *line = text; found && line < at; line = rule_line_end(line, at) + 1)
        above++;
    if (found)
        *status = parse(host, file, at, (size_t) (next_rule(at + 1, text, end) - at), 0, above, rule);
    free(text);
    return found;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* The folder of a pattern file. */
static void folder_of(const char *file, char folder[FOLDER_MAX])
{
    snprintf(folder, FOLDER_MAX, "%s", file);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash ? "" : ".");
}

/* A rule that is no file: the plugin's own, or one of a family. */
static int read_name(const struct engine_host *host, const char *folder, const char *name, bool whole,
                     struct rule *rule)
{
    const char *builtin = ruletable_builtin(name);
    struct rule_error error;
    if (builtin)
        return parse(host, "the plugin's own rule", builtin, strlen(builtin), 0, 0, rule);
    const enum machine_found found = machine_rule(name, whole, rule, &error);
    rule->checksum = XXH3_64bits(name, strlen(name));
    if (found == MACHINE_UNKNOWN)
        return ENGINE_FAIL(
            host, ENGINE_INVALID,
            "there is no file %s.rule, .table or .tree in '%s' or '%s'; unzip it from the pattern's archive, or give "
            "[ruletable] folder or a path as in rule = my-rules/%s.rule",
            name, folder, golly, name);
    return found == MACHINE_MADE ? 0 : ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: %s", error.text);
}

int ruletable_load(const struct engine_host *host, const struct engine_plan *plan, bool whole, struct rule *rule,
                   char path[RULETABLE_PATH_MAX])
{
    const char *name = engine_param_text(plan, RULETABLE_RULE), *folder = engine_param_text(plan, RULETABLE_FOLDER);
    char beside[FOLDER_MAX];
    int kind = kind_of(name), status = 0;
    *rule = (struct rule){0};
    if (is_file(folder)) {
        snprintf(path, RULETABLE_PATH_MAX, "%s", folder);
        if (kind < 0 && read_behind(host, folder, name, rule, &status))
            return status;
        folder_of(folder, beside);
        folder = beside;
    }
    if (kind >= 0)
        snprintf(path, RULETABLE_PATH_MAX, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
    else
        kind = find_named(folder, name, path);
    if (kind >= 0)
        return read_file(host, path, kind, rule);
    snprintf(path, RULETABLE_PATH_MAX, "the plugin");
    return read_name(host, folder, name, whole, rule);
}

int ruletable_load_tables(const struct engine_host *host, const struct engine_plan *plan, struct tables *tables)
{
    struct rule rule;
    char path[RULETABLE_PATH_MAX], reason[200];
    *tables = (struct tables){0};
    int status = ruletable_load(host, plan, true, &rule, path);
    const char *wrong = status == 0 ? tables_make(&rule, tables, reason) : NULL;
    if (wrong)
        status = ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%s: %s; cpu-serial takes any rule", path, wrong);
    rule_free(&rule);
    return status;
}

int ruletable_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    struct tables tables;
    const int status = ruletable_load_tables(host, plan, &tables);
    tables_free(&tables);
    return status;
}
