#include "files/shared.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct shared_file {
    struct shared_files *files; /* NULL: they are closed */
    struct io_document *document;
    char *path;
    struct stat info;
    uint32_t users;
};

/* A copy of the document of a file. */
struct shared_document {
    struct io_document document;
    struct shared_file *file;
};

void shared_files_open(struct shared_files *files)
{
    *files = (struct shared_files){.last = NULL};
    pthread_mutex_init(&files->lock, NULL);
}

void shared_files_close(struct shared_files *files)
{
    if (files->last != NULL)
        files->last->files = NULL;
    pthread_mutex_destroy(&files->lock);
}

static void free_file(struct shared_file *file)
{
    if (file->document != NULL)
        file->document->close(file->document);
    free(file->path);
    free(file);
}

static void close_document(struct io_document *document)
{
    struct shared_file *file = ((struct shared_document *) document)->file;
    struct shared_files *files = file->files;
    if (files != NULL)
        pthread_mutex_lock(&files->lock);
    const bool unused = --file->users == 0;
    if (unused && files != NULL && files->last == file)
        files->last = NULL;
    if (files != NULL)
        pthread_mutex_unlock(&files->lock);
    if (unused)
        free_file(file);
    free(document);
}

static bool is_same(const struct shared_file *file, const char *path, const struct stat *info)
{
    const struct stat *there = &file->info;
    return strcmp(file->path, path) == 0 && there->st_dev == info->st_dev && there->st_ino == info->st_ino &&
           there->st_size == info->st_size && there->st_mtim.tv_sec == info->st_mtim.tv_sec &&
           there->st_mtim.tv_nsec == info->st_mtim.tv_nsec;
}

/* A file that cannot be shared is opened as usual. */
static int open_file(struct shared_files *files, const struct io_format *format, const char *path,
                     const struct context *asked, struct shared_file **out, struct engine_error *error)
{
    struct shared_file *file = *out = calloc(1, sizeof *file);
    if (file == NULL || (file->path = strdup(path)) == NULL)
        return error_memory(error, sizeof *file, "reading a file");
    file->files = files;
    if (stat(path, &file->info) != 0)
        memset(&file->info, 0, sizeof file->info);
    return file_open_as(format, path, &(struct file_opening){.asked = asked}, &file->document, error);
}

/* The caller holds the lock. */
static int read_shared(struct shared_files *files, const struct io_format *format, const char *path,
                       const struct context *asked, struct shared_document *made, struct engine_error *error)
{
    struct stat info;
    struct shared_file *file = files->last;
    if (file == NULL || stat(path, &info) != 0 || !is_same(file, path, &info)) {
        const int status = open_file(files, format, path, asked, &file, error);
        if (status != 0) {
            if (file != NULL)
                free_file(file);
            return status;
        }
        files->last = file;
    }
    file->users++;
    made->document = *file->document;
    made->document.close = close_document;
    made->file = file;
    return 0;
}

int shared_files_read(struct shared_files *files, const struct io_format *format, const char *path,
                      const struct context *asked, struct io_document **document, struct engine_error *error)
{
    struct shared_document *made = calloc(1, sizeof *made);
    *document = NULL;
    if (made == NULL)
        return error_memory(error, sizeof *made, "reading a file");
    pthread_mutex_lock(&files->lock);
    const int status = read_shared(files, format, path, asked, made, error);
    pthread_mutex_unlock(&files->lock);
    if (status != 0)
        free(made);
    else
        *document = &made->document;
    return status;
}
