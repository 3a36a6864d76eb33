/* engine new-plugin: writes a small working rule plugin with a test, from the files of cli/template. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Writes a small working plugin for a cell rule into the new folder FOLDER, by default NAME: the rule in NAME.h, "
    "plugin.c, "
    "cpu.c, cuda.cu, a configuration and a test. In the folder, `make` builds the plugin, with CUDA if nvcc is "
    "installed; `make test` tests the rule; `make conform` checks the plugin against the interface. NAME consists of "
    "lower-case letters, digits and '-'.\n";

static const char more[] = "Example:\n"
                           "  engine new-plugin my-rule && make -C my-rule test\n"
                           "\n"
                           "The page writing-a-plugin.md explains how to change it to your own rule; `engine --help` "
                           "says where the documentation is.\n";

/* The assembler copies the template files into this program. */
#define FILE_BYTES(symbol, file) \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"cli/template/" file "\"\n" #symbol \
            "_end:\n.byte 0\n.previous\n"); \
    extern const char symbol[], symbol##_end[]

FILE_BYTES(template_plugin_c, "plugin.c");
FILE_BYTES(template_plugin_h, "plugin.h");
FILE_BYTES(template_cpu_c, "cpu.c");
FILE_BYTES(template_cuda_cu, "cuda.cu");
FILE_BYTES(template_config, "config.ini");
FILE_BYTES(template_start, "start.cells");
FILE_BYTES(template_makefile, "Makefile");
FILE_BYTES(template_test, "test.sh");
FILE_BYTES(template_readme, "README.md");

static const struct {
    const char *name; /* @NAME@ stands for the plugin's name */
    const char *begin, *end;
    mode_t mode;
} files[] = {
    {"plugin.c", template_plugin_c, template_plugin_c_end, 0666},
    {"@NAME@.h", template_plugin_h, template_plugin_h_end, 0666},
    {"cpu.c", template_cpu_c, template_cpu_c_end, 0666},
    {"cuda.cu", template_cuda_cu, template_cuda_cu_end, 0666},
    {"@NAME@.ini", template_config, template_config_end, 0666},
    {"start.cells", template_start, template_start_end, 0666},
    {"Makefile", template_makefile, template_makefile_end, 0666},
    {"test.sh", template_test, template_test_end, 0777},
    {"README.md", template_readme, template_readme_end, 0666},
};

/* A placeholder of the templates and its value. */
struct placeholder {
    const char *key, *value;
};

/* Hands the text to `put` in pieces, with every placeholder replaced. */
static void fill_in(const char *text, const char *end, const struct placeholder *placeholders,
                    void (*put)(void *to, const char *piece, size_t length), void *to)
{
    while (text < end) {
        const struct placeholder *at = placeholders;
        while (at->key && ((size_t) (end - text) < strlen(at->key) || memcmp(text, at->key, strlen(at->key)) != 0))
            at++;
        if (at->key) {
            put(to, at->value, strlen(at->value));
            text += strlen(at->key);
        } else
            put(to, text++, 1);
    }
}

static void put_file(void *to, const char *piece, size_t length)
{
    fwrite(piece, 1, length, to);
}

static void put_name(void *to, const char *piece, size_t length)
{
    strncat(to, piece, length);
}

static int write_file(const char *folder, size_t index, const struct placeholder *placeholders,
                      struct engine_error *error)
{
    char name[256] = "", path[1024];
    fill_in(files[index].name, files[index].name + strlen(files[index].name), placeholders, put_name, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wxe");
    if (!file)
        return fail(error, ENGINE_STATUS_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
    fill_in(files[index].begin, files[index].end, placeholders, put_file, file);
    bool failed = ferror(file) != 0;
    mode_t mask = umask(0);
    umask(mask);
    failed |= fchmod(fileno(file), files[index].mode & ~mask) != 0;
    failed |= fclose(file) != 0;
    return failed ? fail(error, ENGINE_STATUS_OUTPUT, "%s: cannot write: %s", path, strerror(errno)) : 0;
}

static int check_name(const char *name, struct engine_error *error)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (length == 0 || length > 64 || name[length] || name[0] == '-')
        return fail(error, ENGINE_STATUS_USAGE,
                    "'%s' is not a name for a plugin; expected up to 64 lower-case letters, digits and '-'", name);
    return 0;
}

/* Finds the program and the include folder that was installed with it, for the Makefile of the plugin. */
static void find_engine(char program[512], char include[512])
{
    char link[512] = "";
    ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
    char *slash = length > 0 ? strrchr(link, '/') : NULL;
    snprintf(program, 512, "%s", slash ? link : "engine");
    if (slash)
        *slash = '\0';
    char path[600];
    snprintf(path, sizeof path, "%s/../include", link);
    char *real = slash ? realpath(path, NULL) : NULL;
    snprintf(include, 512, "%s", real ? real : "/usr/local/include");
    free(real);
}

static int write_plugin(const char *name, const char *folder, bool quiet, struct engine_error *error)
{
    char program[512], include[512];
    find_engine(program, include);
    const struct placeholder placeholders[] = {
        {"@NAME@", name}, {"@ENGINE@", program}, {"@INCLUDE@", include}, {NULL, NULL}};
    if (check_name(name, error) != 0)
        return error->status;
    if (mkdir(folder, 0777) != 0)
        return fail(error, ENGINE_STATUS_OUTPUT,
                    errno == EEXIST
                        ? "%s: cannot make this folder: %s; give another name, or give another folder after the name"
                        : "%s: cannot make this folder: %s",
                    folder, strerror(errno));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (write_file(folder, i, placeholders, error) != 0)
            return error->status;
    if (!quiet)
        fprintf(stderr, "%s: wrote a working plugin; `make -C %s test` builds and tests it; its rule is in %s/%s.h\n",
                folder, folder, folder, name);
    return 0;
}

static int new_plugin(struct options *options, struct engine_context *context)
{
    (void) context;
    struct engine_error error;
    const char *folder = options->word_count == 2 ? options->words[1] : options->words[0];
    return write_plugin(options->words[0], folder, options->terminal.verbosity == QUIET, &error) != 0
               ? report(&error)
               : ENGINE_STATUS_DONE;
}

const struct verb verb_new_plugin = {
    .name = "new-plugin",
    .summary = "writes a small plugin to start from",
    .words = "NAME [FOLDER]",
    .min_words = 1,
    .max_words = 2,
    .help = help,
    .more = more,
    .without_context = true,
    .run = new_plugin,
};
