/** A page on a desktop, for tests: asks over the socket, and keeps what comes. What a client would say is up to the test. */
import { randomUUID } from 'node:crypto';
import {
  DESKTOP_SOCKET,
  type DesktopCommand,
  type DesktopReply,
  type DesktopRequest,
  desktopReply,
  FILES_FRAME,
  PICTURE_FRAME,
  SOUND_FRAME,
} from '@gatehouse/contract/sessions/desktop-frames';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

const HOST = 'localhost:3080';

type Reply<Type extends DesktopReply['type']> = Extract<DesktopReply, { type: Type }>;

export function desktopOpening(desktop: string, login: string, password?: string): DesktopRequest {
  return {
    ...{ type: 'open', desktop, login, width: 800, height: 600, scale: 100, keyboard: 0x409, request: randomUUID() },
    ...(password === undefined ? {} : { password }),
  };
}

export class DesktopPage {
  readonly socket: WebSocket;
  readonly heard: DesktopReply[] = [];
  readonly pictures: Buffer[] = [];
  readonly sounds: Buffer[] = [];
  readonly closing: Promise<{ code: number; reason: string }>;
  onPicture: (bytes: Buffer) => void = () => {};
  onFiles: (bytes: Buffer) => void = () => {};
  readonly #looking = new Set<() => void>();

  constructor(origin: string, who: Pick<TestBrowser, 'cookies' | 'bearer'>, request: DesktopRequest) {
    const cookie = [...who.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const path = DESKTOP_SOCKET.replace(':clusterId', 'localhost');
    this.socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, {
      headers: { host: HOST, origin: `http://${HOST}`, cookie },
    });
    this.socket.on('open', () => {
      this.socket.send(JSON.stringify({ type: 'hello', token: who.bearer }));
      this.socket.send(JSON.stringify(request));
    });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary && data[0] === FILES_FRAME) this.onFiles(data.subarray(1));
      else if (isBinary && data[0] === SOUND_FRAME) this.sounds.push(data.subarray(1));
      else if (isBinary) {
        this.pictures.push(data.subarray(1));
        this.onPicture(data.subarray(1));
      } else this.heard.push(desktopReply.parse(JSON.parse(data.toString())));
      for (const look of this.#looking) look();
    });
    this.socket.on('error', () => {});
    this.closing = new Promise((resolve) =>
      this.socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  tell(command: DesktopCommand): void {
    this.socket.send(JSON.stringify(command));
  }

  /** As the client of the page says it. */
  say(bytes: Buffer): void {
    this.#send(PICTURE_FRAME, bytes);
  }

  /** About the folder that it shares. */
  sayFiles(bytes: Uint8Array): void {
    this.#send(FILES_FRAME, bytes);
  }

  #send(type: number, bytes: Uint8Array): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(Buffer.concat([Buffer.from([type]), bytes]));
  }

  /** The first of this type that fits, of what came and what comes. Rejects when it is over without it. */
  async until<Type extends DesktopReply['type']>(
    type: Type,
    fits: (reply: Reply<Type>) => boolean = () => true,
  ): Promise<Reply<Type>> {
    return await new Promise((resolve, reject) => {
      const look = () => {
        const reply = this.heard.find(
          (one): one is Reply<Type> => one.type === type && fits(one as unknown as Reply<Type>),
        );
        if (!reply) return;
        this.#looking.delete(look);
        resolve(reply);
      };
      this.#looking.add(look);
      look();
      void this.closing.then(() => reject(new Error(`it is over: ${JSON.stringify(this.heard.at(-1))}`)));
    });
  }

  close(code = 1000): void {
    this.socket.close(code);
  }
}
