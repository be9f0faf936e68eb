/** Lets machines in that show a good join token. Whatever is wrong with one, the outside hears the same words; the audit tells what it was. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { joinRefused } from '@gatehouse/contract/kinds/node/server-events';
import { JOIN_ROLES, type JoinRole, joinTokenId } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { MatcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { createFailureBackoff } from './failure-backoff.ts';
import { bindName, countUse, findJoinToken, type StoredJoinToken, sweepJoinTokens } from './join-token-store.ts';
import { mayOffer, patternsIn } from './may-offer.ts';

const SWEEP_EVERY_MS = 60_000;
const REPEAT_REFUSAL_MS = 10 * 60_000;
const BAD_TOKEN =
  'the join token is not valid: it may be mistyped, expired, used up or taken back. Make a new one: gatehouse tokens add';

/** In the place of a name, for a machine that has given none yet. */
const SCRIPT = 'install script';

/** Who shows a token, as the audit tells it. */
export interface Asker {
  address: string;
  /** The name the machine gives itself. */
  name: string;
}

export interface JoinTokens {
  /** The token behind a secret, good at this moment. Throws the same `denied` whatever is wrong, `too_many` after many failures. */
  require(secret: string, asker: Asker): Promise<StoredJoinToken>;
  /**
   * Whether a token would let another machine in, for scripts that are told before they do anything. A bad one counts as a
   * guess. A token for applications that names none is for the first that is asked for.
   */
  isGood(secret: string, asked: { role: JoinRole; named?: string | undefined; address: string }): Promise<boolean>;
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

/** Thrown inside a transaction, so that it is rolled back before the refusal is written. */
class BadToken extends Error {}

export function createJoinTokens({ db, audit, log, now }: JoinTokenDeps): JoinTokens {
  const brake = createFailureBackoff(now);
  const firstTime = createOncePer(REPEAT_REFUSAL_MS, now);
  const sweep = () => sweepJoinTokens(db, now()).catch((error: unknown) => log.warn({ error }, 'sweeping failed'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  async function tell({ name, address }: Asker, reason: string, token?: string): Promise<void> {
    const fields = { node_name: name, reason, 'addr.remote': address, ...(token ? { token_name: token } : {}) };
    await db.transaction().execute((tx) => audit.emit(tx, joinRefused, fields));
  }

  async function requireToken(secret: string, asker: Asker, role?: JoinRole): Promise<StoredJoinToken> {
    let problem = 'the join token is not known';
    let known: string | undefined;
    const token = await brake.look(asker.address, async () => {
      if (!joinTokenId.safeParse(secret).success) {
        problem = 'the join token is malformed';
        return undefined;
      }
      const found = await findJoinToken(db, secret);
      const wrong = found && wrongWith(found, role, now());
      if (!wrong) return found;
      problem = wrong;
      known = found.id;
      return undefined;
    });
    if (token) return token;
    await tell(asker, problem, known);
    throw new AppError('denied', BAD_TOKEN);
  }

  return {
    require: (secret, asker) => requireToken(secret, asker),
    async isGood(secret, { role, named, address }) {
      try {
        const { id, maxUses, uses, offers } = await requireToken(secret, { address, name: SCRIPT }, role);
        if (maxUses !== undefined && uses >= maxUses) return false;
        const { path } = factsOf(JOIN_ROLES[role]);
        if (named === undefined || mayOffer(offers, path, named)) return true;
        if (patternsIn(offers, path) !== undefined) return false;
        return await db.transaction().execute((tx) => bindName(tx, id, path, named));
      } catch (error) {
        if (error instanceof AppError && error.code === 'denied') return false;
        throw error;
      }
    },
    matchersOf: async (secret) => (await findJoinToken(db, secret))?.matcherLabels ?? {},
    async redeem(secret, asker, work) {
      const token = await requireToken(secret, asker, asker.role);
      try {
        return await db.transaction().execute(async (tx) => {
          const use = await countUse(tx, token.id, asker.key, now());
          if (use === 'spent') throw new BadToken('the join token is used up');
          if (use === 'again' && !(await asker.isKnown(tx)))
            throw new BadToken('what joined with this token and key was removed');
          return await work(tx, token);
        });
      } catch (error) {
        if (error instanceof BadToken) {
          brake.failed(asker.address);
          await tell(asker, error.message, token.id);
          throw new AppError('denied', BAD_TOKEN);
        }
        // A machine whose name is taken asks again and again; once is enough to know.
        if (isRefusal(error) && firstTime(`${asker.name} ${asker.address} ${error.message}`)) {
          await tell(asker, error.message, token.id);
        }
        throw error;
      }
    },
    close: () => clearInterval(timer),
  };
}

function wrongWith(token: StoredJoinToken, role: JoinRole | undefined, now: number): string | undefined {
  if (token.expires <= now) return `the join token expired at ${new Date(token.expires).toISOString()}`;
  if (role !== undefined && !token.roles.includes(role)) return `the join token does not give the role ${role}`;
  return undefined;
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'conflict' || error.code === 'denied');
}
