/** The mapping of a connector, whatever its kind calls it: which value of which claim gives which roles. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { textsAt, valueAt } from '../../shared/document-editor/read-document.ts';

interface MappingFacts {
  /** Where it stands, under `spec`. */
  list: string;
  from: string;
  value: string;
  /** Values are names and never patterns. */
  exact?: true;
}

export const MAPPINGS: Readonly<Record<ConnectorKind, MappingFacts>> = {
  github: { list: 'teams_to_roles', from: 'organization', value: 'team', exact: true },
  oidc: { list: 'claims_to_roles', from: 'claim', value: 'value' },
  saml: { list: 'attributes_to_roles', from: 'name', value: 'value' },
};

export interface Entry {
  from: string;
  value: string;
  roles: readonly string[];
}

export function entriesIn(kind: ConnectorKind, document: unknown): Entry[] {
  const { list, from, value } = MAPPINGS[kind];
  const found = valueAt(document, ['spec', list]);
  if (!Array.isArray(found)) return [];
  return found.map((entry: unknown) => ({
    from: textsAt(entry, [from])[0] ?? '',
    value: textsAt(entry, [value])[0] ?? '',
    roles: textsAt(entry, ['roles']),
  }));
}

/** As it is written in the document. */
export function writtenEntry(kind: ConnectorKind, { from, value, roles }: Entry): Record<string, unknown> {
  const names = MAPPINGS[kind];
  return { [names.from]: from, [names.value]: value, roles: [...roles] };
}

/** How a value is compared: word for word, with stars, or as a regular expression. */
export function comparisonOf(kind: ConnectorKind, value: string): 'is' | 'like' | 'fits' {
  if (MAPPINGS[kind].exact) return 'is';
  if (value.startsWith('^') && value.endsWith('$')) return 'fits';
  return value.includes('*') ? 'like' : 'is';
}

/** Which claim and value an entry looks for. Teams of GitHub are told as `organization/team`. */
export function wantedBy(kind: ConnectorKind, { from, value }: Entry): { claim: string; value: string } {
  return kind === 'github' ? { claim: 'teams', value: `${from}/${value}` } : { claim: from, value };
}

/** The entry that a value somebody has seen would be looked for with. */
export function entryFor(kind: ConnectorKind, claim: string, value: string): Entry {
  if (kind !== 'github') return { from: claim, value, roles: [] };
  const [from = '', ...team] = value.split('/');
  return { from, value: team.join('/'), roles: [] };
}

/** Only what can be told without running somebody's expression here: the gateway tells of those. */
export function isFound(
  kind: ConnectorKind,
  entry: Entry,
  claims: Readonly<Record<string, readonly string[]>>,
): boolean {
  const wanted = wantedBy(kind, entry);
  return (claims[wanted.claim] ?? []).some((value) => isUsedBy(kind, entry, wanted.claim, value));
}

export function isUsedBy(kind: ConnectorKind, entry: Entry, claim: string, value: string): boolean {
  const wanted = wantedBy(kind, entry);
  if (wanted.claim !== claim) return false;
  const comparison = comparisonOf(kind, entry.value);
  if (comparison === 'is') return wanted.value === value;
  return comparison === 'like' && fitsStars(wanted.value, value);
}

function fitsStars(pattern: string, value: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  let at = first.length;
  const end = value.length - last.length;
  return rest.every((part) => {
    const found = value.indexOf(part, at);
    at = found + part.length;
    return found >= 0 && at <= end;
  });
}

/** `claims_to_roles[2]` is the third; nothing for what is told otherwise. */
export function placeOf(entry: string): number | undefined {
  const found = /\[(\d+)\]$/.exec(entry)?.[1];
  return found === undefined ? undefined : Number(found);
}
