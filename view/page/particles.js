/* Particles: points that can be rotated, nearer ones brighter and larger, or the density that the engine draws. */
import {GridView} from './grid.js';

const MOST_POINTS = 50000;
const DISTANCE = 4;    /* of the eye, in half sides of the box */
const SPREADS = 4;     /* standard deviations from the darkest to the brightest particle */
const RADIANS = 0.007; /* for a pixel of a drag */
const ACROSS = {1: 0, 2: 0, 3: 1}, UP = {1: 1, 2: 2, 3: 2};

export class ParticlesView {
    constructor(field, number) {
        Object.assign(this, {field, number, density: false, axis: 1, picture: null, points: null, of: 0});
        this.editable = this.volume = false;
        this.layer = document.createElement('canvas');
        this.fit();
    }

    get wantsPoints() {
        return !this.density;
    }

    get crowded() {
        return this.of > MOST_POINTS;
    }

    resize(width, height) {
        Object.assign(this, {canvasWidth: width, canvasHeight: height});
    }

    look(axis) {
        this.axis = axis;
        this.fit();
    }

    fit() {
        Object.assign(this, {yaw: 0, pitch: 0, enlarged: 1, x: 0, y: 0, fitted: false});
    }

    zoom(factor, x = this.canvasWidth / 2, y = this.canvasHeight / 2) {
        const before = this.enlarged;
        this.enlarged = Math.min(1000, Math.max(0.05, before * factor));
        const shift = 1 - this.enlarged / before;
        this.x += (x - this.canvasWidth / 2 - this.x) * shift;
        this.y += (y - this.canvasHeight / 2 - this.y) * shift;
    }

    /* Rotates; moves the picture instead if `move` is true, or if the density is shown, which has a fixed side. */
    drag(x, y, move) {
        if (move || this.density) {
            this.x += x;
            this.y += y;
        } else {
            this.yaw += x * RADIANS;
            this.pitch += y * RADIANS;
        }
    }

    /* ---- What is asked ---- */

    /* Pixels for a half side of the box. */
    get unit() {
        return 0.4 * Math.min(this.canvasWidth, this.canvasHeight) * this.enlarged;
    }

    /* Points need no picture: the frame brings the metrics, and says whether the state is another one. */
    request() {
        const head = {do: 'frame', field: this.number, columns: 1, rows: 1};
        if (!this.density)
            return head;
        const size = this.half / this.unit;
        const range = (middle, pixels, shift) => [-1, 1].map(end => middle + (end * pixels / 2 - shift) * size);
        const across = range(this.middle[ACROSS[this.axis]], this.canvasWidth, this.x);
        const up = range(this.middle[UP[this.axis]], this.canvasHeight, -this.y);
        const bounds = [...across, ...up];
        return {...head, axis: this.axis, bounds, columns: this.canvasWidth, rows: this.canvasHeight};
    }

    pointsRequest() {
        return {do: 'points', field: this.number, most: MOST_POINTS};
    }

    take(request, answer) {
        if (this.density)
            GridView.prototype.take.call(this, request, answer);
    }

    takePoints({head, bytes}) {
        this.points = new Float32Array(bytes.slice(0, 16 * head.count).buffer);
        this.of = head.of;
        this.measure();
        if (this.fitted)
            return;
        this.fitted = true;
        Object.assign(this, {low: head.low, high: head.high});
        this.middle = head.low.map((low, axis) => (low + head.high[axis]) / 2);
        this.half = Math.max(...head.low.map((low, axis) => head.high[axis] - low)) / 2 || 1;
    }

    /* The mean place and the standard deviations, by which the depth is shown. */
    measure() {
        const {points} = this, sum = [0, 0, 0], squares = [0, 0, 0], count = points.length / 4 || 1;
        for (let i = 0; i < points.length; i++)
            if (i % 4 < 3) {
                sum[i % 4] += points[i];
                squares[i % 4] += points[i] ** 2;
            }
        this.mean = sum.map(one => one / count);
        this.spread = squares.map((one, axis) => Math.sqrt(Math.max(0, one / count - this.mean[axis] ** 2)));
    }

    /* ---- Pictures ---- */

    paint(context) {
        const {width, height} = context.canvas;
        context.fillStyle = '#000';
        context.fillRect(0, 0, width, height);
        if (this.density && this.picture)
            context.drawImage(this.picture.canvas, (width - this.picture.canvas.width) >> 1,
                (height - this.picture.canvas.height) >> 1);
        else if (!this.density && this.points) {
            this.paintBox(context);
            this.paintPoints(context, width, height);
        }
    }

    /* A function of x, y and z that gives the pixel, and the nearness: 0 … 1 from the farthest to the nearest ones. */
    projection() {
        const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch),
            Math.sin(this.pitch)];
        const {unit, half, middle} = this, x0 = this.canvasWidth / 2 + this.x, y0 = this.canvasHeight / 2 + this.y;
        const nearer = [-sinYaw * cosPitch, -sinPitch, cosYaw * cosPitch];
        const along = vector => nearer[0] * vector[0] + nearer[1] * vector[1] + nearer[2] * vector[2];
        const average = along(this.mean.map((mean, axis) => (mean - middle[axis]) / half));
        const depth = SPREADS * Math.hypot(...nearer.map((part, axis) => part * this.spread[axis])) / half || 1;
        return (x, y, z, out) => {
            const a = (x - middle[0]) / half, b = (y - middle[1]) / half, c = (z - middle[2]) / half;
            const right = cosYaw * a + sinYaw * c, behind = cosYaw * c - sinYaw * a;
            const above = cosPitch * b + sinPitch * behind, near = cosPitch * behind - sinPitch * b;
            const larger = DISTANCE / Math.max(0.1, DISTANCE - near);
            out[0] = x0 + unit * larger * right;
            out[1] = y0 - unit * larger * above;
            out[2] = Math.min(1, Math.max(0, (near - average) / depth + 0.5));
        };
    }

    paintPoints(context, width, height) {
        const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
        const project = this.projection(), at = [0, 0, 0], points = this.points;
        const size = Math.sqrt(Math.max(1, this.enlarged)) * Math.max(1, Math.min(width, height) / 600);
        let mass = 0;
        for (let i = 3; i < points.length; i += 4)
            mass += 4 * Math.abs(points[i]) / points.length;
        for (let i = 0; i < points.length; i += 4) {
            project(points[i], points[i + 1], points[i + 2], at);
            const heavy = mass > 0 ? Math.min(2, Math.max(0.5, Math.cbrt(Math.abs(points[i + 3]) / mass))) : 1;
            const side = Math.max(1, Math.round(size * heavy * (1 + 2 * at[2])));
            const colour = 0xff000000 + Math.round(70 + 185 * at[2]) * 0x010101;
            const left = Math.round(at[0] - side / 2), top = Math.round(at[1] - side / 2);
            for (let y = Math.max(0, top); y < Math.min(height, top + side); y++)
                for (let x = Math.max(0, left); x < Math.min(width, left + side); x++)
                    if (pixels[y * width + x] < colour) /* the nearer one is brighter */
                        pixels[y * width + x] = colour;
        }
        Object.assign(this.layer, {width, height}).getContext('2d').putImageData(image, 0, 0);
        context.drawImage(this.layer, 0, 0);
    }

    /* The edges of the box that held all particles at first. */
    paintBox(context) {
        const project = this.projection(), corners = [];
        for (let i = 0; i < 8; i++) {
            const at = [0, 0, 0];
            project(...[0, 1, 2].map(axis => (i >> axis & 1 ? this.high : this.low)[axis]), at);
            corners.push(at);
        }
        context.strokeStyle = 'rgba(90, 140, 200, 0.6)';
        context.beginPath();
        for (let i = 0; i < 8; i++)
            for (const bit of [1, 2, 4])
                if (!(i & bit)) {
                    context.moveTo(corners[i][0], corners[i][1]);
                    context.lineTo(corners[i | bit][0], corners[i | bit][1]);
                }
        context.stroke();
    }
}
