/* An open file, and the services that its format calls. */
#ifndef LIB_FILES_FILE_CALLS_H
#define LIB_FILES_FILE_CALLS_H

#include "files/file.h"
#include "files/unpacked.h"
#include "plugin/foreign.h"

#include <pthread.h>
#include <stdio.h>

struct open_file {
    const struct io_format *format;
    const char *path;
    char name[32]; /* for `path` */
    int file;
    uint64_t bytes; /* of the file */
    uint32_t flags; /* ENGINE_FILE_… */
    int status;     /* of errors: ENGINE_STATUS_INPUT or ENGINE_STATUS_OUTPUT */
    void *self;
    bool is_open;                     /* `close` of the format is due */
    pthread_mutex_t lock;             /* of the list: */
    struct memory *memory;            /* what the format has allocated */
    struct io_document *from;         /* writing: gives the elements */
    uint32_t array[IO_ARRAYS_MAX];    /* writing: the index in `from` of each array that is written */
    int32_t power[IO_ARRAYS_MAX];     /* writing: of the length in the array's unit */
    bool shown[IO_ARRAYS_MAX];        /* writing: the array is a component of that one, which the options choose */
    uint32_t length;                  /* writing: the unit of the file */
    const struct io_options *options; /* writing */
    struct unpacked *unpacked;        /* reading, with ENGINE_FORMAT_PACKED; the file owns it */
    FILE *stream;                     /* writing, with ENGINE_FORMAT_PACKED: what `write` adds goes here */
    const struct context *asked;      /* while it is opened: the one whose stop hook is asked; NULL: none */
    uint64_t threads;                 /* that the format may use; 0: one per processor */
};

/* One call of a function of the format. file_leave returns 0, or the status of the error that it records for the code
 * that the function returned. */
struct file_call {
    struct engine_file table; /* what the format sees */
    struct open_file *file;
    struct engine_error *error;
    bool failed; /* the error has the reason */
    struct foreign call;
};

void file_enter(struct file_call *call, struct open_file *file, const char *function, struct engine_error *error);
int file_leave(struct file_call *call, const char *function, int code);

/* Begins to use a file. The members that the caller knows are set. */
void file_begin(struct open_file *file);

/* Begins to use a file that is open for writing. Its path is a name under which a library can open it.
 * ENGINE_STATUS_OUTPUT. */
int file_attach(struct open_file *taken, const struct io_format *format, int file, const struct io_options *options,
                struct engine_error *error);

/* Calls `close` of the format if that is due, and frees what the format has allocated. */
void file_end(struct open_file *file);

#endif
