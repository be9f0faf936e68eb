/** A websocket that belongs to a sign-in: it proves whose it is first, and closes when that sign-in ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSE_CODES, socketHello } from '@gatehouse/contract/identity/change-frames';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Caller } from '../../platform/http/actor.ts';
import { ACTIVE_PING } from '../../platform/http/relayed-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { type Authenticate, notSignedIn } from '../sign-in/authenticate.ts';
import type { LastActive } from '../sign-in/last-active.ts';
import type { SignInWatch } from '../sign-in/sign-in-watch.ts';
import type { LiveSignIn } from '../stores/sign-in-cache.ts';

const HELLO_MS = 10_000;
/** Whoever has said who they are says next what they want: sockets kept in store for later are not kept. */
const ASK_MS = 10_000;
const MAX_HELLO_BYTES = 4_096;
const MAX_EARLY = 16;
const MAX_EARLY_BYTES = 256 * 1024;
/** Long enough for a last frame to arrive, well under the two seconds in which it must be over. */
const LAST_WORD_MS = 1_000;
/** Times of inactivity are minutes. */
const TELL_ACTIVE_MS = 20_000;

export interface SocketSignIns {
  authenticate: Authenticate;
  watch: SignInWatch;
  lastActive: LastActive;
  now: () => number;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
  /** Another time until something must be asked for, for tests. */
  askMs?: number;
}

export interface SignedInSocket {
  socket: WebSocket;
  /** Hands on what the client sent together with its hello, once somebody listens. */
  replay(): void;
  /** Who is there. What they may is asked for whenever it counts: a socket may be much older than their roles. */
  caller: Caller;
  /** Something was asked for: from here on the socket may stay. Without it, it is closed after a few seconds. */
  asked(): void;
  /** The user did something here: counts against being signed out for inactivity. */
  active(): void;
  /** Calls back when the sign-in ends; the socket closes by itself right after. */
  /** A listener that has something to say in a protocol of its own gives when that is said: it is waited for, a moment. */
  onEnd(listener: (reason: EndReason) => void | Promise<void>): void;
}

/** For our own sockets: the token comes in the first message, where no log or history keeps it. */
export async function acceptWithHello(
  signIns: SocketSignIns,
  request: FastifyRequest,
  accept: () => Promise<WebSocket>,
): Promise<SignedInSocket | undefined> {
  const socket = await accept();
  const { token, early } = await firstToken(socket);
  if (token === undefined) {
    socket.close(CLOSE_CODES.badHello, 'the first message must be a hello with a token');
    return undefined;
  }
  const live = await signIns.authenticate.socket(request, token).catch(wordsOf);
  if (typeof live === 'string') {
    socket.close(CLOSE_CODES.notSignedIn, live);
    return undefined;
  }
  return { ...tie(signIns, socket, live, request.ip), replay: early.replay };
}

/** For the sockets of the wire reference, whose clients put the token into the address. */
export async function acceptWithQuery(
  signIns: SocketSignIns,
  request: FastifyRequest,
  accept: () => Promise<WebSocket>,
): Promise<SignedInSocket> {
  const query = z.object({ access_token: z.string().min(1).max(256) }).safeParse(request.query);
  if (!query.success) throw notSignedIn();
  const live = await signIns.authenticate.socket(request, query.data.access_token);
  return tie(signIns, await accept(), live, request.ip);
}

/** For sockets that another cluster relays: whom it vouches for is known before anything is said. */
export async function acceptRelayed(
  signIns: SocketSignIns,
  request: FastifyRequest,
  accept: () => Promise<WebSocket>,
): Promise<SignedInSocket> {
  const live = await signIns.authenticate.socket(request, '');
  const opened = tie(signIns, await accept(), live, request.ip);
  let told = Number.NEGATIVE_INFINITY;
  return {
    ...opened,
    active() {
      opened.active();
      // Whether they have rested too long is for the cluster they signed in to.
      if (performance.now() - told < TELL_ACTIVE_MS || opened.socket.readyState !== opened.socket.OPEN) return;
      told = performance.now();
      opened.socket.ping(ACTIVE_PING);
    },
  };
}

/** The reason of a close may hold 123 bytes. */
function wordsOf(error: unknown): string {
  return error instanceof AppError && error.message.length < 100 ? error.message : 'not signed in';
}

function tie(signIns: SocketSignIns, socket: WebSocket, { signIn, user }: LiveSignIn, address: string): SignedInSocket {
  const { authenticate, watch, lastActive, now, askMs = ASK_MS } = signIns;
  const listeners: ((reason: EndReason) => void | Promise<void>)[] = [];
  const close = (code: number, why: string) => {
    socket.close(code, why);
    setTimeout(() => socket.terminate(), LAST_WORD_MS).unref();
  };
  const over = (reason: EndReason) => {
    const said = listeners.flatMap((listener) => listener(reason) ?? []);
    const end = () => close(CLOSE_CODES.signInEnded, reason);
    if (said.length === 0) end();
    else void Promise.race([Promise.all(said), sleep(LAST_WORD_MS)]).then(end, end);
  };
  const stop = watch.onEnd(signIn.id, over, address);
  const timer = setTimeout(() => close(CLOSE_CODES.nothingAsked, 'nothing was asked for in time'), askMs).unref();
  socket.on('close', () => {
    stop();
    clearTimeout(timer);
  });
  return {
    socket,
    replay() {},
    caller: { username: user.name, signInId: signIn.id, now: () => authenticate.now(signIn.id, address) },
    asked: () => clearTimeout(timer),
    active: () => lastActive.touch(signIn.id, now()),
    onEnd: (listener) => void listeners.push(listener),
  };
}

interface First {
  token: string | undefined;
  early: ReturnType<typeof keepEarly>;
}

function firstToken(socket: WebSocket): Promise<First> {
  return new Promise((resolve) => {
    const done = (token: string | undefined) => {
      clearTimeout(timer);
      socket.off('message', onMessage);
      socket.off('close', onClose);
      resolve({ token, early: keepEarly(socket) });
    };
    const onMessage = (data: RawData) => done(readHello(data));
    const onClose = () => done(undefined);
    const timer = setTimeout(() => done(undefined), HELLO_MS).unref();
    socket.on('message', onMessage);
    socket.on('close', onClose);
  });
}

/** Clients need not wait for an answer to their hello: what follows it is kept while the token is looked up. */
function keepEarly(socket: WebSocket) {
  const kept: { data: RawData; isBinary: boolean }[] = [];
  let size = 0;
  const keep = (data: RawData, isBinary: boolean) => {
    size += sizeOf(data);
    if (kept.length < MAX_EARLY && size <= MAX_EARLY_BYTES) kept.push({ data, isBinary });
    else socket.close(CLOSE_CODES.badHello, 'too much was sent before the hello was answered');
  };
  socket.on('message', keep);
  return {
    replay() {
      socket.off('message', keep);
      for (const { data, isBinary } of kept.splice(0)) socket.emit('message', data, isBinary);
    },
  };
}

function sizeOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
}

function readHello(data: RawData): string | undefined {
  const text = Array.isArray(data)
    ? Buffer.concat(data).toString('utf8')
    : Buffer.from(data as Buffer).toString('utf8');
  if (text.length > MAX_HELLO_BYTES) return undefined;
  try {
    return socketHello.safeParse(JSON.parse(text)).data?.token;
  } catch {
    return undefined;
  }
}
