/** Makes a sign-in connector what its document says. Secrets that the document leaves out stay. */

import { publicClientNotes } from '../connectors/manage/notes-on-connector.ts';
import { requireConnectorRight, saveConnector } from '../connectors/manage/save-connector.ts';
import { connectorSecrets, findConnector } from '../connectors/stores/connector-store.ts';
import { type ApplyDeps, type Outcome, outcome, requireRevision, UNCHANGED } from './apply-deps.ts';
import type { ReadDocument } from './read-document.ts';
import { bareText } from './split-documents.ts';

type ConnectorText = Extract<ReadDocument, { connector: unknown }>;

export async function applyConnector(
  parts: ApplyDeps,
  { kind, name, revision, connector }: ConnectorText,
): Promise<Outcome> {
  const { tx, actor, access, secrets } = parts;
  const held = await findConnector(tx, name);
  // Asked before anything is compared: "unchanged" would tell what is in it.
  requireConnectorRight(access, actor, held ? 'edit' : 'create');
  requireRevision(`connector '${name}'`, revision, held?.revision);
  const before = held && bareText(held.content);
  const after = bareText(connector.content);
  const stored = held ? connectorSecrets(secrets, held) : {};
  const replaced = Object.entries(connector.secrets).filter(([path, secret]) => stored[path] !== secret);
  if (held?.kind === kind && before === after && replaced.length === 0) return UNCHANGED;
  await parts.requireProof();
  await saveConnector(parts, connector, held);
  const notes = held ? replaced.map(([path]) => `'${path}' is replaced`) : publicClientNotes(connector, false);
  return { ...outcome(`${kind}/${name}`, before, after), notes };
}
