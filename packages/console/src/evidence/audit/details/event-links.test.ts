import { tellEvent } from '@gatehouse/contract/audit/tell-event';
import { expect, test } from 'vitest';
import type { ConsoleKinds } from '../../../shared/kinds/console-kind.ts';
import { linksOf } from './event-links.ts';

const SID = '6f0a2a39-6d5c-4a7e-8d8e-1a2b3c4d5e6f';
const reader = (isOwn: boolean) => ({
  ...{
    clusterId: isOwn ? 'home' : 'east',
    isOwn,
    table: { node: { foundBy: 'open' } } as ConsoleKinds,
    mayOpen: () => true,
  },
});
const links = (raw: Record<string, unknown>, isOwn = true) => linksOf(tellEvent(raw), raw, reader(isOwn));

const LOCKED = { event: 'lock.created', code: 'TLK00I', user: 'admin', name: 'ann', 'target.user': 'ann' };
const OPENED = {
  event: 'leaf_cluster.session',
  code: 'GH221I',
  user: 'ann',
  name: 'east',
  session_kind: 'node',
  sid: SID,
};

test('people of events here lead to their page; those of a leaf are others, who may be called the same', () => {
  expect(links(LOCKED).user).toBe('/web/users?open=admin');
  expect(links(LOCKED, false)).toEqual({});
});

test('somebody of another cluster has no page', () => {
  expect(links({ ...LOCKED, user: 'headquarters/ann' }).user).toBeUndefined();
});

test("a session at a leaf is looked for there: here its id is nobody's, or somebody else's", () => {
  expect(links(OPENED).session).toBe(`/web/cluster/east/sessions?search=${SID}`);
  expect(links({ ...OPENED, name: undefined }).session).toBeUndefined();
});

test('sessions of a leaf lead to the leaf', () => {
  const raw = { event: 'session.end', code: 'T2004I', user: 'ann', sid: SID };
  expect(links(raw, false)).toEqual({
    session: `/web/cluster/east/sessions?search=${SID}`,
    recording: `/web/cluster/east/session/${SID}`,
  });
});
