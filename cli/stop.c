#include "stop.h"
#include "message.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Signals ------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
    if (caught == 0) {
        caught = number;
    } else if (number == SIGINT) {
        signal(number, SIG_DFL);
        raise(number); /* ends the program as soon as this function returns */
    }
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART; /* a write that the signal interrupts is continued */
    if (number != 0)
        sigaction(number, &action, NULL);
}

static void handle_all(int number, void (*handler)(int))
{
    handle(SIGINT, handler);
    handle(SIGTERM, handler);
    handle(number, handler);
}

void stop_catch_signals(int signal)
{
    caught = 0;
    handle_all(signal, catch_signal);
}

void stop_release_signals(int signal)
{
    handle_all(signal, SIG_DFL);
}

int stop_signal(void *user)
{
    (void) user;
    return caught;
}

/* ---- Durations ------------------------------------------------------------------------------------------------ */

/* Reads digits. Returns -1 if there are none, or too many. */
static double take_number(const char **at)
{
    char *end;
    const size_t digits = strspn(*at, "0123456789");
    const double number = digits > 0 && digits <= 9 ? strtod(*at, &end) : -1;
    *at += digits;
    return number;
}

/* Reads 1d12h30m15s: each unit at most once, the longest unit first. */
static bool parse_units(const char *at, double *seconds)
{
    static const char units[] = "dhms";
    static const double lengths[] = {86400, 3600, 60, 1};
    const char *left = units;
    for (*seconds = 0; *at; at++) {
        const double number = take_number(&at);
        const char *unit = *at ? strchr(left, *at) : NULL;
        if (number < 0 || !unit)
            return false;
        *seconds += number * lengths[unit - units];
        left = unit + 1;
    }
    return true;
}

/* Reads [days-]hours:minutes:seconds. */
static bool parse_clock(const char *at, double *seconds)
{
    double parts[4] = {0, 0, 0, 0};
    int next = 1;
    parts[next] = take_number(&at);
    if (*at == '-') {
        parts[0] = parts[1];
        at++;
        parts[next] = take_number(&at);
    }
    while (*at == ':' && next < 3) {
        at++;
        parts[++next] = take_number(&at);
    }
    *seconds = 86400 * parts[0] + 3600 * parts[1] + 60 * parts[2] + parts[3];
    return *at == '\0' && next == 3 && parts[0] >= 0 && parts[1] >= 0 && parts[2] >= 0 && parts[2] < 60 &&
           parts[3] >= 0 && parts[3] < 60;
}

int stop_parse_duration(const char *text, double *seconds, struct engine_error *error)
{
    if ((parse_units(text, seconds) || parse_clock(text, seconds)) && *seconds > 0)
        return 0;
    return fail(error, ENGINE_STATUS_USAGE, "'%.40s' is not a duration, such as 90s, 3h50m or 3:50:00", text);
}
