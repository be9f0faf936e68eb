/** Gives back everything that apply takes and the caller may read, as documents. */
import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import type { DocumentKind } from '@gatehouse/contract/access/apply/apply';
import type { AccessControl } from '../../access/create-access.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { listLocks } from '../../access/lock-store.ts';
import { mayEverReach } from '../../access/reach.ts';
import { listRoles } from '../../access/role-store.ts';
import { seesLock } from '../../access/sees-lock.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { listConnectors } from '../connectors/stores/connector-store.ts';
import { listTrusts } from '../federation/stores/trusted-cluster-store.ts';
import { listUsers } from '../stores/user-store.ts';
import { revisionOf } from '../users/user-revision.ts';
import { revisionOf as resourceRevision } from './apply-resource.ts';
import { lockText, userText } from './document-texts.ts';
import type { ResourceDocuments } from './resource-documents.ts';
import { putInRevision } from './revision-in-text.ts';
import { bareText } from './split-documents.ts';

interface ExportDeps {
  resources: readonly ResourceDocuments[];
  db: Db;
  access: AccessControl;
  now: () => number;
}

export interface ExportWish {
  cluster: string;
  actor: Actor;
  kind: DocumentKind;
  name?: string | undefined;
  revisions: boolean;
}

/** Nothing when the caller may read none of the kind at all. */
export async function exportDocuments(
  { db, access, now, resources }: ExportDeps,
  { actor, cluster, kind, name, revisions }: ExportWish,
): Promise<string[] | undefined> {
  const may = (each: string, labels: Record<string, string> = {}) =>
    (['list', 'read'] as const).every(
      (verb) =>
        access.decide(actor, { type: 'verb', resource: resourceOf(kind), verb, object: { kind, name: each, labels } })
          .allowed,
    );
  const isWanted = (each: string) => name === undefined || each === name;
  const withRevision = (text: string, revision: string) => (revisions ? putInRevision(text, revision) : text);
  switch (kind) {
    case 'role': {
      if (!actor.acl.roles.list || !actor.acl.roles.read) return undefined;
      const roles = (await listRoles(db)).filter(
        (role) => isWanted(role.name) && may(role.name, labelsIn(role.content)),
      );
      return roles.map(({ content, revision }) => withRevision(bareText(content), revision));
    }
    case 'user': {
      if (!actor.acl.users.list || !actor.acl.users.read) return undefined;
      const users = (await listUsers(db)).filter((user) => isWanted(user.name) && may(user.name));
      return users.map((user) => withRevision(userText(user), revisionOf(user)));
    }
    case 'lock': {
      if (!(['list', 'read'] as const).every((verb) => mayEverReach(access, actor, verb, 'lock'))) return undefined;
      const locks = (await listLocks(db, now())).filter(
        (lock) => isWanted(lock.id) && may(lock.id) && seesLock(access, actor, 'list', lock),
      );
      return locks.map(lockText);
    }
    case 'github':
    case 'oidc':
    case 'saml': {
      const { list, read } = actor.acl.authConnectors;
      if (!list || !read) return undefined;
      const connectors = (await listConnectors(db)).filter(
        (connector) => connector.kind === kind && isWanted(connector.name) && may(connector.name),
      );
      return connectors.map(({ content, revision }) => withRevision(bareText(content), revision));
    }
    case 'trusted_cluster': {
      if (!(['list', 'read'] as const).every((verb) => mayEverReach(access, actor, verb, kind))) return undefined;
      const trusts = (await listTrusts(db)).filter((trust) => isWanted(trust.name) && may(trust.name));
      return trusts.map(({ content, revision }) => withRevision(bareText(content), revision));
    }
    default: {
      const documents = resources.find((each) => each.kind === kind)!;
      if (!documents.isAllowed(actor, 'edit')) return undefined;
      const written = await documents.list(db, actor, { cluster, name });
      return written.map(({ text }) => withRevision(text, resourceRevision(text)));
    }
  }
}

/** What rules call it: connectors of all kinds are one. */
function resourceOf(kind: DocumentKind): string {
  if (kind === 'role' || kind === 'user' || kind === 'lock' || kind === 'trusted_cluster') return kind;
  return ACL_GROUPS.authConnectors;
}

function labelsIn(content: string): Record<string, string> {
  try {
    return parseRole(content, 'stored').document.metadata.labels ?? {};
  } catch {
    // A document that can no longer be read is still given back, so that it can be put right.
    return {};
  }
}
