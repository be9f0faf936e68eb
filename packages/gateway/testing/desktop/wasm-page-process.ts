/** A process that holds the client of the page, as browsers run it, over a canvas that is nothing but memory. Told what to do by messages. */
import { createHash } from 'node:crypto';

export type ToPage =
  | { type: 'open'; width: number; height: number; clipboard: boolean; display: boolean; certificate: Buffer }
  | { type: 'pdu'; bytes: Buffer }
  | { type: 'keys'; codes: readonly number[] }
  | { type: 'move'; x: number; y: number }
  | { type: 'button'; isDown: boolean }
  | { type: 'paste'; text: string }
  | { type: 'resize'; width: number; height: number }
  | { type: 'look' };

export type FromPage =
  | { type: 'ready' }
  | { type: 'bytes'; bytes: Buffer }
  | { type: 'connected' }
  | { type: 'clipboard'; mime: string; value: string }
  | { type: 'ended'; reason: string }
  | { type: 'looked'; width: number; height: number; hash: string; pixels: Buffer };

const say = (message: FromPage): void => void process.send?.(message);

let [width, height] = [0, 0];
let pixels = Buffer.alloc(0);

class MemoryContext {
  putImageData(image: { data: Uint8ClampedArray; width: number; height: number }, x: number, y: number): void {
    for (let row = 0; row < image.height; row += 1) {
      const from = row * image.width * 4;
      pixels.set(image.data.subarray(from, from + image.width * 4), ((y + row) * width + x) * 4);
    }
  }
}

const context = new MemoryContext();
const canvas = {
  getContext: () => context,
  get width() {
    return width;
  },
  set width(value: number) {
    width = value;
    pixels = Buffer.alloc(width * height * 4);
  },
  get height() {
    return height;
  },
  set height(value: number) {
    height = value;
    pixels = Buffer.alloc(width * height * 4);
  },
};

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const TLS_CHOSEN = Buffer.from([3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0]);

/** Looks like a WebSocket: answers its first message itself, and gives the others to the gateway. */
class GatewaySocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState = 0;
  binaryType = 'arraybuffer';
  bufferedAmount = 0;
  protocol = '';
  extensions = '';
  url = 'gateway:';
  onopen: ((event: Event) => void) | undefined;
  onmessage: ((event: Event) => void) | undefined;
  onclose: ((event: Event) => void) | undefined;
  onerror: ((event: Event) => void) | undefined;
  #isAnswered = false;
  #sending = Promise.resolve();

  constructor() {
    super();
    socket = this;
    queueMicrotask(() => {
      this.readyState = 1;
      this.#fire(new Event('open'));
    });
  }

  #fire(event: Event): void {
    const own = { open: this.onopen, message: this.onmessage, close: this.onclose, error: this.onerror };
    own[event.type as keyof typeof own]?.(event);
    this.dispatchEvent(event);
  }

  /** The client sends a Blob each time, whose bytes come later: they must stay in their order. */
  send(data: Blob): void {
    if (this.#isAnswered) {
      this.#sending = this.#sending.then(async () =>
        say({ type: 'bytes', bytes: Buffer.from(await data.arrayBuffer()) }),
      );
      return;
    }
    this.#isAnswered = true;
    this.#push(
      der(
        0x30,
        der(0xa0, Buffer.from([2, 2, 0x0d, 0x3e])),
        der(0xa6, der(4, TLS_CHOSEN)),
        der(0xa7, der(0x30, der(4, certificate))),
        der(0xa9, der(0x0c, Buffer.from('host'))),
      ),
    );
    for (const bytes of early.splice(0)) this.#push(bytes);
  }

  /** What comes before the client has begun waits for it. */
  push(bytes: Buffer): void {
    if (this.#isAnswered) this.#push(bytes);
    else early.push(bytes);
  }

  #push(bytes: Buffer): void {
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    this.#fire(new MessageEvent('message', { data }));
  }

  close(): void {
    if (this.readyState >= 2) return;
    this.readyState = 3;
    this.#fire(Object.assign(new Event('close'), { code: 1000, reason: '', wasClean: true }));
  }
}

let socket: GatewaySocket | undefined;
const early: Buffer[] = [];
let certificate = Buffer.alloc(0);

Object.assign(globalThis, {
  Window: class {},
  CanvasRenderingContext2D: MemoryContext,
  ImageData: class {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
    constructor(data: Uint8ClampedArray, ownWidth: number, ownHeight?: number) {
      this.data = data;
      this.width = ownWidth;
      this.height = ownHeight ?? data.length / 4 / ownWidth;
    }
  },
  WebSocket: GatewaySocket,
});
const { init, Backend, displayControl, enableCredssp } = await import('@devolutions/iron-remote-desktop-rdp');
await init('error');

type Session = Awaited<ReturnType<InstanceType<typeof Backend.SessionBuilder>['connect']>>;
let session: Session | undefined;

/** Errors of the client are objects of its own. */
function reasonOf(error: unknown): string {
  const own = error as { backtrace?: () => string };
  return own.backtrace?.() ?? String(error);
}

async function open(options: Extract<ToPage, { type: 'open' }>): Promise<void> {
  certificate = Buffer.from(options.certificate);
  const builder = new Backend.SessionBuilder()
    .username('nobody')
    .password('nothing')
    .destination('host')
    .serverDomain('')
    .proxyAddress('ws://gateway')
    .authToken('none')
    .desktopSize(new Backend.DesktopSize(options.width, options.height))
    .renderCanvas(canvas as never)
    .setCursorStyleCallbackContext(null)
    .setCursorStyleCallback(() => {})
    .extension(enableCredssp(false));
  if (options.display) builder.extension(displayControl(true));
  if (options.clipboard) {
    builder.remoteClipboardChangedCallback((data: InstanceType<typeof Backend.ClipboardData>) => {
      for (const item of data.items()) say({ type: 'clipboard', mime: item.mimeType(), value: String(item.value()) });
    });
    builder.forceClipboardUpdateCallback(() => void session?.onClipboardPaste(new Backend.ClipboardData()));
  }
  session = await builder.connect();
  say({ type: 'connected' });
  const over = await session.run();
  say({ type: 'ended', reason: over.reason() });
}

function send(...events: ReturnType<typeof Backend.DeviceEvent.keyPressed>[]): void {
  const transaction = new Backend.InputTransaction();
  for (const event of events) transaction.addEvent(event);
  session?.applyInputs(transaction);
}

const { DeviceEvent } = Backend;
process.on('message', (message: ToPage) => {
  if (message.type === 'open') open(message).catch((error) => say({ type: 'ended', reason: reasonOf(error) }));
  else if (message.type === 'pdu' && socket) socket.push(Buffer.from(message.bytes));
  else if (message.type === 'pdu') early.push(Buffer.from(message.bytes));
  else if (message.type === 'keys')
    for (const code of message.codes) send(DeviceEvent.keyPressed(code), DeviceEvent.keyReleased(code));
  else if (message.type === 'move') send(DeviceEvent.mouseMove(message.x, message.y));
  else if (message.type === 'button')
    send(message.isDown ? DeviceEvent.mouseButtonPressed(0) : DeviceEvent.mouseButtonReleased(0));
  else if (message.type === 'resize') session?.resize(message.width, message.height);
  else if (message.type === 'paste') {
    const data = new Backend.ClipboardData();
    data.addText('text/plain', message.text);
    void session?.onClipboardPaste(data);
  } else say({ type: 'looked', width, height, hash: createHash('sha256').update(pixels).digest('hex'), pixels });
});
say({ type: 'ready' });
