/* common/isa_choice.h: the choice among a plugin's kernels on processors that have all, some or none of the
 * instructions that they need. */
#include <common/isa_choice.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int yes(void)
{
    return 1;
}

static int no(void)
{
    return 0;
}

struct kernel {
    struct isa_kernel isa;
    int answer;
};

static const struct kernel wide_yes = {{"wide", yes}, 512}, wide_no = {{"wide", no}, 512};
static const struct kernel half_yes = {{"half", yes}, 256}, half_no = {{"half", no}, 256};
static const struct kernel plain_yes = {{"plain", yes}, 64};

static int answer_of(const struct isa_kernel *const *kernels, const char *wanted)
{
    const struct kernel *found = isa_find(kernels, wanted);
    return found ? found->answer : 0;
}

static void test_auto_is_the_widest_that_can_run(void **state)
{
    (void) state;
    const struct isa_kernel *all[] = {&wide_yes.isa, &half_yes.isa, &plain_yes.isa, NULL};
    const struct isa_kernel *some[] = {&wide_no.isa, &half_yes.isa, &plain_yes.isa, NULL};
    const struct isa_kernel *least[] = {&wide_no.isa, &half_no.isa, &plain_yes.isa, NULL};
    assert_int_equal(answer_of(all, "auto"), 512);
    assert_int_equal(answer_of(some, "auto"), 256);
    assert_int_equal(answer_of(least, "auto"), 64);
}

static void test_a_name_is_that_kernel_or_none(void **state)
{
    (void) state;
    const struct isa_kernel *some[] = {&wide_no.isa, &half_yes.isa, &plain_yes.isa, NULL};
    assert_int_equal(answer_of(some, "half"), 256);
    assert_int_equal(answer_of(some, "plain"), 64);
    assert_int_equal(answer_of(some, "wide"), 0);
    assert_int_equal(answer_of(some, "other"), 0);
}

const struct kernel test_avx512 = {{"avx512", no}, 512}, test_avx2 = {{"avx2", yes}, 256};
const struct kernel test_plain = {{"plain", yes}, 64};

/* Every choice but auto, in this order; where the machine is no x86, the last alone. */
static void test_the_table_is_of_the_choices(void **state)
{
    (void) state;
    const struct isa_kernel *const kernels[] = ISA_KERNELS(test);
    const size_t count = sizeof kernels / sizeof *kernels - 1, choices = sizeof isa_choices / sizeof *isa_choices - 1;
    assert_string_equal(isa_choices[0], "auto");
    assert_true(count == choices - 1 || count == 1);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(kernels[i]->name, isa_choices[choices - count + i]);
    assert_null(kernels[count]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_is_the_widest_that_can_run),
        cmocka_unit_test(test_a_name_is_that_kernel_or_none),
        cmocka_unit_test(test_the_table_is_of_the_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
