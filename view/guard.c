#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static bool draw(char secret[GUARD_SECRET])
{
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool guard_open(struct guard *guard)
{
    return draw(guard->token) && draw(guard->cookie);
}

void guard_set_port(struct guard *guard, uint16_t port)
{
    guard->port = port;
    snprintf(guard->name, sizeof guard->name, "engine_view_%u", port);
}

/* The time does not depend on where the texts differ. */
static bool is_secret(const char *secret, const char *given, size_t length)
{
    uint8_t differs = length != GUARD_SECRET - 1;
    for (size_t i = 0; i < GUARD_SECRET - 1; i++)
        differs |= (uint8_t) (secret[i] ^ (i < length ? given[i] : 0));
    return differs == 0;
}

bool guard_knows_host(const struct guard *guard, const struct visitor *visitor)
{
    static const char *const names[] = {"127.0.0.1", "[::1]", "localhost"};
    char host[64];
    for (size_t i = 0; visitor->host && i < sizeof names / sizeof names[0]; i++) {
        snprintf(host, sizeof host, "%s:%u", names[i], guard->port);
        if (strcmp(host, visitor->host) == 0)
            return true;
    }
    return false;
}

bool guard_knows_token(const struct guard *guard, const struct visitor *visitor)
{
    return visitor->token && is_secret(guard->token, visitor->token, strlen(visitor->token));
}

/* Looks at every cookie of the header: "a=1; name=value". */
bool guard_knows_cookie(const struct guard *guard, const struct visitor *visitor)
{
    const size_t length = strlen(guard->name);
    const char *at = visitor->cookie;
    while (at && *at) {
        at += strspn(at, "; ");
        const size_t all = strcspn(at, ";");
        if (all > length && strncmp(at, guard->name, length) == 0 && at[length] == '=' &&
            is_secret(guard->cookie, at + length + 1, all - length - 1))
            return true;
        at += all;
    }
    return false;
}

bool guard_knows_page(const struct visitor *visitor)
{
    static const char scheme[] = "http://";
    return visitor->origin && visitor->host && strncmp(visitor->origin, scheme, sizeof scheme - 1) == 0 &&
           strcmp(visitor->origin + sizeof scheme - 1, visitor->host) == 0 &&
           (!visitor->site || strcmp(visitor->site, "same-origin") == 0) && visitor->type &&
           strcmp(visitor->type, "application/octet-stream") == 0;
}
