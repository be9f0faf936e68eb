/** Asks a provider whether somebody is still theirs, and makes that true here. */
import { RECHECK } from '@gatehouse/contract/identity/connectors/connector-document';
import type { Tx } from '../../../platform/storage/tables.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { findUser, type User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { endIdentity, tellEnded, withTaken } from '../links/end-identities.ts';
import { isHandedOver } from '../links/hand-over.ts';
import { letGo } from '../links/let-go.ts';
import { nextRecheck } from '../links/next-recheck.ts';
import { compileConnector, type Mapped } from '../mapping/map-assertion.ts';
import type { OpenConnector, Recheck } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/providers.ts';
import { refuseLastAdministrator, writeUser } from '../sign-in/enter-user.ts';
import { isTrouble, reasonOf } from '../sign-in/flow/fail-attempt.ts';
import { noteTrouble } from '../sign-in/note-trouble.ts';
import { findConnector } from '../stores/connector-store.ts';
import {
  findIdentity,
  keepIdentity,
  listIdentitiesOf,
  noteRecheck,
  openTokens,
  recheckAt,
  releaseRecheck,
  replaceTokens,
  type StoredIdentity,
} from '../stores/identity-store.ts';

/** A provider that does not answer is asked again sooner than usual, and not at once. */
const RETRY_MS = 60_000;

export interface OpenedConnector {
  connector: OpenConnector;
  revision: string;
}

type Confirmed = Extract<Recheck, { state: 'confirmed' }> & { mapped: Mapped };
type Heard =
  | Exclude<Recheck, { state: 'confirmed' }>
  | Confirmed
  | { state: 'unheard'; why: string; isTrouble: boolean };

/** `identity` as it was claimed, its `nextRecheck` being until when, `opened` as it was when the round began; nothing where it is gone or switched off. */
export async function recheckIdentity(
  deps: ConnectorDeps,
  identity: StoredIdentity,
  opened: OpenedConnector | undefined,
): Promise<void> {
  const tokens = openTokens(deps.secrets, identity);
  if (!opened || tokens === undefined) return await stopAsking(deps, identity);
  const { connector, revision } = opened;
  const heard = await ask(deps, connector, tokens);
  const write = async (what: Heard) =>
    await deps.db.transaction().execute((tx) => takeIn(deps, tx, { connector, revision }, identity, what));
  const taken = (what: Heard) =>
    write(what).catch((error: unknown) => {
      // The store failed: what the provider gave for what it was asked with would be lost, and they be taken for gone.
      if (error instanceof ProviderError || tokensOf(what) === undefined) throw error;
      return write(what);
    });
  try {
    await taken(heard);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // What the provider says cannot be made true here, and stays as it was; what it was asked with is used up all the same.
    await taken(inVain(error, tokensOf(heard)));
  }
}

function tokensOf(heard: Heard): string | undefined {
  return 'tokens' in heard ? heard.tokens : undefined;
}

/** `tokens`: what the provider gave for those that were asked with. */
function inVain(error: unknown, tokens: string | undefined): Heard {
  const trouble = { why: reasonOf(error), isTrouble: isTrouble(error) };
  return tokens === undefined ? { state: 'unheard', ...trouble } : { state: 'unanswered', ...trouble, tokens };
}

async function takeIn(
  deps: ConnectorDeps,
  tx: Tx,
  { connector, revision }: OpenedConnector,
  identity: StoredIdentity,
  heard: Heard,
): Promise<void> {
  await holdUsers(tx);
  await releaseRecheck(tx, identity, identity.nextRecheck);
  const stored = await findConnector(tx, connector.name);
  const current = await findIdentity(tx, identity.connector, identity.subject);
  // Signed in again, unlinked or deleted while the provider was asked, or it is another one now: what was heard is old.
  if (!stored || !current || current.sealedTokens !== identity.sealedTokens) return;
  if (stored.revision !== revision) return await askAnew(deps, tx, current, heard);
  if (heard.state === 'confirmed') await confirm(deps, tx, connector, current, heard);
  else if (heard.state === 'gone') await leave(deps, tx, current, heard.why);
  else await wait(deps, tx, connector, current, heard.why);
  // Somebody wants to know it of a later moment than that of this answer.
  if (isSooner(current, identity) && heard.state !== 'gone') await recheckAt(tx, current);
  if (heard.state === 'unanswered') await replaceTokens(tx, deps.secrets, current, heard.tokens);
  // What is about one person stands on them alone, and says neither that the provider works nor that it does not.
  const isHeard = heard.state !== 'unheard' && heard.state !== 'unanswered';
  if (isHeard || heard.isTrouble) await noteTrouble(tx, deps.audit, stored, isHeard ? '' : heard.why);
}

/** Asked by other rules, what was heard counts for nothing; but what it was asked with is used up, and without the new one they would be taken for gone. */
async function askAnew({ secrets, now }: ConnectorDeps, tx: Tx, identity: StoredIdentity, heard: Heard): Promise<void> {
  const tokens = tokensOf(heard);
  if (tokens !== undefined) await replaceTokens(tx, secrets, identity, tokens);
  await recheckAt(tx, { ...identity, nextRecheck: now() });
}

function isSooner({ nextRecheck: wanted }: StoredIdentity, { nextRecheck: claim }: StoredIdentity): boolean {
  return wanted !== undefined && claim !== undefined && wanted < claim;
}

async function ask(deps: ConnectorDeps, connector: OpenConnector, tokens: string): Promise<Heard> {
  const { recheck } = providerOf(connector.kind);
  if (!recheck) return { state: 'unheard', why: 'this kind of provider cannot be asked', isTrouble: false };
  let heard: Recheck;
  try {
    heard = await recheck(deps.asking(connector), connector, tokens);
  } catch (error) {
    return inVain(error, undefined);
  }
  if (heard.state !== 'confirmed') return heard;
  try {
    return { ...heard, mapped: await deps.provider.memo(connector, compileConnector)(deps.access, heard.claims) };
  } catch (error) {
    // By now what it was asked with is used up.
    return inVain(error, heard.tokens);
  }
}

async function confirm(
  deps: ConnectorDeps,
  tx: Tx,
  connector: OpenConnector,
  identity: StoredIdentity,
  { claims, stale = [], tokens, mapped }: Confirmed,
): Promise<void> {
  const { secrets, now, audit } = deps;
  const user = await findUser(tx, identity.user);
  if (!user) return;
  // Whoever has the account now need not be who is asked about: it gets nothing more by that.
  const { roles, traits } = isHandedOver(identity) ? withoutGain(user, mapped) : mapped;
  const isHeard = await isHeardOnRoles(tx, connector.name, user);
  if (isHeard) {
    const resolved = { name: user.name, user, identity };
    await writeUser(deps, tx, { connector: connector.name, resolved, roles, traits });
    await refuseLastAdministrator(deps, tx, {
      connector: connector.name,
      resolved,
      mapped: { ...mapped, roles, traits },
    });
  }
  const kept = tokens ?? openTokens(secrets, identity);
  await keepIdentity(tx, secrets, {
    ...identity,
    claims,
    now: isGivenBy(connector, stale) ? identity.confirmed : now(),
    nextRecheck: nextRecheck(connector, kept, now()),
    tokens: kept,
    held: identity,
  });
  if (mapped.roles.length > 0) return;
  const ended = await endIdentity(tx, identity, now());
  const isTaken = isHeard && user.roles.length > 0;
  await tellEnded(tx, audit, {
    ...identity,
    reason: 'no entry of the connector gives them a role any more',
    ended: isTaken ? withTaken(ended, [user.name]) : ended,
  });
}

/** Whether roles hang on what is as old as the last sign-in: that they are still there says nothing of those, and `keep` ends them. */
function isGivenBy({ kind, document }: OpenConnector, stale: readonly string[]): boolean {
  const names = new Set(stale);
  return providerOf(kind)
    .entries(document)
    .some(({ claim }) => names.has(claim));
}

/**
 * Another connector gave what they hold, and is asked itself: to write over it would give the roles of whichever was asked last, and
 * would hide from the other what it is to take back. One that they are nobody at any more is asked by nobody.
 */
async function isHeardOnRoles(tx: Tx, connector: string, { name, givenBy }: User): Promise<boolean> {
  if (givenBy === undefined || givenBy === connector) return givenBy === connector;
  return !(await listIdentitiesOf(tx, name)).some((each) => each.connector === givenBy);
}

function withoutGain(user: User, mapped: Mapped): Pick<Mapped, 'roles' | 'traits'> {
  const traits = Object.entries(mapped.traits).map(([name, values]) => {
    const held = new Set(user.traits[name] ?? []);
    return [name, values.filter((value) => held.has(value))] as const;
  });
  return {
    roles: mapped.roles.filter((role) => user.roles.includes(role)),
    traits: Object.fromEntries(traits.filter(([, values]) => values.length > 0)),
  };
}

async function leave(deps: ConnectorDeps, tx: Tx, identity: StoredIdentity, why: string): Promise<void> {
  const ended = await letGo(deps, tx, identity);
  await noteRecheck(tx, identity, { trouble: why, nextRecheck: undefined });
  await tellEnded(tx, deps.audit, { ...identity, reason: why, ended });
}

/** Nothing ends because a provider is away. */
async function wait(
  { now }: ConnectorDeps,
  tx: Tx,
  connector: OpenConnector,
  identity: StoredIdentity,
  why: string,
): Promise<void> {
  const every = connector.document.spec.recheck ?? RECHECK.standardMs;
  await noteRecheck(tx, identity, { trouble: why, nextRecheck: now() + Math.min(every, RETRY_MS) });
}

async function stopAsking({ db }: ConnectorDeps, identity: StoredIdentity): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await releaseRecheck(tx, identity, identity.nextRecheck);
    await noteRecheck(tx, identity, { trouble: identity.trouble, nextRecheck: undefined });
  });
}
