#include "files/format_library.h"
#include "files/io.h"
#include "plugin/object.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 31, ENDINGS_MAX = 255 };

#define REFUSE(error, ...) error_set((error), ENGINE_STATUS_PLUGIN, __VA_ARGS__)

/* ---- The descriptor ----------------------------------------------------------------------------------------- */

static int check_abi(const struct engine_abi *abi, uint64_t readable, struct engine_error *error)
{
    static const struct object_interface interface = {
        .symbol = "engine_file_format",
        .kind = "format",
        .question = "is this a file format?",
        .magic = ENGINE_FORMAT_MAGIC,
        .major = ENGINE_FORMAT_MAJOR,
        .minor = ENGINE_FORMAT_MINOR,
        .first_size = offsetof(struct engine_file_format, close) + sizeof(((struct engine_file_format *) 0)->close),
    };
    return object_check_abi(&interface, abi, readable, error);
}

/* Words of printable ASCII, separated by single spaces. */
static bool are_words(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    bool good = length > 0 && length <= most && text[0] != ' ' && text[length - 1] != ' ';
    for (size_t i = 0; good && i < length; i++)
        good = text[i] >= ' ' && text[i] < 127 && !(text[i] == ' ' && text[i + 1] == ' ');
    return good;
}

static int check_texts(const struct engine_file_format *about, const char *path, struct engine_error *error)
{
    char expected[NAME_MAX_LENGTH + sizeof REGISTRY_FORMAT_ENDING];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (!about->name || !about->version || !about->summary || !about->endings)
        return REFUSE(error, "its descriptor has no name, version, summary or endings");
    const size_t length = strspn(about->name, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (length < 1 || length > NAME_MAX_LENGTH || about->name[length] != '\0')
        return REFUSE(error, "its name '%.40s' is not 1 to %d lower-case letters and digits", about->name,
                      NAME_MAX_LENGTH);
    snprintf(expected, sizeof expected, "%s" REGISTRY_FORMAT_ENDING, about->name);
    if (strcmp(expected, file) != 0)
        return REFUSE(error, "the file of format '%s' must be called %s", about->name, expected);
    if (!are_words(about->version, ENDINGS_MAX) || !are_words(about->summary, ENDINGS_MAX))
        return REFUSE(error, "its version and summary are not lines of printable ASCII");
    if (!are_words(about->endings, ENDINGS_MAX) || about->endings[0] != '.')
        return REFUSE(error, "its endings '%.80s' are not words such as '.xyz', separated by spaces", about->endings);
    if (about->arrays && !are_words(about->arrays, ENDINGS_MAX))
        return REFUSE(error, "its arrays '%.80s' are not names separated by spaces", about->arrays);
    return 0;
}

/* A format that has a flag of a later minor version than it asks for would be refused by the engines of the version
 * that it asks for. This finds the mistake in newer engines, too. */
static int check_flags(const struct engine_file_format *about, struct engine_error *error)
{
    static const uint32_t last[] = {ENGINE_FORMAT_RANGES,  ENGINE_FORMAT_UNITS,   ENGINE_FORMAT_AXIS,
                                    ENGINE_FORMAT_PICTURE, ENGINE_FORMAT_PICTURE, ENGINE_FORMAT_SPARSE};
    _Static_assert(sizeof last / sizeof last[0] == ENGINE_FORMAT_MINOR + 1, "each minor version has a last flag");
    const uint32_t unknown = about->flags & ~(2 * last[about->abi.minor] - 1);
    return unknown == 0
               ? 0
               : REFUSE(error,
                        "its flags 0x%x are not in format interface %u.%u, the version that it asks for; write "
                        "#define ENGINE_FORMAT_NEEDS with the minor version that has them, see "
                        "docs/reference/format-interface.md",
                        unknown, about->abi.major, about->abi.minor);
}

/* Is it a format of the engine to whose files frames are added? */
static bool grows(const char *name)
{
    const struct io_format *film = io_format_named(name);
    return film != NULL && io_grows(film);
}

static int check_functions(const struct engine_file_format *about, struct engine_error *error)
{
    const bool reads = about->open != NULL, writes = about->create != NULL, converts = about->encode != NULL;
    const bool written = about->arrays != NULL || (about->flags & ENGINE_FORMAT_GRIDS) || about->holds != NULL;
    if (!reads && !writes && !converts)
        return REFUSE(error, "it neither reads nor writes: open and create are NULL");
    if (converts != (about->film != NULL) || (converts && (writes || !grows(about->film))))
        return REFUSE(error, "a format that converts a film needs encode, and film with the name of a format of the "
                             "engine that grows, and no create");
    if (reads != (about->frame != NULL) || reads != (about->read != NULL) || reads != (about->probe != NULL))
        return REFUSE(error, "a format that reads needs probe, open, frame and read; some of them are NULL");
    if (writes != (about->write != NULL) || (writes || converts) != written)
        return REFUSE(error, "a format that writes needs create, write and arrays or grids; some of them are missing");
    if (about->length > ENGINE_ANGSTROM)
        return REFUSE(error, "its unit of length is %u; expected ENGINE_NANOMETRE, ENGINE_ANGSTROM or unknown",
                      about->length);
    if ((about->flags & ENGINE_FORMAT_GROWS) && (!reads || !writes || !(about->flags & ENGINE_FORMAT_FRAMES)))
        return REFUSE(error, "files that grow are read and written and hold several frames");
    return 0;
}

/* ---- Loading ------------------------------------------------------------------------------------------------ */

static int load(struct format_library *library, const char *path, struct engine_error *error)
{
    struct object object;
    int status = object_open(path, "engine_file_format", "file format", &object, error);
    library->path = object.path;
    if (status == 0)
        status = check_abi(object.abi, object.bytes, error);
    if (status != 0)
        return status;
    const size_t bytes = object.abi->struct_size;
    memcpy(&library->about, object.abi, bytes < sizeof library->about ? bytes : sizeof library->about);
    library->about.abi.struct_size = sizeof library->about;
    if (check_texts(&library->about, path, error) != 0 || check_flags(&library->about, error) != 0)
        return error->status;
    return check_functions(&library->about, error);
}

int format_library_load(const char *path, struct format_library **result, struct engine_error *error)
{
    *result = NULL;
    struct format_library *library = calloc(1, sizeof *library);
    if (!library)
        return error_memory(error, sizeof *library, "a file format");
    if (load(library, path, error) != 0) {
        format_library_free(library);
        return error_prefix(error, "%s: ", path);
    }
    *result = library;
    return 0;
}

void format_library_free(struct format_library *library)
{
    if (!library)
        return;
    free(library->path);
    free(library);
}
