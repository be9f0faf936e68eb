/** Answers the calls that list, make, change and delete connectors of one kind. */
import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { CONNECTOR_ROUTES, ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Verb } from '@gatehouse/contract/wire/route';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Call, Exchange } from '../../../platform/http/call.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { isUniqueViolation } from '../../../platform/storage/errors.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { requireRecentFactor } from '../../step-up/recent-proof.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { type ParsedConnector, parseConnector } from '../document/parse-connector.ts';
import { findConnector, listConnectors, type StoredConnector } from '../stores/connector-store.ts';
import { countIdentities } from '../stores/identity-store.ts';
import { connectorItem } from './connector-item.ts';
import { notesOnConnector } from './notes-on-connector.ts';
import { overtaken, removeConnector, requireConnectorRight, type SaveDeps, saveConnector } from './save-connector.ts';

/** All kinds are called alike. */
type Calls = { [Name in keyof OfAnyKind]: Call<OfAnyKind[Name]> };
type OfAnyKind = (typeof CONNECTOR_ROUTES)[ConnectorKind];
type Item<K extends ConnectorKind> = ConnectorItem & { kind: K };

interface ConnectorHandlers<K extends ConnectorKind> {
  list(call: Calls['list']): Promise<Item<K>[]>;
  create(call: Calls['create']): Promise<Item<K>>;
  update(call: Calls['update']): Promise<Item<K>>;
  remove(call: Calls['remove']): Promise<typeof OK>;
}

export function connectorHandlers<K extends ConnectorKind>(deps: ConnectorDeps, kind: K): ConnectorHandlers<K> {
  const { db, access, audit, secrets, now, provider } = deps;
  const resource = ACL_GROUPS.authConnectors;
  const saving = (tx: Tx, actor: Actor, { address }: Exchange): SaveDeps => ({
    tx,
    actor,
    access,
    audit,
    secrets,
    now: now(),
    context: { signInId: actor.signInId, address },
    origin: provider.publicOrigin(),
  });
  /** Asked before anything is looked up. Who may sign in is decided here: a browser that was left open must not be enough. */
  const requireMay = async (actor: Actor, verb: Verb) => {
    requireConnectorRight(access, actor, verb);
    if (!actor.isOwner) await requireRecentFactor(deps, actor);
  };
  const mayList = (actor: Actor, name: string) =>
    actor.isOwner || access.decide(actor, { type: 'verb', resource, verb: 'list', object: { kind, name } }).allowed;
  const reply = async (actor: Actor, stored: StoredConnector, parsed: ParsedConnector) =>
    connectorItem(
      kind,
      stored,
      await countIdentities(db),
      notesOnConnector({ access, actor }, parsed, stored.hasSecret),
    );

  return {
    async list({ actor }) {
      const counts = await countIdentities(db);
      return (await listConnectors(db))
        .filter((each) => each.kind === kind && mayList(actor, each.name))
        .map((each) => connectorItem(kind, each, counts));
    },

    async create({ actor, body: { content }, exchange }) {
      await requireMay(actor, 'create');
      const parsed = parseConnector(kind, content);
      const stored = await db.transaction().execute(async (tx) => {
        if (await findConnector(tx, parsed.name)) throw taken(parsed.name);
        return saveConnector(saving(tx, actor, exchange), parsed, undefined).catch((error: unknown) => {
          throw isUniqueViolation(error) ? taken(parsed.name) : error;
        });
      });
      return reply(actor, stored, parsed);
    },

    async update({ actor, params: { name }, body: { content, revision }, exchange }) {
      await requireMay(actor, 'edit');
      const parsed = parseConnector(kind, content);
      if (parsed.name !== name)
        throw new AppError(
          'bad_request',
          `the document is of connector '${parsed.name}', not of '${name}': connectors cannot be renamed`,
        );
      const wanted = revision ?? exchange.header('if-match')?.replaceAll('"', '').trim();
      const stored = await db.transaction().execute(async (tx) => {
        const held = await requireConnector(tx, kind, name);
        if (wanted !== undefined && wanted !== held.revision) throw overtaken(name);
        return saveConnector(saving(tx, actor, exchange), parsed, held);
      });
      return reply(actor, stored, parsed);
    },

    async remove({ actor, params: { name }, exchange }) {
      await requireMay(actor, 'remove');
      await db
        .transaction()
        .execute(async (tx) => removeConnector(saving(tx, actor, exchange), await requireConnector(tx, kind, name)));
      return OK;
    },
  };
}

async function requireConnector(tx: Tx, kind: ConnectorKind, name: string): Promise<StoredConnector> {
  const held = await findConnector(tx, name);
  if (held?.kind !== kind) throw notFound('connector', name);
  return held;
}

function taken(name: string): AppError {
  return new AppError('conflict', `connector '${name}' exists already`);
}
