/** Holds the pages for people to the rows of the kinds: what a row adds to roles and commands stands in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { expect, test } from 'vitest';
import { ROOT } from './sources.ts';

const page = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');

test('docs/access.md names the labels of every kind, and the fields of roles that give names', () => {
  const text = page('access.md');
  const fields = rows.flatMap(({ labels, principals }) => [labels, ...principals.map(({ field }) => field)]);

  expect(fields.filter((field) => !text.includes(`\`${field}\``))).toEqual([]);
});

test('docs/command-line.md tells how each kind that agents offer is listed and named in tokens', () => {
  const text = page('command-line.md');
  const told = rows.flatMap(({ kind, path, command = path, offered, shared }) => [
    ...(offered === undefined ? [] : [`gatehouse ${command} ls`, `--${path}`]),
    ...(offered === 'named' ? [`gatehouse tokens add --${kind} `] : []),
    ...(offered === 'named' && shared ? [`gatehouse ${command} names`, `gatehouse ${command} free`] : []),
  ]);

  expect(told.filter((words) => !text.includes(words))).toEqual([]);
});
