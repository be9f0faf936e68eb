/** A websocket for tests: opens when told to, hears what it is told, remembers what was sent. */

export class FakeSocket extends EventTarget {
  readonly sent: unknown[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
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
