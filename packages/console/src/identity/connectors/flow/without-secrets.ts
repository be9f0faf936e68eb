/** The text of a connector as it may stand on a screen that others look at too. */
import { CONNECTOR_SECRETS } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { setInYaml } from '../../../shared/document-editor/edit-yaml.ts';
import { readDocument, textsAt } from '../../../shared/document-editor/read-document.ts';

const DOTS = '••••••••';

/** A text that cannot be read is left out whole: nobody knows where its secrets stand. */
export function withoutSecrets(kind: ConnectorKind, text: string): string {
  if (text.trim() === '') return text;
  const { value } = readDocument(text, '');
  if (!value) return '';
  return CONNECTOR_SECRETS[kind].reduce(
    (shown, path) => (textsAt(value, path)[0] ? setInYaml(shown, path, DOTS) : shown),
    text,
  );
}
