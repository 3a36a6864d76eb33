/* A film of what the canvas shows, which the browser records. */
import {download} from './dom.js';

const FRAMES = 30; /* a second */

export class Film {
    static get possible() {
        return Boolean(HTMLCanvasElement.prototype.captureStream && globalThis.MediaRecorder);
    }

    get running() {
        return this.recorder?.state === 'recording';
    }

    /* Begins, or ends and saves the film under the name. */
    toggle(canvas, name) {
        if (this.running)
            return this.recorder.stop();
        const parts = [], stream = canvas.captureStream(FRAMES);
        this.recorder = new MediaRecorder(stream);
        this.recorder.ondataavailable = event => parts.push(event.data);
        this.recorder.onstop = () => {
            stream.getTracks().forEach(track => track.stop());
            const type = this.recorder.mimeType.split(';')[0];
            download(`${name()}.${type.split('/')[1] || 'webm'}`, parts, type);
        };
        this.recorder.start();
    }
}
