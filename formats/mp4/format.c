/* MP4 films, which the program ffmpeg makes of the frames of an animated PNG (formats/pictures/apng.c).
 *
 * The animated PNG grows during a run and survives anything that ends the run; an MP4 file is complete only at its end.
 * So the film is encoded when the run ends, from the file that holds all frames, also those of a run that was resumed.
 * ffmpeg reads each frame as a PNG picture from its standard input, because its reader of animated PNG does not know
 * all kinds of pixels. Its standard input is a socket: writing to one whose reader has gone is an error, where a pipe
 * would raise a signal. It writes to the file that the engine has opened, and its messages go to a file in memory.
 * Nothing but messages about errors is asked for, and some of them come with the exit status 0, for example if the disk
 * is full. So any message makes the film a failure. */
#define ENGINE_FORMAT_NEEDS 3 /* films that are converted */
#include "common/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* ffmpeg gets the environment of this process, which nothing here reads */

/* ---- The program ---------------------------------------------------------------------------------------------- */

/* ffmpeg, while it runs. */
struct encoder {
    pid_t process;
    int input;    /* the end of the socket that is written to */
    int messages; /* a file in memory */
};

/* The descriptors of the program, as numbers that are none of its own 0 … 3. */
struct ends {
    int input, messages, file;
};

static int cannot_start(const struct engine_file *file, int code)
{
    return code == ENOENT
               ? ENGINE_FAIL_FILE(
                     file, "mp4 needs the program ffmpeg, and no folder of PATH has it; install it, or write apng, "
                           "which needs no other program")
               : ENGINE_FAIL_FILE(file, "the program ffmpeg cannot be started: %s", strerror(code));
}

/* Starts the program. file -1: it has none. Returns errno. */
static int start(char *const arguments[], const struct ends *ends, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    if (ends->input >= 0)
        posix_spawn_file_actions_adddup2(&actions, ends->input, 0);
    else
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends->messages, 2);
    if (ends->file >= 0)
        posix_spawn_file_actions_adddup2(&actions, ends->file, 3);
    const int code = posix_spawnp(process, arguments[0], &actions, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* A descriptor above those that the program gets, instead of this one, which is closed. */
static int move_up(int file)
{
    const int moved = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 4) : -1;
    if (file >= 0)
        close(file);
    return moved;
}

static int open_messages(void)
{
    return move_up(memfd_create("ffmpeg", MFD_CLOEXEC));
}

static void close_ends(const struct ends *ends)
{
    if (ends->input >= 0)
        close(ends->input);
    if (ends->file >= 0)
        close(ends->file);
}

/* The program's last line, or "". */
static void last_message(int messages, char text[512])
{
    char all[4096] = "";
    struct stat info;
    *text = '\0';
    if (fstat(messages, &info) != 0 || info.st_size == 0)
        return;
    const uint64_t size = (uint64_t) info.st_size, kept = size < sizeof all - 1 ? size : sizeof all - 1;
    if (pread(messages, all, kept, (off_t) (size - kept)) != (ssize_t) kept)
        return;
    while (*all != '\0' && strchr("\r\n ", all[strlen(all) - 1]))
        all[strlen(all) - 1] = '\0';
    const char *line = strrchr(all, '\n');
    snprintf(text, 512, "%.511s", line ? line + 1 : all);
}

/* Waits for the program. Anything but silent success is an error. */
static int finish(const struct engine_file *file, const struct encoder *encoder)
{
    int code = 0;
    char message[512];
    const bool waited = TEMP_FAILURE_RETRY(waitpid(encoder->process, &code, 0)) == encoder->process;
    const int trouble = errno;
    last_message(encoder->messages, message);
    close(encoder->messages);
    if (*message != '\0')
        return ENGINE_FAIL_FILE(file, "ffmpeg: %s", message);
    if (!waited) /* the program that embeds the engine ignores or takes the ends of its children */
        return ENGINE_FAIL_FILE(file, "the engine cannot learn how ffmpeg ended: %s", strerror(trouble));
    if (WIFSIGNALED(code))
        return ENGINE_FAIL_FILE(file, "ffmpeg was ended by signal %d", WTERMSIG(code));
    return WEXITSTATUS(code) == 0
               ? 0
               : ENGINE_FAIL_FILE(file, "ffmpeg gave up without a message, with status %d", WEXITSTATUS(code));
}

static int check(const struct engine_file *file)
{
    char *const arguments[] = {(char[]){"ffmpeg"}, (char[]){"-hide_banner"}, (char[]){"-loglevel"},
                               (char[]){"error"},  (char[]){"-version"},     NULL};
    struct encoder encoder = {.messages = open_messages()};
    const struct ends ends = {-1, encoder.messages, -1};
    if (encoder.messages < 0)
        return ENGINE_FAIL_FILE(file, "no memory for the messages of ffmpeg: %s", strerror(errno));
    const int code = start(arguments, &ends, &encoder.process);
    if (code == 0)
        return finish(file, &encoder);
    close(encoder.messages);
    return cannot_start(file, code);
}

/* Starts ffmpeg on a file, so that it waits for pictures. Sides are made even, because the usual pixels of films are
 * twice as wide and high for colours as for brightness. */
static int begin(const struct engine_file *file, uint32_t rate, struct encoder *encoder)
{
    char frames[16], input[] = "pipe:0", output[] = "file:/dev/fd/3", even[] = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    char *const arguments[] = {(char[]){"ffmpeg"},
                               (char[]){"-nostdin"},
                               (char[]){"-hide_banner"},
                               (char[]){"-loglevel"},
                               (char[]){"error"},
                               (char[]){"-f"},
                               (char[]){"image2pipe"},
                               (char[]){"-c:v"},
                               (char[]){"png"},
                               (char[]){"-framerate"},
                               frames,
                               (char[]){"-i"},
                               input,
                               (char[]){"-vf"},
                               even,
                               (char[]){"-pix_fmt"},
                               (char[]){"yuv420p"},
                               (char[]){"-movflags"},
                               (char[]){"+faststart"},
                               (char[]){"-f"},
                               (char[]){"mp4"},
                               (char[]){"-y"},
                               output,
                               NULL};
    int sockets[2];
    snprintf(frames, sizeof frames, "%u", rate);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return cannot_start(file, errno);
    encoder->input = sockets[0];
    encoder->messages = open_messages();
    const struct ends ends = {move_up(sockets[1]), encoder->messages, move_up(open(file->path, O_RDWR | O_CLOEXEC))};
    const bool ready = encoder->messages >= 0 && ends.input >= 0 && ends.file >= 0;
    const int code = ready ? start(arguments, &ends, &encoder->process) : errno;
    close_ends(&ends);
    if (code == 0)
        return 0;
    close(encoder->input);
    if (encoder->messages >= 0)
        close(encoder->messages);
    return cannot_start(file, code);
}

/* ---- Films ---------------------------------------------------------------------------------------------------- */

/* The frames of a film on their way to the program. */
struct sending {
    struct film film;
    int to;
};

/* Stops where the program does not read any more; its message says why. */
static void put(struct film *film, const void *bytes, size_t count)
{
    const struct sending *sending = (const struct sending *) film;
    const char *from = bytes;
    while (count > 0 && !film->stopped) {
        const ssize_t sent = TEMP_FAILURE_RETRY(send(sending->to, from, count, MSG_NOSIGNAL));
        film->stopped = sent <= 0;
        from += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t) sent : 0;
    }
}

static int encode(const struct engine_file *film, const struct engine_file *file)
{
    struct encoder encoder;
    struct stat info;
    struct sending sending = {.film = {.film = film, .file = file, .put = put}};
    uint32_t rate = 0;
    if (film_find_rate(&sending.film, &rate) != 0 || begin(file, rate, &encoder) != 0)
        return ENGINE_INVALID;
    sending.to = encoder.input;
    int code = film_put_pictures(&sending.film);
    close(encoder.input);
    const int ended = finish(file, &encoder);
    code = code != 0 ? code : ended;
    if (code == 0 && sending.film.stopped)
        return ENGINE_FAIL_FILE(file, "ffmpeg ended before it had read all frames");
    if (code == 0 && (stat(file->path, &info) != 0 || info.st_size == 0))
        return ENGINE_FAIL_FILE(file, "ffmpeg has written nothing");
    return code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("mp4", "1.0", "the same film as MP4, by the program ffmpeg", ".mp4"),
    .flags = ENGINE_FORMAT_PICTURE | ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_BATCHES,
    .arrays = "position *",
    .bytes = ENGINE_SIZE_PICTURE,
    .film = "apng",
    .encode = encode,
    .check = check,
};
