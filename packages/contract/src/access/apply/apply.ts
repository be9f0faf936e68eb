/** Roles, users, sign-in connectors, locks and what administrators enter as documents: many at once, all or none of them. */
import { z } from 'zod';
import { CONNECTOR_KINDS } from '../../identity/connectors/connector-kinds.ts';
import { type KindDocument, rows } from '../../kinds/kinds.ts';
import { defineRoutes } from '../../wire/route.ts';

/** What administrators enter; what agents offer is written in their own configuration. */
const RESOURCE_DOCUMENT_KINDS = rows.flatMap(({ document }) => document ?? []) as KindDocument[];

const OTHER_DOCUMENT_KINDS = ['role', 'user', 'lock', ...CONNECTOR_KINDS, 'trusted_cluster'] as const;
export type DocumentKind = (typeof OTHER_DOCUMENT_KINDS)[number] | KindDocument;
export const DOCUMENT_KINDS: readonly DocumentKind[] = [...OTHER_DOCUMENT_KINDS, ...RESOURCE_DOCUMENT_KINDS];

export const MAX_DOCUMENTS_CHARACTERS = 8 * 1024 * 1024;
export const MAX_DOCUMENTS = 5000;

export const appliedDocument = z.object({
  kind: z.enum(DOCUMENT_KINDS),
  name: z.string(),
  action: z.enum(['created', 'changed', 'unchanged']),
  /** A unified diff of the YAML; empty when nothing changes. */
  diff: z.string(),
  /** What the document asks for that is accepted but gives nothing here. */
  notes: z.array(z.string()),
  /** The line of the text where the document begins. */
  line: z.number().int(),
});
export type AppliedDocument = z.output<typeof appliedDocument>;

export const applyRoutes = defineRoutes({
  apply: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/apply',
    summary:
      'Makes roles, users, connectors, locks, trusted clusters, applications, databases, Kubernetes clusters and desktops what the documents say: all of them or none. With dryRun only says what would change. Changed connectors want a second factor of the last minutes.',
    auth: 'signed-in',
    body: z.strictObject({
      /** YAML, documents apart by `---`. A `metadata.revision` makes sure that nobody changed it meanwhile. */
      documents: z.string().min(1).max(MAX_DOCUMENTS_CHARACTERS),
      dryRun: z.boolean().default(false),
    }),
    reply: z.object({ dryRun: z.boolean(), items: z.array(appliedDocument) }),
  },
  export: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/export',
    summary: 'Everything that apply takes and the caller may read, as documents. No secrets are in it.',
    auth: 'signed-in',
    query: z.object({
      /** Kinds separated by commas; all of them unless told. */
      kinds: z.string().max(100).optional(),
      /** One of a kind, by its name. */
      name: z.string().max(256).optional(),
      revisions: z.enum(['yes', 'no', '']).optional(),
    }),
    reply: z.object({
      documents: z.string(),
      count: z.number().int(),
      /** Kinds that were asked for and that the caller may not read. */
      omitted: z.array(z.enum(DOCUMENT_KINDS)),
    }),
  },
});
