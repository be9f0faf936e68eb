import { expect, test } from 'vitest';
import { type KnownKind, kindOfSlug } from '../kinds.ts';
import type { RowList, ShownRow } from '../rows/row-store.ts';
import { NO_ROWS } from '../use-rows.ts';
import { RowOrder } from './row-order.ts';
import { byName, byOwner, ownKey, shownRows } from './shown-rows.ts';
import { nearest } from './use-row-source.ts';

const PODS = kindOfSlug('pods') as KnownKind;
const row = (name: string, more: Partial<ShownRow> = {}): ShownRow => ({
  ...{ uid: name, namespace: 'shop', name, created: '', labels: {}, owner: '', isEnding: false },
  cells: [name, '1/1', 'Running', '0'],
  kind: PODS,
  mark: undefined,
  ...more,
});
const list = (rows: ShownRow[]): RowList => ({
  ...NO_ROWS,
  rows: new Map(rows.map((each) => [each.uid, each])),
  columns: ['Name', 'Ready', 'Status', 'Restarts'].map((name) => ({
    ...{ name, type: 'string', format: '', priority: 0, description: '' },
  })),
});
const names = (rows: readonly ShownRow[]) => rows.map(({ name }) => name);
const all = { search: '', isTrouble: false, sort: undefined };

test('rows are sorted by name, or by what is printed, numbers as numbers', () => {
  const rows = list([
    row('b', { cells: ['b', '1/1', 'Running', '9 (2m ago)'] }),
    row('a', { cells: ['a', '1/1', 'Running', '10'] }),
    row('c', { cells: ['c', '1/1', 'Running', '0'] }),
  ]);
  expect(names(shownRows(rows, all))).toEqual(['a', 'b', 'c']);
  expect(names(shownRows(rows, { ...all, sort: { key: 'Restarts', direction: 'desc' } }))).toEqual(['a', 'b', 'c']);
  expect(names(shownRows(rows, { ...all, sort: { key: 'Restarts', direction: 'asc' } }))).toEqual(['c', 'b', 'a']);
});

test('rows are found by name, label, namespace and what is printed, all words of it', () => {
  const rows = list([
    row('api', { labels: { tier: 'front' } }),
    row('worker', { cells: ['worker', '0/1', 'CrashLoopBackOff', '8'] }),
  ]);
  expect(names(shownRows(rows, { ...all, search: 'TIER=front' }))).toEqual(['api']);
  expect(names(shownRows(rows, { ...all, search: 'crash shop' }))).toEqual(['worker']);
  expect(names(shownRows(rows, { ...all, search: 'crash front' }))).toEqual([]);
  expect(names(shownRows(rows, { ...all, isTrouble: true }))).toEqual(['worker']);
});

test('pods stand under what runs them, those of a deployment by the set in between', () => {
  const deployment = row('api', { kind: kindOfSlug('deployments.apps') as KnownKind });
  const ofSet = { owner: 'ReplicaSet/api-7c9d', labels: { 'pod-template-hash': '7c9d' } };
  const owned = byOwner([
    row('api-7c9d-b', ofSet),
    row('api-7c9d-a', ofSet),
    row('ledger-0', { owner: 'StatefulSet/ledger' }),
    row('alone'),
    row('elsewhere', { ...ofSet, namespace: 'bank' }),
  ]);
  expect(names(byName(owned.get(ownKey(deployment)) ?? []))).toEqual(['api-7c9d-a', 'api-7c9d-b']);
  expect([...owned.keys()]).toEqual(['shop Deployment/api', 'shop StatefulSet/ledger', 'bank Deployment/api']);
});

test('an order that is kept is the one that sorting anew gives, whatever comes, changes and goes', () => {
  const order = new RowOrder();
  const current = list([]);
  const rows = current.rows as Map<string, ShownRow>;
  const by = { ...all, sort: { key: 'Restarts', direction: 'desc' as const } };
  // The same numbers each time, so that what fails fails again.
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const name = `pod-${next(40)}`;
    if (next(3) === 0) rows.delete(name);
    else rows.set(name, row(name, { cells: [name, '1/1', 'Running', String(next(5))] }));
    const wanted = round % 50 < 40 ? by : all;
    expect(names(shownRows(current, wanted, order))).toEqual(names(shownRows(current, wanted)));
  }
});

test('rows that have not changed are the same array, so that nothing is drawn for them', () => {
  const order = new RowOrder();
  const current = list([row('b'), row('a')]);
  const first = shownRows(current, all, order);

  expect(shownRows({ ...current, version: 1 }, all, order)).toBe(first);
});

test('where a row stands now is found from where it stood', () => {
  const rows = ['a', 'b', 'c', 'd'].map((uid) => ({ uid }));

  for (const from of [0, 2, 4, 90]) expect(rows.map(({ uid }) => nearest(rows, uid, from))).toEqual([0, 1, 2, 3]);
  expect(nearest(rows, 'gone', 2)).toBeUndefined();
  expect(nearest([], 'a', 0)).toBeUndefined();
});
