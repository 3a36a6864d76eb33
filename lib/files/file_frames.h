/* Decodes the frames of a file before they are asked for. There are two banks of frames. While the
 * caller uses the frames of one bank, other threads decode the next frames into the other bank. */
#ifndef LIB_FILES_FILE_FRAMES_H
#define LIB_FILES_FILE_FRAMES_H

#include "files/document.h"
#include "files/file_calls.h"

struct file_frames;

/* The frame that is wanted, and the way to the next one. */
struct file_place {
    uint64_t frame;  /* from 0 */
    uint64_t frames; /* of the file */
    uint64_t stride; /* of the last move forward; 0: there was none */
    bool steady;     /* the last two moves had the same stride */
};

/* Calls `read` of the format. */
int file_ask(struct open_file *file, uint64_t frame, uint32_t array, uint64_t begin, uint64_t count, void *out,
             struct engine_error *error);

/* `file` and `document`, whose arrays are known, live longer. NULL: no memory. */
struct file_frames *file_frames_open(struct open_file *file, const struct io_document *document);

/* Waits for the threads. NULL is allowed. */
void file_frames_close(struct file_frames *frames);

/* Sets *elements to the whole array of a frame, valid until the next call with another frame. */
int file_frames_take(struct file_frames *frames, const struct file_place *place, uint32_t array, const void **elements,
                     struct engine_error *error);

#endif
