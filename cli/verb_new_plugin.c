/* engine new-plugin and engine new-format: write a small working plugin or file format with a test, from the files of
 * cli/template. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Writes a small working plugin into the new folder FOLDER, by default NAME: the rule in NAME.h, plugin.c, cuda.cu, "
    "a "
    "configuration and a test. In the folder, `make` builds the plugin, with CUDA if nvcc is installed; `make test` "
    "tests the rule; `make conform` checks the plugin against the interface. NAME consists of lower-case letters, "
    "digits and '-'.\n"
    "\n"
    "The kinds of plugins:\n"
    "  bytes      cells of a few states, two axes: Fredkin's parity rule\n"
    "  floats     cells of several numbers, two axes: the wave equation\n"
    "  volume     cells of a number, three axes: heat conduction\n"
    "  particles  positions and velocities, without a grid: springs between neighbours\n";

static const char more[] = "Example:\n"
                           "  engine new-plugin my-rule && make -C my-rule test\n"
                           "  engine new-plugin my-fluid --kind floats\n"
                           "\n"
                           "The page docs/tutorial/my-rule.md explains how to change it to your own rule; "
                           "`engine --help` says where the documentation is.\n";

/* The assembler copies the template files into this program. */
#define FILE_BYTES(symbol, file) \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"cli/template/" file "\"\n" #symbol \
            "_end:\n.byte 0\n.previous\n"); \
    extern const char symbol[], symbol##_end[]

FILE_BYTES(template_makefile, "Makefile");
FILE_BYTES(template_readme, "README.md");
FILE_BYTES(template_test, "test.sh");
FILE_BYTES(template_cuda, "cuda.cu"); /* of all kinds of grids */
FILE_BYTES(bytes_rule, "bytes/rule.h");
FILE_BYTES(bytes_plugin, "bytes/plugin.c");
FILE_BYTES(bytes_config, "bytes/config.ini");
FILE_BYTES(bytes_facts, "bytes/facts.sh");
FILE_BYTES(floats_rule, "floats/rule.h");
FILE_BYTES(floats_plugin, "floats/plugin.c");
FILE_BYTES(floats_config, "floats/config.ini");
FILE_BYTES(floats_facts, "floats/facts.sh");
FILE_BYTES(volume_rule, "volume/rule.h");
FILE_BYTES(volume_plugin, "volume/plugin.c");
FILE_BYTES(volume_config, "volume/config.ini");
FILE_BYTES(volume_facts, "volume/facts.sh");
FILE_BYTES(particles_rule, "particles/rule.h");
FILE_BYTES(particles_plugin, "particles/plugin.c");
FILE_BYTES(particles_config, "particles/config.ini");
FILE_BYTES(particles_facts, "particles/facts.sh");
FILE_BYTES(bytes_start, "bytes/start.cells");
FILE_BYTES(particles_cuda, "particles/cuda.cu");
FILE_BYTES(format_source, "format/format.c");
FILE_BYTES(format_makefile, "format/Makefile");
FILE_BYTES(format_readme, "format/README.md");

/* A file's name, in which @NAME@ stands for the plugin's name, and its text. A name of NULL: no file. */
struct file {
    const char *name, *begin, *end;
    mode_t mode;
};

#define FILE_OF(name, symbol, mode) \
    { \
        name, symbol, symbol##_end, mode \
    }

/* What all kinds have in common, and what each has of its own, in the order of --kind. */
static const struct file common_files[] = {
    FILE_OF("Makefile", template_makefile, 0666),
    FILE_OF("README.md", template_readme, 0666),
    FILE_OF("test.sh", template_test, 0777),
};

static const struct kind {
    const char *rule; /* @RULE@ of README.md: the rule that the plugin begins with */
    struct file files[6];
} kinds[] = {
    {"Fredkin's parity rule",
     {FILE_OF("@NAME@.h", bytes_rule, 0666), FILE_OF("plugin.c", bytes_plugin, 0666),
      FILE_OF("cuda.cu", template_cuda, 0666), FILE_OF("@NAME@.ini", bytes_config, 0666),
      FILE_OF("facts.sh", bytes_facts, 0666), FILE_OF("start.cells", bytes_start, 0666)}},
    {"the wave equation",
     {FILE_OF("@NAME@.h", floats_rule, 0666), FILE_OF("plugin.c", floats_plugin, 0666),
      FILE_OF("cuda.cu", template_cuda, 0666), FILE_OF("@NAME@.ini", floats_config, 0666),
      FILE_OF("facts.sh", floats_facts, 0666)}},
    {"heat conduction",
     {FILE_OF("@NAME@.h", volume_rule, 0666), FILE_OF("plugin.c", volume_plugin, 0666),
      FILE_OF("cuda.cu", template_cuda, 0666), FILE_OF("@NAME@.ini", volume_config, 0666),
      FILE_OF("facts.sh", volume_facts, 0666)}},
    {"particles on springs",
     {FILE_OF("@NAME@.h", particles_rule, 0666), FILE_OF("plugin.c", particles_plugin, 0666),
      FILE_OF("cuda.cu", particles_cuda, 0666), FILE_OF("@NAME@.ini", particles_config, 0666),
      FILE_OF("facts.sh", particles_facts, 0666)}},
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

static int write_file(const char *folder, const struct file *from, const struct placeholder *placeholders,
                      struct engine_error *error)
{
    char name[256] = "", path[1024];
    fill_in(from->name, from->name + strlen(from->name), placeholders, put_name, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wxe");
    if (!file)
        return fail(error, ENGINE_STATUS_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
    fill_in(from->begin, from->end, placeholders, put_file, file);
    bool failed = ferror(file) != 0;
    mode_t mask = umask(0);
    umask(mask);
    failed |= fchmod(fileno(file), from->mode & ~mask) != 0;
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

static int write_files(const char *folder, const struct file *files, size_t count,
                       const struct placeholder *placeholders, struct engine_error *error)
{
    for (size_t i = 0; i < count && files[i].name; i++)
        if (write_file(folder, &files[i], placeholders, error) != 0)
            return error->status;
    return 0;
}

static int make_folder(const char *folder, struct engine_error *error)
{
    if (mkdir(folder, 0777) == 0)
        return 0;
    return fail(error, ENGINE_STATUS_OUTPUT,
                errno == EEXIST
                    ? "%s: cannot make this folder: %s; give another name, or give another folder after the name"
                    : "%s: cannot make this folder: %s",
                folder, strerror(errno));
}

static int write_plugin(const char *name, const char *folder, const struct kind *kind, bool quiet,
                        struct engine_error *error)
{
    char program[512], include[512];
    find_engine(program, include);
    const struct placeholder placeholders[] = {
        {"@NAME@", name}, {"@ENGINE@", program}, {"@INCLUDE@", include}, {"@RULE@", kind->rule}, {NULL, NULL}};
    if (check_name(name, error) != 0 || make_folder(folder, error) != 0)
        return error->status;
    if (write_files(folder, common_files, sizeof common_files / sizeof common_files[0], placeholders, error) != 0 ||
        write_files(folder, kind->files, sizeof kind->files / sizeof kind->files[0], placeholders, error) != 0)
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
    return write_plugin(options->words[0], folder, &kinds[options->kind], options->terminal.verbosity == QUIET,
                        &error) != 0
               ? report(&error)
               : ENGINE_STATUS_DONE;
}

const struct verb verb_new_plugin = {
    .name = "new-plugin",
    .summary = "writes a small plugin to start from",
    .words = "NAME [FOLDER]",
    .min_words = 1,
    .max_words = 2,
    .options = OPTION_KIND,
    .help = help,
    .more = more,
    .without_context = true,
    .run = new_plugin,
};

/* ---- Formats ----------------------------------------------------------------------------------------------------- */

static const char format_help[] =
    "Writes a small working file format into the new folder FOLDER, by default NAME: positions of particles in text. "
    "In the folder, `make` builds NAME.format.so; `make conform` checks the format against the interface in "
    "engine/format.h; `make test` converts a file to the format and back. NAME, which is also the ending of the files, "
    "consists of lower-case letters and digits.\n";

static const char format_more[] = "Example:\n"
                                  "  engine new-format mine && make -C mine conform\n"
                                  "\n"
                                  "The page docs/tutorial/my-format.md explains how to change it to your own format; "
                                  "`engine --help` says where the documentation is.\n";

static const struct file format_files[] = {
    FILE_OF("format.c", format_source, 0666),
    FILE_OF("Makefile", format_makefile, 0666),
    FILE_OF("README.md", format_readme, 0666),
};

static int check_format_name(struct engine_context *context, const char *name, struct engine_error *error)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    const char *known;
    if (length == 0 || length > 31 || name[length])
        return fail(error, ENGINE_STATUS_USAGE,
                    "'%s' is not a name for a format; expected up to 31 lower-case letters and digits", name);
    for (uint32_t i = 0; (known = engine_format_name(context, i)); i++)
        if (strcmp(known, name) == 0)
            return fail(error, ENGINE_STATUS_USAGE, "the engine has a format '%s' already; give another name", name);
    return 0;
}

static int write_format(struct engine_context *context, const char *name, const char *folder, bool quiet,
                        struct engine_error *error)
{
    char program[512], include[512];
    find_engine(program, include);
    const struct placeholder placeholders[] = {
        {"@NAME@", name}, {"@ENGINE@", program}, {"@INCLUDE@", include}, {NULL, NULL}};
    if (check_format_name(context, name, error) != 0 || make_folder(folder, error) != 0 ||
        write_files(folder, format_files, sizeof format_files / sizeof format_files[0], placeholders, error) != 0)
        return error->status;
    if (!quiet)
        fprintf(stderr, "%s: wrote a working file format; `make -C %s conform` builds and checks it\n", folder, folder);
    return 0;
}

static int new_format(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    const char *folder = options->word_count == 2 ? options->words[1] : options->words[0];
    return write_format(context, options->words[0], folder, options->terminal.verbosity == QUIET, &error) != 0
               ? report(&error)
               : ENGINE_STATUS_DONE;
}

const struct verb verb_new_format = {
    .name = "new-format",
    .summary = "writes a small file format to start from",
    .words = "NAME [FOLDER]",
    .min_words = 1,
    .max_words = 2,
    .help = format_help,
    .more = format_more,
    .run = new_format,
};
