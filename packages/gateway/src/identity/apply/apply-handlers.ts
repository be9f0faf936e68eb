/** Answers the calls that apply documents and give them back. */
import { type applyRoutes, DOCUMENT_KINDS, type DocumentKind } from '@gatehouse/contract/access/apply/apply';
import type { AccessControl } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { applyDocuments, readDocuments } from './apply-documents.ts';
import { exportDocuments } from './export-documents.ts';

export interface ApplyDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  secrets: SecretBox;
  now: () => number;
  publicOrigin(): string;
  /** Throws unless the actor has just proven who they are. */
  requireProof(db: Db, actor: Actor): Promise<void>;
}

/** Thrown to undo a dry run after everything was checked for real. */
class Undo<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('dry run');
    this.result = result;
  }
}

export function applyHandlers(deps: ApplyDeps): Handlers<typeof applyRoutes> {
  const { db, access, audit, secrets, now, publicOrigin } = deps;

  return {
    async apply({ actor, body: { documents: text, dryRun }, exchange }) {
      const { roles, users, authConnectors } = actor.acl;
      if (![roles, users, authConnectors].some(({ edit, create }) => edit || create))
        throw new AppError('denied', 'access denied: none of your roles allows to change roles, users or connectors');
      const documents = readDocuments(text);
      const context = { signInId: actor.signInId, address: exchange.address };
      try {
        const items = await db.transaction().execute(async (tx) => {
          const requireProof = async () => (dryRun ? undefined : deps.requireProof(tx, actor));
          const parts = {
            tx,
            actor,
            access,
            audit,
            secrets,
            now: now(),
            context,
            origin: publicOrigin(),
            requireProof,
          };
          const applied = await applyDocuments(parts, documents);
          if (dryRun) throw new Undo(applied);
          return applied;
        });
        for (const { kind, name, action } of items)
          if (kind === 'role' && action !== 'unchanged') await access.refreshRole(name);
        if (items.some(({ kind }) => kind === 'lock')) await access.refreshLocks();
        return { dryRun, items };
      } catch (error) {
        if (error instanceof Undo) return { dryRun, items: error.result };
        throw error;
      }
    },

    async export({ actor, query: { kinds, name, revisions } }) {
      const texts: string[] = [];
      const omitted: DocumentKind[] = [];
      const wanted = wantedKinds(kinds);
      for (const kind of wanted) {
        const found = await exportDocuments(deps, {
          actor,
          kind,
          name: name || undefined,
          revisions: revisions === 'yes',
        });
        if (found) texts.push(...found);
        else omitted.push(kind);
      }
      if (omitted.length === wanted.length)
        throw new AppError('denied', `access denied: none of your roles allows 'read' on ${omitted.join(', ')}`);
      if (name && texts.length === 0) throw notFound(wanted.join(' or '), name);
      return { documents: texts.join('---\n'), count: texts.length, omitted };
    },
  };
}

function wantedKinds(text: string | undefined): DocumentKind[] {
  if (!text) return [...DOCUMENT_KINDS];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(DOCUMENT_KINDS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new AppError('bad_request', `'${unknown}' is no kind of document: there are ${DOCUMENT_KINDS.join(', ')}`);
  return DOCUMENT_KINDS.filter((kind) => names.includes(kind));
}
