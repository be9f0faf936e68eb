/** Databases as documents. */
import { readStoredDb, signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { type DbDocument, dbDocument } from '@gatehouse/contract/kinds/resource-documents';
import type { ResourceDocuments } from '../../identity/apply/resource-documents.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { resourceDocuments, type WrittenOn } from '../resource-documents.ts';
import { type DbHandlerDeps, dbHandlers } from './db-handlers.ts';

export function dbDocuments(deps: DbHandlerDeps): ResourceDocuments {
  const calls = ({ db, people }: WrittenOn) => dbHandlers({ ...deps, db, people });
  const fieldsOf = ({ metadata: { labels, description }, spec: { protocol: _, ...spec } }: DbDocument) => ({
    ...spec,
    description,
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
  });

  return resourceDocuments<DbDocument>(deps, {
    kind: 'db',
    of: 'db',
    rule: 'db',
    acl: 'db',
    schema: dbDocument,

    async documentOf({ name, labels, spec: stored }, nameOf) {
      const { description, through, mark: _, ...spec } = readStoredDb(stored).spec;
      const agents = await Promise.all(through.map(nameOf));
      return {
        ...{ kind: 'db', version: 'v3', metadata: { name, description, labels } },
        spec: { ...spec, signIn: signInOf(spec), through: agents },
      };
    },

    // Left out, it is the one of its type, and not the one before.
    shown: ({ spec, ...document }) => ({ ...document, spec: { ...spec, signIn: signInOf(spec) } }),

    add: (on, document) => {
      const { name } = document.metadata;
      const body = { name, protocol: document.spec.protocol, ...fieldsOf(document) };
      return calls(on).add({ ...on, params: {}, query: undefined, body });
    },

    update(on, document, { name, spec: stored }) {
      const { protocol } = readStoredDb(stored).spec;
      if (protocol !== document.spec.protocol)
        throw new AppError(
          'bad_request',
          `spec.protocol is '${document.spec.protocol}', and another is another database: remove this one first`,
        );
      const body = { ...fieldsOf(document), signIn: signInOf(document.spec) };
      return calls(on).update({ ...on, params: { name }, query: undefined, body });
    },
  });
}
