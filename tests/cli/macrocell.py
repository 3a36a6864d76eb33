"""A plain reader of macrocell files, which shares nothing with the engine: `macrocell.py FILE…` prints, for each file, the
population, the box of the live cells and a digest of the cells. Digests are equal if the cells and their places are equal.
`macrocell.py cells FILE` prints the place and the state of each live cell, row by row."""
import gzip
import hashlib
import sys


class Reader:
    """The squares of a file. A square is (level, quarters or states); None is one without live cells."""

    def __init__(self):
        self.known = {}  # content -> number: equal squares of all files have the same number
        self.content = [None]
        self.counts = [0]
        self.boxes = [None]
        self.digests = [b""]

    def square(self, level, parts):
        if not any(parts):
            return 0
        key = (level, *parts)
        if key not in self.known:
            self.known[key] = len(self.content)
            self.content.append(key)
            self.counts.append(sum(self.counts[p] for p in parts) if level else 1)
            self.boxes.append(self.box(level, parts))
            text = repr((level, parts[0] if level == 0 else [self.digests[p] for p in parts]))
            self.digests.append(hashlib.sha1(text.encode()).digest())
        return self.known[key]

    def box(self, level, parts):
        if level == 0:
            return 0, 0, 1, 1
        half, found = 2 ** (level - 1), []
        for i, part in enumerate(parts):
            if part:
                x0, y0, x1, y1 = self.boxes[part]
                dx, dy = i % 2 * half, i // 2 * half
                found.append((x0 + dx, y0 + dy, x1 + dx, y1 + dy))
        columns = list(zip(*found))
        return min(columns[0]), min(columns[1]), max(columns[2]), max(columns[3])

    def of_rows(self, level, rows, x, y):
        if level == 0:
            return self.square(0, (rows[y][x],))
        half = 2 ** (level - 1)
        return self.square(level, tuple(self.of_rows(level - 1, rows, x + i % 2 * half, y + i // 2 * half)
                                        for i in range(4)))

    def read(self, path):
        """Returns the level and the number of the root."""
        open_file = gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open
        numbers, level = [0], 0
        for line in open_file(path, "rt"):
            line = line.rstrip("\n")
            if line[:1] in "[#" or not line:
                continue
            if line[0] in ".*$":
                rows = [[0] * 8 for _ in range(8)]
                for y, row in enumerate(line.split("$")):
                    for x, cell in enumerate(row):
                        rows[y][x] = int(cell == "*")
                level = 3
                numbers.append(self.of_rows(3, rows, 0, 0))
            else:
                level, *parts = map(int, line.split())
                quarters = [self.square(0, (p,)) for p in parts] if level == 1 else [numbers[p] for p in parts]
                numbers.append(self.square(level, tuple(quarters)))
        return level, numbers[-1]

    def shrink(self, level, root):
        """Removes empty squares around the middle, so that the sizes of roots do not matter."""
        while level > 1 and root:
            parts = self.content[root][1:]
            inner = []
            for i, part in enumerate(parts):
                of = self.content[part][1:] if part else (0,) * 4
                if any(of[k] for k in range(4) if k != 3 - i):
                    return level, root
                inner.append(of[3 - i])
            level, root = level - 1, self.square(level - 1, tuple(inner))
        return (level, root) if root else (0, 0)

    def cells(self, level, number, x, y):
        if not number:
            return
        if level == 0:
            yield y, x, self.content[number][1]
            return
        half = 2 ** (level - 1)
        for i, part in enumerate(self.content[number][1:]):
            yield from self.cells(level - 1, part, x + i % 2 * half, y + i // 2 * half)


def main(words):
    reader = Reader()
    listing = words[0] == "cells"
    for path in words[listing:]:
        level, root = reader.shrink(*reader.read(path))
        # Golly: the middle of the root lies between the columns -1 and 0 and between the rows 0 and 1.
        x, y = -(2 ** level) // 2, 1 - 2 ** level // 2
        if listing:
            for row, column, state in sorted(reader.cells(level, root, x, y)):
                print(column, row, state)
            continue
        box = reader.boxes[root]
        place = [box[0] + x, box[1] + y, box[2] + x, box[3] + y] if box else []
        print(reader.counts[root], *place, hashlib.sha1(str(level).encode() + reader.digests[root]).hexdigest())


main(sys.argv[1:])
