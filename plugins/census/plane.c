#include "plane.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 2048, MOST_TILES = 1 << 17 };

static int make_room(struct plane *plane, uint32_t room)
{
    struct tile *tiles = aligned_alloc(alignof(struct tile), room * sizeof *tiles);
    uint32_t *lists = malloc(3 * (size_t) room * sizeof *lists);
    uint32_t(*history)[TILE_ROWS] = realloc(plane->history, room * sizeof *history);
    plane->history = history ? history : plane->history;
    if (!tiles || !lists || !history) {
        free(tiles);
        free(lists);
        return -1;
    }
    if (plane->tiles) {
        memcpy(tiles, plane->tiles, plane->count * sizeof *tiles);
        memcpy(lists, plane->queue, plane->queue_count * sizeof *lists);
        memcpy(lists + room, plane->next, plane->next_count * sizeof *lists);
        memcpy(lists + 2 * (size_t) room, plane->changed, plane->changed_count * sizeof *lists);
        free(plane->tiles);
        free(plane->queue < plane->next ? plane->queue : plane->next);
    }
    plane->tiles = tiles;
    plane->queue = lists;
    plane->next = lists + room;
    plane->changed = lists + 2 * (size_t) room;
    plane->room = room;
    return 0;
}

int plane_open(struct plane *plane, uint32_t birth, uint32_t survive)
{
    *plane = (struct plane){.is_life = birth == 1u << 3 && survive == (1u << 2 | 1u << 3)};
    for (uint32_t total = 0; total < 9; total++) {
        plane->birth[total] = 0 - (birth >> total & 1);
        plane->differs[total] = plane->birth[total] ^ (0 - (survive >> total & 1));
    }
    plane->map = calloc((size_t) PLANE_SIDE * PLANE_SIDE, sizeof *plane->map);
    if (!plane->map || make_room(plane, FIRST_ROOM) != 0) {
        plane_close(plane);
        return -1;
    }
    memset(&plane->tiles[0], 0, sizeof plane->tiles[0]);
    memset(plane->history[0], 0, sizeof plane->history[0]);
    plane->count = 1;
    return 0;
}

void plane_close(struct plane *plane)
{
    free(plane->tiles);
    if (plane->queue)
        free(plane->queue < plane->next ? plane->queue : plane->next);
    free(plane->map);
    free(plane->history);
    *plane = (struct plane){0};
}

static uint32_t *place(struct plane *plane, int32_t x, int32_t y)
{
    return &plane->map[(y + PLANE_SIDE / 2) * PLANE_SIDE + x + PLANE_SIDE / 2];
}

void plane_clear(struct plane *plane)
{
    for (uint32_t i = 1; i < plane->count; i++)
        *place(plane, plane->tiles[i].x, plane->tiles[i].y) = 0;
    plane->count = 1;
    plane->queue_count = plane->next_count = plane->changed_count = plane->pass = 0;
    plane->population = 0;
    plane->full = false;
}

uint32_t plane_tile(struct plane *plane, int32_t x, int32_t y)
{
    const int32_t most = PLANE_SIDE / 2 - 2;
    if (x < -most || x > most || y < -most || y > most) {
        plane->full = true;
        return 0;
    }
    uint32_t number = *place(plane, x, y);
    if (number)
        return number;
    if (plane->count == plane->room && (plane->room == MOST_TILES || make_room(plane, 2 * plane->room) != 0)) {
        plane->full = true;
        return 0;
    }
    number = *place(plane, x, y) = plane->count++;
    struct tile *tile = &plane->tiles[number];
    memset(tile, 0, sizeof *tile);
    tile->x = x, tile->y = y;
    for (int near = 0; near < NEAR_COUNT; near++) {
        const int around = near < 4 ? near : near + 1;
        const uint32_t other = *place(plane, x + around % 3 - 1, y + around / 3 - 1);
        tile->near[near] = other;
        if (other)
            plane->tiles[other].near[NEAR_COUNT - 1 - near] = number;
    }
    return number;
}

void plane_put(struct plane *plane, int64_t x, int64_t y)
{
    const uint32_t number = plane_tile(plane, (int32_t) (x / TILE_SIDE), (int32_t) (y / TILE_SIDE));
    plane_rows(plane, number)[tile_row(TILE_EDGE + (int) (y % TILE_SIDE))] |= UINT32_C(1)
                                                                              << (TILE_EDGE + x % TILE_SIDE);
    plane_note_change(plane, number);
    plane_queue(plane, number);
}

void plane_wake(struct plane *plane)
{
    const uint32_t existing = plane->count;
    for (uint32_t i = 1; i < existing; i++)
        for (int around = 0; around < 9; around++)
            plane_queue(plane,
                        plane_tile(plane, plane->tiles[i].x + around % 3 - 1, plane->tiles[i].y + around / 3 - 1));
}

void plane_erase(struct plane *plane, uint32_t number)
{
    memset(plane_rows(plane, number), 0, sizeof plane->tiles[number].rows[0]);
    plane_note_change(plane, number);
}
