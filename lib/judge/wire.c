#include "judge/wire.h"
#include "base/type.h"

#include <errno.h>
#include <sys/socket.h>

bool wire_send_more(int socket, const void *data, uint64_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (uint64_t) sent;
    }
    return true;
}

bool wire_send(int socket, uint32_t kind, int status, const void *data, uint64_t bytes)
{
    const struct wire_head head = {kind, status, bytes};
    return wire_send_more(socket, &head, sizeof head) && wire_send_more(socket, data, bytes);
}

bool wire_receive(int socket, void *data, uint64_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        const ssize_t got = recv(socket, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (uint64_t) got;
    }
    return true;
}

bool wire_has(const struct wire_field *field, enum wire_kind kind)
{
    return kind == WIRE_PROBLEM ? field->in_problem : field->in_result;
}

uint64_t wire_bytes(const struct wire_about *about, enum wire_kind kind)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < about->fields; i++)
        bytes += wire_has(&about->field[i], kind) ? about->field[i].elements * type_bytes(about->field[i].type) : 0;
    return bytes;
}
