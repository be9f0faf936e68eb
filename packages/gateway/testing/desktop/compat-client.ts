/** A client of the wire reference on a desktop or on a recording of one, for tests: keeps a picture of the tiles that it was sent. */
import { COMPAT_DESKTOP_TYPES as TYPES } from '@gatehouse/contract/sessions/compat-desktop';
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
  readonly closing: Promise<number>;
  readonly size: { width: number; height: number };
  /** RGB, without what is transparent. */
  pixels: Buffer;

  /** `path` with its query, but for the token. */
  constructor(origin: string, who: Pick<TestBrowser, 'cookies' | 'bearer'>, path: string) {
    const cookie = [...who.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const url = new URL(path, origin.replace('http', 'ws'));
    url.searchParams.set('access_token', who.bearer ?? '');
    this.size = { width: 800, height: 600 };
    this.pixels = Buffer.alloc(this.size.width * this.size.height * 3);
    this.socket = new WebSocket(url, { headers: { host: HOST, origin: `http://${HOST}`, cookie } });
    this.socket.on('message', (data: Buffer) => this.heard(data));
    this.socket.on('error', () => {});
    this.closing = new Promise((resolve) => void this.socket.once('close', (code) => resolve(code)));
  }

  heard(message: Buffer): void {
    const [type = 0] = message;
    this.types.push(type);
    if (type === TYPES.tile) this.#draw(message.readUInt32BE(5), message.readUInt32BE(9), message.subarray(21));
    if (type === TYPES.screen) {
      this.size.width = message.readUInt32BE(1);
      this.size.height = message.readUInt32BE(5);
      this.pixels = Buffer.alloc(this.size.width * this.size.height * 3);
    }
    if (type === TYPES.clipboard) this.clipboard.push(message.toString('utf8', 5));
    if (type === TYPES.notification)
      this.notes.push({ text: message.toString('utf8', 5, message.length - 1), severity: message.at(-1)! });
  }

  #draw(left: number, top: number, png: Buffer): void {
    const { width, height, data } = PNG.sync.read(png);
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
