/** An engine behind a port, with nothing that decides: what it tells is kept for a test to look at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DbFailure } from '../../src/kinds/db/engine/db-failure.ts';
import type { ServerTerms } from '../../src/kinds/db/engine/server-terms.ts';
import { NO_LIMITS, type SessionLimits } from '../../src/kinds/db/engine/session-limits.ts';
import type { Outcome } from '../../src/kinds/db/engine/statement.ts';
import type { ServeDeps, Served } from '../../src/kinds/db/served.ts';
import { createServedKeys } from '../../src/kinds/db/served-keys.ts';

/** What engines tell, of whatever they call a statement. */
interface Teller<Asked, Answered> {
  asked(asked: Asked): void;
  answered(asked: Answered, outcome: Outcome, query: string): void;
  malformed(side: 'client' | 'server', why: string): void;
}

export interface Front<Asked, Answered = Asked> {
  port: number;
  asked: Asked[];
  answered: { asked: Answered; outcome: Outcome; query: string }[];
  malformed: string[];
  failures: DbFailure[];
  sessions: Set<Served>;
  /** Of the connections that were signed in, as the server's own log has them. */
  backends: (number | undefined)[];
  close(): Promise<void>;
}

export interface FrontOptions {
  /** Of the server. */
  port: number;
  terms: ServerTerms;
  mayUse?: (database: string) => boolean;
  mayUseAll?: () => boolean;
  limits?: Partial<SessionLimits>;
}

export async function startFront<Asked, Answered>(
  serve: (deps: ServeDeps<Teller<Asked, Answered>>) => Served,
  { port, terms, mayUse = () => true, mayUseAll = () => true, limits }: FrontOptions,
): Promise<Front<Asked, Answered>> {
  const sockets = new Set<Socket>();
  const keys = createServedKeys();
  const dial = async (): Promise<Duplex> => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return socket;
  };
  const front: Omit<Front<Asked, Answered>, 'port' | 'close'> = {
    asked: [],
    answered: [],
    malformed: [],
    failures: [],
    sessions: new Set(),
    backends: [],
  };
  const server = createServer({ noDelay: true, pauseOnConnect: true, allowHalfOpen: true }, (client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => {});
    const session = serve({
      ...{
        client,
        terms,
        dial,
        keys,
        mayUse,
        mayUseAll,
        isSampled: false,
        connected() {},
        limits: { ...NO_LIMITS, ...limits },
      },
      teller(backend) {
        front.backends.push(backend);
        return {
          asked: (asked) => void front.asked.push(asked),
          answered: (asked, outcome, query) => void front.answered.push({ asked, outcome, query }),
          malformed: (side, why) => void front.malformed.push(`${side}: ${why}`),
        };
      },
    });
    front.sessions.add(session);
    session.over
      .catch((error: unknown) => {
        front.failures.push(error instanceof DbFailure ? error : new DbFailure('gone', String(error)));
      })
      .finally(() => front.sessions.delete(session));
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
