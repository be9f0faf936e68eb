/** The MySQL engine behind a port, with nothing that decides: what it tells is kept for a test to look at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ByteSource } from '../../src/kinds/db/engine/byte-source.ts';
import { DbFailure } from '../../src/kinds/db/engine/db-failure.ts';
import { cancelAt } from '../../src/kinds/db/engine/mysql/cancel.ts';
import { greetClient } from '../../src/kinds/db/engine/mysql/greet-client.ts';
import { meetServer } from '../../src/kinds/db/engine/mysql/greeting.ts';
import { errorPacket } from '../../src/kinds/db/engine/mysql/packets.ts';
import { type PassedOn, passOn } from '../../src/kinds/db/engine/mysql/pass-on.ts';
import type { ClientCommand } from '../../src/kinds/db/engine/mysql/read-command.ts';
import { signIn } from '../../src/kinds/db/engine/mysql/sign-in.ts';
import type { ServerTerms } from '../../src/kinds/db/engine/server-terms.ts';
import type { Outcome } from '../../src/kinds/db/engine/statement.ts';

export interface MysqlFront {
  port: number;
  asked: ClientCommand[];
  answered: { asked: ClientCommand; outcome: Outcome; query: string }[];
  malformed: string[];
  failures: DbFailure[];
  sessions: Set<PassedOn>;
  close(): Promise<void>;
}

export interface MysqlFrontOptions {
  port: number;
  terms: ServerTerms;
  mayUse?: (database: string) => boolean;
}

export async function startMysqlFront({ port, terms, mayUse = () => true }: MysqlFrontOptions): Promise<MysqlFront> {
  const sockets = new Set<Socket>();
  const dial = async (): Promise<Duplex> => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return socket;
  };
  const front: Omit<MysqlFront, 'port' | 'close'> = {
    asked: [],
    answered: [],
    malformed: [],
    failures: [],
    sessions: new Set(),
  };

  async function serve(client: Duplex): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const source = new ByteSource(client);
    let next = 0;
    try {
      const met = await meetServer(await dial(), signal);
      const hello = await greetClient(client, source, met.greeting, signal);
      next = hello.next;
      const signedIn = await signIn(met, terms, hello, signal);
      const session = passOn({
        client,
        first: source.release(),
        next,
        signedIn,
        rules: { mayUse },
        cancel: async () => cancelAt(await dial(), signedIn.thread, terms, AbortSignal.timeout(5_000)),
        teller: {
          asked: (asked) => void front.asked.push(asked),
          answered: (asked, outcome, query) => void front.answered.push({ asked, outcome, query }),
          malformed: (side, why) => void front.malformed.push(`${side}: ${why}`),
        },
      });
      front.sessions.add(session);
      await session.over;
      front.sessions.delete(session);
    } catch (error) {
      const failure = error instanceof DbFailure ? error : new DbFailure('gone', String(error));
      front.failures.push(failure);
      client.end(errorPacket(next, Number(failure.code ?? 1045), failure.message));
    }
  }

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    void serve(client);
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
