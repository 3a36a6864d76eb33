#include "soup_cells.h"

static const struct soup_layout layouts[] = {
    {"C1", 0, 0, false, false, false, false, false},     {"C2_1", 15, 15, true, false, false, true, false},
    {"C2_2", 15, 16, true, false, false, true, true},    {"C2_4", 16, 16, true, false, false, true, false},
    {"C4_1", 15, 15, true, false, true, false, false},   {"C4_4", 16, 16, true, false, true, false, false},
    {"D2_+1", 15, 0, false, false, false, false, false}, {"D2_+2", 16, 0, false, false, false, false, false},
    {"D2_x", 0, 0, false, true, false, false, false},    {"D4_+1", 15, 15, true, false, false, false, false},
    {"D4_+2", 15, 16, true, false, false, false, false}, {"D4_+4", 16, 16, true, false, false, false, false},
    {"D4_x1", 15, 15, true, true, true, false, false},   {"D4_x4", 16, 16, true, true, true, false, false},
    {"D8_1", 15, 15, true, true, false, false, false},   {"D8_4", 16, 16, true, true, false, false, false}};

const char *const soup_symmetries[] = {"C1",    "C2_1",  "C2_2",  "C2_4",  "C4_1",  "C4_4", "D2_+1", "D2_+2", "D2_x",
                                       "D4_+1", "D4_+2", "D4_+4", "D4_x1", "D4_x4", "D8_1", "D8_4",  NULL};

const struct soup_layout *soup_layout_of(uint32_t symmetry)
{
    return &layouts[symmetry];
}

void soup_make(const char *text, size_t length, uint32_t symmetry, struct soup *soup)
{
    soup_put_together(text, length, &layouts[symmetry], soup);
}

void soup_sha256(const char *text, size_t length, uint8_t digest[32])
{
    soup_digest(text, length, digest);
}
