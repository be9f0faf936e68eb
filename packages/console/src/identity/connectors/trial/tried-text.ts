/** What a test sends of a draft whose author does not know yet what the provider says: an entry that looks for nothing yet keeps nobody from asking. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { setInYaml } from '../../../shared/document-editor/edit-yaml.ts';
import { type Problem, readDocument } from '../../../shared/document-editor/read-document.ts';
import { entriesIn, MAPPINGS } from '../mapping.ts';

/** Looked for in a test alone, which gives nothing to anybody: it is never written into a draft. */
const STAND_IN = 'not-chosen-yet';

/** Told by their places: entries whose value is still to be found out. */
function awaitedIn(kind: ConnectorKind, document: unknown): number[] {
  return entriesIn(kind, document).flatMap(({ value }, at) => (value === '' ? [at] : []));
}

export function triedText(kind: ConnectorKind, text: string): string {
  const { list, value } = MAPPINGS[kind];
  return awaitedIn(kind, readDocument(text, '').value).reduce(
    (tried, at) => setInYaml(tried, ['spec', list, at, value], STAND_IN),
    text,
  );
}

/** Those that a test cannot do without being mended. */
export function problemsOfTest(kind: ConnectorKind, document: unknown, problems: readonly Problem[]): Problem[] {
  const { list, value } = MAPPINGS[kind];
  const awaited = awaitedIn(kind, document).map((at) => `spec.${list}[${at}].${value}`);
  return problems.filter(({ path = '' }) => !awaited.includes(path));
}
