/* compare STATE.mc CELLS.npy: succeeds if both files hold the same torus, cell by cell.
 *
 * Golly's HashLife writes macrocell files. Such a file is a quadtree around the origin, with one line for each node. A
 * line is `level nw ne sw se` with the numbers of earlier lines (0: empty), or the 8 rows of a leaf of 8 x 8 cells, '.'
 * and '*', with a '$' after each row. The last line is the root. Golly gives the first cell of a torus of width w the
 * coordinate -int(w / 2). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int level;
    long child[4]; /* nw ne sw se */
    unsigned char leaf[8];
};

static struct node *nodes; /* from 1 on */
static long node_count;

static long width, height;
static unsigned char *cells;    /* of the .npy file */
static unsigned char *expected; /* of the macrocell file */

static void die(const char *why)
{
    fprintf(stderr, "compare: %s\n", why);
    exit(2);
}

static void read_leaf(struct node *node, const char *line)
{
    int x = 0, y = 0;
    node->level = 3;
    for (; *line && *line != '\n' && *line != '\r'; line++)
        if (*line == '$')
            y++, x = 0;
        else if (y > 7 || x > 7)
            die("a leaf is larger than 8 x 8");
        else
            node->leaf[y] |= (unsigned char) ((*line == '*') << x++);
}

static void read_tree(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file) || strncmp(line, "[M2]", 4) != 0)
        die("no macrocell file");
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        nodes = realloc(nodes, (size_t) (node_count + 2) * sizeof *nodes);
        struct node *node = &nodes[++node_count];
        *node = (struct node){0};
        if (strchr(".*$", *line))
            read_leaf(node, line);
        else if (sscanf(line, "%d %ld %ld %ld %ld", &node->level, &node->child[0], &node->child[1], &node->child[2],
                        &node->child[3]) != 5 ||
                 node->level < 4)
            die("a line of the macrocell file is no node");
    }
    fclose(file);
}

static void paint_cell(long x, long y)
{
    x += width / 2, y += height / 2;
    if (x < 0 || x >= width || y < 0 || y >= height)
        die("the macrocell file has a cell outside the torus");
    expected[y * width + x] = 1;
}

/* The node's first cell is at (x, y). */
static void paint(long index, int level, long x, long y)
{
    if (index == 0)
        return;
    if (index < 0 || index > node_count || nodes[index].level != level)
        die("the macrocell file's tree is no tree");
    for (int i = 0; level == 3 && i < 64; i++)
        if (nodes[index].leaf[i / 8] >> i % 8 & 1)
            paint_cell(x + i % 8, y + i / 8);
    const long half = 1L << (level - 1);
    for (int i = 0; level > 3 && i < 4; i++)
        paint(nodes[index].child[i], level - 1, x + i % 2 * half, y + i / 2 * half);
}

static void read_cells(const char *path)
{
    char header[4096] = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fread(header, 1, 10, file) != 10 || memcmp(header, "\x93NUMPY\x01", 7) != 0)
        die("no .npy file");
    const size_t bytes = (unsigned char) header[8] + 256u * (unsigned char) header[9];
    if (bytes > 4000 || fread(header + 10, 1, bytes, file) != bytes)
        die("no .npy header");
    const char *shape = strstr(header + 10, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%ld, %ld)", &height, &width) != 2)
        die("no array of two axes");
    cells = malloc((size_t) (width * height));
    expected = calloc((size_t) (width * height), 1);
    if (fread(cells, 1, (size_t) (width * height), file) != (size_t) (width * height))
        die("too few cells");
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        die("STATE.mc CELLS.npy");
    read_cells(argv[2]);
    read_tree(argv[1]);
    if (node_count > 0) {
        const long half = 1L << (nodes[node_count].level - 1);
        paint(node_count, nodes[node_count].level, -half, 1 - half);
    }
    for (long i = 0; i < width * height; i++)
        if (cells[i] != expected[i]) {
            printf("x = %ld, y = %ld is %d, expected %d\n", i % width, i / width, cells[i], expected[i]);
            return 1;
        }
    return 0;
}
