/* Metrics as curves over the steps. The simulation is asked for metrics only while a curve is shown. */
import {make, short} from './dom.js';

const MOST_VALUES = 2000;
const LEFT = 64, RIGHT = 10, TOP = 20, BOTTOM = 34; /* the margins of a curve */

/* About four round numbers between the least and the greatest. */
export function ticks(low, high) {
    const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find(digit => digit * power >= rough * 0.999) * power;
    const marks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
        marks.push(i * step);
    return marks;
}

export class Charts {
    constructor(element, changed) {
        Object.assign(this, {element, changed, steps: [], curves: [], edited: null, open: false});
        this.names = '';
    }

    get wanted() {
        return this.open && this.curves.some(curve => curve.box.checked);
    }

    show(open) {
        this.open = open;
        this.changed();
        this.paint();
    }

    /* Shows these metrics. The values stay if they are the same as before. */
    describe(metrics) {
        const names = JSON.stringify(metrics);
        if (names === this.names)
            return;
        this.names = names;
        this.steps = [];
        this.curves = metrics.map((metric, i) => this.curve(metric, i === 0));
        this.element.replaceChildren(...this.curves.map(curve => make('div', {}, curve.label, curve.canvas)));
        if (metrics.length === 0)
            this.element.append('The plugin has no metrics.');
    }

    curve(metric, checked) {
        const canvas = make('canvas', {className: 'curve', hidden: !checked, role: 'img', 'aria-label': metric.name});
        const box = make('input', {type: 'checkbox', checked, onchange: () => {
            canvas.hidden = !box.checked;
            this.changed();
            this.paint();
        }});
        const unit = metric.unit ? ` (${metric.unit})` : '';
        return {metric, canvas, box, unit, values: [],
            label: make('label', {title: metric.help ?? ''}, box, ` ${metric.name}${unit}`)};
    }

    /* Adds the values of a step. If the simulation went back, the later values go. */
    add(step, values) {
        while (this.steps.length > 0 && this.steps.at(-1) >= step)
            this.drop(this.steps.length - 1);
        this.steps.push(step);
        this.curves.forEach((curve, i) => curve.values.push(values[i] ?? NaN));
        if (this.steps.length > MOST_VALUES)
            this.drop(0);
        this.paint();
    }

    drop(index) {
        for (const list of [this.steps, ...this.curves.map(curve => curve.values)])
            list.splice(index, 1);
    }

    paint() {
        for (const curve of this.open ? this.curves : [])
            if (curve.box.checked)
                this.paintCurve(curve);
    }

    paintCurve({metric, canvas, unit, values}) {
        const ratio = globalThis.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
        [canvas.width, canvas.height] = [width * ratio, height * ratio];
        const context = canvas.getContext('2d'), colours = getComputedStyle(canvas);
        context.scale(ratio, ratio);
        context.font = '11px sans-serif';
        context.fillStyle = colours.color;
        const edited = this.edited === null ? '' : `, edited at step ${this.edited}`;
        context.fillText(`${metric.name}${unit}${edited}`, 4, 12);
        const known = values.filter(Number.isFinite);
        if (known.length === 0)
            return;
        let [low, high] = [Math.min(...known), Math.max(...known)];
        if (low === high)
            [low, high] = [low - (Math.abs(low) || 1) / 10, high + (Math.abs(high) || 1) / 10];
        const [first, last] = [this.steps[0], Math.max(this.steps.at(-1), this.steps[0] + 1)];
        const x = step => LEFT + (step - first) / (last - first) * (width - LEFT - RIGHT);
        const y = value => height - BOTTOM - (value - low) / (high - low) * (height - TOP - BOTTOM);
        this.paintAxes(context, {first, last, low, high, x, y, width, height});
        context.strokeStyle = colours.getPropertyValue('--accent');
        context.beginPath();
        values.forEach((value, i) => Number.isFinite(value) && context.lineTo(x(this.steps[i]), y(value)));
        context.stroke();
    }

    paintAxes(context, {first, last, low, high, x, y, width, height}) {
        context.strokeStyle = 'rgba(128, 128, 128, 0.4)';
        context.beginPath();
        context.textAlign = 'right';
        for (const value of ticks(low, high)) {
            context.fillText(short(value), LEFT - 4, y(value) + 4);
            context.moveTo(LEFT, y(value));
            context.lineTo(width - RIGHT, y(value));
        }
        context.textAlign = 'center';
        for (const step of ticks(first, last).filter(Number.isInteger)) {
            context.fillText(String(step), Math.min(x(step), width - RIGHT - 12), height - BOTTOM + 14);
            context.moveTo(x(step), TOP);
            context.lineTo(x(step), height - BOTTOM);
        }
        context.fillText('step', (LEFT + width - RIGHT) / 2, height - 6);
        context.textAlign = 'left';
        context.stroke();
    }
}
