/** Asks for a second factor where a role wants one at every connection: a one-time code, or a device shown to the browser. */
import { printable } from '@gatehouse/contract/std/printable';
import type { KeyboardAuthContext } from 'ssh2';
import { readRemoteName } from '../../identity/stores/remote-name.ts';
import type { Who } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { wordsOf } from './door-words.ts';

const NEVER = new AbortController().signal;
const INSTRUCTIONS = 'A role of yours asks for a second factor at every connection.';

/** For programs that cannot ask, which hear nothing else. */
export function factorWords(clusterName: string): string {
  return `gatehouse: a second factor is asked for. Where nobody can be asked (BatchMode), run this first, and share its connection: ssh -fN gatehouse-${clusterName}`;
}

/** The same where each server has a connection of its own. */
export const FACTOR_WORDS_WITHIN =
  'gatehouse: a second factor is asked for. Where nobody can be asked (BatchMode), run this first: ssh -M -S SOCKET -fN LOGIN@SERVER, with options of yours, and share its connection: ssh -S SOCKET LOGIN@SERVER';

type FactorDeps = Pick<SshDoorDeps, 'identity' | 'log' | 'mayAsk'>;
interface AskedPerson {
  who: Who;
  address: string;
  /** What the connection is for; a jump names it later. */
  wants: { login: string; server: string } | undefined;
}

/** Undefined: it was given. */
export async function askForFactor(
  deps: FactorDeps,
  context: KeyboardAuthContext,
  { who, address, wants }: AskedPerson,
): Promise<string | undefined> {
  try {
    // Who is of another cluster has no browser that is signed in here.
    const link = readRemoteName(who.username) ? undefined : await linkFor(deps, address, wants);
    const answer = await ask(context, `Code of your authenticator app${orOpen(link)}: `);
    if (answer === '' && link) await requireAccepted(deps, link.id, who);
    else await deps.identity.proveAgain(who, { code: answer, key: undefined }, exchangeOf(address));
    return undefined;
  } catch (error) {
    return wordsOf(deps, error);
  }
}

/** For another cluster, whose roles want one. A code is checked here, at its word; `shown`: a device was, to a browser of theirs. */
export async function askForLeaf(
  deps: FactorDeps,
  context: KeyboardAuthContext,
  { who, address, wants, cluster }: AskedPerson & { cluster: string },
): Promise<{ code: string } | 'shown'> {
  const link = await linkFor(deps, address, wants);
  const code = await ask(context, `Code of your authenticator app, for '${printable(cluster)}'${orOpen(link)}: `);
  if (code !== '' || !link) return { code };
  await requireAccepted(deps, link.id, who);
  return 'shown';
}

function orOpen(link: { url: string; code: string } | undefined): string {
  return link ? `, or open ${link.url}, accept with a device if it shows ${link.code}, and press Enter` : '';
}

/** Undefined where so many of there have asked browsers that this one is not asked any more. */
async function linkFor({ identity, mayAsk }: FactorDeps, address: string, wants: AskedPerson['wants']) {
  try {
    mayAsk(address);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
  const client = wants ? `ssh ${wants.login}@${wants.server}, a second factor` : 'ssh, a second factor';
  return await identity.approvals.ask({ ...wants, client, address });
}

async function requireAccepted({ identity }: FactorDeps, id: string, { username }: Who): Promise<void> {
  const answer = await identity.approvals.answerTo(id);
  if (answer === 'pending' || answer === 'denied')
    throw new AppError('mfa_required', 'nobody has accepted it in the browser: try again');
  if (answer.username !== username) throw new AppError('denied', 'somebody else accepted it in the browser');
  if (!answer.byDevice)
    throw new AppError('mfa_required', 'it was accepted without a device: add one in your account, and try again');
}

function ask(context: KeyboardAuthContext, prompt: string): Promise<string> {
  return new Promise((resolve, reject) =>
    context.prompt([{ prompt, echo: false }], 'Gatehouse', INSTRUCTIONS, (given: unknown) =>
      Array.isArray(given)
        ? resolve(String(given[0] ?? '').trim())
        : reject(new AppError('mfa_required', 'the program gave up')),
    ),
  );
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
