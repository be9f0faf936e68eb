/** Applications as documents. */
import { appSpec, isSecretHeader } from '@gatehouse/contract/kinds/app/app-spec';
import { type AppDocument, appDocument } from '@gatehouse/contract/kinds/resource-documents';
import type { ResourceDocuments } from '../../identity/apply/resource-documents.ts';
import { resourceDocuments, type WrittenOn } from '../resource-documents.ts';
import { type AppHandlerDeps, appHandlers } from './app-handlers.ts';

export function appDocuments(deps: AppHandlerDeps): ResourceDocuments {
  // What was not committed is in no directory.
  const directory = { ...deps.directory, refresh: async () => undefined };
  const calls = ({ db, people }: WrittenOn) => appHandlers({ ...deps, directory, db, people });
  const fieldsOf = ({ metadata: { labels, description }, spec }: AppDocument) => ({ labels, description, ...spec });

  return resourceDocuments<AppDocument>(deps, {
    kind: 'app',
    of: 'app',
    rule: 'app_server',
    acl: 'appServers',
    schema: appDocument,

    async documentOf({ name, labels, spec: stored }, nameOf) {
      const { description, through, mark: _, ...spec } = appSpec.parse(stored);
      const agents = await Promise.all(through.map(nameOf));
      return {
        ...{ kind: 'app', version: 'v3', metadata: { name, description, labels } },
        spec: { ...spec, through: agents },
      };
    },

    shown({ spec, ...document }) {
      const headers = spec.rewrite.headers.map((rule) =>
        isSecretHeader(rule) ? { name: rule.name, value: '', kept: true } : rule,
      );
      const aws = spec.aws.externalId === '' ? spec.aws : { externalId: '', kept: true };
      return { ...document, spec: { ...spec, aws, rewrite: { ...spec.rewrite, headers } } };
    },

    hasSecrets: ({ spec }) =>
      spec.aws.externalId !== '' || spec.rewrite.headers.some((rule) => !rule.kept && isSecretHeader(rule)),

    add: (on, document) =>
      calls(on).add({
        ...on,
        params: {},
        query: undefined,
        body: { name: document.metadata.name, ...fieldsOf(document) },
      }),
    update: (on, document) =>
      calls(on).update({ ...on, params: { name: document.metadata.name }, query: undefined, body: fieldsOf(document) }),
    settled: () => deps.directory.refresh(),
  });
}
