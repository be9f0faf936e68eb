/** Lets machines in that show a good join token. Whatever is wrong with one, the outside hears the same words; the audit tells what it was. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { joinRefused } from '@gatehouse/contract/kinds/node/server-events';
import { iamTokenName, type JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import { JOIN_ROLES, type JoinRole, joinTokenId } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { MatcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { createFailureBackoff } from './failure-backoff.ts';
import { noteAttempt, sweepAttempts } from './join-attempt-store.ts';
import { bindName, countUse, findJoinToken, type StoredJoinToken, sweepJoinTokens } from './join-token-store.ts';
import { mayOffer, patternsIn } from './may-offer.ts';
import { createAttemptNotes } from './note-attempts.ts';
import { tokenLine } from './token-line.ts';

const SWEEP_EVERY_MS = 60_000;
const REPEAT_REFUSAL_MS = 10 * 60_000;
const BAD_TOKEN =
  'the join token is not valid: it may be mistyped, expired, used up or taken back. Make a new one: gatehouse tokens add';

const USED_UP = 'the join token is used up';

/** In the place of a name, for a machine that has given none yet. */
const SCRIPT = 'install script';

/** Who shows a token, as the audit tells it. */
export interface Asker {
  address: string;
  /** The name the machine gives itself. */
  name: string;
  /** It is no machine: somebody reads beforehand what one would run. */
  looks?: boolean | undefined;
}

interface AskedScript {
  role: JoinRole;
  named?: string | undefined;
  address: string;
  method?: JoinMethod;
  looks?: boolean;
}

export interface JoinTokens {
  /** The token behind a secret, good at this moment. Throws the same `denied` whatever is wrong, `too_many` after many failures. */
  require(secret: string, asker: Asker): Promise<StoredJoinToken>;
  /**
   * Whether a token would let another machine in, for scripts that are told before they do anything. A bad one counts as a
   * guess. A token for applications that names none is for the first that is asked for, where it is a secret. Looking changes nothing, and is
   * not told as a machine.
   */
  isGood(secret: string, asked: AskedScript): Promise<boolean>;
  /** Labels of the databases that agents which join with it may look after; none of what is no token. */
  matchersOf(secret: string): Promise<MatcherLabels>;
  /**
   * Uses a token: `work` and the count of the use are one transaction. The same key counts once, however often it asks.
   * A `conflict` or `denied` of the work is audited as a machine that was not let in, and uses nothing up.
   */
  redeem<T>(
    secret: string,
    asker: Asker & {
      key: string;
      role?: JoinRole;
      /** Of the token, by which it is looked up; `token` unless told. */
      method?: JoinMethod;
      /** Beside the token, before anything is written. What it throws is told as other refusals are, and counts as a guess. */
      prove?(token: StoredJoinToken): Promise<void>;
      /** Whether what joined with this key is still there: after an administrator removed it, the same token is no way back. */
      isKnown(tx: Tx): Promise<boolean>;
    },
    work: (tx: Tx, token: StoredJoinToken) => Promise<T>,
  ): Promise<T>;
  close(): void;
}

export interface JoinTokenDeps {
  db: Db;
  audit: Audit;
  log: Log;
  now: () => number;
}

interface Refusal {
  reason: string;
  /** What can be typed about it. */
  next?: string | undefined;
  /** Whether the audit is told; who waits for the machine is in any case. */
  isTold?: boolean;
}

/** What is none is not looked up. A name of the one is never taken for a secret of the other. */
const GRAMMARS = { token: joinTokenId, iam: iamTokenName } as const;

/** Thrown inside a transaction, so that it is rolled back before the refusal is written. */
class BadToken extends Error {}

export function createJoinTokens({ db, audit, log, now }: JoinTokenDeps): JoinTokens {
  const brake = createFailureBackoff(now);
  const firstTime = createOncePer(REPEAT_REFUSAL_MS, now);
  const attempts = createAttemptNotes(now);
  const sweep = () =>
    sweepJoinTokens(db, now())
      .then(() => sweepAttempts(db, now()))
      .catch((error: unknown) => log.warn({ error }, 'sweeping failed'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  async function tell(
    { name, address, looks }: Asker,
    { reason, next, isTold = true }: Refusal,
    token?: StoredJoinToken,
  ) {
    const fields = { node_name: name, reason, 'addr.remote': address, ...(token ? { token_name: token.id } : {}) };
    const attempt = { outcome: 'refused', address, name: name === SCRIPT ? '' : name, reason, next } as const;
    const isNoted = token !== undefined && !looks && attempts.mayNote(token, attempt);
    if (!isNoted && !isTold) return;
    await db.transaction().execute(async (tx) => {
      if (isTold) await audit.emit(tx, joinRefused, fields);
      if (isNoted) await noteAttempt(tx, token, attempt, now());
    });
  }

  async function requireToken(
    secret: string,
    asker: Asker,
    { role, method = 'token' }: { role?: JoinRole | undefined; method?: JoinMethod | undefined } = {},
  ): Promise<StoredJoinToken> {
    let problem = 'the join token is not known';
    let known: StoredJoinToken | undefined;
    const token = await brake.look(asker.address, async () => {
      if (!GRAMMARS[method].safeParse(secret).success) {
        problem = 'the join token is malformed';
        return undefined;
      }
      const found = await findJoinToken(db, secret);
      const wrong = found && wrongWith(found, { role, method }, now());
      if (!wrong) return found;
      problem = wrong;
      known = found;
      return undefined;
    });
    if (token) return token;
    await tell(asker, { reason: problem, next: known && anotherToken(known) }, known);
    throw new AppError('denied', BAD_TOKEN);
  }

  async function wrongForScript(token: StoredJoinToken, { role, named, looks }: AskedScript) {
    const { id, maxUses, uses, offers, method } = token;
    if (maxUses !== undefined && uses >= maxUses) return USED_UP;
    const { path, noun } = factsOf(JOIN_ROLES[role]);
    if (named === undefined || mayOffer(offers, path, named)) return undefined;
    // The name of one for AWS is no secret: whoever fetches its script has shown nothing, and chooses nothing.
    const mayBind = method === 'token' && patternsIn(offers, path) === undefined;
    const isBound = mayBind && (looks || (await bindName(db, id, path, named)));
    return isBound ? undefined : `the join token does not name the ${noun} '${named}'`;
  }

  return {
    require: (secret, asker) => requireToken(secret, asker),
    async isGood(secret, asked) {
      const { role, address, method, looks } = asked;
      try {
        const asker = { address, name: SCRIPT, looks };
        const token = await requireToken(secret, asker, { role, method });
        const wrong = await wrongForScript(token, asked);
        if (wrong !== undefined) {
          await tell(asker, { reason: wrong, next: anotherToken(token), isTold: false }, token);
          return false;
        }
        const attempt = { outcome: 'fetched', address } as const;
        if (!looks && attempts.mayNote(token, attempt))
          await db.transaction().execute((tx) => noteAttempt(tx, token, attempt, now()));
        return true;
      } catch (error) {
        if (error instanceof AppError && error.code === 'denied') return false;
        throw error;
      }
    },
    matchersOf: async (secret) => (await findJoinToken(db, secret))?.matcherLabels ?? {},
    async redeem(secret, asker, work) {
      const token = await requireToken(secret, asker, asker);
      try {
        await asker.prove?.(token).catch((error: unknown) => {
          if (isRefusal(error)) brake.failed(asker.address);
          throw error;
        });
        return await db.transaction().execute(async (tx) => {
          const use = await countUse(tx, token.id, asker.key, now());
          if (use === 'spent') throw new BadToken(USED_UP);
          if (use === 'again' && !(await asker.isKnown(tx)))
            throw new BadToken('what joined with this token and key was removed');
          return await work(tx, token);
        });
      } catch (error) {
        if (error instanceof BadToken) {
          brake.failed(asker.address);
          await tell(asker, { reason: error.message, next: anotherToken(token) }, token);
          throw new AppError('denied', BAD_TOKEN);
        }
        // A machine whose name is taken asks again and again; once is enough to know.
        if (isRefusal(error)) {
          const isTold = firstTime(`${asker.name} ${asker.address} ${error.message}`);
          await tell(asker, { reason: error.message, next: nextOf(error), isTold }, token);
        }
        throw error;
      }
    },
    close: () => clearInterval(timer),
  };
}

function wrongWith(
  token: StoredJoinToken,
  { role, method }: { role: JoinRole | undefined; method: JoinMethod },
  now: number,
): string | undefined {
  if (token.method !== method) return `the join token is of the method ${token.method}`;
  if (token.expires <= now) return `the join token expired at ${new Date(token.expires).toISOString()}`;
  if (role !== undefined && !token.roles.includes(role)) return `the join token does not give the role ${role}`;
  return undefined;
}

/** What somebody types who makes one in the place of this one. */
function anotherToken({ roles, offers }: StoredJoinToken): string {
  const kinds = roles.map((role) => JOIN_ROLES[role]);
  return tokenLine(kinds, (kind) => patternsIn(offers, factsOf(kind).path) ?? []);
}

function nextOf({ fields }: AppError): string | undefined {
  return typeof fields?.next === 'string' ? fields.next : undefined;
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'conflict' || error.code === 'denied');
}
