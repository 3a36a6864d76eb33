/* random SEED DENSITY COUNT: prints COUNT cells, '0' or '1'. Cell i is alive if word i of Philox4x32-10 is below
 * density x 2^32: the key is the seed, the counter is i / 4, and the word is number i mod 4 of the block. The program
 * was written from the description of the generator (Salmon et al.: Parallel random numbers: as easy as 1, 2, 3. SC11,
 * section 3.3) and shares no code with the engine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void philox(uint64_t counter, uint64_t key, uint32_t word[4])
{
    uint32_t left0 = (uint32_t) key, left1 = (uint32_t) (key >> 32);
    uint32_t r0 = (uint32_t) counter, l0 = (uint32_t) (counter >> 32), r1 = 0, l1 = 0;
    for (int round = 0; round < 10; round++) {
        const uint64_t product0 = UINT64_C(0xD2511F53) * r0, product1 = UINT64_C(0xCD9E8D57) * r1;
        r0 = (uint32_t) (product1 >> 32) ^ left0 ^ l0;
        l0 = (uint32_t) product1;
        r1 = (uint32_t) (product0 >> 32) ^ left1 ^ l1;
        l1 = (uint32_t) product0;
        left0 += 0x9E3779B9; /* the golden ratio, and the square root of 3 less 1 */
        left1 += 0xBB67AE85;
    }
    word[0] = r0, word[1] = l0, word[2] = r1, word[3] = l1;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[3], NULL, 10);
    const double below = atof(argv[2]) * 4294967296.0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word[4];
        philox(i / 4, seed, word);
        putchar(word[i % 4] < below ? '1' : '0');
    }
    return 0;
}
