/* Reads files by the functions of their format. */
#include "files/bytes.h"
#include "files/file_content.h"
#include "files/file_frames.h"
#include "files/file_self.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROBE_BYTES = 4096 };

struct reading {
    struct open_file file;
    char *name; /* file.path, unless this is that of `unpacked` */
    struct engine_file_content content;
    bool shown;                 /* a frame was shown */
    uint32_t unit;              /* of the file */
    struct file_place place;    /* the present frame */
    struct file_frames *frames; /* without ENGINE_FORMAT_RANGES */
    struct file_content held;
};

static const struct engine_file_format *about_of(const struct reading *reading)
{
    return reading->file.format->about;
}

static int refuse_format(const struct reading *reading, const char *what, struct engine_error *error)
{
    return file_refuse(reading->file.format, reading->file.path, what, error);
}

static int take_first_content(struct reading *reading, struct io_document *document, struct engine_error *error)
{
    const struct engine_file_content *content = &reading->content;
    if (content->frames < 1 && about_of(reading)->abi.minor < 2)
        return refuse_format(reading, "open gave no frames", error);
    if (content->length > ENGINE_ANGSTROM)
        return refuse_format(reading, "its unit of length is unknown", error);
    reading->unit = document->header.length = content->length;
    reading->held.format = reading->file.format;
    reading->held.path = reading->file.path;
    return file_take_content(&reading->held, content, document, error);
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Asks the format for the head of a frame. */
static int ask_frame(struct reading *reading, uint64_t number, struct engine_file_frame *frame,
                     struct engine_error *error)
{
    struct file_call call;
    *frame = (struct engine_file_frame){.size = sizeof *frame};
    file_enter(&call, &reading->file, "frame", error);
    return file_leave(&call, "frame", about_of(reading)->frame(&call.table, reading->file.self, number, frame));
}

static int refuse_frame(const struct reading *reading, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT, "%s: frame %llu, counted from 0: %s", reading->file.path,
                     (unsigned long long) reading->place.frame, what);
}

static int take_frame(const struct reading *reading, const struct engine_file_frame *frame, struct io_header *header,
                      struct engine_error *error)
{
    struct engine_file_frame *to = &header->frame;
    *to = (struct engine_file_frame){.has = frame->has};
    to->step = frame->has & ENGINE_HAS_STEP ? frame->step : 0;
    to->time = frame->has & ENGINE_HAS_TIME ? frame->time : 0;
    if (frame->has & ENGINE_HAS_BOX)
        memcpy(to->box, frame->box, sizeof to->box);
    if (frame->has & ENGINE_HAS_CORNER)
        memcpy(to->corner, frame->corner, sizeof to->corner);
    bool finite = isfinite(to->time);
    for (int i = 0; i < 6; i++)
        finite = finite && isfinite(to->box[i]) && (i >= 3 || (to->box[i] >= 0 && isfinite(to->corner[i])));
    if (!finite || to->step > INT64_MAX)
        return refuse_frame(reading, "its step, time or box is out of range", error);
    length_convert_frame(reading->unit, header->length, to);
    return 0;
}

/* Checks that a frame has the columns and the number of particles of the one that was shown before. */
static int check_same(const struct reading *reading, const struct io_document *before, const struct file_content *names,
                      const struct io_document *document, struct engine_error *error)
{
    const unsigned long long frame = reading->place.frame, rows = document->arrays[0].shape.extent[0];
    const unsigned long long of_first = before->arrays[0].shape.extent[0];
    if (rows != of_first)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: frame %llu has %llu particles and the first frame has %llu",
                         reading->file.path, frame, rows, of_first);
    bool same = before->count == document->count;
    for (uint32_t i = 0; same && i < document->count; i++)
        same = strcmp(names->name[i], document->arrays[i].name) == 0 &&
               memcmp(&before->arrays[i].shape, &document->arrays[i].shape, sizeof before->arrays[i].shape) == 0;
    return same ? 0
                : error_set(error, ENGINE_STATUS_INPUT, "%s: frame %llu has other columns than the first one",
                            reading->file.path, frame);
}

/* Takes what a frame holds, if the frames of the file vary. */
static int take_frame_content(struct reading *reading, const struct engine_file_content *content,
                              struct io_document *document, struct engine_error *error)
{
    if (content == NULL)
        return 0;
    if ((about_of(reading)->flags & ENGINE_FORMAT_RANGES) == 0)
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "%s: format %s breaks its interface: frames that differ need the flag ENGINE_FORMAT_RANGES",
                         reading->file.path, about_of(reading)->name);
    const struct io_document before = *document;
    const struct file_content names = reading->held; /* of these arrays, which are replaced */
    if (file_take_content(&reading->held, content, document, error) != 0)
        return error->status;
    return reading->shown && !document->varies ? check_same(reading, &before, &names, document, error) : 0;
}

static int show_frame(struct io_document *document, struct engine_error *error)
{
    struct reading *reading = document->context;
    struct engine_file_frame frame;
    if (ask_frame(reading, reading->place.frame, &frame, error) != 0 ||
        take_frame_content(reading, frame.content, document, error) != 0)
        return error->status;
    reading->shown = true;
    return take_frame(reading, &frame, &document->header, error);
}

/* Says how to leave out a frame that cannot be read. */
static int refuse_later(const struct io_document *document, struct engine_error *error)
{
    const struct reading *reading = document->context;
    const size_t length = strlen(error->text);
    if (error->status == ENGINE_STATUS_INPUT && reading->place.frame > 0 && document->frames > 1)
        snprintf(error->text + length, sizeof error->text - length,
                 "; this is in frame %llu, counted from 0: choose a range of frames that ends before it",
                 (unsigned long long) reading->place.frame);
    return error->status;
}

static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct reading *reading = document->context;
    reading->place.steady = reading->place.stride == by;
    reading->place.stride = by;
    reading->place.frame += by;
    return show_frame(document, error) != 0 ? refuse_later(document, error) : 0;
}

/* ---- Elements ----------------------------------------------------------------------------------------------- */

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    struct reading *reading = document->context;
    const struct engine_file_array *about = &document->arrays[array];
    const uint64_t bytes = type_bytes(about->shape.type);
    const void *elements;
    if (about_of(reading)->flags & ENGINE_FORMAT_RANGES) {
        if (file_ask(&reading->file, reading->place.frame, array, begin, count, out, error) != 0)
            return refuse_later(document, error);
    } else {
        if (file_frames_take(reading->frames, &reading->place, array, &elements, error) != 0)
            return refuse_later(document, error);
        memcpy(out, (const char *) elements + begin * bytes, count * bytes);
    }
    length_convert(reading->unit, document->header.length, about->lengths, about->shape.type, count, out);
    return 0;
}

static int seek_element(struct io_document *document, uint32_t array, uint64_t begin, uint64_t *at,
                        struct engine_error *error)
{
    struct reading *reading = document->context;
    struct file_call call;
    file_enter(&call, &reading->file, "seek", error);
    const int code = about_of(reading)->seek(&call.table, reading->file.self, reading->place.frame, array, begin, at);
    return file_leave(&call, "seek", code) != 0 ? refuse_later(document, error) : 0;
}

static void set_length(struct io_document *document, uint32_t unit)
{
    struct io_header *header = &document->header;
    length_convert_frame(header->length, unit, &header->frame);
    header->length = unit;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static void close_document(struct io_document *document)
{
    struct reading *reading = document->context;
    file_frames_close(reading->frames);
    file_end(&reading->file);
    if (reading->file.file >= 0)
        close(reading->file.file);
    free(reading->name);
    free(reading);
    free(document);
}

static struct io_document *new_document(const struct io_format *format, const char *path, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct reading *reading = calloc(1, sizeof *reading);
    struct file_frames *frames = reading ? file_frames_open(&reading->file, document) : NULL;
    char *name = strdup(path);
    if (document == NULL || frames == NULL || name == NULL) {
        file_frames_close(frames);
        free(document);
        free(reading);
        free(name);
        error_memory(error, sizeof *reading, "reading a file");
        return NULL;
    }
    reading->name = name;
    reading->file =
        (struct open_file){.format = format, .path = name, .file = -1, .status = ENGINE_STATUS_INPUT, .threads = 1};
    reading->content.size = sizeof reading->content;
    file_begin(&reading->file);
    reading->frames = frames;
    *document = (struct io_document){.read = read_elements, .close = close_document, .context = reading};
    return document;
}

static int open_file(struct reading *reading, struct engine_error *error)
{
    struct open_file *file = &reading->file;
    struct file_call call;
    struct stat info;
    file->file = (int) TEMP_FAILURE_RETRY(open(file->path, O_RDONLY | O_CLOEXEC));
    if (file->file < 0 || TEMP_FAILURE_RETRY(fstat(file->file, &info)) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", file->path, strerror(errno));
    file->bytes = (uint64_t) info.st_size;
    if (about_of(reading)->flags & ENGINE_FORMAT_PACKED) {
        if (unpacked_open(&file->unpacked, file->path, error) != 0)
            return error->status;
        free(reading->name);
        reading->name = NULL;
        file->path = unpacked_path(file->unpacked);
    }
    file_enter(&call, file, "open", error);
    const int code = about_of(reading)->open(&call.table, &reading->content, &file->self);
    file->is_open = code == 0;
    file->asked = NULL;
    return file_leave(&call, "open", code);
}

/* A file that only can hold one frame is no series of frames. */
static int begin(struct io_document *document, const struct file_opening *how, struct engine_error *error)
{
    struct reading *reading = document->context;
    reading->file.flags = (how->frames ? ENGINE_FILE_SERIES : 0) | (how->unfinished ? ENGINE_FILE_UNFINISHED : 0);
    reading->file.asked = how->asked;
    if (open_file(reading, error) != 0 || take_first_content(reading, document, error) != 0)
        return error->status;
    document->frames = reading->place.frames = reading->content.frames;
    document->seek = about_of(reading)->seek ? seek_element : NULL;
    document->next = document->frames > 0 ? next_frame : NULL;
    document->set_length = length_name(reading->unit) != NULL ? set_length : NULL;
    reading->place.frame = how->frames || document->frames == 0 ? 0 : document->frames - 1;
    return show_frame(document, error);
}

int file_open_as(const struct io_format *format, const char *path, const struct file_opening *how,
                 struct io_document **result, struct engine_error *error)
{
    *result = NULL;
    struct io_document *document = new_document(format, path, error);
    if (document == NULL)
        return error->status;
    if (begin(document, how, error) != 0) {
        document->close(document);
        return error->status;
    }
    if (!how->frames && document->frames > 0) /* the last frame */
        document->frames = 1;
    *result = document;
    return 0;
}

int file_open(const struct io_format *format, const char *path, bool frames, struct io_document **result,
              struct engine_error *error)
{
    return file_open_as(format, path, &(struct file_opening){.frames = frames}, result, error);
}

const void *file_self(const struct io_document *document, const struct engine_file_format *format)
{
    const struct reading *reading = document->context;
    return document->read == read_elements && about_of(reading) == format ? reading->file.self : NULL;
}

bool file_probe(const struct io_format *format, const char *path, const unsigned char *begin, uint64_t count,
                uint64_t bytes)
{
    const char *slash = strrchr(path, '/');
    struct foreign call;
    if (format->about->probe == NULL || count == 0)
        return false;
    call = foreign_begin(format->context, format->about->name, "probe");
    const bool is = format->about->probe(slash != NULL ? slash + 1 : path, begin,
                                         count < PROBE_BYTES ? count : PROBE_BYTES, bytes) == ENGINE_PROBE_YES;
    foreign_end(&call);
    return is;
}

/* ---- Cutting ------------------------------------------------------------------------------------------------ */

/* Finds the offset at which frame `frames` begins, or would begin. */
static int find_end(struct reading *reading, uint64_t frames, uint64_t *end, struct engine_error *error)
{
    struct engine_file_frame frame;
    struct file_call call;
    file_enter(&call, &reading->file, "open", error);
    const int code = about_of(reading)->open(&call.table, &reading->content, &reading->file.self);
    reading->file.is_open = code == 0;
    if (file_leave(&call, "open", code) != 0)
        return error->status;
    if (reading->content.frames < frames)
        return error_set(error, ENGINE_STATUS_OUTPUT, "has %llu frames; expected at least %llu",
                         (unsigned long long) reading->content.frames, (unsigned long long) frames);
    if (ask_frame(reading, frames - 1, &frame, error) != 0)
        return error->status;
    *end = frame.end;
    return frame.end > 0 ? 0 : refuse_format(reading, "`end` of a frame is not set", error);
}

/* Lets the format remove the frames. */
static int cut_frames(struct reading *reading, uint64_t frames, uint64_t *end, struct engine_error *error)
{
    struct file_call call;
    file_enter(&call, &reading->file, "cut", error);
    return file_leave(&call, "cut", about_of(reading)->cut(&call.table, frames, end));
}

static int cut_file(struct reading *reading, uint64_t frames, struct engine_error *error)
{
    uint64_t end = 0;
    int status = 0;
    if (frames > 0)
        status = (about_of(reading)->cut != NULL ? cut_frames : find_end)(reading, frames, &end, error);
    if (status == 0 && end > reading->file.bytes)
        status = refuse_format(reading, "the end of a frame is beyond the end of the file", error);
    if (status == 0 && ftruncate(reading->file.file, (off_t) end) != 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be shortened: %s", strerror(errno));
    return status;
}

int file_cut(const struct io_format *format, int film, uint64_t frames, struct engine_error *error)
{
    static const struct io_options options;
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL)
        return error_memory(error, sizeof *reading, "reading a file");
    reading->content.size = sizeof reading->content;
    int status = file_attach(&reading->file, format, film, &options, error);
    if (status == 0) {
        reading->file.flags = ENGINE_FILE_UNFINISHED;
        status = cut_file(reading, frames, error);
        file_end(&reading->file);
    }
    free(reading);
    return status;
}
