/** Asks providers again about those who are here, a few at a time, and ends what nobody has confirmed for too long. */
import { holdUsers } from '../../stores/administrators.ts';
import { type ConnectorDeps, openAs, openConnector } from '../connector-deps.ts';
import { tellEnded } from '../links/end-identities.ts';
import { letGo } from '../links/let-go.ts';
import { keepMs } from '../sign-in/enter-user.ts';
import { findConnector, listConnectors } from '../stores/connector-store.ts';
import {
  claimRecheck,
  findIdentity,
  listConnectorsDue,
  listDue,
  listUnconfirmed,
  putOffRecheck,
  type StoredIdentity,
} from '../stores/identity-store.ts';
import { type OpenedConnector, recheckIdentity } from './recheck-identity.ts';

const TICK_MS = 1_000;
const KEEP_EVERY_MS = 30_000;
/** Of one connector. */
const AT_ONCE = 8;
/** Of one connector in one round: its next one begins when that is over. */
const MAX_ROUND = 200;
/**
 * A gateway that stops while it asks leaves the rest to others after so long. It must be longer than asking may take: all pages of somebody's
 * teams at GitHub, each as late as it may be. Two that ask with one refresh token would be taken for a thief, and both be refused.
 */
const CLAIM_MS = 5 * 60_000;

export interface RecheckLoop {
  /** One round of each connector, for tests: everything that is due by now. */
  runNow(): Promise<void>;
  close(): Promise<void>;
}

export function startRecheckLoop(deps: ConnectorDeps): RecheckLoop {
  const { db, now, log } = deps;
  /** By connector: a provider that is slow, or gone, keeps nobody waiting but those who come through it. */
  const rounds = new Map<string, Promise<void>>();
  let looking: Promise<void> | undefined;
  let isClosed = false;
  let kept = 0;

  const round = async (name: string) => {
    const stored = await findConnector(db, name);
    const opened = stored?.enabled ? { connector: openConnector(deps, stored), revision: stored.revision } : undefined;
    const due = await listDue(db, name, now(), MAX_ROUND);
    const line = due.values();
    const worker = async () => {
      for (const each of line) {
        if (isClosed) return;
        await recheckOne(deps, each, opened);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, worker));
  };
  const beginRound = (name: string) => {
    const running = round(name)
      .catch((error: unknown) => log.warn({ error, connector: name }, 'asking a sign-in provider again failed'))
      .finally(() => rounds.delete(name));
    rounds.set(name, running);
  };
  const look = async () => {
    const names = await listConnectorsDue(db, now());
    if (isClosed) return;
    for (const name of names) if (!rounds.has(name)) beginRound(name);
    if (now() - kept < KEEP_EVERY_MS && now() >= kept) return;
    kept = now();
    await endUnconfirmed(deps);
  };
  const begin = (): Promise<void> => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ error }, 'asking sign-in providers again failed'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const finish = async () => {
    await looking;
    await Promise.all(rounds.values());
  };
  const timer = setInterval(() => void begin(), TICK_MS).unref();
  return {
    async runNow() {
      await finish();
      await begin();
      await finish();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await finish();
    },
  };
}

async function recheckOne(
  deps: ConnectorDeps,
  { identity, isHere }: { identity: StoredIdentity; isHere: boolean },
  opened: OpenedConnector | undefined,
): Promise<void> {
  const { db, now, log } = deps;
  const begun = now();
  const claim = begun + CLAIM_MS;
  if (!(await claimRecheck(db, identity, { now: begun, until: claim }))) return;
  try {
    if (isHere) await recheckIdentity(deps, { ...identity, nextRecheck: claim }, opened);
    // Nobody is here who would notice: their next sign-in asks the provider, whichever way they come.
    else await putOffRecheck(db, identity, claim);
  } catch (error) {
    log.warn({ error, connector: identity.connector }, 'a user of a sign-in provider could not be rechecked');
  }
}

/** Their API tokens end too: otherwise they would outlive the person at the provider. */
async function endUnconfirmed(deps: ConnectorDeps): Promise<void> {
  const { db, now, audit } = deps;
  const reason = 'the provider has not confirmed them for too long';
  for (const { name, kind, content } of await listConnectors(db)) {
    const connector = openAs(kind, { name, content, facts: {}, secrets: {} });
    const since = now() - keepMs(connector);
    for (const { subject } of await listUnconfirmed(db, name, since, now())) {
      await db.transaction().execute(async (tx) => {
        await holdUsers(tx);
        const identity = await findIdentity(tx, name, subject);
        // Signed in again meanwhile.
        if (!identity || identity.confirmed >= since) return;
        const ended = await letGo(deps, tx, identity, { everything: true });
        await tellEnded(tx, audit, { ...identity, reason, ended });
      });
    }
  }
}
