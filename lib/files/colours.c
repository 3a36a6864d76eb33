/* viridis and inferno come from matplotlib (N. J. Smith and S. van der Walt, 2015, CC0). Their brightness rises evenly.
 * The table has every 17th colour; linear interpolation between them stays within 7 of 255 of the original. */
#include "files/colours.h"

enum { POINTS = 16, APART = 255 / (POINTS - 1) };

/* 0xRRGGBB. */
static const uint32_t points[][POINTS] = {
    [IO_GREY] = {0x000000, 0x111111, 0x222222, 0x333333, 0x444444, 0x555555, 0x666666, 0x777777, 0x888888, 0x999999,
                 0xaaaaaa, 0xbbbbbb, 0xcccccc, 0xdddddd, 0xeeeeee, 0xffffff},
    [IO_VIRIDIS] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e, 0x23888e, 0x1f988b, 0x22a884,
                    0x35b779, 0x54c568, 0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725},
    [IO_INFERNO] = {0x000004, 0x0c0826, 0x240c4f, 0x420a68, 0x5d126e, 0x781c6d, 0x932667, 0xae305c, 0xc73e4c, 0xdd513a,
                    0xed6925, 0xf8850f, 0xfca50a, 0xfac62d, 0xf2e661, 0xfcffa4},
};

static int part(uint32_t colour, int channel)
{
    return (int) (colour >> (16 - 8 * channel) & 0xff);
}

void colours_make(enum io_colours colours, uint8_t palette[256][3])
{
    for (int shade = 0; shade < 256; shade++) {
        const int left = shade < 255 ? shade / APART : POINTS - 2, along = shade - left * APART;
        const uint32_t from = points[colours][left], to = points[colours][left + 1];
        for (int c = 0; c < 3; c++)
            palette[shade][c] = (uint8_t) ((part(from, c) * (APART - along) + part(to, c) * along + APART / 2) / APART);
    }
}
