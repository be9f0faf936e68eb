/** Connectors in the store: the text as written without its secrets, and those sealed beside it. */
import { randomUUID } from 'node:crypto';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import type { ConnectorFacts } from '../providers/provider.ts';

export const CONNECTOR_TOPIC = 'connector';

export interface StoredConnector {
  name: string;
  kind: ConnectorKind;
  content: string;
  revision: string;
  enabled: boolean;
  issuer: string;
  hasSecret: boolean;
  /** Its secrets, as they are kept. */
  sealed: string | undefined;
  facts: ConnectorFacts;
  /** What keeps it from working, as it was last heard; empty: nothing. */
  trouble: string;
  lastSignIn: number | undefined;
  /** Whether its provider may be on the machine the gateway runs on. */
  ownMachine: boolean;
  /** Whether what speaks for its provider was written by somebody who may edit roles. */
  isVouched: boolean;
}

export interface ConnectorChange {
  name: string;
  kind: ConnectorKind;
  content: string;
  enabled: boolean;
  issuer: string;
  secrets: Readonly<Record<string, string>>;
  ownMachine: boolean;
  isVouched: boolean;
  by: string;
  now: number;
}

const kind = z.enum(CONNECTOR_KINDS);
const facts = z.record(z.string(), z.unknown());
const secrets = z.record(z.string(), z.string());

export async function listConnectors(db: Db): Promise<StoredConnector[]> {
  return (await db.selectFrom('connector').selectAll().orderBy('name').execute()).map(toConnector);
}

export async function findConnector(db: Db, name: string): Promise<StoredConnector | undefined> {
  const row = await db.selectFrom('connector').selectAll().where('name', '=', name).executeTakeFirst();
  return row && toConnector(row);
}

/** Those that were read with it: others, of another version, would be sent to whom they are not for. */
export function connectorSecrets(
  box: SecretBox,
  { name, sealed }: Pick<StoredConnector, 'name' | 'sealed'>,
): Readonly<Record<string, string>> {
  return sealed === undefined ? {} : secrets.parse(JSON.parse(box.openText(placeOf(name), sealed)));
}

export async function insertConnector(tx: Tx, box: SecretBox, change: ConnectorChange): Promise<StoredConnector> {
  const row = {
    ...columnsOf(box, change),
    name: change.name,
    kind: change.kind,
    facts: writeJson({}),
    trouble: '',
    last_sign_in: null,
    created: change.now,
  };
  await tx.insertInto('connector').values(row).execute();
  await publish(tx, { topic: CONNECTOR_TOPIC, id: change.name });
  return toConnector(row);
}

/** Nothing when it is no longer at the given revision. */
export async function updateConnector(
  tx: Tx,
  box: SecretBox,
  change: ConnectorChange,
  from: StoredConnector,
): Promise<StoredConnector | undefined> {
  const isSame = from.issuer === change.issuer;
  const row = await tx
    .updateTable('connector')
    // What was learnt of another provider says nothing of this one.
    .set({ ...columnsOf(box, change), trouble: '', ...(isSame ? {} : { facts: writeJson({}) }) })
    .where('name', '=', change.name)
    .where('revision', '=', from.revision)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await publish(tx, { topic: CONNECTOR_TOPIC, id: change.name });
  return toConnector(row);
}

export async function deleteConnector(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('connector').where('name', '=', name).execute();
  await publish(tx, { topic: CONNECTOR_TOPIC, id: name });
}

/** What is heard while it is used; its revision stays, it is no edit of anybody's. */
export async function noteConnector(
  tx: Tx,
  name: string,
  heard: { facts?: ConnectorFacts; trouble?: string; lastSignIn?: number },
): Promise<void> {
  const set = {
    ...(heard.facts === undefined ? {} : { facts: writeJson(heard.facts) }),
    ...(heard.trouble === undefined ? {} : { trouble: heard.trouble }),
    ...(heard.lastSignIn === undefined ? {} : { last_sign_in: heard.lastSignIn }),
  };
  if (Object.keys(set).length === 0) return;
  await tx.updateTable('connector').set(set).where('name', '=', name).execute();
  await publish(tx, { topic: CONNECTOR_TOPIC, id: name });
}

function columnsOf(
  box: SecretBox,
  { name, content, enabled, issuer, secrets: given, ownMachine, isVouched, by, now }: ConnectorChange,
) {
  return {
    content,
    revision: randomUUID(),
    enabled: enabled ? 1 : 0,
    issuer,
    sealed: Object.keys(given).length === 0 ? null : box.seal(placeOf(name), JSON.stringify(given)),
    own_machine: ownMachine ? 1 : 0,
    vouched: isVouched ? 1 : 0,
    updated: now,
    updated_by: by,
  };
}

function placeOf(name: string) {
  return { table: 'connector', id: name, column: 'sealed' };
}

function toConnector(row: Selectable<Tables['connector']>): StoredConnector {
  return {
    name: row.name,
    kind: kind.parse(row.kind),
    content: row.content,
    revision: row.revision,
    enabled: row.enabled === 1,
    issuer: row.issuer,
    hasSecret: row.sealed !== null,
    sealed: row.sealed ?? undefined,
    facts: facts.parse(readJson(row.facts)),
    trouble: row.trouble,
    lastSignIn: row.last_sign_in ?? undefined,
    ownMachine: row.own_machine === 1,
    isVouched: row.vouched === 1,
  };
}
