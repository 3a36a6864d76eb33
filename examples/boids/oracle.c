/* The independent check of boids. It shares no code with the plugin, computes in double precision, and looks at all
 * pairs. It reads .npy files of float32, and has the parameters of test.sh.
 *
 *     oracle steps POSITION VELOCITY STEPS EDGE POSITION2 VELOCITY2   takes STEPS steps without noise in a box of EDGE x EDGE,
 *                                                                     or on a plane if EDGE is 0; prints the largest
 *                                                                     difference between the result and the second files
 *     oracle speed VELOCITY                                           prints the smallest and the largest speed */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };
static const double reach = 1, personal = 0.4, align = 1, cohere = 0.3, separate = 2, dt = 0.05;

static void fail(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    exit(2);
}

/* Returns the number of birds. */
static int load(const char *path, double (*at)[3])
{
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    char head[1 << 16] = "";
    int count;
    if (!file || fread(start, 1, 10, file) != 10 || fread(head, 1, start[8] + 256u * start[9], file) == 0)
        fail(path);
    const char *shape = strstr(head, "'shape': (");
    if (!strstr(head, "<f4") || !shape || sscanf(shape + 10, "%d, 3", &count) != 1 || count > MOST)
        fail("no array of float32 with three numbers for each of 4096 birds at most");
    for (int i = 0; i < 3 * count; i++) {
        float value;
        if (fread(&value, sizeof value, 1, file) != 1)
            fail("too short");
        at[i / 3][i % 3] = value;
    }
    fclose(file);
    return count;
}

static double nearest(double way, double edge)
{
    return edge > 0 ? way - edge * round(way / edge) : way;
}

static void turn(double (*x)[3], double (*v)[3], int count, int i, double edge, double out[2])
{
    double velocity[2] = {0, 0}, centre[2] = {0, 0}, away[2] = {0, 0}, seen = 0;
    for (int j = 0; j < count; j++) {
        const double d[2] = {nearest(x[j][0] - x[i][0], edge), nearest(x[j][1] - x[i][1], edge)};
        const double apart = hypot(d[0], d[1]);
        if (j == i || apart >= reach)
            continue;
        seen++;
        for (int c = 0; c < 2; c++) {
            velocity[c] += v[j][c];
            centre[c] += d[c];
            away[c] -= apart < personal ? (1 - apart * apart / (personal * personal)) * d[c] : 0;
        }
    }
    for (int c = 0; c < 2; c++)
        out[c] = v[i][c] + (seen > 0 ? dt * (align * (velocity[c] / seen - v[i][c]) + cohere * centre[c] / seen) : 0) +
                 dt * separate * away[c];
    const double length = hypot(out[0], out[1]);
    out[0] /= length;
    out[1] /= length;
}

static void steps(char **words)
{
    static double x[MOST][3], v[MOST][3], x2[MOST][3], v2[MOST][3], next[MOST][2];
    const int count = load(words[0], x);
    const double edge = atof(words[3]);
    double largest = 0;
    if (load(words[1], v) != count || load(words[4], x2) != count || load(words[5], v2) != count)
        fail("the files have different numbers of birds");
    for (int step = 0; step < atoi(words[2]); step++) {
        for (int i = 0; i < count; i++)
            turn(x, v, count, i, edge, next[i]);
        for (int i = 0; i < count; i++)
            for (int c = 0; c < 2; c++) {
                v[i][c] = next[i][c];
                x[i][c] += dt * v[i][c];
            }
    }
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            largest = fmax(largest, fabs(nearest(x[i][c] - x2[i][c], edge)));
            largest = fmax(largest, fabs(v[i][c] - v2[i][c]));
        }
    printf("%g\n", largest);
}

static void speed(const char *path)
{
    static double v[MOST][3];
    double least = 1e300, most = 0;
    for (int i = load(path, v) - 1; i >= 0; i--) {
        least = fmin(least, hypot(v[i][0], v[i][1]));
        most = fmax(most, hypot(v[i][0], v[i][1]));
    }
    printf("%.9g %.9g\n", least, most);
}

int main(int count, char **words)
{
    if (count == 8 && strcmp(words[1], "steps") == 0)
        steps(words + 2);
    else if (count == 3 && strcmp(words[1], "speed") == 0)
        speed(words[2]);
    else
        fail("see the top of oracle.c");
    return 0;
}
