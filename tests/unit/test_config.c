/* Reading a configuration: every entry is found with its place, and text that iniparser would misread is refused. */
#include "config/config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <iniparser/iniparser.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/skipped.h"

static char folder[64];
static char path[96];

static void write_file(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static struct config *open_text(const char *text)
{
    struct config *config = NULL;
    struct engine_error error = {0, ""};
    write_file(text, strlen(text));
    if (config_open(path, &config, &error) != 0)
        fail_msg("'%s' is refused: %s", text, error.text);
    return config;
}

/* The message must start with the file, and hold the fragment. */
static void assert_refused(const char *given, const char *fragment)
{
    struct config *config = (void *) path;
    struct engine_error error = {0, ""};
    int status = config_open(path, &config, &error);
    if (status != ENGINE_STATUS_USAGE || error.status != ENGINE_STATUS_USAGE || config != NULL)
        fail_msg("'%.40s': status %d, expected %d", given, status, ENGINE_STATUS_USAGE);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, fragment))
        fail_msg("'%.40s': message '%s', expected '%s:…%s'", given, error.text, path, fragment);
}

/* ---- What is found ------------------------------------------------------------------------------------------ */

static void given_a_file_when_read_then_texts_are_found_as_iniparser_has_them(void **state)
{
    static const struct {
        const char *text, *section, *key, *value;
    } cases[] = {
        {"[run]\nsteps = 1000\n", "run", "steps", "1000"},
        {"[run]\nsteps = 1000", "run", "steps", "1000"},
        {"[run]\r\nsteps = 1000\r\n", "run", "steps", "1000"},
        {"[run]\nsteps=1000\n", "run", "steps", "1000"},
        {"\t [ run ] \n \t steps\t=\t1000\t \n", "run", "steps", "1000"},
        {"[run]\nsteps = 1000 ; auto | cpu\n", "run", "steps", "1000"},
        {"[run]\nsteps = 1000 # a comment\n", "run", "steps", "1000"},
        {"[run]\nsteps = 1000;a comment\n", "run", "steps", "1000"},
        {"[run]\nsteps =\n", "run", "steps", ""},
        {"[run]\nsteps = ; nothing\n", "run", "steps", ""},
        {"[run]\nsteps = \"\"\n", "run", "steps", ""},
        {"[run]\nsteps = '' ; nothing\n", "run", "steps", ""},
        {"[init]\nfile = \"a;b #c.rle\" ; quoted\n", "init", "file", "a;b #c.rle"},
        {"[init]\nfile = 'a;b #c.rle' # quoted\n", "init", "file", "a;b #c.rle"},
        {"[init]\nfile = \"a\\\\b\\c\"\n", "init", "file", "a\\\\b\\c"}, /* versions of iniparser differ */
        {"[init]\nfile = 'a\\b' ; quoted\n", "init", "file", "a\\b"},
        {"[init]\nfile = \"  a  \"\n", "init", "file", "  a  "},
        {"[init]\nfile = it's \"here\"\n", "init", "file", "it's \"here\""},
        {"[init]\nfile = gr\xc3\xbc\xc3\x9f"
         "e.rle\n",
         "init", "file",
         "gr\xc3\xbc\xc3\x9f"
         "e.rle"},
        {"[init]\nfile = a=b\n", "init", "file", "a=b"},
        {"[Life2D-Bit]\nRule = B3/S23\n", "life2d-bit", "rule", "B3/S23"},
        {"[life2d-bit]\nrule = B3/S23\n", "Life2D-Bit", "RULE", "B3/S23"},
        {"[grid]\nsize = 512 384\n", "grid", "size", "512 384"},
        {"[a]\nx = 1\n[b]\nx = 2\n", "b", "x", "2"},
        {"[a]\nx = 1\n[b]\nx = 2\n[a]\ny = 3\n", "a", "y", "3"},
        {"; [no]\n# x\n\n   ; y\n[a]\nx = 1\n", "a", "x", "1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config *config = open_text(cases[i].text);
        const char *value = config_get(config, cases[i].section, cases[i].key);
        if (!value || strcmp(value, cases[i].value) != 0)
            fail_msg("'%s': [%s] %s is '%s', expected '%s'", cases[i].text, cases[i].section, cases[i].key,
                     value ? value : "(none)", cases[i].value);
        config_close(config);
    }
}

static void given_sections_when_listed_then_they_and_their_keys_come_in_the_order_written(void **state)
{
    struct config *config =
        open_text("[run]\nsteps = 1\nplugin = life\n[empty]\n[grid]\nsize = 3 3\n[run]\ndevice = 0\n");
    static const char *const sections[] = {"run", "empty", "grid"}, *const keys[] = {"steps", "plugin", "device"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(config_section_at(config, i), sections[i]);
        assert_string_equal(config_key_at(config, "run", i), keys[i]);
    }
    assert_null(config_section_at(config, 3));
    assert_null(config_key_at(config, "run", 3));
    assert_null(config_key_at(config, "empty", 0));
    assert_null(config_key_at(config, "absent", 0));
    assert_null(config_get(config, "run", "absent"));
    assert_null(config_get(config, "absent", "steps"));
    config_close(config);
}

static void given_a_key_when_asked_where_then_file_and_line_are_said(void **state)
{
    char place[128];
    struct config *config = open_text("; first\n[run]\n\nsteps = 1\n[grid]\n[run]\ndevice = 0\n");
    static const struct {
        const char *section, *key, *place;
    } cases[] = {
        {"run", "steps", ":4"}, {"run", "device", ":7"}, {"run", "absent", ""}, {"absent", "x", ""},
        {"run", NULL, ":2"},    {"grid", NULL, ":5"},    {"absent", NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(place, sizeof place, "%s%s", path, cases[i].place);
        assert_string_equal(config_place(config, cases[i].section, cases[i].key), place);
    }
    config_close(config);
}

static void given_a_path_when_opened_then_its_folder_is_known(void **state)
{
    struct config *config = open_text("[run]\n");
    struct engine_error error;
    assert_string_equal(config_folder(config), folder);
    config_close(config);
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(config_open("a.ini", &config, &error), 0);
    assert_string_equal(config_folder(config), ".");
    config_close(config);
    assert_int_equal(chdir(before), 0);
    free(before);
}

static void given_an_empty_file_when_read_then_there_is_nothing(void **state)
{
    static const char *const texts[] = {"", "\n", "\n\n\n", "; only a comment", " \t \n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct config *config = open_text(texts[i]);
        assert_null(config_section_at(config, 0));
        config_close(config);
    }
}

static void given_no_file_when_opened_then_the_command_line_is_the_place(void **state)
{
    struct config *config;
    struct engine_error error;
    assert_int_equal(config_open(NULL, &config, &error), 0);
    assert_string_equal(config_folder(config), ".");
    assert_string_equal(config_place(config, "run", "steps"), "configuration");
    assert_null(config_section_at(config, 0));
    config_close(config);
    config_close(NULL);
}

/* ---- What is refused ---------------------------------------------------------------------------------------- */

static void given_a_broken_line_when_read_then_it_is_named(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *fragment;
    } cases[] = {
#define TEXT(text) text, sizeof(text) - 1
        {TEXT("steps = 1\n"), ":1: key 'steps' comes before the first [section]"},
        {TEXT("\n; c\nsteps = 1\n[run]\n"), ":3: key 'steps' comes before"},
        {TEXT("[run]\nsteps = 1\ndevice = 0\nsteps = 2\n"), ":4: key 'steps' in [run] is given twice, first in line 2"},
        {TEXT("[run]\nsteps = 1\nSTEPS = 1\n"), ":3: key 'STEPS' in [run] is given twice, first in line 2"},
        {TEXT("[run]\nsteps = 1\n[grid]\n[Run]\nsteps = 1\n"),
         ":5: key 'steps' in [run] is given twice, first in line 2"},
        {TEXT("[run]\nsteps\n"), ":2: 'steps' is not a configuration line; expected [section], key = value"},
        {TEXT("[run]\nx"), ":2: 'x' is not a configuration line"},
        {TEXT("[run]\n]\n"), ":2: ']' is not a configuration line"},
        {TEXT("[run]\nsteps ; = 1\n"), ":2: key 'steps ;': expected"},
        {TEXT("[run]\n= 1\n"), ":2: there is no key before '='"},
        {TEXT("[run]\n  =\n"), ":2: there is no key before '='"},
        {TEXT("[run]\na b = 1\n"), ":2: key 'a b': expected 1 to 64 letters, digits, '_' or '-'"},
        {TEXT("[run]\na:b = 1\n"), ":2: key 'a:b'"},
        {TEXT("[run]\na.b = 1\n"), ":2: key 'a.b'"},
        {TEXT("[run]\nk\xc3\xa9y = 1\n"), ":2: key 'k\xc3\xa9y'"},
        {TEXT("[run\nsteps = 1\n"), ":1: section header is not closed"},
        {TEXT("["), ":1: section header is not closed"},
        {TEXT("[]\n"), ":1: section name ''"},
        {TEXT("[  ]\n"), ":1: section name ''"},
        {TEXT("[a b]\n"), ":1: section name 'a b'"},
        {TEXT("[a:b]\n"), ":1: section name 'a:b'"},
        {TEXT("[[a]]\n"), ":1: ']' follows a section header"},
        {TEXT("[a] ; comment\n"), ":1: ' ; comment' follows a section header"},
        {TEXT("[a] b = 1\n"), ":1: ' b = 1' follows a section header"},
        {TEXT("[a]\nx = \"abc\n"), ":2: value \"abc: the quote is not closed"},
        {TEXT("[a]\nx = 'abc\"\n"), ":2: value 'abc\": the quote is not closed"},
        {TEXT("[a]\nx = \"a\" b\n"), ":2: 'b' follows the closing quote"},
        {TEXT("[a]\nx = ''b''\n"), ":2: 'b''' follows the closing quote"},
        {TEXT("[a]\nx = 1 \\\n2\n"), ":2: the line ends in '\\'"},
        {TEXT("[a]\n; a comment \\\nx = 1\n"), ":2: the line ends in '\\'"},
        {TEXT("[a]\n\\\n"), ":2: the line ends in '\\'"},
        {TEXT("[a]\nx = 1\0\n"), ":2: NUL byte"},
        {TEXT("\0"), ":1: NUL byte"},
        {TEXT("[\0a\0]\0\n\0"), ":1: NUL byte"},
        {TEXT("[a]\n\nx = \x01\n"), ":3: control character 0x01"},
        {TEXT("[a]\nx = \x1b[31m\n"), ":2: control character 0x1b"},
        {TEXT("[a]\nx = \x7f\n"), ":2: control character 0x7f"},
        {TEXT("[a]\n; \f\n"), ":2: control character 0x0c"},
        {TEXT("[a]\rx = 1\r"), ":1: control character 0x0d"},
        {TEXT("[a]\r\r\n"), ":1: control character 0x0d"},
        {TEXT("\xef\xbb\xbf[a]\nx = 1\n"), ":1: the file starts with a UTF-8 byte order mark"},
#undef TEXT
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(cases[i].text, cases[i].bytes);
        assert_refused(cases[i].text, cases[i].fragment);
    }
}

/* A line of `bytes` characters, "x = 111…", as the second of three. */
static void write_long_line(size_t bytes, const char *end)
{
    char *text = malloc(bytes + 64);
    assert_non_null(text);
    size_t length = (size_t) sprintf(text, "[a]\nx = ");
    memset(text + length, '1', bytes - 4);
    sprintf(text + 4 + bytes, "%s", end);
    write_file(text, 4 + bytes + strlen(end));
    free(text);
}

static void given_the_longest_line_when_read_then_it_is_whole(void **state)
{
    static const struct {
        size_t bytes;
        const char *end;
    } cases[] = {{1022, "\ny = 2\n"}, {1022, ""}, {1021, "\r\ny = 2\n"}, {1021, "\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config *config = NULL;
        struct engine_error error = {0, ""};
        write_long_line(cases[i].bytes, cases[i].end);
        if (config_open(path, &config, &error) != 0)
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(strlen(config_get(config, "a", "x")), cases[i].bytes - 4);
        config_close(config);
    }
}

static void given_a_longer_line_when_read_then_it_is_named(void **state)
{
    static const struct {
        size_t bytes;
        const char *end;
    } cases[] = {{1023, "\ny = 2\n"}, {1023, ""},      {1022, "\r\n"},  {1024, "\n"},
                 {5000, "\n"},        {1000000, "\n"}, {1 << 20, "\n"}, {3 << 20, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_long_line(cases[i].bytes, cases[i].end);
        assert_refused("a long line", ":2: line is longer than 1022 bytes");
    }
}

static void given_a_name_of_65_letters_when_read_then_it_is_refused(void **state)
{
    char text[256];
    snprintf(text, sizeof text, "[a]\n%064d = 1\n", 1);
    config_close(open_text(text));
    snprintf(text, sizeof text, "[a]\n%065d = 1\n", 1);
    write_file(text, strlen(text));
    assert_refused(text, ":2: key '000");
    snprintf(text, sizeof text, "[%065d]\n", 1);
    write_file(text, strlen(text));
    assert_refused(text, ":1: section name '000");
}

static void given_a_file_above_1_MiB_when_read_then_it_is_refused(void **state)
{
    static char text[(1 << 20) + 8];
    memset(text, '\n', sizeof text);
    write_file(text, 1 << 20);
    struct config *config;
    struct engine_error error;
    assert_int_equal(config_open(path, &config, &error), 0);
    config_close(config);
    write_file(text, (1 << 20) + 1);
    assert_refused("1 MiB and 1", ":1048577: the file is larger than 1048576 bytes");
}

static void given_more_keys_than_4096_when_read_then_it_is_refused(void **state)
{
    char *text = malloc(5000 * 16);
    assert_non_null(text);
    for (int keys = 4096; keys <= 4097; keys++) {
        size_t length = (size_t) sprintf(text, "[a]\n");
        for (int i = 0; i < keys; i++)
            length += (size_t) sprintf(text + length, "k%d = 1\n", i);
        if (keys == 4096)
            config_close(open_text(text));
    }
    write_file(text, strlen(text));
    free(text);
    assert_refused("4097 keys", ":4098: more than 4096 keys");
}

static void given_more_sections_than_4096_when_read_then_it_is_refused(void **state)
{
    char *text = malloc(5000 * 16);
    assert_non_null(text);
    for (int sections = 4096; sections <= 4097; sections++) {
        size_t length = 0;
        for (int i = 0; i < sections; i++)
            length += (size_t) sprintf(text + length, "[s%d]\n", i);
        strcpy(text + length, "[s0]\n"); /* opened again */
        if (sections == 4096)
            config_close(open_text(text));
    }
    write_file(text, strlen(text));
    free(text);
    assert_refused("4097 sections", ":4097: more than 4096 sections");
}

static void given_no_file_there_when_opened_then_it_is_refused(void **state)
{
    static const struct {
        const char *path, *fragment;
    } cases[] = {
        {"/nonexistent/a.ini", "/nonexistent/a.ini: no such file"},
        {"/dev/null", "/dev/null: this is not a regular file"},
        {"/dev/zero", "/dev/zero: this is not a regular file"},
        {"/", "/: this is a folder"},
        {"", ": no such file"},
        {"/proc/self/status/x", "/proc/self/status/x: Not a directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config *config;
        struct engine_error error;
        assert_int_equal(config_open(cases[i].path, &config, &error), ENGINE_STATUS_USAGE);
        if (!strstr(error.text, cases[i].fragment))
            fail_msg("'%s': message '%s'", cases[i].path, error.text);
        assert_null(config);
    }
}

static void given_a_pipe_when_opened_then_it_is_refused_without_waiting(void **state)
{
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(10);
    assert_refused("a pipe", ": this is not a regular file");
    alarm(0);
    unlink(path);
}

static void given_a_file_that_may_not_be_read_when_opened_then_it_is_refused(void **state)
{
    write_file("[a]\n", 4);
    assert_int_equal(chmod(path, 0), 0);
    uid_t user = geteuid(); /* root reads everything */
    assert_int_equal(seteuid(user ? user : 65534), 0);
    assert_refused("mode 0", ": Permission denied");
    assert_int_equal(seteuid(user), 0);
    unlink(path);
}

/* ---- Assignments -------------------------------------------------------------------------------------------- */

static void given_an_assignment_when_set_then_it_takes_the_place_of_the_file(void **state)
{
    struct config *config = open_text("[run]\nsteps = 1\n");
    struct engine_error error;
    const char *file_place = config_place(config, "run", "steps");
    static const struct {
        const char *assignment, *section, *key, *value, *place;
    } cases[] = {
        {"run.steps=2", "run", "steps", "2", "run.steps"},
        {"run.steps=3", "run", "steps", "3", "run.steps"},
        {"run.device=1", "run", "device", "1", "run.device"},
        {" Grid . Size = 3 4 ", "grid", "size", "3 4", "Grid.Size"},
        {"init.file=a.b=c;d#e", "init", "file", "a.b=c;d#e", "init.file"},
        {"init.at=", "init", "at", "", "init.at"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (config_set(config, cases[i].assignment, &error) != 0)
            fail_msg("'%s': %s", cases[i].assignment, error.text);
        assert_string_equal(config_get(config, cases[i].section, cases[i].key), cases[i].value);
        assert_string_equal(config_place(config, cases[i].section, cases[i].key), cases[i].place);
    }
    assert_string_equal(config_place(config, "grid", NULL), "Grid.Size");
    assert_string_equal(config_section_at(config, 1), "grid");
    assert_string_equal(config_key_at(config, "run", 1), "device");
    assert_non_null(strstr(file_place, ":2")); /* places live on */
    config_close(config);
}

static void given_a_broken_assignment_when_set_then_it_is_refused_and_nothing_changes(void **state)
{
    struct config *config = open_text("[run]\nsteps = 1\n");
    char long_value[1100] = "run.steps=";
    memset(long_value + 10, '1', 1023);
    const struct {
        const char *assignment, *fragment;
    } cases[] = {
        {"", ": expected section.key=value"},
        {"run", "run: expected section.key=value"},
        {"run.steps", "run.steps: expected section.key=value"},
        {"steps=2", "steps=2: expected section.key=value"},
        {"steps=2.5", "steps=2.5: expected section.key=value"},
        {".steps=2", ": section ''"},
        {"run.=2", ": key ''"},
        {"run.a.b=2", ": key 'a.b'"},
        {"r n.a=2", ": section 'r n'"},
        {"run.steps=2\n3", "run.steps: the value holds a control character"},
        {long_value, "run.steps: the value is longer than a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_error error = {0, ""};
        assert_int_equal(config_set(config, cases[i].assignment, &error), ENGINE_STATUS_USAGE);
        if (!strstr(error.text, cases[i].fragment))
            fail_msg("'%.40s': message '%s'", cases[i].assignment, error.text);
    }
    assert_string_equal(config_get(config, "run", "steps"), "1");
    assert_null(config_section_at(config, 1));
    config_close(config);
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define OWN_MALLOC 0
#endif
#if !defined(OWN_MALLOC) && defined(__GLIBC__)
#define OWN_MALLOC 1
#elif !defined(OWN_MALLOC)
#define OWN_MALLOC 0
#endif

static long allocations_left = -1; /* -1: as many as asked for */

#if OWN_MALLOC
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static int exhausted(void)
{
    if (allocations_left > 0)
        allocations_left--;
    errno = allocations_left == 0 ? ENOMEM : errno;
    return allocations_left == 0;
}

void *malloc(size_t bytes)
{
    return exhausted() ? NULL : __libc_malloc(bytes);
}

/* iniparser 4.2 crashes if it gets no memory for its table of keys, which it asks for with calloc. Its size was an int
 * in 4.1. */
static int would_crash(void *caller)
{
    Dl_info object;
    return sizeof((dictionary *) NULL)->size > sizeof(int) && dladdr(caller, &object) &&
           strstr(object.dli_fname, "libiniparser");
}

void *calloc(size_t count, size_t bytes)
{
    return !would_crash(__builtin_return_address(0)) && exhausted() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return exhausted() ? NULL : __libc_realloc(old, bytes);
}
#endif

static void given_a_clone_when_it_is_set_then_the_first_one_keeps_texts_and_places(void **state)
{
    struct config *config = open_text("[run]\nsteps = 10\n\n[grid]\nsize = 3 4\n"), *clone;
    struct engine_error error;
    char place[128];
    assert_int_equal(config_set(config, "run.threads=2", &error), 0);
    assert_int_equal(config_clone(config, &clone, &error), 0);
    assert_int_equal(config_set(clone, "grid.size=5 6", &error), 0);
    assert_int_equal(config_set(clone, "output.every=1", &error), 0);
    assert_string_equal(config_get(config, "grid", "size"), "3 4");
    assert_null(config_get(config, "output", "every"));
    config_close(config);
    assert_string_equal(config_get(clone, "grid", "size"), "5 6");
    assert_string_equal(config_place(clone, "grid", "size"), "grid.size");
    assert_string_equal(config_get(clone, "run", "steps"), "10");
    snprintf(place, sizeof place, "%s:2", path);
    assert_string_equal(config_place(clone, "run", "steps"), place);
    assert_string_equal(config_place(clone, "run", "threads"), "run.threads");
    assert_string_equal(config_path(clone), path);
    assert_string_equal(config_folder(clone), folder);
    assert_string_equal(config_section_at(clone, 1), "grid");
    config_close(clone);
}

static int complaints;

static int complain(const char *format, ...)
{
    (void) format;
    return ++complaints;
}

static void given_a_program_with_a_callback_for_iniparser_when_read_then_it_keeps_it(void **state)
{
    (void) state;
    iniparser_set_error_callback(complain);
    config_close(open_text("[run]\nsteps = 10\n"));
    assert_int_equal(complaints, 0);
    assert_null(iniparser_load("/none/a.ini"));
    assert_int_equal(complaints, 1);
    iniparser_set_error_callback(NULL);
}

/* From the n-th allocation on none succeeds. */
static void given_no_memory_when_cloned_then_it_is_an_error_and_no_crash(void **state)
{
#if !OWN_MALLOC
    SKIP("the sanitizer has its own malloc");
#endif
    struct config *config = open_text("[run]\nsteps = 10\n[grid]\nsize = 3 4\n"), *clone;
    int status = -1;
    for (long n = 1; status != 0; n++) {
        struct engine_error error = {0, ""};
        assert_in_range(n, 1, 100);
        allocations_left = n;
        status = config_clone(config, &clone, &error);
        allocations_left = -1;
        assert_int_equal(status, clone ? 0 : ENGINE_STATUS_DEVICE);
        config_close(clone);
    }
    config_close(config);
}

/* From the n-th allocation on none succeeds. iniparser drops lines it has no memory for: that must not pass. */
static void given_no_memory_when_read_and_set_then_it_is_an_error_and_no_crash(void **state)
{
    if (!OWN_MALLOC)
        SKIP("the sanitizer has its own malloc");
    static const char text[] = "[run]\nsteps = 1\nplugin = life\n[grid]\nsize = 3 3\n";
    write_file(text, sizeof text - 1);
    for (long n = 1; n < 200; n++) {
        struct config *config = NULL;
        struct engine_error error = {0, ""};
        allocations_left = n;
        int status = config_open(path, &config, &error);
        int set_status = config ? config_set(config, "init.file=a", &error) : 0;
        allocations_left = -1;
        if (status != 0)
            assert_true((status == ENGINE_STATUS_DEVICE || status == ENGINE_STATUS_USAGE) && config == NULL);
        if (config) {
            assert_string_equal(config_get(config, "run", "plugin"), "life");
            assert_string_equal(config_get(config, "grid", "size"), "3 3");
            assert_true(set_status == ENGINE_STATUS_DEVICE || set_status == 0);
        }
        config_close(config);
        if (config && set_status == 0) {
            assert_true(n > 20);
            return;
        }
    }
    fail_msg("200 allocations were not enough");
}

static int make_folder(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/engine-test-XXXXXX", parent && strlen(parent) < 40 ? parent : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.ini", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_file_when_read_then_texts_are_found_as_iniparser_has_them),
        cmocka_unit_test(given_sections_when_listed_then_they_and_their_keys_come_in_the_order_written),
        cmocka_unit_test(given_a_key_when_asked_where_then_file_and_line_are_said),
        cmocka_unit_test(given_a_path_when_opened_then_its_folder_is_known),
        cmocka_unit_test(given_an_empty_file_when_read_then_there_is_nothing),
        cmocka_unit_test(given_no_file_when_opened_then_the_command_line_is_the_place),
        cmocka_unit_test(given_a_broken_line_when_read_then_it_is_named),
        cmocka_unit_test(given_the_longest_line_when_read_then_it_is_whole),
        cmocka_unit_test(given_a_longer_line_when_read_then_it_is_named),
        cmocka_unit_test(given_a_name_of_65_letters_when_read_then_it_is_refused),
        cmocka_unit_test(given_a_file_above_1_MiB_when_read_then_it_is_refused),
        cmocka_unit_test(given_more_keys_than_4096_when_read_then_it_is_refused),
        cmocka_unit_test(given_more_sections_than_4096_when_read_then_it_is_refused),
        cmocka_unit_test(given_no_file_there_when_opened_then_it_is_refused),
        cmocka_unit_test(given_a_pipe_when_opened_then_it_is_refused_without_waiting),
        cmocka_unit_test(given_a_file_that_may_not_be_read_when_opened_then_it_is_refused),
        cmocka_unit_test(given_an_assignment_when_set_then_it_takes_the_place_of_the_file),
        cmocka_unit_test(given_a_broken_assignment_when_set_then_it_is_refused_and_nothing_changes),
        cmocka_unit_test(given_a_clone_when_it_is_set_then_the_first_one_keeps_texts_and_places),
        cmocka_unit_test(given_no_memory_when_cloned_then_it_is_an_error_and_no_crash),
        cmocka_unit_test(given_a_program_with_a_callback_for_iniparser_when_read_then_it_keeps_it),
        cmocka_unit_test(given_no_memory_when_read_and_set_then_it_is_an_error_and_no_crash),
    };
    return cmocka_run_group_tests_name("config", tests, make_folder, remove_folder);
}
