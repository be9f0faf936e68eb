/** The Redis engine behind a port, with nothing that decides: what it tells is kept for a test to look at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DbFailure } from '../../src/kinds/db/engine/db-failure.ts';
import type { AskedCommand } from '../../src/kinds/db/engine/redis/commands.ts';
import { type PassedOn, passOn } from '../../src/kinds/db/engine/redis/pass-on.ts';
import { errorReply } from '../../src/kinds/db/engine/redis/resp.ts';
import { type SignedIn, signIn } from '../../src/kinds/db/engine/redis/sign-in.ts';
import type { ServerTerms } from '../../src/kinds/db/engine/server-terms.ts';
import type { Outcome } from '../../src/kinds/db/engine/statement.ts';

export interface RedisFront {
  port: number;
  asked: AskedCommand[];
  answered: { name: string; outcome: Outcome; query: string }[];
  malformed: string[];
  failures: DbFailure[];
  sessions: Set<PassedOn>;
  signedIn: SignedIn[];
  close(): Promise<void>;
}

export interface FrontOptions {
  port: number;
  terms: ServerTerms;
  mayUse?: (database: string) => boolean;
}

export async function startRedisFront({ port, terms, mayUse = () => true }: FrontOptions): Promise<RedisFront> {
  const sockets = new Set<Socket>();
  const front: Omit<RedisFront, 'port' | 'close'> = {
    asked: [],
    answered: [],
    malformed: [],
    failures: [],
    sessions: new Set(),
    signedIn: [],
  };

  async function serve(client: Duplex): Promise<void> {
    const bare = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(bare, 'connect');
    const signedIn = await signIn(bare, terms, AbortSignal.timeout(10_000));
    front.signedIn.push(signedIn);
    const session = passOn({
      client,
      first: Buffer.alloc(0),
      signedIn,
      mayUse,
      teller: {
        asked: (asked) => void front.asked.push(asked),
        answered: (name, outcome, query) => void front.answered.push({ name, outcome, query }),
        malformed: (side, why) => void front.malformed.push(`${side}: ${why}`),
      },
    });
    front.sessions.add(session);
    await session.over;
    front.sessions.delete(session);
  }

  const server = createServer({ noDelay: true, pauseOnConnect: true, allowHalfOpen: true }, (client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => {});
    serve(client).catch((error: unknown) => {
      const failure = error instanceof DbFailure ? error : new DbFailure('gone', String(error));
      front.failures.push(failure);
      client.end(errorReply(failure.kind === 'refused' ? failure.message : `ERR ${failure.message}`));
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
