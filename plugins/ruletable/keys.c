/* A hash table with open addressing, and an array with the words of all keys. */
#include "diagram.h"

#include <stdlib.h>
#include <string.h>

struct keys {
    uint32_t *words;
    uint64_t *first; /* of each key, and one behind the last */
    uint32_t *slots; /* numbers + 1; 0: empty */
    uint64_t used, room;
    uint64_t bytes_most;
    uint32_t count, keys_room, slot_mask;
};

struct keys *keys_open(uint64_t bytes_most)
{
    struct keys *keys = (struct keys *) calloc(1, sizeof *keys);
    if (!keys)
        return NULL;
    keys->bytes_most = bytes_most;
    keys->room = 1024, keys->keys_room = 256, keys->slot_mask = 1023;
    keys->words = (uint32_t *) malloc(keys->room * sizeof *keys->words);
    keys->first = (uint64_t *) calloc(keys->keys_room + 1, sizeof *keys->first);
    keys->slots = (uint32_t *) calloc(keys->slot_mask + 1, sizeof *keys->slots);
    if (keys->words && keys->first && keys->slots)
        return keys;
    keys_close(keys);
    return NULL;
}

void keys_close(struct keys *keys)
{
    if (!keys)
        return;
    free(keys->words);
    free(keys->first);
    free(keys->slots);
    free(keys);
}

uint32_t keys_count(const struct keys *keys)
{
    return keys->count;
}

const uint32_t *keys_words(const struct keys *keys, uint32_t number, uint32_t *count)
{
    *count = (uint32_t) (keys->first[number + 1] - keys->first[number]);
    return keys->words + keys->first[number];
}

static uint32_t hash(const uint32_t *words, uint32_t count)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        sum = (sum ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    }
    return (uint32_t) (sum ^ sum >> 32);
}

/* Returns the slot of a key, or the empty slot where it belongs. */
static uint32_t find(const struct keys *keys, const uint32_t *words, uint32_t count)
{
    uint32_t at = hash(words, count) & keys->slot_mask, there;
    for (; keys->slots[at]; at = (at + 1) & keys->slot_mask) {
        const uint32_t *other = keys_words(keys, keys->slots[at] - 1, &there);
        if (there == count && memcmp(other, words, count * sizeof *words) == 0)
            break;
    }
    return at;
}

static bool grow_slots(struct keys *keys)
{
    const uint32_t mask = 2 * keys->slot_mask + 1;
    uint32_t *slots = (uint32_t *) calloc((size_t) mask + 1, sizeof *slots), count;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < keys->count; i++) {
        const uint32_t *words = keys_words(keys, i, &count);
        uint32_t at = hash(words, count) & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    free(keys->slots);
    keys->slots = slots;
    keys->slot_mask = mask;
    return true;
}

static bool make_room(struct keys *keys, uint32_t count)
{
    uint64_t room = keys->room, keys_room = keys->keys_room;
    while (room < keys->used + count)
        room *= 2;
    if (keys_room == keys->count)
        keys_room *= 2;
    const uint64_t bytes = room * sizeof *keys->words + keys_room * (sizeof *keys->first + 4 * sizeof *keys->slots);
    if (bytes > keys->bytes_most)
        return false;
    if (room > keys->room) {
        uint32_t *words = (uint32_t *) realloc(keys->words, room * sizeof *words);
        if (!words)
            return false;
        keys->words = words, keys->room = room;
    }
    if (keys_room > keys->keys_room) {
        uint64_t *first = (uint64_t *) realloc(keys->first, (keys_room + 1) * sizeof *first);
        if (!first)
            return false;
        keys->first = first, keys->keys_room = (uint32_t) keys_room;
    }
    return 2 * (uint64_t) keys->count < keys->slot_mask || grow_slots(keys);
}

uint32_t keys_number(struct keys *keys, const uint32_t *words, uint32_t count)
{
    uint32_t at = find(keys, words, count);
    if (keys->slots[at])
        return keys->slots[at] - 1;
    if (!make_room(keys, count))
        return UINT32_MAX;
    at = find(keys, words, count);
    memcpy(keys->words + keys->used, words, count * sizeof *words);
    keys->used += count;
    keys->first[keys->count + 1] = keys->used;
    keys->slots[at] = keys->count + 1;
    return keys->count++;
}
