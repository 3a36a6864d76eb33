/* Finds the file of a rule, and reads it. */
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

static int parse(const struct engine_host *host, const char *path, const char *text, size_t length, int kind,
                 struct rule *rule)
{
    struct rule_error error;
    char place[32] = "";
    if (rule_parse(text, length, kinds[kind].kind, rule, &error)) {
        rule->checksum = XXH3_64bits(text, length);
        return 0;
    }
    if (error.line > 0)
        snprintf(place, sizeof place, "%u:%u:", error.line, error.column);
    return ENGINE_FAIL(host, ENGINE_INVALID, "%s:%s %s", path, place, error.text);
}

int ruletable_load(const struct engine_host *host, const struct engine_plan *plan, struct rule *rule,
                   char path[RULETABLE_PATH_MAX])
{
    const char *name = engine_param_text(plan, RULETABLE_RULE), *folder = engine_param_text(plan, RULETABLE_FOLDER);
    const char *builtin = ruletable_builtin(name);
    const char *reason;
    int kind = kind_of(name);
    size_t length;
    *rule = (struct rule){0};
    if (kind >= 0)
        snprintf(path, RULETABLE_PATH_MAX, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
    else
        kind = find_named(folder, name, path);
    if (kind < 0 && builtin) {
        snprintf(path, RULETABLE_PATH_MAX, "the plugin");
        return parse(host, "the plugin's own rule", builtin, strlen(builtin), 0, rule);
    }
    if (kind < 0)
        return ENGINE_FAIL(
            host, ENGINE_INVALID,
            "there is no file %s.rule, .table or .tree in '%s' or '%s'; unzip it from the pattern's archive, or give "
            "[ruletable] folder or a path as in rule = my-rules/%s.rule",
            name, folder, golly, name);
    char *text = input_read(path, FILE_BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "%s: cannot be read: %s", path, reason);
    const int status = parse(host, path, text, length, kind, rule);
    free(text);
    return status;
}

int ruletable_load_tables(const struct engine_host *host, const struct engine_plan *plan, struct tables *tables)
{
    struct rule rule;
    char path[RULETABLE_PATH_MAX], reason[200];
    *tables = (struct tables){0};
    int status = ruletable_load(host, plan, &rule, path);
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
