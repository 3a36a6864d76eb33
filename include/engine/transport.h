/* engine/transport.h - what carries messages between the processes of a run.
 *
 * The engine itself knows no MPI. A program that shares its runs with other processes fills in a struct
 * engine_transport and gives it to engine_open in every process, as the member `transport` of struct engine_hooks. The
 * program `engine` takes the transport from the module team-mpi.so, which it loads if mpirun has started it; another
 * program may load the same module, or bring a transport of its own.
 *
 * Process 0 then plans and executes runs as it does alone. All others call engine_serve, and return from it when
 * process 0 closes its context.
 *
 * Messages have no tags. Two processes receive each other's messages in the order in which they were sent, and each
 * message is received with the number of bytes with which it was sent.
 *
 * The engine calls these functions in one thread of each process, the one that calls the library. */
#ifndef ENGINE_TRANSPORT_H
#define ENGINE_TRANSPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_TRANSPORT_MAJOR 1 /* of this interface; a module of another major version is refused */

/* A member that is not listed as optional is required. Append only: new members come at the end, and `size` says which
 * of them there are. */
struct engine_transport {
    uint32_t size;  /* sizeof(struct engine_transport) */
    uint32_t major; /* ENGINE_TRANSPORT_MAJOR */
    uint32_t rank;  /* the number of this process, from 0 */
    uint32_t ranks; /* the number of processes */
    uint32_t
        processors;     /* that this process should use where [run] threads is not given; 0: those that it may run on */
    uint32_t host_rank; /* the number of this process among those of its host, from 0; it decides which GPU it uses */
    const char *name;   /* such as "Open MPI 4.1.4"; for summaries */
    void *self;         /* passed to the functions below */

    /* Begin to send a message to process `to`, or to receive one from process `from`, and return at once. `data` stays
     * valid and unchanged until `test` says that the request is done. `bytes` is at least 1 and at most 2^30. Return
     * the request, or NULL after an error. */
    void *(*send)(void *self, uint32_t to, const void *data, uint64_t bytes);
    void *(*receive)(void *self, uint32_t from, void *data, uint64_t bytes);

    /* Returns 1 if the request is done, and frees it; 0 if it is not; -1 after an error. */
    int (*test)(void *self, void *request);

    /* The reason of the last error, valid until the next call. */
    const char *(*reason)(void *self);

    /* Ends all processes of the run at once, with this exit status, because some of them do not answer. The function
     * does not return. */
    void (*abort)(void *self, int status);

    /* Ends the use of the transport, after all messages; called by the program, not by the library. */
    void (*close)(void *self);

    /* Optional, both or neither; NULL: there are no notices. A notice is a number from 0 to
     * 255 that passes the messages, and is not part of their order. By notices, a process that waits in vain finds out
     * which of the others does not answer, because those that only wait themselves do.
     *
     * notify sends a notice, and returns at once, also if the other process never takes it. notice takes one that has
     * come from any process and returns 1, or returns 0 if there is none. Both return -1 after an error. */
    int (*notify)(void *self, uint32_t to, uint32_t number);
    int (*notice)(void *self, uint32_t *from, uint32_t *number);
};

/* What a module such as team-mpi.so exports under the name engine_transport_open: returns the transport, which lives to
 * the end of the process, or NULL with a sentence in `reason`. */
typedef const struct engine_transport *engine_transport_open_function(char reason[256]);

#ifdef __cplusplus
}
#endif

#endif
