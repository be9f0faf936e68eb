/** A websocket for tests: opens when told to, hears what it is told, remembers what was sent. */

export class FakeSocket extends EventTarget {
  /** Where it leads. */
  readonly path: string;
  readonly sent: unknown[] = [];
  /** Binary ones. */
  readonly frames: Uint8Array[] = [];
  isClosed = false;

  constructor(path = '') {
    super();
    this.path = path;
  }

  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.sent.push(JSON.parse(data));
    else this.frames.push(data);
  }
  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.dispatchEvent(new Event('open'));
  }
  hear(frame: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }
  drop(): void {
    this.dispatchEvent(new Event('close'));
  }
}
