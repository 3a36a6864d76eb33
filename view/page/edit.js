/* What the pointer does on the picture, and edits: draw, erase, select, fill, copy, paste, files that are dropped. */

import {takesKeys} from './dom.js';

const MOST_CELLS = 20000; /* of a request */
const ARRAYS = {uint64: 'BigUint64', int64: 'BigInt64', complex64: 'Float32', complex128: 'Float64'};

/* The cells of a line between two cells. */
function* line([x, y], [toX, toY]) {
    const steps = Math.max(Math.abs(toX - x), Math.abs(toY - y));
    for (let i = 0; i <= steps; i++)
        yield steps === 0 ? [x, y] : [Math.round(x + (toX - x) * i / steps), Math.round(y + (toY - y) * i / steps)];
}

export class Editor {
    constructor(view) {
        Object.assign(this, {view, mode: 'pan', value: 1, over: false, pasteFiles: false, copied: '', at: null});
        this.strokes = []; /* {value, cells} that the simulation does not have yet */
        const canvas = view.canvas, place = event => {
            const scale = canvas.width / canvas.clientWidth, box = canvas.getBoundingClientRect();
            return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        };
        canvas.onpointerdown = event => this.begin(event, place(event));
        canvas.onpointermove = event => this.move(event, place(event));
        canvas.onpointerup = canvas.onpointercancel = () => this.end();
        canvas.onpointerleave = () => this.hover(null);
        canvas.oncontextmenu = event => this.mode === 'draw' && event.preventDefault();
        canvas.addEventListener('wheel', event => this.wheel(event, place(event)), {passive: false});
        view.element.addEventListener('paste', event => this.pasteEvent(event));
        view.element.addEventListener('dragover', event => event.preventDefault());
        view.element.addEventListener('drop', event => this.drop(event, place(event)));
    }

    /* ---- The pointer ---- */

    begin(event, at) {
        const {canvas, shown} = this.view;
        if (!shown)
            return;
        canvas.setPointerCapture(event.pointerId);
        const may = this.mode === 'select' ? shown.cellAt && !shown.whole : shown.editable && this.view.can('draw');
        const mode = may && event.button !== 1 ? this.mode : 'pan';
        const value = mode === 'erase' || event.button === 2 ? 0 : this.value;
        this.drag = {mode, at, from: shown.cellAt?.(...at), value};
        if (mode === 'select')
            shown.selection = null;
        this.move(event, at);
    }

    move(event, at) {
        const {shown} = this.view, drag = this.drag;
        this.hover(at);
        if (!drag || !shown)
            return;
        const cell = shown.cellAt?.(...at);
        if (drag.mode === 'pan')
            shown.drag(at[0] - drag.at[0], at[1] - drag.at[1], event.shiftKey);
        else if (drag.mode === 'select')
            shown.select(drag.from, cell);
        else
            this.stroke(drag.from, cell, drag.value);
        if (drag.mode === 'draw' || drag.mode === 'erase')
            drag.from = cell;
        drag.at = at;
        this.view.changed();
    }

    end() {
        this.drag = null;
        this.view.controls.update();
    }

    wheel(event, at) {
        event.preventDefault();
        this.turned = (this.turned ?? 0) + event.deltaY * (event.deltaMode === 1 ? 33 : 1);
        for (; Math.abs(this.turned) >= 50; this.turned -= 50 * Math.sign(this.turned))
            this.view.shown?.zoom(this.turned < 0 ? 1.19 : 1 / 1.19, ...at);
        this.view.changed();
    }

    /* ---- The cell under the pointer ---- */

    async hover(at) {
        const {shown} = this.view, cell = at && shown?.cellAt?.(...at);
        this.at = at;
        if (!cell || shown.whole || !shown.isInside(cell))
            return this.view.controls.say('place', '');
        const place = shown.place(cell), named = shown.named(place.slice(0, shown.field.rank));
        if (shown.volume && shown.sum)
            place[shown.depth] = 0;
        this.view.controls.say('place', `cell ${shown.field.unbounded ? named : cell.join(', ')}`);
        if (shown.scale < 1 || shown.sum || this.drag)
            return;
        const box = [...place, ...place.map(x => x + 1)];
        const answer = await this.view.connection.ask({do: 'read', field: shown.number, box}).catch(() => null);
        if (answer && this.at === at)
            this.view.controls.say('place', `cell ${named}: ${this.numbers(answer).join(', ')}`);
    }

    numbers({head, bytes}) {
        const type = ARRAYS[head.type] ?? head.type[0].toUpperCase() + head.type.slice(1);
        const numbers = new globalThis[`${type}Array`](bytes.slice().buffer);
        return Array.from(numbers, number => Number(Number(number).toPrecision(6)));
    }

    /* ---- Drawing ---- */

    stroke(from, to, value) {
        const {shown} = this.view;
        if (shown.sum)
            return this.view.fail(new Error('the sum of a volume cannot be changed; show a plane'));
        const cells = [...line(from, to)].filter(cell => shown.isInside(cell)).flatMap(cell => shown.place(cell));
        if (this.strokes.at(-1)?.value === value && this.strokes.at(-1).cells.length + cells.length < 3 * MOST_CELLS)
            this.strokes.at(-1).cells.push(...cells);
        else
            this.strokes.push({value, cells});
        this.sendStrokes();
    }

    async sendStrokes() {
        if (this.sending)
            return;
        this.sending = true;
        for (let stroke; (stroke = this.strokes.shift());)
            if (stroke.cells.length > 0)
                await this.view.act({do: 'draw', field: this.view.shown.number, ...stroke});
        this.sending = false;
    }

    /* ---- The selection ---- */

    selectAll() {
        const {shown} = this.view;
        shown.selection = shown.content;
        this.view.changed();
    }

    selectNone() {
        this.view.shown.selection = null;
        this.view.changed();
    }

    get box() {
        const {shown} = this.view;
        return shown?.selection ? shown.box(shown.selection) : null;
    }

    fill(value) {
        if (!this.box)
            return this.view.fail(new Error('nothing is selected; choose Select and drag over the cells'));
        return this.view.act({do: 'fill', field: this.view.shown.number, box: this.box, value});
    }

    async copy() {
        if (!this.box)
            return this.view.fail(new Error('nothing is selected; choose Select and drag over the cells'));
        const answer = await this.view.act({do: 'save', format: this.view.shown.pattern ?? 'rle', box: this.box});
        if (!answer)
            return;
        this.copied = new TextDecoder().decode(answer.bytes);
        await navigator.clipboard?.writeText(this.copied).catch(() => {}); /* refused: this page alone has the copy */
    }

    async paste() {
        const text = await navigator.clipboard?.readText().catch(() => '') || this.copied;
        if (text)
            return this.pasteText(text);
        return this.view.fail(new Error('there is no pattern to paste; copy the text of an RLE file first'));
    }

    pasteEvent(event) {
        const text = event.clipboardData.getData('text/plain');
        if (takesKeys(event.target) || !this.view.can('paste') || !text)
            return;
        event.preventDefault();
        this.pasteText(text);
    }

    pasteText(text) {
        const volume = /^\s*3D\b/m.test(text);
        return this.pasteBytes(volume ? 'pasted.rle3' : 'pasted.rle', new TextEncoder().encode(text), this.at);
    }

    /* Pastes at the pointer, or else at the selection, or else in the middle of the picture. */
    async pasteBytes(name, bytes, at) {
        const {shown} = this.view;
        if (!shown?.editable)
            return this.view.fail(new Error('only the cells of a grid can be changed'));
        const middle = shown.cellAt(shown.canvasWidth / 2, shown.canvasHeight / 2);
        const cell = at ? shown.cellAt(...at) : shown.selection ?? middle;
        const [x, y, z] = shown.place(shown.isInside(cell) ? cell : middle);
        const answer = await this.view.act({do: 'paste', name, x, y, z, over: this.over}, bytes);
        if (!answer?.head.box)
            return;
        const box = answer.head.box, {across, up} = shown;
        shown.select([box[across], box[up]], [box[across + 3] - 1, box[up + 3] - 1]);
        this.view.changed();
    }

    /* ---- Files ---- */

    togglePasteFiles() {
        this.pasteFiles = !this.pasteFiles;
        this.view.controls.update();
    }

    async drop(event, at) {
        event.preventDefault();
        const file = event.dataTransfer.files[0];
        if (!file || !this.view.can(this.pasteFiles ? 'paste' : 'open'))
            return;
        await this.openFile(file, this.pasteFiles, event.target === this.view.canvas ? at : null);
    }

    async openFile(file, paste, at = null) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        if (paste)
            await this.pasteBytes(file.name, bytes, at);
        else
            await this.view.act({do: 'open', name: file.name}, bytes);
    }
}
