/** Desktops as documents. */
import { type DesktopSpec, readStoredDesktop } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { type DesktopDocument, desktopDocument } from '@gatehouse/contract/kinds/resource-documents';
import type { ResourceDocuments } from '../../identity/apply/resource-documents.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import { resourceDocuments, type WrittenOn } from '../resource-documents.ts';
import { type DesktopHandlerDeps, desktopHandlers } from './desktop-handlers.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';

export function desktopDocuments(
  deps: DesktopHandlerDeps & { secretsIn(db: WrittenOn['db']): DesktopSecrets },
): ResourceDocuments {
  const calls = ({ db, people }: WrittenOn) => desktopHandlers({ ...deps, db, people, secrets: deps.secretsIn(db) });
  const fieldsOf = ({ metadata: { labels }, spec }: DesktopDocument) => ({ labels, ...spec });

  return resourceDocuments<DesktopDocument>(deps, {
    kind: 'windows_desktop',
    of: 'desktop',
    rule: 'windows_desktop',
    acl: 'desktops',
    schema: desktopDocument,

    async documentOf({ name, labels, spec: stored }, nameOf) {
      const { through, certificate: _, ...spec } = readStoredDesktop(stored).spec;
      const certificate = lookedAt(readStoredDesktop(stored).spec);
      return {
        ...{ kind: 'windows_desktop', version: 'v3', metadata: { name, labels } },
        spec: {
          ...spec,
          ...(certificate ? { certificate } : {}),
          through: through === '' ? '' : await nameOf(through),
        },
      };
    },

    shown(document, held) {
      const before = held && desktopDocument.safeParse(held).data?.spec.certificate;
      return { ...document, spec: { ...document.spec, certificate: document.spec.certificate ?? before } };
    },

    add: (on, document) =>
      calls(on).add({
        ...on,
        params: {},
        query: undefined,
        body: { name: document.metadata.name, ...fieldsOf(document) },
      }),

    update(on, document, { name, spec: stored }) {
      const { certificate, ...fields } = fieldsOf(document);
      const isSame = canonicalJson(certificate) === canonicalJson(lookedAt(readStoredDesktop(stored).spec));
      const body = certificate === undefined || isSame ? fields : { ...fields, certificate };
      return calls(on).update({ ...on, params: { name }, query: undefined, body });
    },
  });
}

/** One that was taken because the host knew a password is nobody's word: a document that names it would make it one. */
function lookedAt({ certificate }: DesktopSpec): DesktopSpec['certificate'] {
  return certificate && 'provenBy' in certificate && certificate.provenBy !== undefined ? undefined : certificate;
}
