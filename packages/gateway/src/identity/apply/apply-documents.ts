/** Applies many documents in one transaction: all of them, or none. */
import { setImmediate as turn } from 'node:timers/promises';
import type { AppliedDocument } from '@gatehouse/contract/access/apply/apply';
import { compileRole } from '../../access/compile-role.ts';
import { listRoles } from '../../access/role-store.ts';
import { askAboutLabels } from '../../inventory/label-set-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { keepingAnAdministrator } from '../stores/administrators.ts';
import { applyConnector } from './apply-connector.ts';
import type { ApplyDeps, Outcome } from './apply-deps.ts';
import { applyLock } from './apply-lock.ts';
import { applyResource } from './apply-resource.ts';
import { applyRole } from './apply-role.ts';
import { applyTrust } from './apply-trust.ts';
import { applyUser, readUserNames } from './apply-user.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import type { ResourceDocuments } from './resource-documents.ts';
import { splitDocuments } from './split-documents.ts';

/** Of thousands each has its turn: others go on meanwhile. */
export async function readDocuments(text: string, resources: readonly ResourceDocuments[]): Promise<ReadDocument[]> {
  const documents: ReadDocument[] = [];
  for (const each of splitDocuments(text)) {
    documents.push(readDocument(each, resources));
    await turn();
  }
  const lines = new Map<string, number>();
  for (const { kind, name, line } of documents) {
    const other = lines.get(`${kind}/${name}`);
    if (other !== undefined)
      throw new AppError('bad_request', `line ${line}: ${kind} '${name}' is written twice, first on line ${other}`);
    lines.set(`${kind}/${name}`, line);
  }
  return documents;
}

/**
 * Users and connectors may name roles that come later in the text, and locks may be on users that do: roles are first, locks last.
 * Resources are before all of them: whoever adds one waits for names, then for labels, then for users, and the same order holds
 * everywhere. Nobody who is made here gains by labels that are given here.
 */
export async function applyDocuments(parts: ApplyDeps, documents: readonly ReadDocument[]): Promise<AppliedDocument[]> {
  const { tx, now } = parts;
  const outcomes = new Map<ReadDocument, Outcome>();
  for (const document of documents) {
    if ('resource' in document) outcomes.set(document, await at(document, () => applyResource(parts, document)));
  }
  const roles = documents.filter((document) => document.kind === 'role');
  // Before the lock on administrators, as everywhere else: two orders would wait for each other for ever.
  await askAboutLabels(
    tx,
    roles.flatMap(({ role }) => [...compileRole(role.document).labelKeys]),
  );
  await keepingAnAdministrator(tx, { now, what: 'something these documents change' }, async () => {
    for (const document of roles) outcomes.set(document, await at(document, () => applyRole(parts, document)));
    for (const document of documents) {
      if ('connector' in document) outcomes.set(document, await at(document, () => applyConnector(parts, document)));
    }
    const known = new Set((await listRoles(tx)).map(({ name }) => name));
    for (const document of documents) {
      if (document.kind === 'trusted_cluster')
        outcomes.set(document, await at(document, () => applyTrust(parts, document, known)));
    }
    const users = documents.filter((document) => document.kind === 'user');
    const names = await readUserNames(parts, known);
    for (const document of users) outcomes.set(document, await at(document, () => applyUser(parts, document, names)));
    for (const document of documents) {
      if (document.kind === 'lock') outcomes.set(document, await at(document, () => applyLock(parts, document)));
    }
  });
  return documents.map((document) => ({
    kind: document.kind,
    name: document.name,
    line: document.line,
    notes: document.kind === 'role' ? [...document.role.notes] : [],
    ...outcomes.get(document)!,
  }));
}

/** Says which of the documents it was. */
async function at(document: ReadDocument, apply: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await apply();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind, name, line } = document;
    throw new AppError(error.code, `line ${line}, ${kind} '${name}': ${error.message}`, {
      cause: error,
      fields: { ...error.fields, document: { kind, name, line } },
    });
  }
}
