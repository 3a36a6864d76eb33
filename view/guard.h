/* Who may speak with the server: only a page that it served itself to somebody who knows the token. */
#ifndef VIEW_GUARD_H
#define VIEW_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum { GUARD_SECRET = 33, GUARD_COOKIE = 32 }; /* 128 bits as hexadecimal digits; room for the cookie's name */

struct guard {
    uint16_t port;
    char token[GUARD_SECRET];  /* in the address that the program prints */
    char cookie[GUARD_SECRET]; /* what a browser gets for it */
    char name[GUARD_COOKIE];   /* of the cookie: browsers share cookies between the ports of a host */
};

/* What the guard looks at. Each may be NULL: the request does not have it. */
struct visitor {
    const char *host, *origin, *cookie; /* headers */
    const char *site;                   /* the header Sec-Fetch-Site */
    const char *type;                   /* the header Content-Type */
    const char *token;                  /* in the address */
};

/* Draws the secrets. Returns false if the system gives no random numbers. */
bool guard_open(struct guard *guard);
void guard_set_port(struct guard *guard, uint16_t port);

/* Is the header Host 127.0.0.1, [::1] or localhost with the port? Without that, a name of another machine that points
 * here could be used (DNS rebinding). */
bool guard_knows_host(const struct guard *guard, const struct visitor *visitor);

/* Does the visitor bring the token, or the cookie? Both are compared in constant time. */
bool guard_knows_token(const struct guard *guard, const struct visitor *visitor);
bool guard_knows_cookie(const struct guard *guard, const struct visitor *visitor);

/* Does a POST come from a page of this server? A form of another page cannot send such a type. */
bool guard_knows_page(const struct visitor *visitor);

#endif
