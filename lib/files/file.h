/* File formats with the descriptor of engine/format.h: the calls of their functions, and documents of their files. */
#ifndef LIB_FILES_FILE_H
#define LIB_FILES_FILE_H

#include "files/format.h"

/* Are these the first bytes of a file of the format? `bytes` is the size of the file. */
bool file_probe(const struct io_format *format, const char *path, const unsigned char *begin, uint64_t count,
                uint64_t bytes);

/* Opens a file at its last frame, or at its first one where `frames` is set. ENGINE_STATUS_INPUT;
 * ENGINE_STATUS_PLUGIN: the format breaks its interface. */
int file_open(const struct io_format *format, const char *path, bool frames, struct io_document **document,
              struct engine_error *error);

/* How a file is opened. */
struct file_opening {
    bool frames;                 /* at its first frame; otherwise its last frame is the whole document */
    bool unfinished;             /* the frames from the first one on that is incomplete or damaged are left out */
    const struct context *asked; /* if its stop hook asks to stop, opening fails; NULL: nobody is asked */
};

int file_open_as(const struct io_format *format, const char *path, const struct file_opening *how,
                 struct io_document **document, struct engine_error *error);

/* Can the array be the one that a file needs, or of a grid of several components the one that the options choose? Can
 * it be one of the others? */
bool file_writes(const struct io_format *format, const struct engine_file_array *array,
                 const struct io_options *options);
bool file_takes(const struct io_format *format, const struct engine_file_array *array);

/* file_write writes an empty file, which is open for reading and writing and stays open: the document's frame, and with
 * ENGINE_FORMAT_FRAMES those that follow. file_append adds the document as the last frame to such a file of a format
 * that grows; after an error the file is as before. file_cut removes all frames but the first ones.
 * ENGINE_STATUS_OUTPUT, without the file's name: the caller puts it in front. Errors of document->read are returned as
 * they are. */
int file_write(const struct io_format *format, int file, struct io_document *document, const struct io_options *options,
               struct engine_error *error);
int file_append(const struct io_format *format, int film, struct io_document *document,
                const struct io_options *options, struct engine_error *error);
int file_cut(const struct io_format *format, int film, uint64_t frames, struct engine_error *error);

/* Makes a file of a film, for a format that has `encode`. Both are open and stay open. ENGINE_STATUS_OUTPUT, without the
 * file's name. */
int file_encode(const struct io_format *format, int film, int file, const struct io_options *options,
                struct engine_error *error);

/* Checks that this machine has what the format needs. ENGINE_STATUS_OUTPUT. */
int file_check(const struct io_format *format, struct engine_error *error);

/* Describes the present frame of a document of particles as a format of pictures gets it, and calls `show`, whose code
 * becomes the status. Without particles, does nothing. */
int file_show(struct io_document *document, const struct io_options *options,
              int (*show)(const struct engine_file *file, const struct engine_file_frame *frame, void *context),
              void *context, struct engine_error *error);

/* For formats that are part of the engine: how the file is written, and a way to record an error of the core, which
 * returns a code. */
const struct io_options *file_options(const struct engine_file *file);
const struct io_document *file_document(const struct engine_file *file);
int file_keep(const struct engine_file *file, const struct engine_error *error);

/* The name of a unit of length: "nm", "angstrom" or NULL. */
const char *length_name(uint32_t unit);

/* The name of the unit of a document's lengths, or NULL. */
const char *document_length(const struct io_document *document);

/* Multiplies what has a power of a length in its unit, real numbers, so that it has another unit of length. Both units
 * are known, or nothing changes. Factors are powers of ten, and division is by them, so that results are rounded
 * once. */
void length_convert(uint32_t from, uint32_t to, int32_t power, uint32_t type, uint64_t count, void *elements);

/* The same for the box and the corner of a frame. */
void length_convert_frame(uint32_t from, uint32_t to, struct engine_file_frame *frame);

#endif
