import type { KubeRow } from '@gatehouse/contract/kinds/kube/browse';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Browse, Follower } from '../browse.ts';
import { PODS } from '../kinds.ts';
import type { Answer } from '../line/browse-line.ts';
import { followRows, MARK_MS } from './row-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const row = (name: string, cell = 'Running'): KubeRow => ({
  ...{ uid: `uid-${name}`, namespace: 'shop', name, created: '', labels: {}, owner: '', isEnding: false },
  cells: [name, cell, '5m'],
});

function open() {
  const followers: Follower[] = [];
  const stopped = vi.fn();
  const follow = (follower: Follower) => {
    followers.push(follower);
    follower.onBegin();
    return stopped;
  };
  const store = followRows({ follow } as unknown as Browse, [{ kind: PODS, namespace: 'shop' }], () => Date.now());
  const hear = (answer: Answer) => {
    followers[0]?.hear(answer);
    vi.advanceTimersByTime(200);
  };
  const rows = (some: KubeRow[], gone: string[] = []) => hear({ type: 'rows', id: 1, seq: 0, rows: some, gone });
  const listed = () => hear({ type: 'listed', id: 1, isCut: false, isLive: true });
  const shown = () => [...store.list.get().rows.values()].map(({ name, mark }) => (mark ? `${name} ${mark}` : name));
  return { store, followers, stopped, hear, rows, listed, shown };
}

test('what is listed first is not new; what comes, changes and goes after it is marked for a while', () => {
  const { store, rows, listed, shown } = open();
  rows([row('a'), row('b')]);
  listed();
  expect(shown()).toEqual(['a', 'b']);
  rows([row('a', 'CrashLoopBackOff'), row('c')], ['uid-b']);
  expect(shown()).toEqual(['a changed', 'b gone', 'c new']);
  expect(store.list.get().changes).toBe(3);
  vi.advanceTimersByTime(MARK_MS + 500);
  expect(shown()).toEqual(['a', 'c']);
});

test('a row that is told once more as it was has not changed, also when its age has', () => {
  const { rows, listed, shown } = open();
  rows([row('a')]);
  listed();
  rows([{ ...row('a'), cells: ['a', 'Running', '6m'] }]);
  expect(shown()).toEqual(['a']);
});

test('a list that is read anew keeps its rows until it is known which are gone', () => {
  const { hear, rows, listed, shown } = open();
  rows([row('a'), row('b')]);
  listed();
  hear({ type: 'anew', id: 1 });
  expect(shown()).toEqual(['a', 'b']);
  rows([row('a')]);
  listed();
  expect(shown()).toEqual(['a', 'b gone']);
});

test('on another line the rows stay too', () => {
  const { followers, rows, listed, shown } = open();
  rows([row('a'), row('b')]);
  listed();
  followers[0]?.onBegin();
  rows([row('b')]);
  listed();
  expect(shown()).toEqual(['a gone', 'b']);
});

test('what may not be seen any more is not left standing, and what failed otherwise is', () => {
  const { store, hear, rows, listed, shown } = open();
  rows([row('a')]);
  listed();
  hear({ type: 'failed', id: 1, status: 503, reason: 'ServiceUnavailable', message: 'away' });
  expect(shown()).toEqual(['a']);
  hear({ type: 'failed', id: 1, status: 403, reason: 'Forbidden', message: 'no' });
  expect(shown()).toEqual([]);
  expect(store.list.get().failures).toMatchObject([{ namespace: 'shop', failure: { message: 'no' } }]);
});

test('it lets go of what it follows', () => {
  const { store, stopped } = open();
  store.stop();
  expect(stopped).toHaveBeenCalledOnce();
});
