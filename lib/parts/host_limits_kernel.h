/* Loops that keep one kind of arithmetic unit busy. host_limits.c includes this file once for each width of vector,
 * with these macros:
 *
 *   ISA      suffix of the functions' names
 *   TARGET   attribute that lets the compiler use these instructions in them
 *   BYTES    of a vector
 *   TERNARY  (a, b, c): a three-input operation, one instruction or two
 *
 * Every value depends on the values of several operations before, so that the compiler cannot shorten a loop and no
 * operation waits for another. The results are stored to a volatile variable, so that the compiler keeps the loop. Each
 * function returns how many numbers a round works on. */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAME(name)  JOIN(name, ISA)

enum { NAME(logic_values) = 14, NAME(fma_values) = 12 };

typedef uint32_t NAME(words) __attribute__((vector_size(BYTES)));
typedef float NAME(floats) __attribute__((vector_size(BYTES)));
typedef double NAME(doubles) __attribute__((vector_size(BYTES)));

TARGET static double NAME(logic)(uint64_t rounds)
{
    enum { N = NAME(logic_values) };
    NAME(words) v[N];
    volatile double sink;
    for (int i = 0; i < N; i++)
        v[i] = (NAME(words)){(uint32_t) rounds} + (uint32_t) i;
    for (uint64_t r = 0; r < rounds; r++)
#pragma GCC unroll 16
        for (int i = 0; i < N; i++)
            v[i] = TERNARY(v[i], v[(i + 1) % N], v[(i + 2) % N]);
    for (int i = 0; i < N; i++)
        sink = (double) v[i][0];
    (void) sink;
    return (double) N * BYTES / sizeof(uint32_t);
}

#define MULTIPLY_ADD(name, vector, number) \
    TARGET static double NAME(name)(uint64_t rounds) \
    { \
        enum { N = NAME(fma_values) }; \
        const NAME(vector) factor = (NAME(vector)){0} + (number) 0.999, term = (NAME(vector)){0} + (number) 0.001; \
        NAME(vector) v[N]; \
        volatile double sink; \
        for (int i = 0; i < N; i++) \
            v[i] = (NAME(vector)){0} + (number) (i + (int) (rounds & 7)); \
        for (uint64_t r = 0; r < rounds; r++) \
            _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) v[i] = v[i] * factor + term; \
        for (int i = 0; i < N; i++) \
            sink = (double) v[i][0]; \
        (void) sink; \
        return (double) N * BYTES / sizeof(number); \
    }

MULTIPLY_ADD(fma, floats, float)
MULTIPLY_ADD(fma64, doubles, double)

#undef MULTIPLY_ADD
#undef JOIN_
#undef JOIN
#undef NAME
#undef ISA
#undef TARGET
#undef BYTES
#undef TERNARY
