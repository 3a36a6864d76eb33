#include "watch_writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct writer {
    int file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *text; /* the text to write; NULL: none */
    size_t length;
    bool closing;
};

/* Writes a text. Gives up without an error if the terminal is gone. */
static void write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, text, length);
        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t) written : 0;
    }
}

/* The thread: writes texts until the writer closes. `text` is not NULL until the text is written. */
static void *write_texts(void *argument)
{
    struct writer *writer = argument;
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->text == NULL && !writer->closing)
            pthread_cond_wait(&writer->changed, &writer->lock);
        if (writer->text == NULL)
            break;
        pthread_mutex_unlock(&writer->lock);
        write_all(writer->file, writer->text, writer->length);
        pthread_mutex_lock(&writer->lock);
        free(writer->text);
        writer->text = NULL;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Starts the thread with all signals blocked, so that the thread that takes the steps receives them. */
static int start_thread(struct writer *writer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = pthread_create(&writer->thread, NULL, write_texts, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

struct writer *writer_open(int file)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->file = file;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, NULL);
    if (start_thread(writer) == 0)
        return writer;
    free(writer);
    return NULL;
}

void writer_close(struct writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->closing = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

bool writer_busy(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    const bool busy = writer->text != NULL;
    pthread_mutex_unlock(&writer->lock);
    return busy;
}

void writer_give(struct writer *writer, char *text, size_t length)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->text != NULL)
        pthread_cond_wait(&writer->changed, &writer->lock);
    writer->text = text;
    writer->length = length;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}
