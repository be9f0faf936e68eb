/** Records of a kind as documents: given back without secrets, and written by the calls that add and change them. */
import type { AclGroup } from '@gatehouse/contract/access/acl';
import { factsOf, type Kind, type KindDocument } from '@gatehouse/contract/kinds/kinds';
import { stringify } from 'yaml';
import type { z } from 'zod';
import type { Subject } from '../access/create-access.ts';
import type { Asking, ResourceDocument, ResourceDocuments, WriteAsked } from '../identity/apply/resource-documents.ts';
import { type EnteredRecordDeps, enteredRecords } from '../inventory/entered-records.ts';
import { findResource, type Resource, toResource } from '../inventory/resource-store.ts';
import { canonicalJson } from '../platform/std/canonical-json.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import { findAgent } from '../reach/agents/registry/agent-store.ts';

/** What one kind says of its documents. */
export interface DocumentRow<Document extends ResourceDocument> {
  kind: KindDocument;
  of: Kind;
  /** What rules call it, and their group. */
  rule: string;
  acl: AclGroup;
  schema: z.ZodType<Document>;
  /** What is stored, without secrets. */
  documentOf(resource: Resource, nameOf: (agentId: string) => Promise<string>): Promise<object>;
  /** What it will be, to be compared and shown: with what stays as it is, and without secrets. */
  shown(document: Document, held: object | undefined): object;
  /** Whether it brings something that is never shown. */
  hasSecrets?(document: Document): boolean;
  add(on: WrittenOn, document: Document): Promise<unknown>;
  update(on: WrittenOn, document: Document, before: Resource): Promise<unknown>;
  settled?(): Promise<void>;
}

/** Where a call of the kind works, and for whom. */
export interface WrittenOn extends Asking {
  db: Tx;
  people: () => Promise<readonly Subject[]>;
}

type DocumentDeps = Pick<EnteredRecordDeps<never>, 'db' | 'access' | 'now' | 'people'>;

export function resourceDocuments<Document extends ResourceDocument>(
  deps: DocumentDeps,
  row: DocumentRow<Document>,
): ResourceDocuments {
  const { of, rule, kind } = row;
  const { access } = deps;
  const mayChange = (actor: Asking['actor'], { name, labels }: Resource) =>
    access.decide(actor, { type: 'verb', resource: rule, verb: 'update', object: { kind: of, name, labels } }).allowed;

  const records = enteredRecords({
    ...{ ...deps, kind: of, rule, called: factsOf(of).noun },
    async read(from, { cluster, name }) {
      const resource = await findResource(from, { cluster, kind: of, id: name });
      return resource && { resource };
    },
  });

  const heldOf = async (db: Db, resource: Resource) => {
    const nameOf = async (id: string) => (await findAgent(db, resource.cluster, id))?.name ?? id;
    return await row.documentOf(resource, nameOf);
  };

  return {
    kind,
    schema: row.schema,
    isAllowed: (actor, verb) => actor.acl[row.acl][verb],

    async list(db, actor, { cluster, name }) {
      const found = await entered(db, { cluster, of, name });
      const mine = found.filter((resource) => mayChange(actor, resource));
      return await Promise.all(
        mine.map(async (resource) => ({ name: resource.name, text: textOf(await heldOf(db, resource)) })),
      );
    },

    async write(tx, given, { people, expect, ...asking }: WriteAsked) {
      const document = given as Document;
      const { actor, cluster } = asking;
      const on = { ...asking, db: tx, people: async () => people };
      const found = await findResource(tx, { cluster, kind: of, id: document.metadata.name });
      // Before anything that stands there is compared or told.
      if (found) await records.findEntered(tx, actor, { cluster, name: found.name }, 'update');
      const held = found && (await heldOf(tx, found));
      const before = held && textOf(held);
      expect(before);
      const after = textOf(row.shown(document, held));
      const isSame = before === after && !row.hasSecrets?.(document);
      if (isSame) return { before, after };
      await (found ? row.update(on, document, found) : row.add(on, document));
      return { before, after: row.hasSecrets?.(document) ? `${after}# with a secret that is not shown\n` : after };
    },

    settled: async () => await row.settled?.(),
  };
}

async function entered(
  db: Db,
  { cluster, of, name }: { cluster: string; of: Kind; name: string | undefined },
): Promise<Resource[]> {
  const rows = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', of)
    .where('owner', '=', '')
    .$if(name !== undefined, (query) => query.where('id', '=', name!))
    .orderBy('id')
    .execute();
  return rows.map((each) => toResource(each, of));
}

/** Keys sorted and what says nothing left out, so that two writings of one document are equal. */
function textOf(document: object): string {
  return stringify(JSON.parse(canonicalJson(withoutEmpty(document))), { lineWidth: 0, indentSeq: false });
}

/** Everywhere here, what is empty stands for itself where it is left out. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, held]) => {
    // A label without a value is one.
    const inner = key === 'labels' ? held : withoutEmpty(held);
    const isEmpty =
      inner === undefined ||
      inner === '' ||
      (typeof inner === 'object' && inner !== null && Object.keys(inner).length === 0);
    return isEmpty ? [] : [[key, inner] as const];
  });
  return Object.fromEntries(kept);
}
