/** Makes a connector what its document says. Nobody gives by one what they do not hold, and its secrets follow it to no other address. */

import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import {
  githubConnectorCreated,
  githubConnectorDeleted,
  githubConnectorUpdated,
  oidcConnectorCreated,
  oidcConnectorDeleted,
  oidcConnectorUpdated,
  samlConnectorCreated,
  samlConnectorDeleted,
  samlConnectorUpdated,
} from '@gatehouse/contract/audit/connector-events';
import {
  CONNECTOR_SECRETS,
  KNOWS_PUBLIC_CLIENTS,
  RECHECK,
  SECRET_BOUND_TO,
} from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Verb } from '@gatehouse/contract/wire/route';
import { mayAlways, RULE_VERB_OF } from '../../../access/acl-of.ts';
import type { AccessControl } from '../../../access/create-access.ts';
import { refuseGift } from '../../../access/may-give.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { EventContext } from '../../../platform/audit/event-draft.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { keepingAnAdministrator } from '../../stores/administrators.ts';
import { forgetFormerAt } from '../../stores/former-identity-store.ts';
import { distrustLinksAt, unhearLinksAt } from '../../stores/linked-by.ts';
import { type ParsedConnector, readStoredConnector } from '../document/parse-connector.ts';
import { endIdentitiesAt, forgetIdentitiesAt, tellEnded } from '../links/end-identities.ts';
import { withdrawAll } from '../links/withdraw.ts';
import { providerOf } from '../providers/providers.ts';
import { answersNameless, foreignCallback, otherNameless } from '../sign-in/own-callback.ts';
import {
  connectorSecrets,
  deleteConnector,
  insertConnector,
  type StoredConnector,
  updateConnector,
} from '../stores/connector-store.ts';
import { dropTokensAt, hastenRechecks } from '../stores/identity-store.ts';
import { giftOf } from './gift-of.ts';
import { hasOtherVoice, refuseOtherVoice } from './other-voice.ts';
import { ownMachineOf } from './own-machine.ts';

export interface SaveDeps {
  tx: Tx;
  actor: Actor;
  access: AccessControl;
  audit: Audit;
  secrets: SecretBox;
  now: number;
  context: EventContext;
  /** Where people open the console. */
  origin: string;
}

const EVENTS = {
  github: { created: githubConnectorCreated, updated: githubConnectorUpdated, deleted: githubConnectorDeleted },
  oidc: { created: oidcConnectorCreated, updated: oidcConnectorUpdated, deleted: oidcConnectorDeleted },
  saml: { created: samlConnectorCreated, updated: samlConnectorUpdated, deleted: samlConnectorDeleted },
} as const;

/** A right under a condition could be used to write a connector that lets anybody in. */
export function requireConnectorRight(access: AccessControl, actor: Actor, verb: Verb): void {
  if (actor.isOwner || mayAlways(access.of(actor), ACL_GROUPS.authConnectors, RULE_VERB_OF[verb])) return;
  throw new AppError('denied', `access denied: none of your roles allows '${verb}' on every connector`);
}

/**
 * Throws unless whoever saves could give all that the mapping can, as who writes the provider's address decides what it says, and unless
 * its answers come to this gateway. Asked for drafts that are tried as well.
 */
export function requireMaySave(
  { access, actor, origin }: Pick<SaveDeps, 'access' | 'actor' | 'origin'>,
  parsed: ParsedConnector,
): void {
  refuseGift(access, actor, giftOf(parsed));
  const foreign = foreignCallback(parsed, origin);
  if (foreign) throw new AppError('bad_request', foreign.message, { fields: { field: foreign.field } });
}

export async function saveConnector(
  deps: SaveDeps,
  parsed: ParsedConnector,
  held: StoredConnector | undefined,
): Promise<StoredConnector> {
  const { tx, actor, access, audit, secrets: box, now, context, origin } = deps;
  requireConnectorRight(access, actor, held ? 'edit' : 'create');
  requireMaySave(deps, parsed);
  if (held && held.kind !== parsed.kind)
    throw new AppError('conflict', `connector '${held.name}' is of kind ${held.kind}: names are shared by all kinds`);
  if (held) refuseOthersGift(deps, held);
  const { kind, name, content, document } = parsed;
  await refuseSharedCallback(tx, parsed);
  const issuer = issuerOf(kind, document);
  const isOtherProvider = held !== undefined && issuer !== held.issuer;
  const isOtherVoice = held !== undefined && !isOtherProvider && hasOtherVoice(parsed, held, origin);
  const change = {
    kind,
    name,
    content,
    enabled: document.spec.enabled ?? true,
    issuer,
    ownMachine: ownMachineOf(deps, parsed, held),
    isVouched: access.mayEditRoles(actor) || (held?.isVouched === true && !isOtherProvider && !isOtherVoice),
    secrets: held ? secretsFor(deps, parsed, held) : requireSecrets(parsed),
    by: actor.username,
    now,
  };
  const fields = { user: actor.username, name };
  if (!held) {
    const made = await insertConnector(tx, box, change);
    // Whoever chose its voice could say at its provider that they are each of those whom one of this name left behind.
    if (!change.isVouched) await forgetFormerAt(tx, name);
    await audit.emit(tx, EVENTS[kind].created, { ...fields, after: content }, context);
    return made;
  }
  // Who switched it off may have done so because of its provider, which speaks for its people again from now on.
  const isBack = !isOtherProvider && change.enabled && !held.enabled;
  if (isOtherVoice || isBack) await refuseOtherVoice(deps, name);
  const saved = await keepingAnAdministrator(tx, { now, what: `connector '${name}'` }, async () => {
    const after = await updateConnector(tx, box, change, held);
    if (!after) return undefined;
    if (isOtherVoice) await dropTokensAt(tx, name);
    const before = recheckMs(readStoredConnector(held.kind, held.content));
    const every = recheckMs(document);
    if (every < before) await hastenRechecks(tx, name, { every, before, now });
    if (after.isVouched && !held.isVouched) await unhearLinksAt(tx, name);
    if (isOtherVoice && !access.mayEditRoles(actor)) {
      // Whoever speaks for them now could return as somebody who was deleted, and have what is kept of theirs.
      await forgetFormerAt(tx, name);
      await distrustLinksAt(tx, name);
    }
    if (isOtherProvider || !after.enabled) {
      const ended = isOtherProvider ? await forgetIdentitiesAt(tx, name, now) : await endIdentitiesAt(tx, name, now);
      const reason = isOtherProvider ? 'its provider is another one now' : 'the connector was switched off';
      await tellEnded(tx, audit, { connector: name, reason, ended: await withdrawAll(deps, tx, name, ended) });
    } else if (isOtherVoice) {
      const ended = await endIdentitiesAt(tx, name, now);
      await tellEnded(tx, audit, { connector: name, reason: 'what speaks for its provider was changed', ended });
    }
    return after;
  });
  if (!saved) throw overtaken(name);
  await audit.emit(tx, EVENTS[kind].updated, { ...fields, before: held.content, after: content }, context);
  return saved;
}

function recheckMs({ spec }: ParsedConnector['document']): number {
  return spec.recheck ?? RECHECK.standardMs;
}

/** What it gives now is taken from its people by another mapping, also what holds them back: as with users, only who could give it takes it. */
export function refuseOthersGift(
  { access, actor }: Pick<SaveDeps, 'access' | 'actor'>,
  { kind, name, content }: StoredConnector,
): void {
  try {
    refuseGift(access, actor, giftOf({ kind, name, document: readStoredConnector(kind, content) }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fields = error.fields ? { fields: error.fields } : {};
    throw new AppError('denied', `you cannot change what '${name}' gives now: ${error.message}`, {
      ...fields,
      cause: error,
    });
  }
}

async function refuseSharedCallback(tx: Tx, { kind, name, document }: ParsedConnector): Promise<void> {
  if (document.spec.enabled === false || !answersNameless({ name, document })) return;
  const other = await otherNameless(tx, kind, name);
  if (other === undefined) return;
  const field = 'spec.redirect_url';
  throw new AppError(
    'bad_request',
    `'${field}' is that of '${other}' too, and one provider's codes could reach the other: end it in /callback/${encodeURIComponent(name)}, or leave it out`,
    { fields: { field } },
  );
}

export async function removeConnector(deps: SaveDeps, held: StoredConnector): Promise<void> {
  const { name, kind, content } = held;
  const { tx, actor, access, audit, now, context } = deps;
  requireConnectorRight(access, actor, 'remove');
  refuseOthersGift(deps, held);
  await keepingAnAdministrator(tx, { now, what: `connector '${name}'` }, async () => {
    const ended = await forgetIdentitiesAt(tx, name, now, { mayReturn: held.isVouched });
    const withdrawn = await withdrawAll(deps, tx, name, ended);
    await tellEnded(tx, audit, { connector: name, reason: 'the connector was deleted', ended: withdrawn });
    await deleteConnector(tx, name);
  });
  await audit.emit(tx, EVENTS[kind].deleted, { user: actor.username, name, before: content }, context);
}

export function overtaken(name: string): AppError {
  return new AppError(
    'compare_failed',
    `connector '${name}' was changed by somebody else meanwhile: look at their version first`,
  );
}

/** What is left out stays, unless it would be sent to somebody it was not entered for. */
function secretsFor(
  { secrets: box }: Pick<SaveDeps, 'secrets'>,
  parsed: ParsedConnector,
  held: StoredConnector,
): Readonly<Record<string, string>> {
  return { ...keptSecrets(box, parsed, held), ...requireSecrets(parsed, held) };
}

/** The stored secrets that a document may go on with; for a draft that is tried as well. */
export function keptSecrets(
  box: SecretBox,
  { kind, document, secrets }: ParsedConnector,
  held: StoredConnector,
): Readonly<Record<string, string>> {
  const stored = connectorSecrets(box, held);
  const left = CONNECTOR_SECRETS[kind]
    .map((path) => path.join('.'))
    .filter((path) => secrets[path] === undefined && stored[path] !== undefined);
  if (left.length === 0) return {};
  const moved = movedField(kind, document, held);
  if (moved !== undefined)
    throw new AppError('bad_request', `'spec.${moved}' changed: enter '${left[0]}' again, it was for the one before`, {
      fields: { field: left[0]! },
    });
  return Object.fromEntries(left.map((path) => [path, stored[path]!]));
}

function movedField(kind: ConnectorKind, document: ParsedConnector['document'], held: StoredConnector) {
  const before = readStoredConnector(kind, held.content).spec as Record<string, unknown>;
  const after = document.spec as Record<string, unknown>;
  return SECRET_BOUND_TO[kind].find((field) => before[field] !== after[field]);
}

function requireSecrets({ kind, secrets }: ParsedConnector, held?: StoredConnector): Readonly<Record<string, string>> {
  if (!KNOWS_PUBLIC_CLIENTS[kind] && secrets['spec.client_secret'] === undefined && !held?.hasSecret)
    throw new AppError('bad_request', "'spec.client_secret' is missing", { fields: { field: 'spec.client_secret' } });
  return secrets;
}

function issuerOf(kind: ConnectorKind, document: ParsedConnector['document']): string {
  return providerOf(kind).issuerOf(document);
}
