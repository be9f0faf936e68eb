/** The little of a browser that the client of remote desktops needs to draw, without a screen and without a network. */

import { cleanPathAnswer } from '@gatehouse/contract/kinds/desktop/clean-path';
import type { Rectangle } from '@gatehouse/contract/kinds/desktop/remotefx/rectangles';

/** Larger pictures than any screen: memory is reserved for them before anything is drawn. */
const MAX_PIXELS = 48 * 1024 * 1024;
const OPEN = 1;
const CLOSED = 3;

interface DrawnImage {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

class LookAlikeImage implements DrawnImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height?: number) {
    this.data = data;
    this.width = width;
    this.height = height ?? data.length / 4 / width;
  }
}

class LookAlikeContext {
  readonly #canvas: LookAlikeCanvas;

  constructor(canvas: LookAlikeCanvas) {
    this.#canvas = canvas;
  }

  putImageData(image: DrawnImage, x: number, y: number): void {
    this.#canvas.put(image, x, y);
  }
}

export class LookAlikeCanvas {
  #width = 0;
  #height = 0;
  #pixels = new Uint8Array(0);
  readonly #context = new LookAlikeContext(this);
  draws = 0;

  getContext(): LookAlikeContext {
    return this.#context;
  }

  get width(): number {
    return this.#width;
  }

  set width(value: number) {
    this.#resize(value, this.#height);
  }

  get height(): number {
    return this.#height;
  }

  set height(value: number) {
    this.#resize(this.#width, value);
  }

  get pixels(): Uint8Array {
    return this.#pixels;
  }

  put({ data, width, height }: DrawnImage, left: number, top: number): void {
    this.draws += 1;
    const [from, to] = [Math.max(0, left), Math.min(this.#width, left + width)];
    for (let row = Math.max(0, -top); row < height && top + row < this.#height && from < to; row += 1) {
      const source = (row * width + from - left) * 4;
      this.#pixels.set(data.subarray(source, source + (to - from) * 4), ((top + row) * this.#width + from) * 4);
    }
  }

  /** Of points that are as many as its own. */
  paint(points: Uint8ClampedArray, { left, top, width, height }: Rectangle): void {
    this.draws += 1;
    for (let row = top; row < top + height; row += 1) {
      const from = (row * this.#width + left) * 4;
      this.#pixels.set(points.subarray(from, from + width * 4), from);
    }
  }

  read({ left, top, width, height }: Rectangle): Uint8ClampedArray {
    const points = new Uint8ClampedArray(width * height * 4);
    for (let row = 0; row < height; row += 1) {
      const from = ((top + row) * this.#width + left) * 4;
      points.set(this.#pixels.subarray(from, from + width * 4), row * width * 4);
    }
    return points;
  }

  #resize(width: number, height: number): void {
    if (width * height > MAX_PIXELS)
      throw new RangeError(`a picture of ${width} × ${height} is larger than any screen`);
    [this.#width, this.#height] = [width, height];
    this.#pixels = new Uint8Array(width * height * 4);
  }
}

/** What the client takes for its socket: it reaches nobody. */
export class FedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = OPEN;
  static readonly CLOSED = CLOSED;
  readonly protocol = '';
  readonly extensions = '';
  readonly bufferedAmount = 0;
  binaryType = 'arraybuffer';
  readyState = 0;
  readonly url: string;
  /** What the client has for its host. Without it that goes nowhere. */
  onSaid: ((bytes: Uint8Array) => void) | undefined;
  readonly #asked = Promise.withResolvers<void>();
  #hasAsked = false;
  #saying = Promise.resolve();

  constructor(url: string) {
    super();
    this.url = String(url);
    queueMicrotask(() => {
      if (this.readyState === CLOSED) return;
      this.readyState = OPEN;
      this.dispatchEvent(new Event('open'));
    });
    awaited.get(this.url)?.(this);
    awaited.delete(this.url);
  }

  /** From then on it takes what a host says. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  send(said?: Blob | ArrayBuffer): void {
    if (this.#hasAsked) {
      const tell = this.onSaid;
      // The bytes of a Blob come later: they must stay in their order.
      if (tell && said)
        this.#saying = this.#saying.then(async () => tell(new Uint8Array(await new Blob([said]).arrayBuffer())));
      return;
    }
    this.#hasAsked = true;
    this.push(cleanPathAnswer());
    this.#asked.resolve();
  }

  push(bytes: Uint8Array): void {
    if (this.readyState === OPEN)
      this.dispatchEvent(new MessageEvent('message', { data: new Uint8Array(bytes).buffer }));
  }

  close(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.dispatchEvent(Object.assign(new Event('close'), { code: 1000, reason: '', wasClean: true }));
  }
}

const awaited = new Map<string, (socket: FedSocket) => void>();

/** The one that a client will open by this address. */
export function socketAt(url: string): Promise<FedSocket> {
  return new Promise((resolve) => void awaited.set(url, resolve));
}

/** Before the client is loaded. */
export function lookLikeAPage(): void {
  Object.assign(globalThis, {
    Window: class {},
    ImageData: LookAlikeImage,
    CanvasRenderingContext2D: LookAlikeContext,
    WebSocket: FedSocket,
  });
}
