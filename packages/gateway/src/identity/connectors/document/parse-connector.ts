/** Reads a connector out of the text somebody wrote, or says on which line what is wrong with it. Its secrets leave the text here. */
import {
  CONNECTOR_DOCUMENTS,
  CONNECTOR_SECRETS,
  type ConnectorDocuments,
  MAX_CONNECTOR_CHARACTERS,
  type TraitMapping,
} from '@gatehouse/contract/identity/connectors/connector-document';
import { type ConnectorKind, RESERVED_CONNECTOR_NAMES } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { describeIssues } from '../../../access/document/describe-issue.ts';
import { type LocatedDocument, type Path, readLocated } from '../../../access/document/locate.ts';
import { type DocumentIssue, RoleDocumentError } from '../../../access/document/role-document-error.ts';
import { nameProblem } from '../../../access/document/role-name.ts';
import { takeOutFields } from '../../../access/document/take-out-fields.ts';
import { wrongWithMapping } from '../mapping/check-mapping.ts';
import type { MappingEntry } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';

/** A secret shorter than this could stand anywhere by chance. */
const MIN_TELLING_SECRET = 6;
/** Reading one takes up to some milliseconds, during which nothing else runs. */
const MAX_EXPRESSIONS = 100;

export interface ParsedConnector<K extends ConnectorKind = ConnectorKind> {
  kind: K;
  name: string;
  document: ConnectorDocuments[K];
  /** The text without its secrets: what is kept, and what is given back. */
  content: string;
  /** By their paths: `spec.client_secret`. */
  secrets: Readonly<Record<string, string>>;
  /** Where something stands in the text that was given, secrets and all. */
  lineOf(path: Path): number;
}

/** Throws `RoleDocumentError` with everything that is wrong. */
export function parseConnector<K extends ConnectorKind>(kind: K, text: string): ParsedConnector<K> {
  if (text.length > MAX_CONNECTOR_CHARACTERS)
    throw new RoleDocumentError([{ path: '', line: 1, column: 1, message: 'is too long' }]);
  const located = readLocated(text);
  const schema = CONNECTOR_DOCUMENTS[kind];
  const parsed = schema.safeParse(located.value);
  if (!parsed.success) throw new RoleDocumentError(inOrder(describeIssues(schema, parsed.error.issues, located)));
  const document = parsed.data as ConnectorDocuments[K];
  const { text: content, values } = takeOutFields(text, CONNECTOR_SECRETS[kind]);
  const issues = [
    ...checkName(document.metadata.name, located),
    ...checkMapping(providerOf(kind).entries(document), document.spec.traits ?? [], located),
    ...providerOf(kind)
      .check(document)
      .map(({ path, message }) => located.issueAt(path, 'value', message)),
    ...checkSecrets(content, values),
    ...checkAliases(document, CONNECTOR_SECRETS[kind], values, located),
  ];
  if (issues.length > 0) throw new RoleDocumentError(inOrder(issues));
  const lineOf = (path: Path) => located.issueAt(path, 'value', '').line;
  return { kind, name: document.metadata.name, document, content, secrets: Object.fromEntries(values), lineOf };
}

/** As they stand in the text, from above. */
function inOrder(issues: readonly DocumentIssue[]): DocumentIssue[] {
  return issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** One that was accepted before, from the store. */
export function readStoredConnector<K extends ConnectorKind>(kind: K, content: string): ConnectorDocuments[K] {
  return CONNECTOR_DOCUMENTS[kind].parse(readLocated(content).value) as ConnectorDocuments[K];
}

function checkName(name: string, located: LocatedDocument): DocumentIssue[] {
  const problem = RESERVED_CONNECTOR_NAMES.includes(name.toLowerCase())
    ? 'stands for something else: choose another name'
    : nameProblem(name);
  return problem === undefined ? [] : [located.issueAt(['metadata', 'name'], 'value', problem)];
}

function checkMapping(
  entries: readonly MappingEntry[],
  traits: readonly TraitMapping[],
  located: LocatedDocument,
): DocumentIssue[] {
  const written = [...entries.filter(({ exact }) => !exact), ...traits];
  if (written.filter(({ value }) => value?.startsWith('^')).length > MAX_EXPRESSIONS)
    return [located.issueAt(['spec'], 'key', `holds too many regular expressions: at most ${MAX_EXPRESSIONS}`)];
  return wrongWithMapping(entries, traits).map(({ path, message }) => located.issueAt(path, 'value', message));
}

/** An alias or a comment would keep it in the text that everybody who may list connectors reads. */
function checkSecrets(content: string, secrets: ReadonlyMap<string, string>): DocumentIssue[] {
  const read = JSON.stringify(readLocated(content).value);
  // Also where it is written in another way, as `\u0041` for a letter.
  const holds = (value: string) => content.includes(value) || read.includes(JSON.stringify(value).slice(1, -1));
  const again = [...secrets].find(([, value]) => value.length >= MIN_TELLING_SECRET && holds(value));
  if (again === undefined) return [];
  const line = content.slice(0, Math.max(0, content.indexOf(again[1]))).split('\n').length;
  return [{ path: again[0], line, column: 1, message: 'is written a second time: what is kept must not hold it' }];
}

/** What stands elsewhere, and is only pointed at, would stay there to be read, and not be kept as a secret. */
function checkAliases(
  document: object,
  paths: readonly (readonly string[])[],
  secrets: ReadonlyMap<string, string>,
  located: LocatedDocument,
): DocumentIssue[] {
  return paths
    .filter((path) => valueAt(document, path) !== undefined && !secrets.has(path.join('.')))
    .map((path) => located.issueAt([...path], 'value', 'must be written here itself, and not by an alias'));
}

function valueAt(document: object, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    document,
  );
}
