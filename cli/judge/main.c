/* The program engine-judge, which `engine bench --isolated` starts. One implementation of one plugin runs in it. */
#include "confine.h"
#include "message.h"
#include "words.h"
#include <engine/engine.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTION = 3 };

/* What a plugin prints could be taken for the words of the judge. */
static bool be_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
}

int main(void)
{
    struct engine_error error;
    const struct engine_hooks hooks = {.size = sizeof hooks, .words = words_of_program};
    int kind;
    socklen_t size = sizeof kind;
    if (getsockopt(CONNECTION, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
        fail(&error, ENGINE_STATUS_USAGE, "engine-judge is started by `engine bench --isolated`, and not by people");
    else if (!confine() || !be_silent())
        fail(&error, ENGINE_STATUS_DEVICE, "engine-judge cannot confine itself on this kernel");
    else if (engine_judge_serve(CONNECTION, &hooks, &error) == 0)
        _exit(ENGINE_STATUS_DONE); /* without the destructors of plugins */
    fflush(stdout);
    _exit(report(&error));
}
