/** A role's document changed so that it reaches something with these labels, and nothing of what it reached is lost. */
import type { KindFacts } from '@gatehouse/contract/kinds/kind';
import { setInYaml } from '../document-editor/edit-yaml.ts';
import { readDocument, textsAt, valueAt } from '../document-editor/read-document.ts';

export interface ReachingRole {
  /** The same where nothing has to be changed, or nothing can be. */
  text: string;
  /** Labels that the role asks for and the thing does not have. They cannot be taken away without letting the role reach more than this. */
  lacks: readonly string[];
}

/** Machines say their own labels. One whose value a role would read as a pattern or a template would make it reach more than this machine. */
export function plainLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const plain = Object.entries(labels).filter((pair) => pair.every((text) => !/\*|\{\{|^\^/.test(text)));
  return Object.fromEntries(plain);
}

/** All labels of a role must fit: one that names some already only takes further values for them, since a further label would take away what it reaches. */
export function reachingRole(
  text: string,
  { labels: field }: Pick<KindFacts, 'labels'>,
  given: Readonly<Record<string, string>>,
): ReachingRole {
  const labels = plainLabels(given);
  const { value } = readDocument(text, '');
  if (!value) return { text, lacks: [] };
  const path = ['spec', 'allow', field];
  const asked = valueAt(value, path);
  const keys = typeof asked === 'object' && asked !== null ? Object.keys(asked) : [];
  if (keys.length === 0) return { text: withLabels(text, path, labels), lacks: [] };
  const named = keys.filter((key) => key !== '*');
  const lacks = named.filter((key) => !(key in labels) && !textsAt(value, [...path, key]).includes('*'));
  if (lacks.length > 0) return { text, lacks };
  const changed = named.reduce((said, key) => {
    const values = textsAt(value, [...path, key]);
    const wanted = labels[key];
    if (wanted === undefined || values.includes('*') || values.includes(wanted)) return said;
    return setInYaml(said, [...path, key], [...values, wanted]);
  }, text);
  return { text: changed, lacks: [] };
}

function withLabels(text: string, path: readonly string[], labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).reduce((said, [key, value]) => setInYaml(said, [...path, key], value), text);
}

/** A new role that reaches this alone, under the names that its holders bring along. */
export function newRole(
  { labels: field, principals }: Pick<KindFacts, 'labels' | 'principals'>,
  labels: Readonly<Record<string, string>>,
): string {
  const names = principals.flatMap(({ field: name, trait, userTrait }) =>
    userTrait === undefined ? [] : [[name, [`{{internal.${trait ?? name}}}`]] as const],
  );
  return names.reduce(
    (said, [name, values]) => setInYaml(said, ['spec', 'allow', name], values),
    withLabels(NEW_ROLE, ['spec', 'allow', field], plainLabels(labels)),
  );
}

/** What a new role begins as. */
export const NEW_ROLE = `kind: role
version: v6
metadata:
  name: ''
spec:
  allow: {}
`;
