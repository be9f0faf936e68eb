/** Carries the bytes of a connection over a websocket, with the same checks as every other session: the door of any kind that programs dial. */

import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { PASS_HEADER, type TcpFrame, tcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import type { Actor, Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import type { MfaPasses } from './mfa-passes.ts';

export interface TcpOpening {
  caller: Caller;
  address: string;
  requestId: string;
  /** Where it was asked. */
  call: string;
  proveFactor(): Promise<void>;
}

/** What a connection leads to. */
export interface TcpTarget {
  name: string;
  /** Decides, and begins the session. */
  open(opening: TcpOpening): Promise<HostedSession>;
  dial(options: TcpDial): Promise<TcpConnection>;
}

export interface TcpDial {
  who: { user: string; session: string };
  signal: AbortSignal;
  hosted: HostedSession;
}

export interface TcpConnection {
  stream: Duplex;
  /** Says in its own protocol why it is over, and ends what runs at the far end; without it the stream is cut. */
  end?(reason: string): Promise<void>;
  /** Whether something runs that nobody hears of meanwhile: that is no idleness. */
  isBusy?(): boolean;
}

export interface TcpDoor {
  kind: Kind;
  /** Its address, which ends in the `:name` of what is wanted and a word. */
  path: string;
  passes: MfaPasses;
  /** Throws `not_found`, alike for what is not there and what is not seen. `query`: of its address. */
  find(actor: Actor, name: string, query: unknown): Promise<TcpTarget>;
}

const wanted = z.object({ name: z.string().max(253) });
/** Bytes on their way to a client that does not take them. */
const MAX_UNSENT = 1024 * 1024;
const DRAIN_EVERY_MS = 5;
const BUSY_EVERY_MS = 5_000;
/** For the reason to be said at the far end of a client that takes it. */
const LAST_WORDS_MS = 1_500;

export function serveTcpSocket(sockets: Sockets, door: TcpDoor): void {
  sockets.add(door.path, 'hello', (opened, request) => serve(door, opened, request), {
    refuse: ({ socket }, _request, why) => refuse(socket, why),
  });
}

async function serve(door: TcpDoor, opened: SignedInSocket, request: FastifyRequest) {
  const { socket, caller, asked } = opened;
  // What is wanted stands in the address.
  asked();
  const early: { data: Buffer; isBinary: boolean }[] = [];
  const keep = (data: RawData, isBinary: boolean) => void early.push({ data: bytesOf(data), isBinary });
  socket.on('message', keep);
  // Read again once somebody takes it: until then it waits with whoever sends it, not with us.
  socket.pause();
  let hosted: HostedSession | undefined;
  try {
    const target = await door.find(await caller.now(), wanted.parse(request.params).name, request.query);
    const pass = String(request.headers[PASS_HEADER] ?? '');
    const holder = { signIn: caller.signInId, kind: door.kind, name: target.name };
    hosted = await target.open({
      caller,
      address: request.ip,
      requestId: request.id,
      call: `${door.kind} tcp`,
      proveFactor: async () => {
        if (door.passes.isGood(pass, holder)) return;
        throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
      },
    });
    const session = hosted;
    // Half of what was sent cannot be held back and handed over later: it is cut, and may be dialled again.
    session.parts.attach({ onCut: (end) => session.finish(end) });
    const who = { user: caller.username, session: hosted.id };
    const connection = await target.dial({ who, signal: hosted.signal, hosted });
    if (socket.readyState !== socket.OPEN || hosted.end) {
      connection.stream.destroy();
      socket.resume();
      hosted.finish({ cause: 'closed', message: 'the client left' });
      return;
    }
    socket.off('message', keep);
    send(socket, { type: 'ready', session: hosted.id });
    carry(opened, connection, { hosted, noun: factsOf(door.kind).noun }, early);
  } catch (error) {
    const told = storeFailure(error) ?? error;
    const known = told instanceof AppError ? told : new AppError('internal', 'the gateway made a mistake');
    hosted?.finish({ cause: 'failed', message: known.message });
    socket.resume();
    refuse(socket, known);
  }
}

function refuse(socket: WebSocket, { code, message }: AppError): void {
  send(socket, { type: 'failed', code, message });
  socket.close(1000);
}

function carry(
  { socket, active, onEnd }: SignedInSocket,
  { stream, end: endWith, isBusy }: TcpConnection,
  { hosted, noun }: { hosted: HostedSession; noun: string },
  early: readonly { data: Buffer; isBinary: boolean }[],
): void {
  const end = (message: string, cause: 'closed' | 'failed' = 'closed') => hosted.finish({ cause, message });
  const take = (data: Buffer, isBinary: boolean) => {
    if (!isBinary) {
      if (tcpFrame.safeParse(parseJson(data)).data?.type === 'end') stream.end();
      return;
    }
    hosted.active(hosted.id);
    active();
    if (!stream.write(data)) {
      socket.pause();
      stream.once('drain', () => socket.resume());
    }
  };
  socket.resume();
  for (const { data, isBinary } of early) take(data, isBinary);
  socket.on('message', (data: RawData, isBinary: boolean) => take(bytesOf(data), isBinary));
  socket.on('close', () => end('the client left'));
  stream.on('data', (data: Buffer) => {
    hosted.active(hosted.id);
    socket.send(data);
    if (socket.bufferedAmount < MAX_UNSENT) return;
    stream.pause();
    const timer = setInterval(() => {
      if (socket.bufferedAmount >= MAX_UNSENT / 2 && socket.readyState === socket.OPEN) return;
      clearInterval(timer);
      stream.resume();
    }, DRAIN_EVERY_MS);
  });
  stream.on('end', () => send(socket, { type: 'end' }));
  stream.on('error', () => end(`the connection to the ${noun} broke`, 'failed'));
  stream.on('close', () => end(`the ${noun} closed the connection`));
  const busy = isBusy && setInterval(() => isBusy() && hosted.active(hosted.id), BUSY_EVERY_MS).unref();
  const cut = () => {
    stream.destroy();
    socket.close(1000, 'the session is over');
  };
  const { promise: over, resolve } = Promise.withResolvers<void>();
  // With the sign-in the session ends as well: the socket waits until that is said.
  if (endWith) onEnd(() => over);
  whenAborted(hosted.signal, () => {
    clearInterval(busy);
    const said = endWith?.(hosted.end?.message ?? 'the session is over') ?? Promise.resolve();
    if (endWith)
      void Promise.race([said, sleep(LAST_WORDS_MS)])
        .then(cut, cut)
        .then(resolve);
    else cut();
  });
}

function send(socket: WebSocket, frame: TcpFrame): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
