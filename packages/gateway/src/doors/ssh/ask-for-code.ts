/** Asks for a one-time code where a role wants a second factor at every connection. */
import type { KeyboardAuthContext } from 'ssh2';
import type { Who } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { wordsOf } from './door-words.ts';

const NEVER = new AbortController().signal;
const INSTRUCTIONS = 'A role of yours asks for a second factor at every connection.';

/** Undefined: it was right. */
export async function askForCode(
  deps: Pick<SshDoorDeps, 'identity' | 'log'>,
  context: KeyboardAuthContext,
  { who, address }: { who: Who; address: string },
): Promise<string | undefined> {
  const answers = await new Promise<string[]>((resolve) =>
    context.prompt([{ prompt: 'Code of your authenticator app: ', echo: false }], 'Gatehouse', INSTRUCTIONS, (given) =>
      resolve(Array.isArray(given) ? given : []),
    ),
  );
  try {
    await deps.identity.proveAgain(who, { code: answers[0]?.trim(), key: undefined }, exchangeOf(address));
    return undefined;
  } catch (error) {
    return wordsOf(deps, error);
  }
}

/** What there is of a call where nobody called by HTTP. */
function exchangeOf(address: string): Exchange {
  return {
    ...{ requestId: '', address, userAgent: 'ssh', origin: '' },
    cookie: () => undefined,
    setCookie() {},
    clearCookie() {},
    header: () => undefined,
    // Nothing waits here for long: whoever hangs up is not answered.
    gone: () => NEVER,
    mayBeKept() {},
  };
}
