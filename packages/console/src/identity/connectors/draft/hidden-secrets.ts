/** Keeps the secrets of a connector out of its text wherever that is shown, and puts them back where it is sent. */
import { CONNECTOR_SECRETS, HIDDEN_SECRET } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { isScalar, parseDocument } from 'yaml';
import { setInYaml } from '../../../shared/document-editor/edit-yaml.ts';
import { readDocument, textsAt } from '../../../shared/document-editor/read-document.ts';

/** By their paths: `spec.client_secret`. */
export type HeldSecrets = Readonly<Record<string, string>>;

export interface Hidden {
  text: string;
  /** What stood there. */
  found: HeldSecrets;
}

export function secretPaths(kind: ConnectorKind): readonly (readonly string[])[] {
  return CONNECTOR_SECRETS[kind];
}

/** Nothing for a text that cannot be read: nobody knows where its secrets stand. */
export function hideSecrets(kind: ConnectorKind, text: string): Hidden | undefined {
  if (text.trim() === '') return { text, found: {} };
  const { value } = readDocument(text, '');
  if (!value) return undefined;
  return secretPaths(kind).reduce<Hidden>(
    (hidden, path) => {
      const [secret = ''] = textsAt(value, path);
      // What was added to a hidden one is no secret either: the gateway says so.
      if (secret === '' || secret.includes(HIDDEN_SECRET)) return hidden;
      return {
        text: setInYaml(hidden.text, path, HIDDEN_SECRET),
        found: { ...hidden.found, [path.join('.')]: secret },
      };
    },
    { text, found: {} },
  );
}

/** Each on one line, however long: what the gateway finds wrong is told by lines of the text that is shown. */
export function withSecrets(kind: ConnectorKind, text: string, held: HeldSecrets): string {
  return secretPaths(kind).reduce((whole, path) => {
    const secret = held[path.join('.')];
    return secret === undefined ? whole : putBack(whole, path, secret);
  }, text);
}

function putBack(text: string, path: readonly string[], secret: string): string {
  const doc = parseDocument(text);
  if (doc.errors.length > 0) return text;
  const node = doc.getIn(path, true);
  if (!isScalar(node) || node.value !== HIDDEN_SECRET || !node.range) return text;
  const [from, to] = node.range;
  // A text written as a block ends with its line.
  const tail = text.slice(from, to).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, from)}${JSON.stringify(secret)}${tail}${text.slice(to)}`;
}
