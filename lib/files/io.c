#include "files/io.h"
#include "files/file.h"
#include "files/particles.h"
#include "files/replace.h"
#include "files/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

extern const struct engine_file_format rle_file_format, rle3_file_format, npy_file_format, vti_file_format,
    cells_file_format, life106_file_format, life105_file_format, mcl_file_format, mc_file_format, xyz_file_format,
    lammpstrj_file_format, tipsy_file_format, dcd_file_format, csv_file_format, svg_file_format, png_file_format,
    apng_file_format, txt_file_format;

#define FORMAT(name) \
    &(const struct io_format) \
    { \
        .about = &name##_file_format \
    }

/* The formats of the engine, in the order of the list of formats. */
static const struct io_format *const formats[] = {
    FORMAT(rle),     FORMAT(rle3),    FORMAT(npy), FORMAT(vti), FORMAT(png),     FORMAT(apng),      FORMAT(cells),
    FORMAT(life106), FORMAT(life105), FORMAT(mcl), FORMAT(mc),  FORMAT(xyz),     FORMAT(lammpstrj), FORMAT(tipsy),
    FORMAT(dcd),     FORMAT(csv),     FORMAT(svg), FORMAT(txt), FORMAT(snapshot)};

/* Files that are known and cannot be read, by their first bytes. */
static const struct {
    const char *bytes, *refusal;
} refused[] = {
    {"\x89PNG", "a PNG picture, which the engine writes and does not read"},
    {"PK\x05\x06", "an empty zip archive"},
};

const struct io_format *io_format_at(uint32_t index)
{
    return index < sizeof formats / sizeof formats[0] ? formats[index] : NULL;
}

const struct io_format *io_format_named(const char *name)
{
    for (uint32_t i = 0; io_format_at(i) != NULL; i++)
        if (strcmp(formats[i]->about->name, name) == 0)
            return formats[i];
    return NULL;
}

bool io_ends_in_one_of(const char *path, const char *endings)
{
    size_t length = strlen(path);
    for (const char *word = endings; *word != '\0';) {
        size_t size = strcspn(word, " ");
        if (size < length && strncasecmp(path + length - size, word, size) == 0)
            return true;
        word += size + strspn(word + size, " ");
    }
    return false;
}

const struct io_format *io_film(const struct io_format *format)
{
    return format->about->film != NULL ? io_format_named(format->about->film) : NULL;
}

const struct io_format *io_format_of_path(const char *path)
{
    for (uint32_t i = 0; io_format_at(i) != NULL; i++)
        if (io_ends_in_one_of(path, formats[i]->about->endings))
            return formats[i];
    return NULL;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int refuse_unknown(const char *path, struct engine_error *error)
{
    error_set(error, ENGINE_STATUS_INPUT, "%s: has no known format; the engine reads", path);
    for (uint32_t i = 0; io_format_at(i) != NULL; i++) {
        size_t length = strlen(error->text);
        if (io_reads(formats[i]))
            snprintf(error->text + length, sizeof error->text - length, " %s", formats[i]->about->name);
    }
    return error->status;
}

bool io_accepts(const struct io_format *format, const char *path, const struct io_beginning *beginning)
{
    const bool unpacked = io_has(format, ENGINE_FORMAT_PACKED) || format->context == NULL;
    const unsigned char *bytes = unpacked ? beginning->unpacked : beginning->bytes;
    const uint64_t count = unpacked ? beginning->unpacked_count : beginning->count;
    return format->about->open != NULL && file_probe(format, path, bytes, count, beginning->size);
}

/* Does the format read a file that is packed in this way? */
static bool unpacks(const struct io_format *format, const struct io_beginning *beginning)
{
    if (io_has(format, ENGINE_FORMAT_PACKED))
        return true;
    return !beginning->zip && (!beginning->gzip || io_is_whole(format));
}

/* Refuses a compressed file of a format that reads none. */
static int check_packing(const struct io_format *format, const struct io_beginning *beginning,
                         struct engine_error *error)
{
    const char *name = format->about->name, *path = beginning->name;
    if (unpacks(format, beginning))
        return 0;
    return beginning->zip
               ? error_set(error, ENGINE_STATUS_INPUT, "%s: is a %s file in a zip archive; unzip it first", path, name)
               : error_set(error, ENGINE_STATUS_INPUT, "%s: is a gzip-compressed .%s file; gunzip it first", path,
                           name);
}

int io_recognise(const char *path, const struct io_beginning *beginning, const struct io_format **format, bool *unknown,
                 struct engine_error *error)
{
    *unknown = false;
    if (beginning->trouble.status != 0) {
        *error = beginning->trouble;
        return error->status;
    }
    *format = NULL;
    for (uint32_t i = 0; *format == NULL && io_format_at(i) != NULL; i++)
        if (io_accepts(formats[i], path, beginning))
            *format = formats[i];
    for (size_t i = 0; *format == NULL && i < sizeof refused / sizeof refused[0]; i++)
        if (text_file_begins(beginning->unpacked, beginning->unpacked_count, refused[i].bytes))
            return error_set(error, ENGINE_STATUS_INPUT, "%s: is %s", beginning->name, refused[i].refusal);
    if (*format == NULL)
        *format = io_format_of_path(beginning->name);
    *unknown = *format == NULL || !io_reads(*format);
    if (*unknown)
        return refuse_unknown(beginning->name, error);
    return check_packing(*format, beginning, error);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static const struct io_options automatic;

bool io_writes(const struct io_format *format, const struct engine_file_array *array, const struct io_options *options)
{
    return file_writes(io_film(format) != NULL ? io_film(format) : format, array, options);
}

bool io_takes_squares(const struct io_format *format)
{
    return format->about == &mc_file_format;
}

bool io_is_shared(const struct io_format *format)
{
    return format->about == &mc_file_format;
}

/* Returns the index of the first array that the format can hold, or document->count. */
static uint32_t first_held(const struct io_format *format, const struct io_document *document,
                           const struct io_options *options)
{
    uint32_t first = 0;
    while (first < document->count && !io_writes(format, &document->arrays[first], options))
        first++;
    return first;
}

bool io_holds(const struct io_format *format, const struct io_document *document, uint32_t index,
              const struct io_options *options)
{
    const uint32_t first = first_held(format, document, options);
    const struct engine_file_array *array = &document->arrays[index];
    if (first == document->count)
        return false;
    const struct engine_shape *of_first = &document->arrays[first].shape;
    if (index == first || io_is_whole(format))
        return io_writes(format, array, options);
    if (io_has(format, ENGINE_FORMAT_TABLES))
        return io_writes(format, array, options) && array->shape.extent[0] == of_first->extent[0];
    return file_takes(format, array) &&
           array->shape.extent[array->shape.rank - 1] == of_first->extent[of_first->rank - 1];
}

/* Adds the names of the engine's own formats that can hold the array to a message. */
static void add_holders(const struct engine_file_array *array, struct engine_error *error)
{
    for (uint32_t i = 0; io_format_at(i) != NULL; i++) {
        const size_t length = strlen(error->text);
        if (io_is_written(io_format_at(i)) && io_writes(io_format_at(i), array, &automatic))
            snprintf(error->text + length, sizeof error->text - length, " %s", io_format_at(i)->about->name);
    }
}

/* Refuses a document whose arrays the format cannot hold. Errors come without the file's name. */
static int refuse_arrays(const struct io_format *format, const struct io_document *document, struct engine_error *error)
{
    for (uint32_t i = 0; i < document->count; i++) {
        const struct io_options one = {.component = 1};
        if (io_writes(format, &document->arrays[i], &one))
            return error_set(error, ENGINE_STATUS_OUTPUT,
                             "the grid has %u components, and a %s file shows one; choose the component",
                             document->arrays[i].shape.components, format->about->name);
    }
    error_set(error, ENGINE_STATUS_OUTPUT, "format %s cannot hold any of the arrays (%s)%s", format->about->name,
              format->about->summary, document->count > 0 ? "; formats that can:" : "");
    if (document->count > 0)
        add_holders(&document->arrays[0], error);
    return error->status;
}

/* Makes the film first, in a file without a name. */
static int write_by_film(const struct io_format *format, int file, struct io_document *document,
                         const struct io_options *options, struct engine_error *error)
{
    FILE *film = tmpfile();
    if (film == NULL)
        return error_set(error, ENGINE_STATUS_OUTPUT, "a temporary file cannot be created: %s", strerror(errno));
    int status = file_check(format, error);
    if (status == 0)
        status = file_write(io_film(format), fileno(film), document, options, error);
    if (status == 0)
        status = file_encode(format, fileno(film), file, options, error);
    fclose(film);
    return status;
}

/* Errors about the file come without its name. */
static int write_file(const struct io_format *format, const struct folder *folder, const char *name,
                      struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    struct replacement new;
    struct io_options how = options != NULL ? *options : automatic;
    how.gzip = io_ends_in_one_of(name, ".gz");
    if (!io_is_written(format))
        return error_set(error, ENGINE_STATUS_OUTPUT, "format %s can only be read", format->about->name);
    if (first_held(format, document, &how) == document->count)
        return refuse_arrays(format, document, error);
    if (replace_begin(folder, name, &new, error) != 0)
        return error->status;
    const int status =
        (format->about->film != NULL ? write_by_film : file_write)(format, new.file, document, &how, error);
    return replace_finish(&new, name, false, status, error);
}

int io_write_in(const struct io_format *format, const struct folder *folder, const char *name,
                struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    const int status = write_file(format, folder, name, document, options, error);
    return status == ENGINE_STATUS_OUTPUT ? error_prefix(error, "%s/%s: ", folder->path, name) : status;
}

int io_write(const struct io_format *format, const char *path, struct io_document *document,
             const struct io_options *options, struct engine_error *error)
{
    struct folder *folder;
    const char *name;
    if (folder_open_around(path, &folder, &name, error) != 0)
        return error->status;
    const int status = write_file(format, folder, name, document, options, error);
    folder_close(folder);
    return status == ENGINE_STATUS_OUTPUT ? error_prefix(error, "%s: ", path) : status;
}

int io_append(const struct io_format *format, const struct folder *folder, const char *name,
              struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    struct io_options how = options != NULL ? *options : automatic;
    int film;
    if (folder_open_file(folder, name, O_RDWR, &film, error) != 0)
        return error->status;
    int status = file_append(format, film, document, &how, error);
    if (close(film) != 0 && errno != EINTR && status == 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    return status == ENGINE_STATUS_OUTPUT ? error_prefix(error, "%s/%s: ", folder->path, name) : status;
}

int io_cut(const struct io_format *format, const struct folder *folder, const char *name, uint64_t frames,
           struct engine_error *error)
{
    int film;
    if (folder_open_file(folder, name, O_RDWR, &film, error) != 0)
        return error->status;
    const int status = file_cut(format, film, frames, error);
    close(film);
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", folder->path, name);
}

/* Errors come without the file's name. */
static int encode_file(const struct io_format *format, const struct folder *folder, int film, const char *name,
                       const struct io_options *options, struct engine_error *error)
{
    struct replacement new;
    if (replace_begin(folder, name, &new, error) != 0)
        return error->status;
    return replace_finish(&new, name, false, file_encode(format, film, new.file, options, error), error);
}

int io_encode(const struct io_format *format, const struct folder *folder, const char *film, const char *name,
              const struct io_options *options, struct engine_error *error)
{
    int file;
    if (folder_open_file(folder, film, O_RDONLY, &file, error) != 0)
        return error->status;
    const int status = encode_file(format, folder, file, name, options != NULL ? options : &automatic, error);
    close(file);
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", folder->path, name);
}
