/* Reading a configuration file twice. A strict scan finds sections, keys and their lines, and refuses what iniparser
 * lets pass. iniparser then gives every key its text. Both must find the same keys. */
#include "config/config_store.h"

#include <errno.h>
#include <fcntl.h>
#include <iniparser/iniparser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The strict scan ---------------------------------------------------------------------------------------- */

struct scan {
    struct config *config;
    struct config_section *section; /* of the last header; NULL before the first */
    uint32_t line;
    struct engine_error *error;
};

#define BAD(scan, ...) \
    (error_set((scan)->error, ENGINE_STATUS_USAGE, __VA_ARGS__), \
     error_prefix((scan)->error, "%s:%u: ", (scan)->config->path, (scan)->line))

static int scan_header(struct scan *scan, char *line)
{
    char *end = strchr(line, ']');
    if (!end)
        return BAD(scan, "section header is not closed, expected [name]");
    if (end[1] != '\0')
        return BAD(scan, "'%.60s' follows a section header, which must be alone on its line", end + 1);
    *end = '\0';
    char *name = config_trim(line + 1);
    if (!config_is_name(name))
        return BAD(scan, "section name '%.80s': expected 1 to %d letters, digits, '_' or '-'", name, CONFIG_NAME_MAX);
    if (scan->config->count == CONFIG_KEYS_MAX && !config_find_section(scan->config, name))
        return BAD(scan, "more than %d sections", CONFIG_KEYS_MAX);
    char *place = config_print_copy("%s:%u", scan->config->path, scan->line);
    scan->section = config_add_section(scan->config, name, place);
    return scan->section ? 0 : config_no_memory(scan->error);
}

/* iniparser closes a quote at the end of the line and drops the text after a closing quote. This refuses both. Versions
 * of iniparser differ about a backslash in quotes, so *text becomes a copy of what is in quotes. */
static int scan_value(struct scan *scan, const char *value, char **text)
{
    if (*value != '"' && *value != '\'')
        return 0;
    const char *end = strchr(value + 1, *value);
    if (!end)
        return BAD(scan, "value %.60s: the quote is not closed on its line", value);
    const size_t length = (size_t) (end - value - 1);
    do
        end++;
    while (config_is_blank(*end));
    if (*end != '\0' && *end != ';' && *end != '#')
        return BAD(scan, "'%.60s' follows the closing quote, expected the line's end or a comment", end);
    *text = strndup(value + 1, length);
    return *text ? 0 : config_no_memory(scan->error);
}

static int store_key(struct scan *scan, const char *key, char **text)
{
    struct config *config = scan->config;
    const struct config_entry *first = config_find_entry(config, scan->section->name, key);
    if (first)
        return BAD(scan, "key '%s' in [%s] is given twice, first in line %u", key, scan->section->name, first->line);
    if (config->keys == CONFIG_KEYS_MAX)
        return BAD(scan, "more than %d keys", CONFIG_KEYS_MAX);
    struct config_entry *entry = config_add_entry(config, scan->section, key);
    if (!entry)
        return config_no_memory(scan->error);
    entry->line = scan->line;
    entry->text = *text;
    *text = NULL;
    entry->place = config_print_copy("%s:%u", config->path, scan->line);
    return entry->place ? 0 : config_no_memory(scan->error);
}

static int scan_key(struct scan *scan, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return BAD(scan, "'%.60s' is not a configuration line; expected [section], key = value or a comment", line);
    *equals = '\0';
    const char *key = config_trim(line);
    if (*key == '\0')
        return BAD(scan, "there is no key before '='");
    if (!config_is_name(key))
        return BAD(scan, "key '%.80s': expected 1 to %d letters, digits, '_' or '-'", key, CONFIG_NAME_MAX);
    if (!scan->section)
        return BAD(scan, "key '%s' comes before the first [section]", key);
    char *text = NULL;
    int status = scan_value(scan, config_trim(equals + 1), &text);
    if (status == 0)
        status = store_key(scan, key, &text);
    free(text);
    return status;
}

/* iniparser reads inline comments and quotes. This only finds names, and lines that iniparser would misread. */
static int scan_line(struct scan *scan, char *text)
{
    char *line = config_trim(text);
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\\')
        return BAD(scan, "the line ends in '\\'; a value must be on one line");
    if (length == 0 || *line == ';' || *line == '#')
        return 0;
    return *line == '[' ? scan_header(scan, line) : scan_key(scan, line);
}

/* Scans one line of `length` bytes without its end. */
static int scan_raw_line(struct scan *scan, char *text, size_t length)
{
    bool long_line = length > CONFIG_LINE_MAX;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    const char *control = config_find_control(text, length);
    if (control && *control == '\0')
        return BAD(scan, "NUL byte; a configuration must be UTF-8 text");
    if (control)
        return BAD(scan, "control character 0x%02x; a configuration must be UTF-8 text",
                   (unsigned) (unsigned char) *control);
    if (long_line)
        return BAD(scan, "line is longer than %d bytes", CONFIG_LINE_MAX);
    text[length] = '\0';
    return scan_line(scan, text);
}

/* Scans `bytes` bytes of text; one more byte may be written after them. cut: the file has more. */
static int scan_text(struct scan *scan, char *text, size_t bytes, bool cut)
{
    scan->line = 1;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return BAD(scan, "the file starts with a UTF-8 byte order mark; save it without one");
    for (size_t begin = 0; begin < bytes; scan->line++) {
        const char *end = memchr(text + begin, '\n', bytes - begin);
        size_t length = end ? (size_t) (end - text) - begin : bytes - begin;
        if (!end && cut && length <= CONFIG_LINE_MAX)
            break;
        int status = scan_raw_line(scan, text + begin, length);
        if (status)
            return status;
        begin += length + 1;
    }
    return cut ? BAD(scan, "the file is larger than %d bytes; is it a configuration?", CONFIG_FILE_MAX) : 0;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int refuse_file(struct engine_error *error, const char *path, const char *reason)
{
    return error_set(error, ENGINE_STATUS_USAGE, "%s: %s, expected a configuration file", path, reason);
}

/* Opens a regular file. A pipe would be empty when iniparser opens the path again, and opening it must not wait for a
 * writer. */
static int open_file(const char *path, int *file, struct engine_error *error)
{
    struct stat about;
    *file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (*file < 0 || TEMP_FAILURE_RETRY(fstat(*file, &about)) != 0)
        return refuse_file(error, path, errno == ENOENT ? "no such file" : strerror(errno));
    if (S_ISDIR(about.st_mode))
        return refuse_file(error, path, "this is a folder");
    return S_ISREG(about.st_mode) ? 0 : refuse_file(error, path, "this is not a regular file");
}

static int read_file(int file, const char *path, char *text, size_t *bytes, struct engine_error *error)
{
    *bytes = 0;
    while (*bytes <= CONFIG_FILE_MAX) {
        ssize_t got = read(file, text + *bytes, CONFIG_FILE_MAX + 1 - *bytes);
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

static int scan_file(struct config *config, struct engine_error *error)
{
    int file = -1;
    size_t bytes = 0;
    char *text = NULL;
    int status = open_file(config->path, &file, error);
    if (status == 0 && !(text = malloc(CONFIG_FILE_MAX + 2)))
        status = config_no_memory(error);
    if (status == 0)
        status = read_file(file, config->path, text, &bytes, error);
    bool cut = bytes > CONFIG_FILE_MAX;
    struct scan scan = {.config = config, .error = error};
    if (status == 0)
        status = scan_text(&scan, text, cut ? CONFIG_FILE_MAX : bytes, cut);
    free(text);
    if (file >= 0)
        close(file);
    return status;
}

/* ---- iniparser ---------------------------------------------------------------------------------------------- */

/* Returns why iniparser found another file than the scan. iniparser reports neither a lack of memory nor a read error,
 * but errno does. */
static const char *reason(int errno_then)
{
    return errno_then ? strerror(errno_then) : "was the file changed?";
}

static int disagree(const struct config *config, const char *name, int errno_then, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE, "%s: iniparser and the engine disagree about key '%s': %s",
                     config->path, name, reason(errno_then));
}

/* Gives every scanned key without quotes the text that iniparser found. */
static int take_texts(struct config *config, const dictionary *read, int errno_then, struct engine_error *error)
{
    char name[2 * CONFIG_NAME_MAX + 2];
    for (uint32_t i = 0; i < config->count; i++) {
        const struct config_section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count; k++) {
            snprintf(name, sizeof name, "%s:%s", section->name, section->entries[k].key);
            const char *text = iniparser_getstring(read, name, NULL);
            if (!text)
                return disagree(config, name, errno_then, error);
            if (!section->entries[k].text && !(section->entries[k].text = strdup(text)))
                return config_no_memory(error);
        }
    }
    return 0;
}

/* Checks that iniparser found no key that the scan did not find. */
static int check_names(const struct config *config, const dictionary *read, int errno_then, struct engine_error *error)
{
    /* The type of dictionary.size is another one in iniparser 4.2. */
    for (size_t i = 0; i < (size_t) read->size; i++) {
        const char *name = read->key[i], *colon = name ? strchr(name, ':') : NULL;
        if (!colon)
            continue;
        char section[CONFIG_NAME_MAX + 1];
        snprintf(section, sizeof section, "%.*s", (int) (colon - name), name);
        if (!config_find_entry(config, section, colon + 1))
            return disagree(config, name, errno_then, error);
    }
    return 0;
}

/* Reads the texts of all keys. Where the two readers find different keys, one of them reads the file in another way
 * than its author meant. iniparser has one error callback for the whole process, which is the caller's. */
static int parse_file(struct config *config, struct engine_error *error)
{
    errno = 0;
    dictionary *read = iniparser_load(config->path);
    while (errno == EINTR) { /* iniparser may have missed some lines */
        if (read)
            iniparser_freedict(read);
        errno = 0;
        read = iniparser_load(config->path);
    }
    const int errno_then = errno;
    if (!read)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: iniparser cannot read it: %s", config->path,
                         reason(errno_then));
    if (!read->key || !read->val || !read->hash)
        return config_no_memory(
            error); /* iniparser had no memory for them, does not report it, and cannot free the rest */
    int status = take_texts(config, read, errno_then, error);
    if (status == 0)
        status = check_names(config, read, errno_then, error);
    iniparser_freedict(read);
    return status;
}

int config_read_file(struct config *config, struct engine_error *error)
{
    return scan_file(config, error) != 0 ? error->status : parse_file(config, error);
}
