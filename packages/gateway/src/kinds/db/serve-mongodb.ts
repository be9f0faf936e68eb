/** One MongoDB session: hears the client's greeting, signs in behind it, and passes on. */
import { ByteSource } from './engine/byte-source.ts';
import { type ClientHello, greetClient } from './engine/mongodb/greet-client.ts';
import { refusal } from './engine/mongodb/messages.ts';
import { passOn, type SessionTeller } from './engine/mongodb/pass-on.ts';
import { signIn } from './engine/mongodb/sign-in.ts';
import { holdTimeout } from './hold-timeout.ts';
import { orDestroy, type ReadySession, type ServeDeps, type Served, serveSession } from './served.ts';

const GREET_MS = 10_000;
const HOST_UNREACHABLE = { code: 6, codeName: 'HostUnreachable' };

export function serveMongodb(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, mayUse, mayUseAll, limits } = deps;
  let hello: ClientHello | undefined;

  async function ready(): Promise<ReadySession> {
    const source = new ByteSource(client, 'left');
    const said = await greetClient(source, AbortSignal.timeout(GREET_MS));
    hello = said;
    const bare = await deps.dial();
    const signedIn = await orDestroy(bare, signIn(bare, terms, said, AbortSignal.timeout(GREET_MS)));
    return {
      server: signedIn.server,
      pass() {
        const teller = deps.teller(signedIn.backend);
        const rules = { mayUse, mayUseAll, isReadOnly: limits.readOnly };
        const passed = passOn({ client, first: source.release(), signedIn, teller, rules, isSampled: deps.isSampled });
        // Nothing but the end of its connection stops what runs there.
        holdTimeout(passed, limits.statementTimeoutMs, () => void passed.end('it ran longer than a command may here'));
        deps.connected();
        return passed;
      },
    };
  }

  return serveSession(client, {
    ready,
    // Only a question is answered: whoever has asked nothing hears nothing.
    words: ({ code, message: errmsg }) =>
      hello ? refusal(hello.head, { ...HOST_UNREACHABLE, ...(code ? { code: Number(code) } : {}), errmsg }) : NOTHING,
  });
}

const NOTHING = Buffer.alloc(0);
