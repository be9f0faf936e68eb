/** Reads what kind of connector a document is of, and puts the secrets into it that its author keeps elsewhere. Loaded late, as it brings YAML. */
import { CONNECTOR_SECRETS, SECRET_BOUND_TO } from '@gatehouse/contract/identity/connectors/connector-document';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { Failure } from '../runtime/failure.ts';

/** A place for a secret that a document has, and nothing in it. */
export interface MissingSecret {
  /** As people are told: `client_secret`, `signing_key_pair`. */
  field: string;
  path: readonly string[];
  /** Of several lines: nobody types it. */
  isKey: boolean;
}

export function kindIn(text: string): ConnectorKind {
  const lines = new LineCounter();
  const document = parse(text, lines);
  const given: unknown = document.get('kind');
  const kind = CONNECTOR_KINDS.find((known) => known === given);
  if (kind) return kind;
  const written: unknown = document.get('kind', true);
  const place = isScalar(written) && written.range ? written.range : document.contents?.range;
  const { line, col } = lines.linePos(place?.[0] ?? 0);
  const meant = typeof given === 'string' ? didYouMean(given, CONNECTOR_KINDS) : undefined;
  const known = `must be one of ${CONNECTOR_KINDS.join(', ')}${meant === undefined ? '' : `; did you mean '${meant}'?`}`;
  const wrong = document.has('kind') ? known : `is missing: it ${known}`;
  throw new Failure('usage', `line ${line}, column ${col}: 'kind' ${wrong}`);
}

export function nameIn(text: string): string {
  return String(parse(text).getIn(['metadata', 'name']) ?? '');
}

/** Whether a secret of the one before would be for somebody else. */
export function isOtherClient(before: string, after: string, kind: ConnectorKind): boolean {
  const [one, other] = [parse(before), parse(after)];
  return SECRET_BOUND_TO[kind].some((field) => one.getIn(['spec', field]) !== other.getIn(['spec', field]));
}

export function missingSecrets(text: string, kind: ConnectorKind): MissingSecret[] {
  const document = parse(text);
  return CONNECTOR_SECRETS[kind].flatMap((path: readonly string[]) => {
    const isThere = document.hasIn(path);
    const map: unknown = document.getIn(path.slice(0, -1));
    const hasPlace = isMap(map) && map.items.length > 0;
    const isKey = path.length > 2;
    return isThere || !hasPlace ? [] : [{ field: path[1] ?? '', path, isKey }];
  });
}

/** Written behind the last field of its map: what the author wrote stays as it is, and in its lines, by which mistakes are told. */
export function putInSecret(text: string, { path }: MissingSecret, secret: string): string {
  const map: unknown = parse(text).getIn(path.slice(0, -1));
  const first = isMap(map) ? ((map as YAMLMap<ParsedNode>).items[0]?.key as ParsedNode | undefined) : undefined;
  if (!isMap(map) || !map.range || !first?.range) throw new Error('there is no place for the secret');
  const [at] = first.range;
  const field = path.at(-1) ?? '';
  if (map.flow) return `${text.slice(0, at)}${JSON.stringify(field)}: ${JSON.stringify(secret)}, ${text.slice(at)}`;
  const indent = ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1));
  const before = text.slice(0, map.range[1]);
  return `${before}${before.endsWith('\n') ? '' : '\n'}${indent}${field}: ${JSON.stringify(secret)}\n${text.slice(before.length)}`;
}

function parse(text: string, lineCounter = new LineCounter()): Document.Parsed {
  const document = parseDocument(text, { version: '1.2', lineCounter });
  const [error] = document.errors;
  if (error?.code === 'MULTIPLE_DOCS')
    throw new Failure(
      'usage',
      `there is more than one document here${lineOf(error)}: give each connector a file of its own`,
    );
  if (error) throw new Failure('usage', `the document is neither YAML nor JSON: ${wordsOf(error)}`);
  if (!isMap(document.contents))
    throw new Failure('usage', 'the document must hold fields: kind, version, metadata, spec');
  return document;
}

function lineOf({ linePos }: YAMLError): string {
  return linePos ? `, the second begins at line ${linePos[0].line}` : '';
}

/** Without what the library shows of the text below its words. */
function wordsOf({ message }: YAMLError): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
