/** A websocket whose other end is in another cluster: taken there like one of its own people's, and carried both ways. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { ERROR_STATUS, errorBody, isErrorCode } from '@gatehouse/contract/wire/errors';
import { answerPings } from '@gatehouse/tunnel/answer-pings';
import { containEvents } from '@gatehouse/tunnel/contain';
import { type RawData, WebSocket } from 'ws';
import type { ForwardedSocket } from '../../platform/http/cluster.ts';
import { ACTIVE_PING } from '../../platform/http/relayed-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { UpstreamFault } from '../http/upstream-fault.ts';
import { relayedHeaders } from './relayed-headers.ts';

const TAKEN_MS = 30_000;
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_REFUSAL_BYTES = 16 * 1024;
/** Lists of everything that is open are the longest of our messages. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What may wait for the slower side before the other one is read no more. */
const AHEAD_BYTES = 256 * 1024;
const LAST_WORD_MS = 1_000;
const MAX_WORDS = 1_000;

export interface SentSocket extends Pick<ForwardedSocket, 'socket' | 'active' | 'request' | 'url'> {
  open(): Promise<Duplex>;
  takenMs?: number | undefined;
}

/** Rejects with what went wrong, or with the words of the other cluster, where that does not take it. */
export async function sendSocket({ socket, active, request, url, open, takenMs }: SentSocket): Promise<void> {
  const protocols = socket.protocol === '' ? [] : [socket.protocol];
  const beyond = await openBeyond({
    ...{ url, protocols, headers: relayedHeaders(request.headers, request.id), open, takenMs },
  });
  if (socket.readyState !== socket.OPEN) return void beyond.terminate();
  carry(socket, beyond);
  carry(beyond, socket);
  followActivity(socket, beyond, active);
  beyond.resume();
}

export interface BeyondSocket extends Pick<SentSocket, 'url' | 'open' | 'takenMs'> {
  protocols?: string[];
  headers: Readonly<Record<string, string>>;
}

/** Taken by the other cluster, and paused. Rejects as above. */
export async function openBeyond(wanted: BeyondSocket): Promise<WebSocket> {
  const { url, protocols = [], headers, open, takenMs = TAKEN_MS } = wanted;
  const stream = await open();
  const beyond = new WebSocket(`ws://relayed${url}`, protocols, {
    createConnection: () => stream as Socket,
    headers,
    maxHeaderSize: MAX_HEAD_BYTES,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    autoPong: false,
    followRedirects: false,
  });
  containEvents(beyond, { where: 'relayed websocket', cut: () => beyond.terminate() });
  beyond.on('error', () => beyond.terminate());
  answerPings(beyond);
  try {
    await taken(beyond, takenMs);
  } catch (error) {
    beyond.terminate();
    stream.destroy();
    throw error;
  }
  return beyond;
}

function taken(beyond: WebSocket, withinMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = () => reject(new UpstreamFault('it does not answer'));
  const timer = setTimeout(late, withinMs).unref();
  beyond.once('open', () => {
    // What follows at once would find nobody who listens.
    beyond.pause();
    resolve();
  });
  beyond.once('error', (error) => reject(new UpstreamFault(`the websocket was not taken: ${error.message}`)));
  beyond.once('unexpected-response', (_request, response) => void refusalOf(response).then(reject));
  return promise.finally(() => clearTimeout(timer));
}

/** In its own words where it has some. */
async function refusalOf(response: IncomingMessage): Promise<Error> {
  const fault = new UpstreamFault(`it answers ${response.statusCode} to a websocket`);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_REFUSAL_BYTES) return fault;
      pieces.push(piece);
    }
    const said = errorBody.safeParse(parseJson(Buffer.concat(pieces).toString('utf8'))).data?.error;
    if (!said || !isErrorCode(said.code) || ERROR_STATUS[said.code] !== response.statusCode) return fault;
    return new AppError(said.code, said.message.slice(0, MAX_WORDS));
  } catch {
    return fault;
  }
}

/** Believed of somebody who has said something since: nobody is kept signed in by a cluster that only says so. */
function followActivity(socket: WebSocket, beyond: WebSocket, active: () => void): void {
  let hasSpoken = false;
  socket.on('message', () => {
    hasSpoken = true;
  });
  beyond.on('ping', (data: Buffer) => {
    if (!hasSpoken || data.toString() !== ACTIVE_PING) return;
    hasSpoken = false;
    active();
  });
}

/** As fast as the slower one takes it. */
function carry(from: WebSocket, to: WebSocket): void {
  let isHeld = false;
  const sent = () => {
    if (!isHeld || to.bufferedAmount > AHEAD_BYTES) return;
    isHeld = false;
    from.resume();
  };
  from.on('message', (data: RawData, isBinary: boolean) => {
    if (to.readyState !== to.OPEN) return;
    to.send(data, { binary: isBinary }, sent);
    if (isHeld || to.bufferedAmount <= AHEAD_BYTES) return;
    isHeld = true;
    from.pause();
  });
  from.on('close', (code, reason) => {
    if (mayBeSaid(code)) to.close(code, reason);
    else if (code === NO_CODE) to.close();
    else to.terminate();
    setTimeout(() => to.terminate(), LAST_WORD_MS).unref();
  });
}

const NO_CODE = 1005;
const UNSAID: ReadonlySet<number> = new Set([1004, NO_CODE, 1006, 1015]);

/** Those that only a program gives itself for a connection that broke. */
function mayBeSaid(code: number): boolean {
  return code >= 1000 && code < 5000 && !UNSAID.has(code) && (code < 1016 || code >= 3000);
}
