/* The parts of a team (parts/team.h), and the end of each round: as soon as every part waits in a function of the
 * service or has returned, the operation is carried out for all, or fails in all. */
#ifndef LIB_PARTS_TEAM_ROUND_H
#define LIB_PARTS_TEAM_ROUND_H

#include "parts/collective.h"

#include <pthread.h>

enum { TEAM_REDUCE, TEAM_GATHER, TEAM_EXCHANGE };

extern const char *const team_functions[]; /* the names of the functions */

struct team;

/* What a part asks of the service. */
struct team_call {
    uint32_t function;   /* TEAM_REDUCE … */
    uint64_t size, unit; /* numbers of 64 bits and 0; or bytes, and bytes of a unit */
    void *array;
    const void *out; /* TEAM_EXCHANGE: what the part sends */
};

/* What the parts of one process do, when each of them waits in a function of the service or has returned. */
struct team_arrivals {
    uint32_t waits, gone; /* the first part that waits, and the first that has returned, or failed if any has;
                            UINT32_MAX: none */
    uint32_t failed;      /* the one that has returned has failed */
    uint32_t function;
    uint64_t size, unit; /* of the calls of those that wait */
    char reason[384];    /* why the service fails in all processes, or "" */
};

/* A part. The team's lock guards all but the thread's own call. */
struct team_part {
    struct team *team;
    uint32_t index;
    struct device *device;
    bool here;     /* it waits in a function of the service */
    bool gone;     /* it has returned from its call */
    bool released; /* a function of the service failed in it because another part had failed */
    struct team_call call;

    /* Its call. */
    int status;
    bool lost;
    struct engine_error error;
};

/* This process has the parts `first` to `first` + `count` - 1 of `whole`, in `parts`. */
struct team {
    pthread_mutex_t lock, messages;
    pthread_cond_t changed;
    uint32_t first, count, whole;
    uint32_t here, gone;
    uint64_t round;                /* the number of functions that were carried out */
    bool is_open;                  /* between the beginning and the end of team_run */
    bool over;                     /* nothing will be carried out any more */
    bool failed;                   /* a part has returned an error before the service failed */
    bool failed_elsewhere;         /* the same in another process */
    char reason[384];              /* why the service fails from now on, or "" */
    struct collective *collective; /* with other processes; NULL: all parts are in this one */
    struct engine_error link;      /* with another status than 0: the link to them is broken */
    struct device **devices;       /* of the parts, and their arrays, as the functions of devices take them */
    uint64_t **arrays;
    struct team_arrivals *arrivals; /* one for each process */
    uint32_t *firsts;               /* the first part of each process, and `whole` */
    uint64_t *begins;               /* of the bytes of each process in an array that is gathered, and the end */
    struct transfer *transfers;     /* what the parts of this process exchange with those of others */
    struct team_thread *threads;
    struct team_part parts[];
};

/* Ends a round, in which every part of this process waits or has returned. In a run that several processes share, all
 * of them call it, each in the thread that may use the link. The lock is held. */
void team_end_round(struct team *team);

#endif
