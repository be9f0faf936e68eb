/** A small host of VNC for tests: asks for a password, takes any, and then says what real ones never say. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const VERSION = Buffer.from('RFB 003.008\n');
const CHALLENGE_BYTES = 16;

const u16 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => Buffer.of((value >>> 8) & 0xff, value & 0xff)));
const u32 = (value: number) => u16(value >>> 16, value & 0xffff);

/** What the desktop is. `told`: how long its name is said to be. */
export function vncInit(width: number, height: number, name = 'desk', told = name.length): Buffer {
  const format = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);
  return Buffer.concat([u16(width, height), format, u32(told), Buffer.from(name)]);
}

export interface VncPart {
  encoding: number;
  x?: number;
  y?: number;
  width: number;
  height: number;
  body?: Buffer;
}

/** Draws so many rectangles. */
export function vncUpdate(...parts: readonly VncPart[]): Buffer {
  const written = parts.map(({ encoding, x = 0, y = 0, width, height, body = Buffer.alloc(0) }) =>
    Buffer.concat([u16(x, y, width, height), u32(encoding), body]),
  );
  return Buffer.concat([Buffer.of(0, 0), u16(parts.length), ...written]);
}

/** `told`: how long it is said to be. */
export function vncCutText(text: Buffer, told = text.length): Buffer {
  return Buffer.concat([Buffer.of(3, 0, 0, 0), u32(told), text]);
}

export interface VncHostSession {
  send(bytes: Buffer): void;
  end(): void;
}

export interface VncHost {
  port: number;
  addr: string;
  /** What it says of its desktop to whoever comes from now on. */
  init: Buffer;
  /** The next that was let in. */
  next(): Promise<VncHostSession>;
  stop(): Promise<void>;
}

/** `garble`: all that it says, changed before it leaves. */
export async function startVncHost({ garble = (bytes: Buffer): Buffer => bytes } = {}): Promise<VncHost> {
  const waiting: ((session: VncHostSession) => void)[] = [];
  const ready: VncHostSession[] = [];
  const sockets = new Set<Socket>();
  const host = { init: vncInit(64, 48) };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    const say = (bytes: Buffer) => void (socket.writable && socket.write(garble(bytes)));
    const serve = async () => {
      say(VERSION);
      await taken(socket, VERSION.length);
      say(Buffer.of(1, 2));
      await taken(socket, 1);
      say(Buffer.alloc(CHALLENGE_BYTES, 7));
      await taken(socket, CHALLENGE_BYTES);
      say(Buffer.alloc(4));
      await taken(socket, 1);
      say(host.init);
      // What it is asked for does not matter.
      socket.resume();
      const session = { send: say, end: () => void socket.end() };
      const taker = waiting.shift();
      if (taker) taker(session);
      else ready.push(session);
    };
    serve().catch(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(host, {
    port,
    addr: `127.0.0.1:${port}`,
    next: () => {
      const session = ready.shift();
      return session ? Promise.resolve(session) : new Promise<VncHostSession>((resolve) => waiting.push(resolve));
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}

/** So many bytes of who came. Rejects where they leave before. */
async function taken(socket: Socket, count: number): Promise<void> {
  for (let left = count; left > 0; ) {
    const bytes: Buffer | null = socket.read();
    if (bytes) {
      // Too few left in the socket would be announced again and again, and the rest would never get its turn.
      if (bytes.length > left) socket.unshift(bytes.subarray(left));
      left -= bytes.length;
    } else if (socket.readableEnded || socket.destroyed) throw new Error('they left');
    else await moreOrEnd(socket);
  }
}

function moreOrEnd(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('readable', done).off('end', done).off('close', done);
      resolve();
    };
    socket.on('readable', done).on('end', done).on('close', done);
  });
}
