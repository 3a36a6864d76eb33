#include "files/file_calls.h"
#include "files/bytes.h"
#include "files/component.h"

#include <errno.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What stands before memory that a format has allocated. */
struct memory {
    struct memory *next, *before;
    _Alignas(16) char bytes[];
};

static struct file_call *call_of(const struct engine_file *table)
{
    return table->context;
}

/* ---- Errors ------------------------------------------------------------------------------------------------- */

static int status_of(const struct open_file *file, int code)
{
    const int positive = code < 0 ? -code : code;
    return positive == ENGINE_NO_MEMORY || positive == ENGINE_DEVICE ? ENGINE_STATUS_DEVICE
           : positive == ENGINE_INTERNAL                             ? ENGINE_STATUS_PLUGIN
                                                                     : file->status;
}

/* The caller of a writer puts the name of the file in front. */
static int fail(const struct engine_file *table, int code, uint32_t place, uint64_t number, const char *format, ...)
{
    struct file_call *call = call_of(table);
    const unsigned long long at = number;
    char reason[1024];
    va_list arguments;
    if (call->failed)
        return code;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    call->failed = true;
    const int status = status_of(call->file, code);
    if (status == ENGINE_STATUS_OUTPUT)
        error_set(call->error, status, "%s", reason);
    else if (place == ENGINE_AT_LINE)
        error_set(call->error, status, "%s:%llu: %s", call->file->path, at, reason);
    else if (place == ENGINE_AT_BYTE)
        error_set(call->error, status, "%s: byte %llu: %s", call->file->path, at, reason);
    else
        error_set(call->error, status, "%s: %s", call->file->path, reason);
    return code;
}

/* Keeps an error that a function of the core has recorded. */
static int keep(struct file_call *call, int status)
{
    call->failed = call->failed || status != 0;
    return status == 0 ? 0 : ENGINE_INVALID;
}

int file_keep(const struct engine_file *table, const struct engine_error *error)
{
    struct file_call *call = call_of(table);
    if (!call->failed)
        *call->error = *error;
    return keep(call, error->status);
}

const struct io_options *file_options(const struct engine_file *table)
{
    return call_of(table)->file->options;
}

const struct io_document *file_document(const struct engine_file *table)
{
    return call_of(table)->file->from;
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static void *allocate(const struct engine_file *table, uint64_t bytes)
{
    struct file_call *call = call_of(table);
    struct open_file *file = call->file;
    struct memory *made = bytes < INT64_MAX / 2 ? malloc(sizeof *made + bytes) : NULL;
    if (made == NULL) {
        if (!call->failed)
            keep(call, error_memory(call->error, bytes, "reading or writing a file"));
        return NULL;
    }
    pthread_mutex_lock(&file->lock);
    *made = (struct memory){.next = file->memory};
    if (file->memory != NULL)
        file->memory->before = made;
    file->memory = made;
    pthread_mutex_unlock(&file->lock);
    return made->bytes;
}

static void release(const struct engine_file *table, void *memory)
{
    struct open_file *file = call_of(table)->file;
    if (memory == NULL)
        return;
    struct memory *freed = (struct memory *) (void *) ((char *) memory - offsetof(struct memory, bytes));
    pthread_mutex_lock(&file->lock);
    if (freed->next != NULL)
        freed->next->before = freed->before;
    if (freed->before != NULL)
        freed->before->next = freed->next;
    else
        file->memory = freed->next;
    pthread_mutex_unlock(&file->lock);
    free(freed);
}

/* ---- Bytes and elements ------------------------------------------------------------------------------------- */

static const char stopped[] = "the work was stopped";

static int read_bytes(const struct engine_file *table, uint64_t offset, uint64_t count, void *out)
{
    const struct open_file *file = call_of(table)->file;
    if (offset > file->bytes || count > file->bytes - offset)
        return ENGINE_FAIL_BYTE(table, file->bytes, "the file ends here; expected %llu bytes from byte %llu on",
                                (unsigned long long) count, (unsigned long long) offset);
    if (context_stop(file->asked))
        return ENGINE_FAIL_FILE(table, "%s", stopped);
    if (bytes_read(file->file, out, count, offset))
        return 0;
    return ENGINE_FAIL_BYTE(table, offset, "%s", errno != 0 ? strerror(errno) : "the file became shorter");
}

static uint64_t next_bytes(const struct engine_file *table, void *out, uint64_t count, const char **trouble)
{
    const struct open_file *file = call_of(table)->file;
    *trouble = context_stop(file->asked) ? stopped : "the format has no flag ENGINE_FORMAT_PACKED";
    if (*trouble == stopped)
        return 0;
    return file->unpacked != NULL ? unpacked_next(file->unpacked, out, count, trouble) : 0;
}

static int seek_byte(const struct engine_file *table, uint64_t offset)
{
    const struct open_file *file = call_of(table)->file;
    return file->unpacked != NULL && unpacked_seek(file->unpacked, offset)
               ? 0
               : ENGINE_FAIL_FILE(table, "cannot be read twice");
}

static int write_bytes(const struct engine_file *table, const void *bytes, uint64_t count)
{
    struct open_file *file = call_of(table)->file;
    errno = 0;
    if (file->stream != NULL ? fwrite(bytes, 1, count, file->stream) != count : !bytes_write(file->file, bytes, count))
        return ENGINE_FAIL_FILE(table, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
    file->bytes += count;
    return 0;
}

static int write_bytes_at(const struct engine_file *table, uint64_t offset, const void *bytes, uint64_t count)
{
    const struct open_file *file = call_of(table)->file;
    if (offset > file->bytes || count > file->bytes - offset)
        return ENGINE_FAIL_BYTE(table, file->bytes, "the file ends here, and bytes beyond it cannot be replaced");
    if (bytes_write_at(file->file, bytes, count, offset))
        return 0;
    return ENGINE_FAIL_FILE(table, "cannot be written: %s", strerror(errno));
}

static int get_elements(const struct engine_file *table, uint32_t array, uint64_t begin, uint64_t count, void *out)
{
    struct file_call *call = call_of(table);
    const struct open_file *file = call->file;
    struct io_document *from = file->from;
    const uint32_t index = file->array[array];
    const struct engine_file_array *about = &from->arrays[index];
    const int status = file->shown[array]
                           ? component_read(from, index, file->options->component - 1, begin, count, out, call->error)
                           : from->read(from, index, begin, count, out, call->error);
    if (status != 0)
        return keep(call, status);
    length_convert(from->header.length, file->length, file->power[array], about->shape.type, count, out);
    return 0;
}

static int find_element(const struct engine_file *table, uint32_t array, uint64_t begin, uint64_t *at)
{
    struct file_call *call = call_of(table);
    struct io_document *from = call->file->from;
    *at = begin;
    return from->seek == NULL ? 0 : keep(call, from->seek(from, call->file->array[array], begin, at, call->error));
}

/* ---- Calls -------------------------------------------------------------------------------------------------- */

void file_enter(struct file_call *call, struct open_file *file, const char *function, struct engine_error *error)
{
    *call = (struct file_call){
        .table =
            {
                .size = sizeof call->table,
                .major = ENGINE_FORMAT_MAJOR,
                .minor = ENGINE_FORMAT_MINOR,
                .context = call,
                .path = file->path,
                .bytes = file->bytes,
                .flags = file->flags,
                .fail = fail,
                .allocate = allocate,
                .release = release,
                .read = read_bytes,
                .write = write_bytes,
                .get = get_elements,
                .write_at = write_bytes_at,
                .threads = file->threads > 0 ? file->threads : (uint64_t) omp_get_num_procs(),
                .next = next_bytes,
                .seek = seek_byte,
                .find = find_element,
            },
        .file = file,
        .error = error,
        .call = foreign_begin(file->format->context, file->format->about->name, function),
    };
}

int file_leave(struct file_call *call, const char *function, int code)
{
    const struct open_file *file = call->file;
    foreign_end(&call->call);
    if (code == 0)
        return 0;
    if (call->failed)
        return call->error->status;
    return error_set(call->error, ENGINE_STATUS_PLUGIN, "%s: %s of format %s failed with code %d and gave no reason",
                     file->path, function, file->format->about->name, code);
}

void file_begin(struct open_file *file)
{
    pthread_mutex_init(&file->lock, NULL);
}

int file_attach(struct open_file *taken, const struct io_format *format, int file, const struct io_options *options,
                struct engine_error *error)
{
    struct stat info;
    if (TEMP_FAILURE_RETRY(fstat(file, &info)) != 0 || lseek(file, 0, SEEK_END) < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s", strerror(errno));
    *taken = (struct open_file){.format = format,
                                .path = taken->name,
                                .file = file,
                                .bytes = (uint64_t) info.st_size,
                                .status = ENGINE_STATUS_OUTPUT,
                                .options = options,
                                .threads = options->threads};
    snprintf(taken->name, sizeof taken->name, "/proc/self/fd/%d", file);
    file_begin(taken);
    return 0;
}

void file_end(struct open_file *file)
{
    struct file_call call;
    struct engine_error ignored;
    file_enter(&call, file, "close", &ignored);
    if (file->is_open && file->format->about->close != NULL)
        file->format->about->close(&call.table, file->self);
    file_leave(&call, "close", 0);
    while (file->memory != NULL) {
        struct memory *freed = file->memory;
        file->memory = freed->next;
        free(freed);
    }
    unpacked_close(file->unpacked);
    pthread_mutex_destroy(&file->lock);
}

/* ---- Units -------------------------------------------------------------------------------------------------- */

const char *length_name(uint32_t unit)
{
    return unit == ENGINE_NANOMETRE ? "nm" : unit == ENGINE_ANGSTROM ? "angstrom" : NULL;
}

const char *document_length(const struct io_document *document)
{
    const char *name = length_name(document->header.length);
    return name ? name : document->unit;
}

void length_convert(uint32_t from, uint32_t to, int32_t power, uint32_t type, uint64_t count, void *elements)
{
    enum { OF_NANOMETRE = 10 }; /* angstroms */
    if (from == to || length_name(from) == NULL || length_name(to) == NULL)
        return;
    const bool multiplies = (from == ENGINE_NANOMETRE) == (power > 0);
    for (int32_t left = power < 0 ? -power : power; left > 0; left--)
        for (uint64_t i = 0; i < count; i++) {
            if (type == ENGINE_F32) {
                float *number = (float *) elements + i;
                *number = multiplies ? *number * (float) OF_NANOMETRE : *number / (float) OF_NANOMETRE;
            } else if (type == ENGINE_F64) {
                double *number = (double *) elements + i;
                *number = multiplies ? *number * OF_NANOMETRE : *number / OF_NANOMETRE;
            }
        }
}

void length_convert_frame(uint32_t from, uint32_t to, struct engine_file_frame *frame)
{
    length_convert(from, to, 1, ENGINE_F64, 6, frame->box);
    length_convert(from, to, 1, ENGINE_F64, 3, frame->corner);
}
