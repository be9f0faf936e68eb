/** Asks what listens for its page, and on the same connection whether it takes websockets there. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type AppAddress, dialAddress } from '@gatehouse/contract/kinds/app/app-spec';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { AppError } from '../../platform/std/app-error.ts';
import { shellQuote } from '../../reach/agents/install/shell-quote.ts';
import type { ResponseHead } from '../../reach/http/response-head.ts';
import { UpstreamConnection } from '../../reach/http/upstream-connection.ts';

/** Its page is not read further for the sake of what is asked behind it. */
const MAX_PAGE_BYTES = 1024 * 1024;
const WEBSOCKET_MS = 1_000;

export interface HttpAnswer {
  head: ResponseHead;
  /** False also where it could not be asked: its page never ends, or it closes behind it. */
  takesWebsockets: boolean;
}

export async function askHttp(stream: Duplex, address: AppAddress, signal: AbortSignal): Promise<HttpAnswer> {
  const host = dialAddress(address);
  const first = `GET ${address.path} HTTP/1.1\r\nhost: ${host}\r\naccept: */*\r\nuser-agent: gatehouse-check\r\n`;
  const answered = Promise.withResolvers<ResponseHead>();
  const idle = Promise.withResolvers<boolean>();
  const connection = new UpstreamConnection(stream, {
    onIdle: () => idle.resolve(true),
    onClose: () => idle.resolve(false),
  });
  const fail = (why: string) => {
    answered.reject(notHttp(address, why));
    idle.resolve(false);
  };
  const settled = whenAborted(signal, () => fail('no whole answer came in time'));
  let size = 0;
  connection.send(`${first}connection: keep-alive\r\n\r\n`, 'GET', 'none', {
    onHead: (head) => answered.resolve(head),
    onData(data, release) {
      release?.();
      size += data.length;
      if (size > MAX_PAGE_BYTES) connection.destroy();
      return true;
    },
    onEnd() {},
    onFault: ({ message }) => fail(message),
  });
  try {
    const head = await answered.promise;
    return { head, takesWebsockets: await takesWebsockets(connection, first, idle.promise) };
  } finally {
    settled();
  }
}

async function takesWebsockets(connection: UpstreamConnection, first: string, idle: Promise<boolean>) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), WEBSOCKET_MS);
  const key = randomBytes(16).toString('base64');
  const upgrade = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`;
  void idle.then((mayAsk) => {
    if (!mayAsk || !connection.usable) return resolve(false);
    connection.send(`${first}${upgrade}`, 'GET', 'none', {
      onUpgrade: () => resolve(true),
      onHead: () => resolve(false),
      onData: () => true,
      onEnd() {},
      onFault: () => resolve(false),
    });
  });
  return await promise.finally(() => clearTimeout(timer));
}

function notHttp(address: AppAddress, why: string): AppError {
  const { scheme, path } = address;
  const host = dialAddress(address);
  const orTls = scheme === 'http' ? `; if it speaks TLS, write https://${host} as its address` : '';
  return new AppError('target_unreachable', `what listens at ${host} does not answer as a web server does: ${why}`, {
    fields: { next: `look at it: curl -v ${shellQuote(`${scheme}://${host}${path}`)}${orTls}` },
  });
}
