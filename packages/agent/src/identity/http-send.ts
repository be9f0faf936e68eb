/** Calls the gateway's API over the connection an agent trusts: the same address, authority and pin as its tunnel. */
import { request } from 'node:http';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { VERSION } from '@gatehouse/contract/std/version';
import type { Send } from '@gatehouse/contract/wire/client';
import { openSocket, type Trust } from '@gatehouse/tunnel/dial/open-socket';
import { wholeAnswer } from './whole-answer.ts';

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
const MAX_REPLY_BYTES = 1024 * 1024;

/** Nothing was sent: it is certain that the gateway did nothing. */
export class NotConnectedError extends Error {
  override name = 'NotConnectedError';
}

export function httpSend(origin: string, trust: Trust, signal: AbortSignal): Send {
  const url = new URL(origin);
  return async (sent) => {
    const socket = await openSocket(url, trust, AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])).catch(
      (cause: unknown) => {
        throw new NotConnectedError(errorMessage(cause), { cause });
      },
    );
    const answered = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      const body = sent.body ?? '';
      const call = request({
        // Over TLS too: the socket below is ours and already encrypted.
        createConnection: () => socket,
        method: sent.method,
        path: sent.url,
        headers: {
          host: url.host,
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': `gatehouse-agent/${VERSION}`,
          connection: 'close',
        },
        signal: answered,
      });
      const answer = wholeAnswer(call, MAX_REPLY_BYTES, () => new Error('the answer is too large'));
      call.end(body);
      return await answer;
    } finally {
      socket.destroy();
    }
  };
}
