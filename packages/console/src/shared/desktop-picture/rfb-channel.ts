/** What the client of VNC takes for its WebSocket. It reaches nobody: live pages pass its bytes on, the player feeds it from a recording. */

export interface RfbChannelHooks {
  /** A whole message, or several: the client sends no less. */
  onSend(bytes: Uint8Array<ArrayBuffer>): void;
}

export class RfbChannel {
  binaryType = 'arraybuffer';
  readonly protocol = '';
  readyState: 'open' | 'closed' = 'open';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: Uint8Array }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly #hooks: RfbChannelHooks;

  constructor(hooks: RfbChannelHooks) {
    this.#hooks = hooks;
  }

  send(data: Uint8Array): void {
    // It lies in a queue that the client uses again.
    if (this.readyState === 'open') this.#hooks.onSend(new Uint8Array(data));
  }

  push(data: Uint8Array): void {
    if (this.readyState === 'open') this.onmessage?.({ data });
  }

  close(): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    // Not at once: the client would take it for a disconnection that never came, and say so three seconds later.
    queueMicrotask(() => this.onclose?.({ code: 1000, reason: '' }));
  }
}
