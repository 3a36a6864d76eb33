/* The picture of a grid, of a plane or the sum of a volume, and of matrices, bins and batches.
 *
 * A cell has a whole number of pixels, or a pixel shows a whole number of cells along each axis: the block. Places on
 * the screen are whole pixels, so a picture moves without being resampled. */

const MOST_PIXELS = 64;  /* of a cell */
const LINES_FROM = 8;    /* pixels of a cell from which lines separate the cells */
const MOST_COLUMNS = 4096;
const MOST_BLOCK = 512;  /* cells along a side of a pixel, on an unbounded grid */
/* Across, up and depth of a volume that is seen along z, y, x. */
const AXES = {1: [0, 1, 2], 2: [0, 2, 1], 3: [1, 2, 0]};

export class GridView {
    constructor(field, number) {
        Object.assign(this, {field, number, axis: 1, sum: false, scale: 1, x: 0, y: 0, fitted: true});
        this.lines = true;
        this.selection = null; /* [left, top, right, bottom] in cells */
        this.picture = null;
        this.whole = field.kind !== 'grid' || Boolean(field.batch);
        this.look(1);
    }

    get volume() {
        return this.field.rank === 3 && !this.whole;
    }

    /* The format of patterns in which cells can be saved and copied. */
    get pattern() {
        return this.field.values >= 2 && !this.whole ? this.volume ? 'rle3' : 'rle' : null;
    }

    get editable() {
        return !this.whole && this.field.role === 'state';
    }

    /* Looks along an axis, at the plane in the middle. */
    look(axis) {
        this.axis = axis;
        [this.across, this.up, this.depth] = this.volume ? AXES[axis] : AXES[1];
        this.plane = this.volume ? Math.floor(this.field.extent[this.depth] / 2) : 0;
        this.selection = null;
    }

    get width() {
        return this.field.extent[this.across];
    }

    get height() {
        return this.field.extent[this.up];
    }

    /* ---- Pan and zoom ---- */

    /* The pixels between the corner of the grid and that of the canvas. The corner of the canvas is at the cell (x, y).
     * These are no whole numbers, so that many small steps of zoom keep the cell under the pointer. */
    get left() {
        return Math.round(this.x * this.scale);
    }

    get top() {
        return Math.round(this.y * this.scale);
    }

    resize(width, height) {
        this.x -= (width - (this.canvasWidth ?? 0)) / 2 / this.scale; /* the middle stays in the middle */
        this.y -= (height - (this.canvasHeight ?? 0)) / 2 / this.scale;
        Object.assign(this, {canvasWidth: width, canvasHeight: height});
        if (this.fitted)
            this.fit();
        this.keepInside();
    }

    /* The box of cells that Fit shows, [left, top, right, bottom]: the pattern on an unbounded grid. */
    get content() {
        const box = this.bounds, [x, y] = [this.width / 2, this.height / 2];
        return box ? [box[this.across], box[this.up], box[this.across + 3], box[this.up + 3]]
            : this.field.unbounded ? [x - 1, y - 1, x + 1, y + 1] : [0, 0, this.width, this.height];
    }

    fitting(width = this.width, height = this.height) {
        const most = Math.min(this.canvasWidth / width, this.canvasHeight / height);
        const block = this.field.unbounded ? MOST_BLOCK : Infinity;
        return most >= 1 ? Math.min(MOST_PIXELS, Math.floor(most)) : 1 / Math.min(block, Math.ceil(1 / most));
    }

    fit() {
        const [left, top, right, bottom] = this.content;
        this.fitted = true;
        this.scale = this.fitting(right - left, bottom - top);
        this.x = (left + right - this.canvasWidth / this.scale) / 2;
        this.y = (top + bottom - this.canvasHeight / this.scale) / 2;
    }

    /* Changes the scale by about the factor; the cell at the pixel (x, y) stays there. */
    zoom(factor, x = this.canvasWidth / 2, y = this.canvasHeight / 2) {
        this.scaleTo(this.scale * factor, factor, x, y);
    }

    scaleTo(wanted, factor, x = this.canvasWidth / 2, y = this.canvasHeight / 2) {
        let scale = wanted >= 0.75 ? Math.max(1, Math.round(wanted)) : 1 / Math.round(1 / wanted);
        if (scale === this.scale && factor > 1)
            scale = scale < 1 ? 1 / (Math.round(1 / scale) - 1) : scale + 1;
        else if (scale === this.scale && factor < 1)
            scale = scale > 1 ? scale - 1 : 1 / (Math.round(1 / scale) + 1);
        scale = Math.min(MOST_PIXELS, Math.max(Math.min(1, this.fitting()), scale));
        this.x += x / this.scale - x / scale;
        this.y += y / this.scale - y / scale;
        this.scale = scale;
        this.fitted = false;
        this.keepInside();
    }

    drag(x, y) {
        this.x -= Math.round(x) / this.scale;
        this.y -= Math.round(y) / this.scale;
        this.fitted = false;
        this.keepInside();
    }

    /* The middle of the picture stays inside the grid. */
    keepInside() {
        const inside = (from, cells, half) => Math.max(-half, Math.min(cells - half, from));
        this.x = inside(this.x, this.width, this.canvasWidth / 2 / this.scale);
        this.y = inside(this.y, this.height, this.canvasHeight / 2 / this.scale);
    }

    /* The cell at a pixel of the canvas, [across, up], also outside the grid. */
    cellAt(x, y) {
        return [Math.floor((this.left + x) / this.scale), Math.floor((this.top + y) / this.scale)];
    }

    isInside([across, up]) {
        return across >= 0 && up >= 0 && across < this.width && up < this.height;
    }

    /* ---- Cells of the grid ---- */

    /* The coordinates of a cell as files and keys have them: from the middle of an unbounded grid. */
    named(cell) {
        return cell.map((at, i) => this.field.unbounded ? at - Math.floor(this.field.extent[i] / 2) : at).join(', ');
    }

    /* [x, y, z] of a cell of the picture. */
    place([across, up]) {
        const place = [0, 0, 0];
        place[this.across] = across;
        place[this.up] = up;
        place[this.depth] = this.plane;
        return place;
    }

    /* The box of the grid behind a rectangle of the picture. */
    box([left, top, right, bottom]) {
        const box = [0, 0, 0, 1, 1, 1];
        const set = (axis, begin, end) => (box[axis] = begin, box[axis + 3] = end);
        set(this.across, left, right);
        set(this.up, top, bottom);
        if (this.volume)
            set(this.depth, this.sum ? 0 : this.plane, this.sum ? this.field.extent[this.depth] : this.plane + 1);
        return box;
    }

    /* Selects the cells between two of them, within the grid. */
    select(a, b) {
        const range = (i, end) => [Math.max(0, Math.min(a[i], b[i])), Math.min(end, Math.max(a[i], b[i]) + 1)];
        const [left, right] = range(0, this.width), [top, bottom] = range(1, this.height);
        this.selection = left < right && top < bottom ? [left, top, right, bottom] : null;
    }

    /* ---- Pictures ---- */

    /* What the canvas shows, in whole blocks from the corner of the grid, so that a pan does not change the blocks. */
    request() {
        const head = {do: 'frame', field: this.number, axis: this.volume ? this.axis : 0};
        if (this.volume)
            head.plane = this.sum ? 0 : this.plane + 1;
        const block = Math.max(1, Math.round(1 / this.scale)), pixels = Math.max(1, this.scale);
        const range = (from, size, cells) => {
            const all = Math.ceil(cells / block);
            return this.whole ? [0, all]
                : [Math.max(0, Math.floor(from / pixels)), Math.min(all, Math.ceil((from + size) / pixels))];
        };
        const [left, right] = range(this.left, this.canvasWidth, this.width);
        const [top, bottom] = range(this.top, this.canvasHeight, this.height);
        if (!this.whole) {
            const sight = this.box([left * block, top * block, Math.min(this.width, right * block),
                Math.min(this.height, bottom * block)]);
            if (this.volume)
                [sight[this.depth], sight[this.depth + 3]] = [0, this.field.extent[this.depth]];
            head.box = sight;
        }
        const tiles = this.field.batch || this.field.kind === 'bins'; /* they are drawn to fill the canvas */
        head.columns = Math.max(1, tiles ? this.canvasWidth : Math.min(MOST_COLUMNS, right - left));
        head.rows = Math.max(1, tiles ? this.canvasHeight : Math.min(MOST_COLUMNS, bottom - top));
        return head;
    }

    take(request, {head, bytes}) {
        const first = head.bounds && !this.bounds;
        this.bounds = head.bounds;
        if (first)
            this.fit();
        const image = new ImageData(head.columns, head.rows);
        const colours = new Uint32Array(image.data.buffer), count = head.columns * head.rows;
        if (head.coloured)
            for (let i = 0; i < count; i++)
                colours[i] = 0xff000000 | bytes[3 * i + 2] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i];
        else
            for (let i = 0; i < count; i++)
                colours[i] = 0xff000000 | bytes[i] * 0x010101;
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [head.columns, head.rows];
        canvas.getContext('2d').putImageData(image, 0, 0);
        const box = request.box ?? [0, 0, 0];
        this.picture = {canvas, block: head.block, left: box[this.across], top: box[this.up]};
    }

    paint(context) {
        context.imageSmoothingEnabled = false;
        if (this.picture && this.picture.block === 0)
            return this.paintWhole(context);
        context.fillStyle = '#000';
        const size = [this.width, this.height].map(cells => Math.ceil(cells * this.scale));
        context.fillRect(-this.left, -this.top, ...size);
        if (this.picture) {
            const {canvas, block, left, top} = this.picture;
            const x = Math.round(left * this.scale) - this.left, y = Math.round(top * this.scale) - this.top;
            context.drawImage(canvas, x, y, Math.round(canvas.width * block * this.scale),
                Math.round(canvas.height * block * this.scale));
        }
        if (this.lines && this.scale >= LINES_FROM)
            this.paintLines(context);
        if (this.selection)
            this.paintSelection(context);
    }

    /* A picture whose pixels are no cells: tiles of a batch, and bins. */
    paintWhole(context) {
        const {canvas} = this.picture, {canvasWidth, canvasHeight} = this;
        const scale = Math.max(1, Math.floor(Math.min(canvasWidth / canvas.width, canvasHeight / canvas.height)));
        const width = canvas.width * scale, height = canvas.height * scale;
        context.drawImage(canvas, (canvasWidth - width) >> 1, (canvasHeight - height) >> 1, width, height);
    }

    paintLines(context) {
        const right = Math.min(this.canvasWidth, this.width * this.scale - this.left);
        const bottom = Math.min(this.canvasHeight, this.height * this.scale - this.top);
        const [x, y] = [Math.max(0, -this.left), Math.max(0, -this.top)];
        context.fillStyle = 'rgba(128, 128, 128, 0.5)';
        for (let i = Math.ceil((x + this.left) / this.scale); i * this.scale - this.left <= right; i++)
            context.fillRect(i * this.scale - this.left, y, 1, bottom - y);
        for (let i = Math.ceil((y + this.top) / this.scale); i * this.scale - this.top <= bottom; i++)
            context.fillRect(x, i * this.scale - this.top, right - x, 1);
    }

    paintSelection(context) {
        const [left, top, right, bottom] = this.selection.map(cells => cells * this.scale);
        const rectangle = [left - this.left, top - this.top, right - left, bottom - top];
        context.fillStyle = 'rgba(64, 160, 255, 0.25)';
        context.strokeStyle = '#40a0ff';
        context.fillRect(...rectangle);
        context.strokeRect(...rectangle);
    }
}
