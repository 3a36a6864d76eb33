/* A view of a simulation in an element of a page: mount(element, send). */
import {ACTIONS, keyOf, otherSpeed} from './actions.js';
import {Charts} from './charts.js';
import {Connection, Lost} from './connection.js';
import {Controls} from './controls.js';
import {download, make, soon, takesKeys} from './dom.js';
import {Editor} from './edit.js';
import {Film} from './film.js';
import {GridView} from './grid.js';
import {ParticlesView} from './particles.js';

const QUIET = 1000; /* milliseconds between two questions while nothing happens */

/* Shows the simulation in the element, which view.css formats. send(head, bytes) carries a request, and resolves to the
 * answer {head, bytes}. title(text), if it is there, gets the title and the step. */
export function mount(element, send, title = () => {}) {
    return new View(element, send, title);
}

class View {
    constructor(element, send, title) {
        Object.assign(this, {element, title, now: null, about: null, shown: null, stale: true, wishes: 0, dirty: true, speed: 0});
        this.canvas = make('canvas', {className: 'picture', tabIndex: 0, role: 'img', 'aria-label': 'the simulation'});
        this.connection = new Connection(send, head => this.hear(head), text => this.controls.say('notice', text));
        this.film = new Film();
        this.editor = new Editor(this);
        this.controls = new Controls(this);
        this.charts = new Charts(this.controls.panel('curves'), () => this.changed());
        element.addEventListener('keydown', event => this.keyDown(event));
        element.addEventListener('keyup', event => this.keyUp(event));
        new ResizeObserver(() => this.resize()).observe(this.canvas);
        this.watch();
    }

    /* Does the simulation answer this request? */
    can(request) {
        return Boolean(this.about?.can.includes(request));
    }

    /* ---- Following the simulation ---- */

    async watch() {
        for (;;) {
            await this.turn();
            try {
                await this.look();
            } catch (error) {
                if (!(error instanceof Lost))
                    this.fail(error);
                this.stale = this.stale || error instanceof Lost;
                this.dirty = true;
                await new Promise(resolve => setTimeout(resolve, QUIET));
            }
        }
    }

    /* Waits until there may be something to see. */
    turn() {
        return new Promise(resolve => {
            this.wake = () => soon(resolve);
            if (this.stale || this.dirty || this.now.playing || this.now.state !== this.seen)
                this.wake();
            else
                setTimeout(resolve, QUIET);
        });
    }

    /* Asks for the picture, and for what belongs to it. */
    async look() {
        if (this.stale)
            await this.hello();
        const {shown} = this, request = shown.request();
        request.measure = this.charts.wanted;
        const view = JSON.stringify(request);
        this.dirty = false;
        const answer = await this.connection.ask({...request, seen: view === this.view ? this.seen : -1});
        if (!answer.head.same) {
            const before = shown.scale;
            shown.take(request, answer);
            this.dirty = this.dirty || shown.scale !== before; /* it has found out where the pattern is */
            if (shown.wantsPoints)
                shown.takePoints((await this.connection.ask(shown.pointsRequest())));
            if (answer.head.metrics)
                this.charts.add(answer.head.step, answer.head.metrics);
        }
        this.view = view;
        this.seen = answer.head.state;
        this.repaint();
    }

    async hello() {
        const {wishes} = this;
        const {head} = await this.connection.ask({do: 'hello'});
        const before = this.about && this.shown && this.about.fields[this.shown.number];
        Object.assign(this, {about: head, scene: head.scene, stale: wishes !== this.wishes, view: null});
        const fields = head.fields.map((field, number) => [field, number]).filter(([field]) => field.role !== 'input');
        const same = fields.find(([field]) => JSON.stringify(field) === JSON.stringify(before));
        const seen = ([field]) => field.kind === 'particles' || field.rank >= 2 && field.kind !== 'bins';
        if (!same)
            this.show((fields.find(seen) ?? fields[0])[1]);
        this.charts.describe(head.metrics);
        this.controls.describe(head, fields);
        this.hear(head);
    }

    /* Asks again for what "hello" describes. */
    refresh() {
        this.wishes++; /* one of them may come while an answer is under way that knows nothing of it */
        this.stale = true;
        this.wake?.();
    }

    /* Shows another field. */
    show(number) {
        const field = this.about.fields[number];
        const points = field.kind === 'particles' && field.components <= 3 && /^float/.test(field.type);
        this.shown = new (points ? ParticlesView : GridView)(field, number);
        this.view = null;
        this.resize();
    }

    /* What an answer says about the simulation. */
    hear(head) {
        this.now = head;
        if (!this.connection.underWay.has('play'))
            this.speed = head.speed;
        if (head.scene !== this.scene)
            this.stale = true;
        this.charts.edited = head.edited;
        this.controls.update();
        this.title([`step ${head.step}`, this.editedText, this.about?.title].filter(Boolean).join(' · '));
        this.wake?.();
    }

    get editedText() {
        return this.now && this.now.edited !== null ? `edited at step ${this.now.edited}` : '';
    }

    /* Asks for something that a user wants. An error of the server is shown, and the answer is null. */
    async act(head, bytes) {
        this.fail(null);
        try {
            const answer = await this.connection.ask(head, bytes);
            if (answer?.head.marks)
                this.controls.showMarks(answer.head.marks);
            return answer;
        } catch (error) {
            if (!(error instanceof Lost))
                this.fail(error);
            return null;
        }
    }

    fail(error) {
        this.controls.say('error', error ? error.message : '');
    }

    /* ---- The picture ---- */

    /* The view is another one. */
    changed() {
        this.dirty = true;
        this.wake?.();
        this.repaint();
    }

    resize() {
        const ratio = globalThis.devicePixelRatio || 1;
        const width = Math.round(this.canvas.clientWidth * ratio);
        const height = Math.round(this.canvas.clientHeight * ratio);
        if (width === 0 || height === 0)
            return;
        [this.canvas.width, this.canvas.height] = [width, height];
        this.shown?.resize(width, height);
        this.changed();
    }

    repaint() {
        if (this.painting)
            return;
        this.painting = true;
        soon(() => {
            this.painting = false;
            const context = this.canvas.getContext('2d');
            context.fillStyle = getComputedStyle(this.canvas).getPropertyValue('--around');
            context.fillRect(0, 0, this.canvas.width, this.canvas.height);
            this.shown?.paint(context);
        });
    }

    zoom(factor) {
        this.shown.zoom(factor);
        this.changed();
    }

    fit() {
        this.shown.fit();
        this.changed();
    }

    oneToOne() {
        this.shown.scaleTo(1, 1);
        this.changed();
    }

    pan(x, y) {
        this.shown.drag(x * this.canvas.width, y * this.canvas.height);
        this.changed();
    }

    toggle(what) {
        this.shown[what] = !this.shown[what];
        this.controls.update();
        this.changed();
    }

    showPlane(plane) {
        this.shown.plane = Math.min(this.shown.field.extent[this.shown.depth] - 1, Math.max(0, plane));
        this.shown.sum = false;
        this.controls.update();
        this.changed();
    }

    showAxis(axis) {
        this.shown.look(axis);
        this.fit();
        this.controls.update();
    }

    setMode(mode) {
        this.editor.mode = mode;
        this.canvas.dataset.mode = mode;
        this.controls.update();
    }

    /* ---- Time ---- */

    togglePlaying() {
        return this.act({do: 'play', playing: !this.now.playing, speed: this.speed});
    }

    changeSpeed(direction) {
        this.speed = otherSpeed(this.speed, direction);
        return this.act({do: 'play', playing: this.now.playing, speed: this.speed});
    }

    step(count) {
        return this.act({do: 'step', count});
    }

    backToStart() {
        return this.act({do: 'back', id: this.controls.marks[0]?.id ?? 0});
    }

    /* ---- Files ---- */

    async save() {
        const {format, selected} = this.controls;
        const answer = await this.act({do: 'save', format, box: selected ? this.editor.box : null});
        if (answer)
            download(this.named(answer.head.name), [answer.bytes]);
    }

    named(name) {
        return this.editedText ? `${this.editedText.replaceAll(' ', '-')}-${name}` : name;
    }

    toggleFilm() {
        this.film.toggle(this.canvas, () => this.named(this.about.plugin));
        this.controls.update();
    }

    /* ---- Keys ---- */

    keyDown(event) {
        const key = keyOf(event), {target} = event;
        if (key === 'Escape') {
            event.preventDefault();
            if (target === this.canvas)
                this.controls.focus();
            else
                this.canvas.focus();
            return this.setMode('pan');
        }
        const presses = target !== this.canvas && target.tagName !== 'BODY' && ['Enter', ' '].includes(key);
        const leaves = key === 'Tab' && (target !== this.canvas || event.shiftKey);
        const action = ACTIONS.find(one => one.keys.includes(key) && (!one.there || one.there(this)));
        const copies = key === 'Ctrl+c' && String(getSelection()) !== '';
        const native = takesKeys(target) || presses || leaves || copies || event.altKey;
        if (native || !action || action.byEvent || !this.shown)
            return;
        event.preventDefault();
        if (!(action.held && event.repeat))
            action.run(this);
    }

    keyUp(event) {
        if (keyOf(event) === 'p' && this.editor.pasteFiles)
            this.editor.togglePasteFiles();
    }
}
