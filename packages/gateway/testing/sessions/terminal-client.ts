/** A browser tab on our terminal socket, for tests: checks that output has no hole, acknowledges it, and types with numbered input. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  FRAME_HEADER_BYTES,
  INPUT_FRAME,
  MAX_INPUT_BYTES,
  OUTPUT_FRAME,
  type TerminalCommand,
  type TerminalReply,
  type TerminalRequest,
  terminalReply,
} from '@gatehouse/contract/sessions/terminal-frames';
import type { FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters terminals are steered with
const MARKUP = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g;

/** Output comes in pieces of a letter or of 64 KB. */
const TAIL_BYTES = 100_000;
/** For what a real shell prints, and a real gateway tells. */
const WAIT_MS = 30_000;

export interface Tab {
  url: string;
  headers: Record<string, string>;
  token: string;
  /** Where it comes from. */
  localAddress?: string;
  /** The authority it trusts. */
  ca?: string;
}

export type State = Extract<TerminalReply, { type: 'state' }>;
export type Ended = Extract<TerminalReply, { type: 'ended' }>;

export interface TerminalClient {
  socket: WebSocket;
  replies: TerminalReply[];
  state: Promise<State>;
  closed: Promise<number>;
  /** One beyond the last byte that came. */
  end(): number;
  /** The same at the moment each message about the flow came. */
  flowEnds: { flow: string; end: number }[];
  output(): Buffer;
  text(): string;
  until(pattern: RegExp, timeoutMs?: number): Promise<void>;
  /** Waits for a message of that type. */
  told<T extends TerminalReply['type']>(type: T, timeoutMs?: number): Promise<Extract<TerminalReply, { type: T }>>;
  send(command: TerminalCommand): void;
  type(text: string | Buffer): void;
  /** As when the network is gone. */
  cut(): void;
}

export interface ClientOptions {
  /** Does not say what it has seen. */
  silent?: boolean;
  /** Goes on where another left. */
  after?: TerminalClient;
  /** Keeps only the end of what came. */
  discards?: boolean;
}

export function tabOf(app: FastifyInstance, browser: TestBrowser): Tab {
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/v1/webapi/sites/-current-/terminal`,
    headers: {
      host: 'localhost:3080',
      origin: 'http://localhost:3080',
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    token: browser.bearer ?? '',
  };
}

export function opening(server: string, login: string): Extract<TerminalRequest, { type: 'open' }> {
  const writer = randomBytes(8).toString('hex');
  return { type: 'open', server, login, cols: 80, rows: 24, writer, request: randomUUID() };
}

export function connectTerminal(tab: Tab, request: TerminalRequest, options: ClientOptions = {}): TerminalClient {
  const socket = new WebSocket(tab.url, {
    headers: tab.headers,
    ...(tab.localAddress === undefined ? {} : { localAddress: tab.localAddress }),
    ...(tab.ca === undefined ? {} : { ca: tab.ca }),
  });
  const state = Promise.withResolvers<State>();
  const closed = Promise.withResolvers<number>();
  state.promise.catch(() => {});
  const replies: TerminalReply[] = [];
  const flowEnds: TerminalClient['flowEnds'] = [];
  const chunks: Buffer[] = options.after ? [options.after.output()] : [];
  let next: number | undefined;
  let sent = 0;
  let wake = () => {};

  const send = (message: unknown) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.on('open', () => {
    send({ type: 'hello', token: tab.token });
    send(request);
  });
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      if (data[0] !== OUTPUT_FRAME) throw new Error('not output');
      const offset = Number(data.readBigUInt64BE(1));
      if (offset !== next) throw new Error(`a hole: ${next} then ${offset}`);
      next = offset + data.length - FRAME_HEADER_BYTES;
      chunks.push(data.subarray(FRAME_HEADER_BYTES));
      if (options.discards) chunks.splice(0, tailFrom());
      if (!options.silent) send({ type: 'seen', offset: next });
    } else {
      const reply = terminalReply.parse(JSON.parse(data.toString()));
      replies.push(reply);
      // What was typed while nothing passed is forgotten, as the console does.
      if (reply.type === 'flow' && reply.flow === 'live') sent = reply.taken;
      if (reply.type === 'flow') flowEnds.push({ flow: reply.flow, end: next ?? 0 });
      if (reply.type === 'state') {
        next = reply.from;
        sent = reply.taken;
        state.resolve(reply);
      }
      // Who comes late is given the screen instead of what drew it, and goes on from there.
      if (reply.type === 'screen') {
        next = reply.offset;
        chunks.splice(0, chunks.length, Buffer.from(reply.ansi));
      }
    }
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', (code) => {
    state.reject(new Error(`closed with ${code}: ${JSON.stringify(replies)}`));
    closed.resolve(code);
    wake();
  });

  const output = () => Buffer.concat(chunks);
  /** The end of what came: looking at all of it each time would keep the test from reading. */
  const tail = () => plain(Buffer.concat(chunks.slice(tailFrom())).subarray(-TAIL_BYTES));
  /** The first piece of the tail. */
  const tailFrom = () => {
    let from = chunks.length;
    for (let bytes = 0; from > 0 && bytes < TAIL_BYTES; ) {
      from -= 1;
      bytes += chunks[from]?.length ?? 0;
    }
    return from;
  };
  const text = () => plain(output());
  const plain = (bytes: Buffer) => bytes.toString().replaceAll(MARKUP, '').replaceAll('\r', '');
  const wait = async <T>(look: () => T | undefined, what: string, timeoutMs: number): Promise<T> => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || socket.readyState === socket.CLOSED)
        throw new Error(`no ${what} in ${JSON.stringify({ replies, text: text().slice(-500) })}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  return {
    socket,
    replies,
    state: state.promise,
    closed: closed.promise,
    end: () => next ?? 0,
    flowEnds,
    output,
    text,
    until: async (pattern, timeoutMs = WAIT_MS) =>
      void (await wait(() => (pattern.test(tail()) ? true : undefined), String(pattern), timeoutMs)),
    told: (type, timeoutMs = WAIT_MS) =>
      wait(() => replies.find((reply) => reply.type === type) as never, type, timeoutMs),
    send,
    type(given) {
      const all = Buffer.from(given);
      for (let at = 0; at < all.length; at += MAX_INPUT_BYTES) {
        const bytes = all.subarray(at, at + MAX_INPUT_BYTES);
        const head = Buffer.alloc(FRAME_HEADER_BYTES);
        head[0] = INPUT_FRAME;
        head.writeBigUInt64BE(BigInt(sent), 1);
        sent += bytes.length;
        socket.send(Buffer.concat([head, bytes]));
      }
    },
    cut: () => socket.terminate(),
  };
}
