#include "parts/encoding.h"
#include "base/bits.h"
#include "memory/expand_bits.h"

bool encoding_is_bits(const struct plan *plan, uint32_t field)
{
    return plan->plugin->about.fields.at[field].values == 2 && type_bytes(plan->shapes[field].type) == 1;
}

uint64_t encoding_bytes(const struct plan *plan, uint32_t field, uint64_t count)
{
    return encoding_is_bits(plan, field) ? (count + 7) / 8 : count * type_bytes(plan->shapes[field].type);
}

void encoding_pack(const uint8_t *elements, uint64_t count, uint8_t *encoded)
{
    for (uint64_t n, done = 0; done < count; done += n) {
        n = count - done < 64 ? count - done : 64;
        const uint64_t bits = bits_from_bytes(elements + done, (uint32_t) n);
        memcpy(encoded + done / 8, &bits, (n + 7) / 8);
    }
}

void encoding_unpack(const uint8_t *encoded, uint64_t count, uint8_t *elements)
{
    const uint64_t whole = count / 8;
    expand_bits_bytes(encoded, whole, elements);
    if (count % 8 != 0)
        bits_to_bytes(encoded[whole], (uint32_t) (count % 8), elements + 8 * whole);
}
