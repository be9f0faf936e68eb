/**
 * What the client of remote desktops takes for its WebSocket. It is none: live pages pass its bytes on over the one socket of the
 * session, the player feeds it from a recording.
 */
import { cleanPathAnswer } from '@gatehouse/contract/kinds/desktop/clean-path';

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

export interface PageSocketHooks {
  /** Bytes of the protocol that the client says. */
  onSend(bytes: Uint8Array<ArrayBuffer>): void;
  /** The client has let go of it, or somebody has. */
  onClose?(): void;
}

export class PageSocket extends EventTarget {
  readonly protocol = '';
  readonly extensions = '';
  readonly bufferedAmount = 0;
  binaryType: BinaryType = 'arraybuffer';
  readyState = CONNECTING;
  /** What is given to the client as the address of its proxy. */
  readonly url: string;
  /** The client has asked for its way and was told it is there: protocol bytes may be pushed. */
  readonly ready: Promise<void>;
  readonly #hooks: PageSocketHooks;
  #beReady: () => void = () => undefined;
  #hasAsked = false;

  constructor(url: string, hooks: PageSocketHooks) {
    super();
    this.url = url;
    this.#hooks = hooks;
    this.ready = new Promise((resolve) => {
      this.#beReady = resolve;
    });
  }

  /** Once somebody listens: an event before that would be heard by nobody, and the client would wait for ever. */
  begin(): void {
    queueMicrotask(() => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.dispatchEvent(new Event('open'));
    });
  }

  /** Called by the client. The first thing it says is RDCleanPath, and is for nobody but us. */
  send(data: Uint8Array): void {
    if (this.readyState !== OPEN) return;
    // Anything else has no length, and would be sent as nothing at all.
    if (!(data instanceof Uint8Array)) throw new TypeError('the client of desktops sends bytes alone');
    // It may lie in the memory of the client, which uses it again.
    const bytes = new Uint8Array(data);
    if (this.#hasAsked) {
      this.#hooks.onSend(bytes);
      return;
    }
    this.#hasAsked = true;
    this.push(cleanPathAnswer());
    this.#beReady();
  }

  /** Bytes for the client: one whole PDU each time, as it drops what follows the last one of a handshake. */
  push(bytes: Uint8Array): void {
    if (this.readyState !== OPEN) return;
    this.dispatchEvent(new MessageEvent('message', { data: bytes.slice().buffer }));
  }

  close(code = 1000): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '', wasClean: true }));
    this.#hooks.onClose?.();
  }
}

/** Stands in the client for the Blob that it would send: its bytes, at once. See build/desktop-plugin.ts. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

const offered = new Map<string, PageSocket>();
let last = 0;

/** The next client that is told its `url` gets it. */
export function offerPageSocket(hooks: PageSocketHooks): PageSocket {
  last += 1;
  const socket = new PageSocket(`page-socket:${last}`, hooks);
  offered.set(socket.url, socket);
  return socket;
}

/** Stands in the client for `new WebSocket(url)`; see build/desktop-plugin.ts. */
export function openPageSocket(url: string): PageSocket {
  const socket = offered.get(url);
  // It can dial nothing by itself, whatever it is told.
  if (!socket) throw new Error(`no socket was offered as '${url}'`);
  offered.delete(url);
  socket.begin();
  return socket;
}
