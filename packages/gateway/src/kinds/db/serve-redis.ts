/** One Redis session: signs in for the client, and passes on. */
import { DbFailure } from './engine/db-failure.ts';
import { passOn, type SessionTeller } from './engine/redis/pass-on.ts';
import { errorReply } from './engine/redis/resp.ts';
import { signIn } from './engine/redis/sign-in.ts';
import { holdTimeout } from './hold-timeout.ts';
import { orDestroy, type ReadySession, type ServeDeps, type Served, serveSession } from './served.ts';

const SIGN_IN_MS = 10_000;

export function serveRedis(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, mayUse, mayUseAll, limits } = deps;

  async function ready(): Promise<ReadySession> {
    const bare = await deps.dial();
    const signedIn = await orDestroy(bare, signIn(bare, terms, AbortSignal.timeout(SIGN_IN_MS)));
    if (client.readableEnded || client.destroyed) {
      signedIn.server.destroy();
      throw new DbFailure('left', 'the connection was closed');
    }
    return {
      server: signedIn.server,
      pass() {
        const teller = deps.teller(signedIn.backend);
        const passed = passOn({
          client,
          first: Buffer.alloc(0),
          signedIn,
          teller,
          mayUse,
          mayUseAll,
          isReadOnly: limits.readOnly,
          isSampled: deps.isSampled,
        });
        // Nothing but the end of its connection stops what runs there.
        holdTimeout(passed, limits.statementTimeoutMs, () => void passed.end('it ran longer than a command may here'));
        deps.connected({ version: signedIn.version });
        return passed;
      },
    };
  }

  return serveSession(client, {
    ready,
    // The server's own words begin with their code.
    words: ({ kind, message }) => errorReply(kind === 'refused' ? message : `ERR ${message}`),
  });
}
