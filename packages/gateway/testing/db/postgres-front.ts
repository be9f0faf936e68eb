/** The PostgreSQL engine behind a port, with nothing that decides: what it tells is kept for a test to look at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { ByteSource } from '../../src/kinds/db/engine/byte-source.ts';
import { DbFailure } from '../../src/kinds/db/engine/db-failure.ts';
import { cancelAt, ownCancelKey } from '../../src/kinds/db/engine/postgres/cancel.ts';
import { greetClient } from '../../src/kinds/db/engine/postgres/greet-client.ts';
import { fatal } from '../../src/kinds/db/engine/postgres/messages.ts';
import { type PassedOn, passOn } from '../../src/kinds/db/engine/postgres/pass-on.ts';
import type { ClientRequest } from '../../src/kinds/db/engine/postgres/read-request.ts';
import { type SignedIn, signIn } from '../../src/kinds/db/engine/postgres/sign-in.ts';
import type { ServerTerms } from '../../src/kinds/db/engine/server-terms.ts';
import type { Outcome } from '../../src/kinds/db/engine/statement.ts';

export interface PostgresFront {
  port: number;
  asked: ClientRequest[];
  answered: { asked: ClientRequest; outcome: Outcome; query: string }[];
  malformed: string[];
  failures: DbFailure[];
  sessions: Set<PassedOn>;
  terms: ServerTerms;
  close(): Promise<void>;
}

export interface FrontOptions {
  port: number;
  terms: ServerTerms;
}

export async function startPostgresFront({ port, terms }: FrontOptions): Promise<PostgresFront> {
  const cancels = new Map<string, () => Promise<void>>();
  const sockets = new Set<Socket>();
  const dial = async (): Promise<Duplex> => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return socket;
  };
  const front: Omit<PostgresFront, 'port' | 'close'> = {
    asked: [],
    answered: [],
    malformed: [],
    failures: [],
    sessions: new Set(),
    terms,
  };

  async function serve(client: Duplex): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const source = new ByteSource(client);
    const greeting = await greetClient(client, source, signal);
    if (greeting.wants === 'cancel') {
      await cancels.get(greeting.key.toString('hex'))?.();
      client.end();
      return;
    }
    const signedIn = await signIn(await dial(), front.terms, greeting, signal);
    const ownKey = signedIn.cancelKey ? ownCancelKey(greeting.version) : undefined;
    const cancel = () => cancelRunning(signedIn);
    if (ownKey) cancels.set(ownKey.toString('hex'), cancel);
    const session = passOn({
      client,
      first: source.release(),
      signedIn,
      ownKey,
      cancel,
      teller: {
        asked: (asked) => void front.asked.push(asked),
        answered: (asked, outcome, query) => void front.answered.push({ asked, outcome, query }),
        malformed: (side, why) => void front.malformed.push(`${side}: ${why}`),
      },
    });
    front.sessions.add(session);
    await session.over;
    front.sessions.delete(session);
  }

  async function cancelRunning({ cancelKey }: SignedIn): Promise<void> {
    if (cancelKey) await cancelAt(await dial(), cancelKey, front.terms, AbortSignal.timeout(5_000));
  }

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    serve(client).catch((error: unknown) => {
      const failure = error instanceof DbFailure ? error : new DbFailure('gone', String(error));
      front.failures.push(failure);
      client.end(fatal(failure.code ?? '08006', failure.message));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(front, {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** TLS to the database, as reach puts it around what it dials. */
export function tlsAs(ca: string, certificate?: { cert: string; key: string }): (bare: Duplex) => Promise<Duplex> {
  return async (bare) => {
    const socket = connectTls({ socket: bare, ca, ...certificate, servername: 'localhost' });
    await once(socket, 'secureConnect');
    return socket;
  };
}
