/** Answers the calls that apply documents and give them back. */
import { type applyRoutes, DOCUMENT_KINDS, type DocumentKind } from '@gatehouse/contract/access/apply/apply';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { applyDocuments, readDocuments } from './apply-documents.ts';
import { exportDocuments } from './export-documents.ts';
import type { ResourceDocuments } from './resource-documents.ts';

export interface ApplyDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  secrets: SecretBox;
  now: () => number;
  publicOrigin(): string;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
  /** One for each kind of resource that is written as a document. */
  resources: readonly ResourceDocuments[];
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
  const { db, access, audit, secrets, now, publicOrigin, resources } = deps;

  return {
    async apply({ actor, caller, cluster, body: { documents: text, dryRun }, exchange }) {
      const { roles, users, authConnectors, trustedClusters } = actor.acl;
      const isAnyAllowed =
        [roles, users, authConnectors, trustedClusters].some(({ edit, create }) => edit || create) ||
        resources.some(({ isAllowed }) => isAllowed(actor, 'edit') || isAllowed(actor, 'create'));
      if (!isAnyAllowed)
        throw new AppError('denied', 'access denied: none of your roles allows to change what documents are about');
      const documents = await readDocuments(text, resources);
      const hasResources = documents.some((document) => 'resource' in document);
      const people = hasResources && !access.mayEditRoles(actor) ? await deps.people() : [];
      const context = contextOf(actor, exchange);
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
            asking: { actor, caller, cluster, exchange },
            resources,
            people,
          };
          const applied = await applyDocuments(parts, documents);
          if (dryRun) throw new Undo(applied);
          return applied;
        });
        for (const { kind, name, action } of items)
          if (kind === 'role' && action !== 'unchanged') await access.refreshRole(name);
        if (items.some(({ kind }) => kind === 'lock')) await access.refreshLocks();
        for (const each of resources)
          if (items.some(({ kind, action }) => kind === each.kind && action !== 'unchanged')) await each.settled();
        return { dryRun, items };
      } catch (error) {
        if (error instanceof Undo) return { dryRun, items: error.result };
        throw error;
      }
    },

    async export({ actor, cluster, query: { kinds, name, revisions } }) {
      const texts: string[] = [];
      const omitted: DocumentKind[] = [];
      const wanted = wantedKinds(kinds);
      for (const kind of wanted) {
        const found = await exportDocuments(deps, {
          actor,
          cluster,
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
