/* Messages to the simulation and answers, as view/messages.h describes them. At most one request of each kind is under
 * way. While one is, only the newest other request of its kind waits. */

/* Joins the JSON and the bytes of a message. */
export function pack(head, bytes) {
    const text = new TextEncoder().encode(JSON.stringify(head));
    const message = new Uint8Array(4 + text.length + (bytes ? bytes.length : 0));
    new DataView(message.buffer).setUint32(0, text.length, true);
    message.set(text, 4);
    if (bytes)
        message.set(bytes, 4 + text.length);
    return message;
}

/* Separates them. */
export function unpack(buffer) {
    const end = 4 + new DataView(buffer).getUint32(0, true);
    return {
        head: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, end - 4))),
        bytes: new Uint8Array(buffer, end),
    };
}

/* No answer came. */
export class Lost extends Error {}

const PATIENCE = 3000; /* milliseconds until the page says that it waits */

export class Connection {
    /* hear(head) gets what each answer says about the simulation; tell(text) gets the state of the connection. */
    constructor(send, hear, tell) {
        Object.assign(this, {send, hear, tell});
        this.underWay = new Set();
        this.waiting = new Map();
        this.asked = this.heard = 0;
    }

    /* Resolves to {head, bytes}, or to null if a newer request of the same kind took the place of this one. */
    ask(head, bytes = null) {
        if (!this.underWay.has(head.do))
            return this.start(head, bytes);
        this.waiting.get(head.do)?.resolve(null);
        return new Promise((resolve, reject) => this.waiting.set(head.do, {head, bytes, resolve, reject}));
    }

    async start(head, bytes) {
        this.underWay.add(head.do);
        try {
            return await this.exchange(head, bytes);
        } finally {
            this.underWay.delete(head.do);
            const next = this.waiting.get(head.do);
            this.waiting.delete(head.do);
            if (next)
                this.start(next.head, next.bytes).then(next.resolve, next.reject);
        }
    }

    async exchange(head, bytes) {
        const number = ++this.asked;
        const late = setTimeout(() => this.tell('waiting for the simulation'), PATIENCE);
        let answer;
        try {
            answer = await this.send(head, bytes);
        } catch (error) {
            this.tell(error.refused ? error.message : 'connection lost, trying again');
            throw new Lost(error.message);
        } finally {
            clearTimeout(late);
        }
        this.tell('');
        /* An answer that was overtaken by that of a newer request says nothing new. */
        if (number > this.heard && answer.head.state !== undefined) {
            this.heard = number;
            this.hear(answer.head);
        }
        if (answer.head.error !== undefined)
            throw new Error(answer.head.error);
        return answer;
    }
}
