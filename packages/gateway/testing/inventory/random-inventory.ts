/** Random resources and filters over a small world of words, so that they meet often. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Filter, Operand } from '@gatehouse/contract/wire/filter';
import fc from 'fast-check';
import type { NewResource } from '../../src/inventory/resource-store.ts';

const KEYS = ['env', 'Team', 'a.b/c', 'name'];
const VALUES = ['prod', 'Prod', 'dev', '', '*', '50%', 'a_b', '[x]', '"q"', 'Straße', '日本', 'back\\slash', 'x?'];
const NAMES = ['web-1', 'web-10', 'Web-2', 'db', 'db.example.com', 'ä-host', '🖥', 'Ａ'];
const WORDS = [
  'web',
  'WEB-1',
  'prod',
  '1',
  'e',
  '*',
  '%',
  '_',
  '[',
  '?',
  '\\',
  '"',
  'straße',
  '日',
  'tunnel',
  'tunne',
  '10.0',
  'cloud',
];

const labels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 3 });
const address = fc.constantFrom('10.0.0.1:22', '10.0.0.2:22', 'db:2222');

const node = fc.oneof(
  fc.record({ type: fc.constant('openssh'), addr: address, hostname: fc.constantFrom(...NAMES) }),
  fc.record({ type: fc.constant('agent'), hostname: fc.constantFrom(...NAMES), os: fc.constantFrom('linux', 'prod') }),
  fc.record({ type: fc.constant('openssh'), addr: address, through: fc.constant('agent-1') }),
);
const db = fc.record({
  description: fc.constantFrom('', 'Main', 'prod one', 'two\nlines'),
  type: fc.constantFrom('gcp', 'rds', 'self-hosted'),
  protocol: fc.constantFrom('postgres', 'mysql'),
  nested: fc.record({
    deep: fc.oneof(fc.constantFrom('prod', 'x'), fc.constant(1), fc.constant(null), fc.constant(['prod'])),
  }),
});
const kinded = fc.oneof(
  fc.record({ kind: fc.constant<Kind>('node'), spec: node }),
  fc.record({ kind: fc.constant<Kind>('db'), spec: db }),
);

/** Ids are unique, names are not. */
export const inventory = (cluster: string) =>
  fc.array(fc.record({ of: kinded, name: fc.constantFrom(...NAMES), labels }), { maxLength: 14 }).map((given) =>
    given.map(
      ({ of: { kind, spec }, name, labels: held }, index): NewResource => ({
        cluster,
        kind,
        id: `id-${(index * 7) % 15}`,
        name,
        labels: held,
        spec,
        owner: '',
        expires: undefined,
      }),
    ),
  );

const operand: fc.Arbitrary<Operand> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.constantFrom(...VALUES, ...NAMES) }),
  fc.constant({ type: 'name' as const }),
  fc.record({ type: fc.constant('label' as const), key: fc.constantFrom(...KEYS, 'missing') }),
  fc.record({
    type: fc.constant('path' as const),
    path: fc.constantFrom(
      ['spec', 'hostname'],
      ['spec', 'os'],
      ['spec', 'nested', 'deep'],
      ['spec', 'nested'],
      ['spec', 'type', 'more'],
      ['spec', '__proto__'],
      ['metadata', 'name'],
      ['kind'],
      ['version'],
    ),
  }),
);

export const filter: fc.Arbitrary<Filter> = fc.letrec<{ tree: Filter }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ type: fc.constant('equals' as const), left: operand, right: operand }),
    fc.record({ type: fc.constant('exists' as const), of: operand }),
    fc.record({
      type: fc.constant('search' as const),
      words: fc.array(
        fc.constantFrom(...WORDS).map((word) => word.toLowerCase()),
        { maxLength: 2 },
      ),
    }),
    fc.record({ type: fc.constant('not' as const), of: tie('tree') }),
    fc.record({
      type: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).tree;

/** The filter as somebody would write it. */
export function writeFilter(tree: Filter): string {
  switch (tree.type) {
    case 'and':
    case 'or':
      return `(${tree.of.map(writeFilter).join(tree.type === 'and' ? ' && ' : ' || ')})`;
    case 'not':
      return `!(${writeFilter(tree.of)})`;
    case 'equals':
      return `${writeOperand(tree.left)} == ${writeOperand(tree.right)}`;
    case 'exists':
      return `exists(${writeOperand(tree.of)})`;
    case 'search':
      return `search(${(tree.words.length > 0 ? tree.words : ['']).map((word) => JSON.stringify(word)).join(', ')})`;
    default:
      return tree satisfies never;
  }
}

function writeOperand(operand: Operand): string {
  switch (operand.type) {
    case 'text':
      return JSON.stringify(operand.text);
    case 'name':
      return 'name';
    case 'label':
      return `labels[${JSON.stringify(operand.key)}]`;
    case 'path':
      return ['resource', ...operand.path].join('.');
    default:
      return operand satisfies never;
  }
}
