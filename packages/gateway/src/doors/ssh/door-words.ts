/** What is asked for at the door, and what is told of it, in words for who sits before a terminal. */
import { factsOf, MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import { shellQuote } from '../../reach/agents/install/shell-quote.ts';
import { isApproved } from './approved-command.ts';
import type { SshDoorDeps } from './door-deps.ts';
import type { Person } from './prove-person.ts';
import type { SessionAsked } from './session-asked.ts';

/** Where a factor is asked for each session, one serves so long, as passes do. */
const FACTOR_MS = 60 * 60_000;

/** Of a certificate for one session. */
export const LEADS_NOWHERE = 'this was approved for one session: it forwards nothing';

/** The first of these names that there is, of what they see. */
export async function findServer(
  deps: Pick<SshDoorDeps, 'kinds'>,
  actor: Actor,
  names: readonly string[],
): Promise<Resource> {
  for (const name of names) {
    try {
      return await deps.kinds[MACHINE_KIND].find(actor, name);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    }
  }
  throw new AppError('not_found', `no server '${names.at(-1) ?? ''}' that you see`);
}

/** Of a certificate for one session: this is the one, and nothing else ever is. */
export async function beginLimited(
  { certificates }: Pick<SshDoorDeps, 'certificates'>,
  { limits, certificate }: Person,
  wanted: { login: string; servers: readonly string[]; program: Parameters<typeof isApproved>[1] },
): Promise<void> {
  if (!limits) return;
  if (limits.login !== wanted.login || !wanted.servers.includes(limits.server))
    throw new AppError('denied', `this was approved for ${limits.login}@${limits.server} alone`);
  if (!isApproved(limits.command, wanted.program))
    throw new AppError('denied', `this was approved to run '${limits.command}' alone: ask again for something else`);
  if (!certificate || !(await certificates.begin(certificate)))
    throw new AppError('denied', 'this was approved for one session, which it had: ask again');
}

export async function requireFactor(deps: Pick<SshDoorDeps, 'now'>, person: Person): Promise<void> {
  // Who approved it proved one for it.
  if (person.limits || hasFactor(deps, person)) return;
  throw new AppError('mfa_required', 'a role of yours asks for a second factor at every connection: connect again');
}

/** They gave one on this connection, and it serves yet. */
export function hasFactor({ now }: Pick<SshDoorDeps, 'now'>, { factor }: Pick<Person, 'factor'>): boolean {
  return factor !== undefined && now() - factor < FACTOR_MS;
}

/** Why it was not opened; where the way there does not work, with the line that says at which step. */
export function whyNotOpened(
  deps: Pick<SshDoorDeps, 'log'>,
  error: unknown,
  { login, servers, leaf }: Pick<SessionAsked, 'login' | 'servers' | 'leaf'>,
): string {
  const words = wordsOf(deps, error);
  if (leaf || !(error instanceof AppError && error.code === 'target_unreachable')) return words;
  const test = ['gatehouse', factsOf(MACHINE_KIND).path, 'test', shellQuote(servers.at(-1) ?? '')];
  return `${words}; see at which step: ${test.join(' ')} --login ${shellQuote(login)}`;
}

/** What the gateway has done wrong is its own matter. */
export function wordsOf({ log }: Pick<SshDoorDeps, 'log'>, error: unknown): string {
  const told = storeFailure(error) ?? error;
  if (told instanceof AppError) return told.message;
  log.error({ error }, 'what a program asked for at the SSH door cannot be served');
  return 'the gateway made a mistake: its log says more';
}
