/**
 * A client of the wire reference on a desktop or on a recording of one, for tests: keeps a picture of the tiles that it was sent. Written from
 * the wire alone, by its own numbers, so that it takes nothing of ours for granted; whatever is not as it is there ends it.
 */
import { PNG } from 'pngjs';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

const HOST = 'localhost:3080';

export class CompatClient {
  readonly socket: WebSocket;
  readonly notes: { text: string; severity: number }[] = [];
  readonly types: number[] = [];
  readonly clipboard: string[] = [];
  /** Of keys. */
  readonly challenges: unknown[] = [];
  /** What it shares, by name, where it shares anything: nothing can be changed there. */
  readonly files = new Map<string, Buffer>();
  /** Of directories: an error, or 0, and which. */
  readonly shared: { error: number; directory: number }[] = [];
  /** What no client could read. */
  readonly wrong: string[] = [];
  readonly closing: Promise<number>;
  readonly size: { width: number; height: number };
  /** RGB, without what is transparent. */
  pixels: Buffer;

  /** `path` with its query, but for the token. */
  constructor(origin: string, who: Pick<TestBrowser, 'cookies' | 'bearer'>, path: string) {
    const cookie = [...who.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const url = new URL(path, origin.replace('http', 'ws'));
    url.searchParams.set('access_token', who.bearer ?? '');
    // The canvas of a desktop is as large as was asked for; of a recording, as it says.
    this.size = { width: Number(url.searchParams.get('width')), height: Number(url.searchParams.get('height')) };
    this.pixels = Buffer.alloc(this.size.width * this.size.height * 3);
    this.socket = new WebSocket(url, { headers: { host: HOST, origin: `http://${HOST}`, cookie } });
    this.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.wrong.push('a text');
      this.heard(data);
    });
    this.socket.on('error', () => {});
    this.closing = new Promise((resolve) => void this.socket.once('close', (code) => resolve(code)));
  }

  heard(message: Buffer): void {
    try {
      this.#read(message);
    } catch (error) {
      this.wrong.push(`${message.subarray(0, 24).toString('hex')}: ${error}`);
      this.socket.terminate();
    }
  }

  #read(message: Buffer): void {
    const type = message.readUInt8(0);
    this.types.push(type);
    const u32 = (at: number) => message.readUInt32BE(at);
    const text = (at: number, behind = 0) => {
      expect(message.length).toBe(at + 4 + u32(at) + behind);
      return message.toString('utf8', at + 4, at + 4 + u32(at));
    };
    switch (type) {
      case 1:
        expect(message.length).toBe(9);
        [this.size.width, this.size.height] = [u32(1), u32(5)];
        this.pixels = Buffer.alloc(this.size.width * this.size.height * 3);
        return;
      case 3:
        expect(message.length).toBe(9);
        return;
      case 4:
        expect(message.length).toBe(3);
        return;
      case 6:
        this.clipboard.push(text(1));
        return;
      case 10:
        expect(message.toString('latin1', 1, 2)).toBe('n');
        this.challenges.push(JSON.parse(text(2)));
        return;
      case 12:
        expect(message.length).toBe(9);
        this.shared.push({ error: u32(1), directory: u32(5) });
        return;
      case 13:
      case 25:
      case 19:
        this.#answer(type, u32(1), message);
        return;
      case 27:
        expect(message.length).toBe(21 + u32(1));
        this.#draw({ left: u32(5), top: u32(9), right: u32(13), bottom: u32(17) }, message.subarray(21));
        return;
      case 28:
        this.notes.push({ text: text(1, 1), severity: message.readUInt8(message.length - 1) });
        return;
      default:
        throw new Error(`no message ${type} comes to a client`);
    }
  }

  /** Asked about a file, for a list of them, or for bytes of one. */
  #answer(type: number, id: number, message: Buffer): void {
    const path = message.toString('utf8', 13, 13 + message.readUInt32BE(9));
    const found = this.files.get(path);
    const head = (error: number) => Buffer.from([type + 1, ...u32s(id, error)]);
    const describe = (name: string, bytes: Buffer | undefined) =>
      Buffer.concat([
        u32s(0, 1_000, 0, bytes?.length ?? 0, bytes ? 0 : 1),
        Buffer.from([bytes && bytes.length === 0 ? 1 : 0]),
        u32s(Buffer.byteLength(name)),
        Buffer.from(name),
      ]);
    if (type === 13) this.socket.send(Buffer.concat([head(found || path === '' ? 0 : 2), describe(path, found)]));
    else if (type === 25) {
      const all = [...this.files].map(([name, bytes]) => describe(name, bytes));
      this.socket.send(Buffer.concat([head(0), u32s(all.length), ...all]));
    } else {
      const at = 13 + message.readUInt32BE(9);
      const from = Number(message.readBigUInt64BE(at));
      const bytes = (found ?? Buffer.alloc(0)).subarray(from, from + message.readUInt32BE(at + 8));
      this.socket.send(Buffer.concat([head(found ? 0 : 2), u32s(bytes.length), bytes]));
    }
  }

  #draw({ left, top, right, bottom }: Record<'left' | 'top' | 'right' | 'bottom', number>, png: Buffer): void {
    const { width, height, data } = PNG.sync.read(png);
    expect([width, height]).toEqual([right - left, bottom - top]);
    expect(right <= this.size.width && bottom <= this.size.height).toBe(true);
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const from = (row * width + column) * 4;
        this.pixels.set(data.subarray(from, from + 3), ((top + row) * this.size.width + left + column) * 3);
      }
  }

  colourAt(x: number, y: number): number[] {
    const at = (y * this.size.width + x) * 3;
    return [...this.pixels.subarray(at, at + 3)];
  }

  say(hex: string): void {
    this.socket.send(Buffer.from(hex, 'hex'));
  }
}

function u32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

/** What a player is sent: each frame of JSON, drawn like the messages of a desktop that runs. */
export class CompatPlayer extends CompatClient {
  readonly frames: { message: string; ms?: number; ei?: number; event?: string; time?: string; errorText?: string }[] =
    [];

  override heard(data: Buffer): void {
    const frame = JSON.parse(data.toString('utf8'));
    this.frames.push(frame);
    if (frame.ms !== undefined) super.heard(Buffer.from(frame.message, 'base64'));
  }
}

/** As the pictures of pages have them. */
export function withoutAlpha(rgba: Buffer): Buffer {
  expect(rgba.length % 4).toBe(0);
  const rgb = Buffer.alloc((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) rgba.copy(rgb, to, from, from + 3);
  return rgb;
}
