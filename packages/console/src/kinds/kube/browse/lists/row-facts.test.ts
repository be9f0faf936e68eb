import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import { expect, test } from 'vitest';
import { type KnownKind, kindOfSlug } from '../kinds.ts';
import type { ShownRow } from '../rows/row-store.ts';
import { dotOf, isTrouble, readyOf, shortAge } from './row-facts.ts';

const columns: KubeColumn[] = ['Name', 'Ready', 'Status'].map((name) => ({
  ...{ name, type: 'string', format: '', priority: 0, description: '' },
}));
const pod = (ready: string, status: string, mark?: ShownRow['mark']): ShownRow => ({
  ...{ uid: 'u', namespace: 'shop', name: 'a', created: '', labels: {}, owner: '', isEnding: false },
  cells: ['a', ready, status],
  kind: kindOfSlug('pods') as KnownKind,
  mark,
});

test('how many are ready is read where it is said so', () => {
  expect(readyOf('5/6')).toEqual({ ready: 5, wanted: 6 });
  expect([readyOf('5'), readyOf(5), readyOf('5/6/7'), readyOf(undefined)]).toEqual(Array(4).fill(undefined));
});

test.each([
  ['Running', 'ok'],
  ['Completed', 'off'],
  ['ContainerCreating', 'busy'],
  ['Init:0/2', 'busy'],
  ['Init:CrashLoopBackOff', 'bad'],
  ['CrashLoopBackOff', 'bad'],
  ['Ready,SchedulingDisabled', 'warn'],
  ['Something new', 'bad'],
] as const)('%s is %s', (status, dot) => expect(dotOf(status)).toBe(dot));

test('trouble is what failed or is not ready, and neither what has ended well nor what is gone', () => {
  expect(isTrouble(columns, pod('1/1', 'Running'))).toBe(false);
  expect(isTrouble(columns, pod('0/1', 'Running'))).toBe(true);
  expect(isTrouble(columns, pod('0/1', 'Completed'))).toBe(false);
  expect(isTrouble(columns, pod('0/1', 'CrashLoopBackOff'))).toBe(true);
  expect(isTrouble(columns, pod('0/1', 'CrashLoopBackOff', 'gone'))).toBe(false);
});

test('ages are as short as kubectl writes them', () => {
  const now = Date.parse('2026-11-17T12:00:00Z');
  const ago = (seconds: number) => shortAge(new Date(now - seconds * 1_000).toISOString(), now);
  expect([ago(4), ago(90), ago(150), ago(5_000), ago(8_000), ago(100_000), ago(200_000)]).toEqual([
    ...['4s', '90s', '2m', '83m', '2h', '27h', '2d'],
  ]);
  expect(shortAge('nonsense', now)).toBe('');
});
