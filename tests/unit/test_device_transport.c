/* Which transport processes choose, from what they tell each other, and why they refuse one. */
#include "parts/device_transport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FOUR = 4 };

/* Four processes on `hosts` hosts with GPUs of their own. */
static void make_gpus(struct device_transport_facts facts[FOUR], int hosts)
{
    memset(facts, 0, FOUR * sizeof *facts);
    for (int i = 0; i < FOUR; i++) {
        facts[i].cuda = facts[i].alike = 1;
        snprintf(facts[i].host, sizeof facts[i].host, "host %d", i * hosts / FOUR);
        snprintf(facts[i].device, sizeof facts[i].device, "GPU %d", i);
    }
}

static void expect_order(const struct device_transport_facts *facts, const enum transport *order)
{
    uint32_t i = 0;
    do
        assert_int_equal(device_transport_candidate(facts, FOUR, i), order[i]);
    while (order[i++] != TRANSPORT_HOST);
}

static void expect_refusal(const struct device_transport_facts *facts, enum transport kind, const char *why)
{
    char text[256];
    const char *found = device_transport_obstacle(kind, facts, FOUR, text);
    assert_non_null(found);
    assert_string_equal(found, why);
}

static void given_gpus_of_one_host_then_auto_tries_peer_and_nccl(void **state)
{
    struct device_transport_facts facts[FOUR];
    char text[256];
    (void) state;
    make_gpus(facts, 1);
    expect_order(facts, (enum transport[]){TRANSPORT_PEER, TRANSPORT_NCCL, TRANSPORT_HOST});
    for (int kind = TRANSPORT_AUTO; kind <= TRANSPORT_HOST; kind++)
        assert_null(device_transport_obstacle((enum transport) kind, facts, FOUR, text));
}

static void given_gpus_of_several_hosts_then_auto_tries_nccl(void **state)
{
    struct device_transport_facts facts[FOUR];
    (void) state;
    make_gpus(facts, 2);
    expect_order(facts, (enum transport[]){TRANSPORT_NCCL, TRANSPORT_HOST});
    expect_refusal(facts, TRANSPORT_PEER, "rank 2 is on another host than rank 0, and cannot open its memory");
}

static void given_hosts_whose_gpus_have_one_name_then_they_differ(void **state)
{
    struct device_transport_facts facts[FOUR];
    (void) state;
    make_gpus(facts, 4);
    for (int i = 0; i < FOUR; i++)
        snprintf(facts[i].device, sizeof facts[i].device, "0");
    expect_order(facts, (enum transport[]){TRANSPORT_NCCL, TRANSPORT_HOST});
}

static void given_two_processes_on_one_gpu_then_only_the_host_works(void **state)
{
    struct device_transport_facts facts[FOUR];
    (void) state;
    make_gpus(facts, 1);
    memcpy(facts[3].device, facts[1].device, sizeof facts[3].device);
    expect_order(facts, (enum transport[]){TRANSPORT_HOST});
    expect_refusal(facts, TRANSPORT_PEER, "ranks 1 and 3 use the same GPU, and each process needs its own");
    expect_refusal(facts, TRANSPORT_NCCL, "ranks 1 and 3 use the same GPU, and each process needs its own");
}

static void given_parts_that_share_their_work_then_nccl_adds_up(void **state)
{
    struct device_transport_facts facts[FOUR];
    (void) state;
    make_gpus(facts, 1);
    for (int i = 0; i < FOUR; i++)
        facts[i].sums = 1, facts[i].alike = 0;
    expect_order(facts, (enum transport[]){TRANSPORT_NCCL, TRANSPORT_HOST});
    expect_refusal(facts, TRANSPORT_PEER,
                   "its processes exchange margins, and the parts of this run have none: they share their work");
}

static void given_parts_with_other_orders_of_cells_then_only_the_host_works(void **state)
{
    struct device_transport_facts facts[FOUR];
    (void) state;
    make_gpus(facts, 1);
    for (int i = 0; i < FOUR; i++)
        facts[i].alike = 0;
    expect_order(facts, (enum transport[]){TRANSPORT_HOST});
    expect_refusal(facts, TRANSPORT_NCCL,
                   "it moves whole rows or planes, and the parts order their cells in different ways");
}

static void given_processors_then_auto_takes_messages_and_peer_is_possible(void **state)
{
    struct device_transport_facts facts[FOUR];
    char text[256];
    (void) state;
    make_gpus(facts, 1);
    for (int i = 0; i < FOUR; i++)
        facts[i].cuda = 0, facts[i].device[0] = '\0';
    expect_order(facts, (enum transport[]){TRANSPORT_HOST});
    assert_null(device_transport_obstacle(TRANSPORT_PEER, facts, FOUR, text));
    expect_refusal(facts, TRANSPORT_NCCL, "NCCL moves memory of GPUs, and the implementation computes in host memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_gpus_of_one_host_then_auto_tries_peer_and_nccl),
        cmocka_unit_test(given_gpus_of_several_hosts_then_auto_tries_nccl),
        cmocka_unit_test(given_hosts_whose_gpus_have_one_name_then_they_differ),
        cmocka_unit_test(given_two_processes_on_one_gpu_then_only_the_host_works),
        cmocka_unit_test(given_parts_that_share_their_work_then_nccl_adds_up),
        cmocka_unit_test(given_parts_with_other_orders_of_cells_then_only_the_host_works),
        cmocka_unit_test(given_processors_then_auto_takes_messages_and_peer_is_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
