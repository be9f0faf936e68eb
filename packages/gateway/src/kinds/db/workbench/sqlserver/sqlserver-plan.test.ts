import { expect, test } from 'vitest';
import { planOf } from './sqlserver-plan.ts';

const step = (node: number, parent: number, physical: string, logical: string, argument = '', type = 'PLAN_ROW') =>
  ['|--', 1, node, parent, physical, logical, argument, '', 2.5, 0, 0, 11, 0.0033, '', '', type, 0, 1].join('\t');

test('steps stand inside each other as their numbers say', () => {
  const text = [
    ['select *\nfrom\torders', 1, 1, 0, '', '', '1', '', '2', '', '', '', '1', '', '', 'SELECT', 0, ''].join('\t'),
    step(2, 1, 'Nested Loops', 'Inner Join'),
    step(3, 2, 'Index Seek', 'Index Seek', 'OBJECT:([shop].[dbo].[orders].[i]), SEEK:([a]=(1)),  WHERE:([b]=(2))'),
    step(4, 2, 'Clustered Index Scan', 'Clustered Index Scan', 'OBJECT:([shop].[dbo].[lines].[pk])'),
  ].join('\n');

  expect(JSON.parse(planOf(text) ?? '')).toEqual([
    {
      Plan: {
        ...{ 'Node Type': 'Nested Loops (Inner Join)', 'Total Cost': 0.0033, 'Plan Rows': 2.5 },
        Plans: [
          {
            ...{ 'Node Type': 'Index Seek', 'Relation Name': '[shop].[dbo].[orders].[i]', Filter: '[b]=(2)' },
            ...{ 'Total Cost': 0.0033, 'Plan Rows': 2.5 },
          },
          expect.objectContaining({ 'Node Type': 'Clustered Index Scan' }),
        ],
      },
    },
  ]);
});

test.each([
  ['nothing', ''],
  ['a result of something else', 'a\tb\nc\td'],
  ['a step inside itself', step(2, 2, 'a', 'a')],
  ['a step before the one that it is part of', step(2, 3, 'a', 'a')],
  ['steps that are too deep', Array.from({ length: 100 }, (_, at) => step(at + 1, at, 'a', 'a')).join('\n')],
])('%s is no plan', (_what, text) => expect(planOf(text)).toBe(undefined));
