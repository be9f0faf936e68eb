/** Reads one document of an apply: what kind it is, whether it can be read, and where it is wrong. */
import { DOCUMENT_KINDS, type DocumentKind } from '@gatehouse/contract/access/apply/apply';
import { type LockDocument, lockDocument } from '@gatehouse/contract/access/apply/lock-document';
import { type UserDocument, userDocument } from '@gatehouse/contract/access/apply/user-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { KindDocument } from '@gatehouse/contract/kinds/kinds';
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { z } from 'zod';
import { describeIssues } from '../../access/document/describe-issue.ts';
import { type LocatedDocument, readLocated } from '../../access/document/locate.ts';
import { type ParsedRole, parseRole } from '../../access/document/role-document.ts';
import { RoleDocumentError } from '../../access/document/role-document-error.ts';
import { type ParsedConnector, parseConnector } from '../connectors/document/parse-connector.ts';
import { type ParsedTrust, parseTrust } from '../federation/trusts/trust-document.ts';
import type { ResourceDocument, ResourceDocuments } from './resource-documents.ts';
import { takeOutRevision } from './revision-in-text.ts';
import type { DocumentText } from './split-documents.ts';

interface Read {
  name: string;
  line: number;
  /** The store must still be at this one. */
  revision: string | undefined;
}

export type ReadDocument =
  | (Read & { kind: 'role'; content: string; role: ParsedRole })
  | (Read & { kind: 'user'; user: UserDocument })
  | (Read & { kind: 'lock'; lock: LockDocument })
  | (Read & { kind: ConnectorKind; connector: ParsedConnector })
  | (Read & { kind: 'trusted_cluster'; trust: ParsedTrust })
  | (Read & { kind: KindDocument; resource: ResourceDocument });

/** Throws `RoleDocumentError` with the lines of the whole text. */
export function readDocument({ text, line }: DocumentText, resources: readonly ResourceDocuments[]): ReadDocument {
  try {
    return read(text, line, resources);
  } catch (error) {
    if (!(error instanceof RoleDocumentError)) throw error;
    throw new RoleDocumentError(error.issues.map((issue) => ({ ...issue, line: issue.line + line - 1 })));
  }
}

function read(text: string, line: number, resources: readonly ResourceDocuments[]): ReadDocument {
  const { text: content, sameLines, revision } = takeOutRevision(text);
  const located = readLocated(sameLines);
  const kind = kindOf(located);
  switch (kind) {
    case 'role': {
      const role = parseRole(sameLines);
      return { kind, name: role.document.metadata.name, line, revision, content, role };
    }
    case 'user': {
      const user = parseAs(userDocument, located);
      return { kind, name: user.metadata.name, line, revision, user };
    }
    case 'lock': {
      const lock = parseAs(lockDocument, located);
      return { kind, name: lock.metadata.name, line, revision, lock };
    }
    case 'github':
    case 'oidc':
    case 'saml': {
      // The first for the lines of what is wrong, the second for the text that is kept.
      const { name } = parseConnector(kind, sameLines);
      return { kind, name, line, revision, connector: parseConnector(kind, content) };
    }
    case 'trusted_cluster': {
      // Which roles there are is known once those of the same text are made.
      const { name } = parseTrust(sameLines, () => true);
      return { kind, name, line, revision, trust: parseTrust(content, () => true) };
    }
    default: {
      const resource = parseAs(resources.find((each) => each.kind === kind)!.schema, located);
      return { kind, name: resource.metadata.name, line, revision, resource };
    }
  }
}

function parseAs<T extends z.ZodType>(schema: T, located: LocatedDocument): z.output<T> {
  const parsed = schema.safeParse(located.value);
  if (!parsed.success) throw new RoleDocumentError(describeIssues(schema, parsed.error.issues, located));
  return parsed.data;
}

function kindOf({ value, issueAt }: LocatedDocument): DocumentKind {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RoleDocumentError([issueAt([], 'value', 'a document must hold fields: kind, version, metadata, spec')]);
  const given: unknown = 'kind' in value ? value.kind : undefined;
  const kind = DOCUMENT_KINDS.find((known) => known === given);
  if (kind) return kind;
  const close = typeof given === 'string' ? didYouMean(given, DOCUMENT_KINDS) : undefined;
  const meant = close ? `; did you mean '${close}'?` : '';
  const message = given === undefined ? 'is missing' : `must be one of ${DOCUMENT_KINDS.join(', ')}${meant}`;
  throw new RoleDocumentError([issueAt(['kind'], 'value', message)]);
}
