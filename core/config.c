#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <iniparser/iniparser.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGEST_FILE = 1 << 20, /* bytes */
    LONGEST_LINE = 1022,    /* bytes before the line's end; iniparser cuts its lines at 1023 with it */
    LONGEST_NAME = 64,
    MOST_KEYS = 4096 /* both readers search lists; this bounds the time they take */
};

struct entry {
    char *key, *text;
    char *place;     /* in the file, or NULL */
    char *set_place; /* in an assignment, or NULL; counts where both are there */
    uint32_t line;
};

struct section {
    char *name, *place;
    struct entry *entries;
    uint32_t count;
};

struct config {
    char *path, *folder; /* path: NULL without a file */
    struct section *sections;
    uint32_t count, keys;
};

/* ---- Lists -------------------------------------------------------------------------------------------------- */

static int no_memory(struct error *error)
{
    return error_memory(error, LARGEST_FILE, "the configuration");
}

/* The list with room for one more item after `count`: room doubles at powers of two. NULL: no memory, the list stays.
 */
static void *grown(void *items, uint32_t count, size_t item_size)
{
    if (count == 0)
        return realloc(items, 8 * item_size);
    return count >= 8 && (count & (count - 1)) == 0 ? realloc(items, item_size * 2 * count) : items;
}

static struct section *find_section(const struct config *config, const char *name)
{
    for (uint32_t i = 0; i < config->count; i++)
        if (strcasecmp(config->sections[i].name, name) == 0)
            return &config->sections[i];
    return NULL;
}

static struct entry *find_entry(const struct config *config, const char *section_name, const char *key)
{
    const struct section *section = find_section(config, section_name);
    for (uint32_t i = 0; section && i < section->count; i++)
        if (strcasecmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

static char *print_copy(const char *format, ...) ENGINE_PRINTF(1, 2);

static char *print_copy(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

/* Names are the same in any case, and kept in lower case, as iniparser does. */
static char *lower_copy(const char *name)
{
    char *copy = strdup(name);
    for (char *c = copy; c && *c; c++)
        *c = (char) tolower((unsigned char) *c);
    return copy;
}

/* The section of that name, added where it is new. Takes `place`. NULL: no memory. */
static struct section *add_section(struct config *config, const char *name, char *place)
{
    struct section *section = find_section(config, name), *list = NULL;
    char *copy = section ? NULL : lower_copy(name);
    if (copy && place)
        list = grown(config->sections, config->count, sizeof *list);
    if (!list) {
        free(copy), free(place);
        return section;
    }
    config->sections = list;
    section = &list[config->count++];
    *section = (struct section){.name = copy, .place = place};
    return section;
}

/* A new entry; its text and places are the caller's to fill. NULL: no memory. */
static struct entry *add_entry(struct config *config, struct section *section, const char *key)
{
    char *copy = lower_copy(key);
    struct entry *list = copy ? grown(section->entries, section->count, sizeof *list) : NULL;
    if (!list) {
        free(copy);
        return NULL;
    }
    config->keys++;
    section->entries = list;
    list[section->count] = (struct entry){.key = copy};
    return &list[section->count++];
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
    while (is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char) text[length]) || text[length] == '_' || text[length] == '-')
        length++;
    return length > 0 && length <= LONGEST_NAME && text[length] == '\0';
}

/* The first character that no line may hold, or NULL. Bytes above 127 pass: file names and comments are UTF-8. */
static const char *find_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char) text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
            return text + i;
    return NULL;
}

/* ---- The strict scan ---------------------------------------------------------------------------------------- */

struct scan {
    struct config *config;
    struct section *section; /* the last header's; NULL before the first */
    uint32_t line;
    struct error *error;
};

#define BAD(scan, ...) \
    (error_set((scan)->error, STATUS_USAGE, __VA_ARGS__), \
     error_prefix((scan)->error, "%s:%u: ", (scan)->config->path, (scan)->line))

static int scan_header(struct scan *scan, char *line)
{
    char *end = strchr(line, ']');
    if (!end)
        return BAD(scan, "section header is not closed, expected [name]");
    if (end[1] != '\0')
        return BAD(scan, "'%.60s' follows a section header: it stands alone on its line", end + 1);
    *end = '\0';
    char *name = trim(line + 1);
    if (!is_name(name))
        return BAD(scan, "section name '%.80s': expected 1 to %d letters, digits, '_' or '-'", name, LONGEST_NAME);
    char *place = print_copy("%s:%u", scan->config->path, scan->line);
    scan->section = add_section(scan->config, name, place);
    return scan->section ? 0 : no_memory(scan->error);
}

/* iniparser closes quotes at the line's end and drops what follows them. */
static int scan_value(struct scan *scan, const char *value)
{
    if (*value != '"' && *value != '\'')
        return 0;
    const char *end = strchr(value + 1, *value);
    if (!end)
        return BAD(scan, "value %.60s: the quote is not closed on its line", value);
    do
        end++;
    while (is_blank(*end));
    if (*end != '\0' && *end != ';' && *end != '#')
        return BAD(scan, "'%.60s' follows the closing quote, expected the line's end or a comment", end);
    return 0;
}

static int store_key(struct scan *scan, const char *key)
{
    struct config *config = scan->config;
    const struct entry *first = find_entry(config, scan->section->name, key);
    if (first)
        return BAD(scan, "key '%s' in [%s] is given twice, first in line %u", key, scan->section->name, first->line);
    if (config->keys == MOST_KEYS)
        return BAD(scan, "more than %d keys", MOST_KEYS);
    struct entry *entry = add_entry(config, scan->section, key);
    if (!entry)
        return no_memory(scan->error);
    entry->line = scan->line;
    entry->place = print_copy("%s:%u", config->path, scan->line);
    return entry->place ? 0 : no_memory(scan->error);
}

static int scan_key(struct scan *scan, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return BAD(scan, "'%.60s' is no line of a configuration, expected [section], key = value or a comment", line);
    *equals = '\0';
    const char *key = trim(line);
    if (*key == '\0')
        return BAD(scan, "no key before '='");
    if (!is_name(key))
        return BAD(scan, "key '%.80s': expected 1 to %d letters, digits, '_' or '-'", key, LONGEST_NAME);
    if (!scan->section)
        return BAD(scan, "key '%s' stands before the first [section]", key);
    int status = scan_value(scan, trim(equals + 1));
    return status ? status : store_key(scan, key);
}

/* Inline comments and quotes are iniparser's to read; this only finds names and what iniparser would misread. */
static int scan_line(struct scan *scan, char *text)
{
    char *line = trim(text);
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\\')
        return BAD(scan, "the line ends in '\\': a value is written on one line");
    if (length == 0 || *line == ';' || *line == '#')
        return 0;
    return *line == '[' ? scan_header(scan, line) : scan_key(scan, line);
}

/* One line of `length` bytes, its end not among them. */
static int scan_raw_line(struct scan *scan, char *text, size_t length)
{
    bool long_line = length > LONGEST_LINE;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    const char *control = find_control(text, length);
    if (control && *control == '\0')
        return BAD(scan, "NUL byte: a configuration is UTF-8 text");
    if (control)
        return BAD(scan, "control character 0x%02x", (unsigned) (unsigned char) *control);
    if (long_line)
        return BAD(scan, "line is longer than %d bytes", LONGEST_LINE);
    text[length] = '\0';
    return scan_line(scan, text);
}

/* `bytes` of text and a byte to write behind them; cut: there was more in the file. */
static int scan_text(struct scan *scan, char *text, size_t bytes, bool cut)
{
    scan->line = 1;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return BAD(scan, "the file starts with a UTF-8 byte order mark: save it without one");
    for (size_t begin = 0; begin < bytes; scan->line++) {
        const char *end = memchr(text + begin, '\n', bytes - begin);
        size_t length = end ? (size_t) (end - text) - begin : bytes - begin;
        if (!end && cut && length <= LONGEST_LINE)
            break;
        int status = scan_raw_line(scan, text + begin, length);
        if (status)
            return status;
        begin += length + 1;
    }
    return cut ? BAD(scan, "the file is larger than %d bytes, is this a configuration?", LARGEST_FILE) : 0;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int refuse_file(struct error *error, const char *path, const char *reason)
{
    return error_set(error, STATUS_USAGE, "%s: %s, expected a configuration file", path, reason);
}

/* A pipe would be empty when iniparser opens the path again; opening one must not wait for a writer either. */
static int open_file(const char *path, int *file, struct error *error)
{
    struct stat about;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*file < 0 || fstat(*file, &about))
        return refuse_file(error, path, errno == ENOENT ? "no such file" : strerror(errno));
    if (S_ISDIR(about.st_mode))
        return refuse_file(error, path, "this is a folder");
    return S_ISREG(about.st_mode) ? 0 : refuse_file(error, path, "this is no regular file");
}

static int read_file(int file, const char *path, char *text, size_t *bytes, struct error *error)
{
    *bytes = 0;
    while (*bytes <= LARGEST_FILE) {
        ssize_t got = read(file, text + *bytes, LARGEST_FILE + 1 - *bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse_file(error, path, strerror(errno));
        if (got == 0)
            break;
        *bytes += (size_t) got;
    }
    return 0;
}

static int scan_file(struct config *config, struct error *error)
{
    int file = -1;
    size_t bytes = 0;
    char *text = NULL;
    int status = open_file(config->path, &file, error);
    if (status == 0 && !(text = malloc(LARGEST_FILE + 2)))
        status = no_memory(error);
    if (status == 0)
        status = read_file(file, config->path, text, &bytes, error);
    bool cut = bytes > LARGEST_FILE;
    struct scan scan = {.config = config, .error = error};
    if (status == 0)
        status = scan_text(&scan, text, cut ? LARGEST_FILE : bytes, cut);
    free(text);
    if (file >= 0)
        close(file);
    return status;
}

/* ---- iniparser ---------------------------------------------------------------------------------------------- */

static int discard(const char *format, ...)
{
    (void) format;
    return 0;
}

static int disagree(const struct config *config, const char *name, struct error *error)
{
    return error_set(error, STATUS_USAGE, "%s: iniparser and the engine disagree about key '%s': was the file changed?",
                     config->path, name);
}

/* Gives every scanned key the text that iniparser found. */
static int take_texts(struct config *config, const dictionary *read, struct error *error)
{
    char name[2 * LONGEST_NAME + 2];
    for (uint32_t i = 0; i < config->count; i++) {
        const struct section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count; k++) {
            snprintf(name, sizeof name, "%s:%s", section->name, section->entries[k].key);
            const char *text = iniparser_getstring(read, name, NULL);
            if (!text)
                return disagree(config, name, error);
            if (!(section->entries[k].text = strdup(text)))
                return no_memory(error);
        }
    }
    return 0;
}

/* iniparser found no key that the scan did not. */
static int check_names(const struct config *config, const dictionary *read, struct error *error)
{
    for (ssize_t i = 0; i < read->size; i++) {
        const char *name = read->key[i], *colon = name ? strchr(name, ':') : NULL;
        if (!colon)
            continue;
        char section[LONGEST_NAME + 1];
        snprintf(section, sizeof section, "%.*s", (int) (colon - name), name);
        if (!find_entry(config, section, colon + 1))
            return disagree(config, name, error);
    }
    return 0;
}

static int parse_file(struct config *config, struct error *error)
{
    iniparser_set_error_callback(discard);
    dictionary *read = iniparser_load(config->path);
    iniparser_set_error_callback(NULL);
    if (!read)
        return error_set(error, STATUS_USAGE, "%s: iniparser cannot read it: was the file changed?", config->path);
    if (!read->key || !read->val || !read->hash)
        return no_memory(error); /* iniparser had none for them, does not say so, and cannot free the rest */
    int status = take_texts(config, read, error);
    if (status == 0)
        status = check_names(config, read, error);
    iniparser_freedict(read);
    return status;
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

static char *folder_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t) (slash - path));
}

int config_open(const char *path, struct config **result, struct error *error)
{
    *result = NULL;
    struct config *config = calloc(1, sizeof *config);
    if (!config)
        return no_memory(error);
    config->folder = folder_of(path);
    config->path = path ? strdup(path) : NULL;
    int status = 0;
    if (!config->folder || (path && !config->path))
        status = no_memory(error);
    if (status == 0 && path)
        status = scan_file(config, error);
    if (status == 0 && path)
        status = parse_file(config, error);
    if (status == 0)
        *result = config;
    else
        config_close(config);
    return status;
}

void config_close(struct config *config)
{
    for (uint32_t i = 0; config && i < config->count; i++) {
        struct section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count; k++) {
            struct entry *entry = &section->entries[k];
            free(entry->key), free(entry->text), free(entry->place), free(entry->set_place);
        }
        free(section->name), free(section->place), free(section->entries);
    }
    if (config)
        free(config->path), free(config->folder), free(config->sections);
    free(config);
}

/* Splits "section.key=value", in place. */
static int split_assignment(char *text, char *part[3], struct error *error)
{
    char *dot = strchr(text, '.'), *equals = strchr(text, '=');
    if (!dot || !equals || dot > equals)
        return error_set(error, STATUS_USAGE, "--set %.100s: expected section.key=value", text);
    *dot = *equals = '\0';
    part[0] = trim(text), part[1] = trim(dot + 1), part[2] = trim(equals + 1);
    for (int i = 0; i < 2; i++)
        if (!is_name(part[i]))
            return error_set(error, STATUS_USAGE, "--set: %s '%.80s': expected 1 to %d letters, digits, '_' or '-'",
                             i ? "key" : "section", part[i], LONGEST_NAME);
    const char *control = find_control(part[2], strlen(part[2]));
    if (control || strlen(part[2]) > LONGEST_LINE)
        return error_set(error, STATUS_USAGE, "--set %s.%s: the value %s", part[0], part[1],
                         control ? "holds a control character" : "is longer than a line of a file may be");
    return 0;
}

static int assign(struct config *config, char *const part[3], struct error *error)
{
    char *text = strdup(part[2]);
    char *place = print_copy("--set %s.%s", part[0], part[1]);
    struct entry *entry = find_entry(config, part[0], part[1]);
    if (!entry && text && place) {
        struct section *section = add_section(config, part[0], print_copy("--set %s.%s", part[0], part[1]));
        entry = section ? add_entry(config, section, part[1]) : NULL;
    }
    if (!entry || !text || !place) {
        free(text), free(place);
        return no_memory(error);
    }
    free(entry->text);
    entry->text = text;
    if (entry->set_place)
        free(place);
    else
        entry->set_place = place;
    return 0;
}

int config_set(struct config *config, const char *assignment, struct error *error)
{
    char *copy = strdup(assignment), *part[3] = {NULL, NULL, NULL};
    if (!copy)
        return no_memory(error);
    int status = split_assignment(copy, part, error);
    if (status == 0)
        status = assign(config, part, error);
    free(copy);
    return status;
}

const char *config_get(const struct config *config, const char *section, const char *key)
{
    const struct entry *entry = find_entry(config, section, key);
    return entry ? entry->text : NULL;
}

const char *config_place(const struct config *config, const char *section, const char *key)
{
    const struct section *header = find_section(config, section);
    const struct entry *entry = key ? find_entry(config, section, key) : NULL;
    if (entry)
        return entry->set_place ? entry->set_place : entry->place;
    if (!key && header)
        return header->place;
    return config->path ? config->path : "command line";
}

const char *config_section_at(const struct config *config, uint32_t index)
{
    return index < config->count ? config->sections[index].name : NULL;
}

const char *config_key_at(const struct config *config, const char *section_name, uint32_t index)
{
    const struct section *section = find_section(config, section_name);
    return section && index < section->count ? section->entries[index].key : NULL;
}

const char *config_path(const struct config *config)
{
    return config->path;
}

const char *config_folder(const struct config *config)
{
    return config->folder;
}
