/* The server on the loopback. Its threads take requests, and the thread of the simulation answers them. */
#ifndef VIEW_SERVER_H
#define VIEW_SERVER_H

#include "guard.h"
#include "messages.h"

struct server;

/* Listens on 127.0.0.1 and, if the machine has it, on ::1. port 0: any free one. ENGINE_STATUS_DEVICE. */
int server_open(uint16_t port, struct server **server, struct engine_error *error);

/* Requests that wait get an error. */
void server_close(struct server *server);

const struct guard *server_guard(const struct server *server);

/* Does a request wait that may be answered at `now`, or any, if `patient` requests may be answered? A thread of the
 * simulation may ask it at any time. */
bool server_has_request(struct server *server, bool patient);

/* Takes the next such request, or waits for one for at most so many seconds; negative: for as long as it takes, until
 * server_wake. Returns NULL if there is none. The caller answers it and calls server_give. */
struct message *server_take(struct server *server, bool patient, double seconds);
void server_give(struct server *server, struct message *message);

/* Ends the wait of server_take. A signal handler may call it. */
void server_wake(struct server *server);

#endif
