/** The tree of a `where` condition. */

/** Something that has no, one or several values. */
export type Operand =
  | { type: 'values'; values: readonly string[] }
  /** `user.metadata.name`, `resource.metadata.labels` with a key, `session.participants` and so on. */
  | { type: 'fact'; name: FactName; key?: string };

export type Where =
  | { type: 'constant'; value: boolean }
  | { type: 'equals' | 'contains' | 'has_prefix'; left: Operand; right: Operand }
  | { type: 'exists'; left: Operand }
  | { type: 'not'; of: Where }
  | { type: 'and' | 'or'; of: readonly Where[] };

/** What a condition may ask about, and whether it wants a key. */
export const FACTS = {
  'user.metadata.name': 'plain',
  'user.spec.roles': 'plain',
  'user.spec.traits': 'keyed',
  'resource.kind': 'plain',
  'resource.metadata.name': 'plain',
  'resource.metadata.labels': 'keyed',
  'session.participants': 'plain',
  'session.kind': 'plain',
  'session.user': 'plain',
  'session.login': 'plain',
  'session.server_labels': 'keyed',
} as const;
export type FactName = keyof typeof FACTS;

/** Shorter spellings that documents use for the same facts. */
export const FACT_SYNONYMS: Readonly<Record<string, FactName>> = {
  'user.name': 'user.metadata.name',
  'user.roles': 'user.spec.roles',
  'user.traits': 'user.spec.traits',
  'ssh_session.participants': 'session.participants',
};

/** Every fact an expression asks about. */
export function factsOf(where: Where): Extract<Operand, { type: 'fact' }>[] {
  switch (where.type) {
    case 'constant':
      return [];
    case 'exists':
      return facts(where.left);
    case 'not':
      return factsOf(where.of);
    case 'and':
    case 'or':
      return where.of.flatMap(factsOf);
    default:
      return [...facts(where.left), ...facts(where.right)];
  }
}

function facts(operand: Operand): Extract<Operand, { type: 'fact' }>[] {
  return operand.type === 'fact' ? [operand] : [];
}
