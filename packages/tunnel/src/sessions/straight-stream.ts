/** The bytes of one connection through the gateway as they are, behind an upgrade of their own: the client's side of `STREAM_UPGRADE` in contract/sessions/tcp-frames.ts. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import { PASS_HEADER, STREAM_UPGRADE } from '@gatehouse/contract/sessions/tcp-frames';
import { readError } from '@gatehouse/contract/wire/client';
import type { ErrorCode } from '@gatehouse/contract/wire/errors';
import { pathFor } from '@gatehouse/contract/wire/route';
import { TcpStreamError, type TcpStreamOptions } from './tcp-stream.ts';

const READY_MS = 30_000;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** As the gateway has it. */
const ALIVE_MS = 30_000;
/** What a gateway says that knows no streams, or to whom this is none; and what is told better by the websocket. */
const ASK_OTHERWISE: ReadonlySet<ErrorCode> = new Set(['not_found', 'bad_request', 'not_available', 'internal']);

/** Connections to one gateway share what they have agreed on: a handshake costs it a third then. */
const agent = new Agent({ keepAlive: false });

/** Gives nothing where this is not spoken: whoever wants the bytes asks for the websocket then. */
export function openStraightStream(options: TcpStreamOptions): Promise<Socket | undefined> {
  const { origin, door, clusterId, name, token, userAgent, pass = '', query = {} } = options;
  // Without TLS somebody stands between, who ends it.
  if (!origin.startsWith('https:')) return Promise.resolve(undefined);
  const asked = new URLSearchParams(query).toString();
  const path = `${pathFor(door, { clusterId, name })}${asked === '' ? '' : `?${asked}`}`;
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>();
  const call = request(`${origin}${path}`, {
    agent,
    headers: {
      ...{ connection: 'Upgrade', upgrade: STREAM_UPGRADE, 'user-agent': userAgent, authorization: `Bearer ${token}` },
      ...(pass === '' ? {} : { [PASS_HEADER]: pass }),
    },
  });
  const timer = setTimeout(() => call.destroy(), READY_MS).unref();
  call.on('upgrade', (answer, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (answer.headers.upgrade?.toLowerCase() !== STREAM_UPGRADE) {
      socket.destroy();
      resolve(undefined);
      return;
    }
    if (head.length > 0) socket.unshift(head);
    resolve((socket as Socket).setNoDelay(true).setKeepAlive(true, ALIVE_MS));
  });
  call.on('response', (answer) => {
    readRefusal(answer, path).then(
      (error) => (error ? reject(error) : resolve(undefined)),
      () => resolve(undefined),
    );
  });
  // Nobody there, or nobody who bears such an upgrade: the websocket tells which.
  call.on('error', () => resolve(undefined));
  call.end();
  return promise.finally(() => clearTimeout(timer));
}

/** Undefined where it is no answer of a gateway about streams. */
async function readRefusal(answer: IncomingMessage, path: string): Promise<TcpStreamError | undefined> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) if (text.length < MAX_REFUSAL_BYTES) text += String(chunk);
  const { code, message, requestId } = readError({ status: answer.statusCode ?? 500, text }, path);
  return requestId === undefined || ASK_OTHERWISE.has(code) ? undefined : new TcpStreamError(code, message);
}
