#include "judge.h"
#include "message.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The process has a session of its own, without our terminal, an empty input, and our standard error in the place of its
 * output. Its end of the connection is its stream 3. */
static int spawn(const char *path, int other, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *words[] = {(char *) (uintptr_t) path, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    int wrong = posix_spawn_file_actions_adddup2(&actions, other, 3);
    if (wrong == 0)
        wrong = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (wrong == 0)
        wrong = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (wrong == 0)
        wrong = posix_spawn(process, path, &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return wrong;
}

int judge_start(void *user, int *socket, int64_t *process, struct engine_error *error)
{
    char path[INSTALLED_PATH];
    int ends[2];
    pid_t child = 0;
    (void) user;
    if (!installed_part(JUDGE_PROGRAM, path))
        return fail(error, ENGINE_STATUS_PLUGIN,
                    "the program " JUDGE_PROGRAM " is not beside this one; install it again, or leave out --isolated");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(error, ENGINE_STATUS_DEVICE, "%s: no connection can be made for it", path);
    const int wrong = spawn(path, ends[1], &child);
    close(ends[1]);
    *socket = ends[0];
    *process = child;
    if (wrong == 0)
        return 0;
    close(ends[0]);
    *socket = -1;
    return fail(error, ENGINE_STATUS_DEVICE, "%s cannot be started: %s", path, strerror(wrong));
}
