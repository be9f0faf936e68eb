/** Who sees which recordings, alike on both engines. */

import { randomUUID } from 'node:crypto';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visibleSessions } from '../../../src/evidence/recordings/playback/visible-sessions.ts';
import { mayRecording } from '../../../src/evidence/recordings/recording-rights.ts';
import { toSession } from '../../../src/sessions/host/session-store.ts';
import type { TestBrowser } from '../../test-browser.ts';
import type { Happening } from './build-recording.ts';
import { CLUSTER, type RecordingWorld } from './recording-world.ts';

/** Indexing gives way to everything else on the machine. */
const SLOW_MS = 60_000;

export function rightsSuite(start: () => Promise<RecordingWorld>): void {
  let world: RecordingWorld;
  let anns: string;
  let bobs: string;
  let shared: string;

  const said = (text: string): Happening[] => [
    { ms: 0, type: 'size', cols: 80, rows: 24 },
    { ms: 100, type: 'output', text: `${text}\r\n$ ` },
    { ms: 5_000, type: 'end', cause: 'exited', message: 'it exited' },
  ];

  beforeAll(async () => {
    world = await start();
    const { gateway, makeRole } = world;
    await makeRole(
      'mine',
      '{allow: {rules: [{resources: [session], verbs: [list, read], where: "contains(session.participants, user.metadata.name)"}]}}',
    );
    await makeRole('lister', '{allow: {rules: [{resources: [session], verbs: [list]}]}}');
    await makeRole('none', '{allow: {node_labels: {"*": "*"}, logins: [ubuntu]}}');
    await gateway.addUser('ann', { roles: ['mine'] });
    await gateway.addUser('bob', { roles: ['mine'] });
    await gateway.addUser('lea', { roles: ['lister'] });
    await gateway.addUser('nils', { roles: ['none'] });
    await gateway.addUser('eve', { roles: ['auditor'] });
    anns = await world.record({ user: 'ann', happenings: said('purple elephants'), agoMs: 3_000_000 });
    bobs = await world.record({ user: 'bob', happenings: said('purple giraffes'), agoMs: 2_000_000 });
    shared = await world.record({
      user: 'bob',
      participants: ['bob', 'ann'],
      happenings: said('purple zebras'),
      agoMs: 1_000_000,
    });
    const eve = await gateway.signedIn('eve');
    for (const sid of [anns, bobs, shared]) await world.indexed(eve, sid);
  }, SLOW_MS);
  afterAll(() => world.close());

  const listed = async (browser: TestBrowser) =>
    (await call(browser.send, recordingRoutes.list, { params: CLUSTER, query: {} as never })).recordings.map(
      ({ sid }) => sid,
    );
  const found = async (browser: TestBrowser, text = 'purple') =>
    await call(browser.send, recordingRoutes.search, { params: CLUSTER, query: { text } as never });

  test('each sees what the roles let them see: in lists, in searches, and in counts', async () => {
    const { gateway } = world;
    const [ann, bob, lea, nils, eve] = await Promise.all(['ann', 'bob', 'lea', 'nils', 'eve'].map(gateway.signedIn));

    expect(await listed(ann!)).toEqual([shared, anns]);
    expect(await listed(bob!)).toEqual([shared, bobs]);
    expect(await listed(eve!)).toEqual([shared, bobs, anns]);
    expect(await listed(nils!)).toEqual([]);
    expect((await found(ann!)).found.map(({ sid }) => sid)).toEqual([shared, anns]);
    expect((await found(ann!, 'giraffes')).found).toEqual([]);
    expect((await found(bob!, 'giraffes')).found.map(({ sid }) => sid)).toEqual([bobs]);
    expect(await found(nils!)).toEqual({ found: [], startKey: '', waiting: 0 });
    // Listing is not reading: no hit, and no button that could not play.
    expect(await listed(lea!)).toEqual([shared, bobs, anns]);
    expect((await found(lea!)).found).toEqual([]);
    const { recordings } = await call(lea!.send, recordingRoutes.list, { params: CLUSTER, query: {} as never });
    expect(recordings.map(({ playable }) => playable)).toEqual([false, false, false]);
  });

  test('what is not theirs is not there, by any spelling of its id, in the same words as what never was', async () => {
    const ann = await world.gateway.signedIn('ann');
    const base = `/v1/webapi/sites/localhost/recordings/`;
    const absent = 'abcdefab-abcd-4bcd-8bcd-abcdefabcdef';
    const spellings = (sid: string) => [
      sid,
      sid.toUpperCase(),
      `${sid}.json`,
      `${sid}.rec`,
      `${sid}%20`,
      `${sid}%2f`,
      `${sid};a=b`,
      `${sid}%00`,
      `..%2f${sid}`,
      `%2e%2e%2frecordings%2f${sid}`,
    ];
    const calls = ['', '/screen', '/playback?seek=0', '/find?text=purple', '/verify', '/asciicast', '/statements'];
    const others = ['events', 'stream'].map(
      (name) => (sid: string) => `/v1/webapi/sites/localhost/sessions/${sid}/${name}`,
    );

    for (const [index, sid] of spellings(bobs).entries()) {
      const never = spellings(absent)[index] ?? absent;
      for (const path of calls) {
        const answer = await ann.send({ method: 'GET', url: `${base}${sid}${path}` });
        const nothing = await ann.send({ method: 'GET', url: `${base}${never}${path}` });
        expect(answer.status, `${sid}${path}`).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBe(nothing.status);
        expect(words(answer.text, bobs)).toBe(words(nothing.text, absent));
        expect(answer.text).not.toContain('giraffes');
      }
      for (const other of others) {
        const answer = await ann.send({ method: 'GET', url: other(sid) });
        const nothing = await ann.send({ method: 'GET', url: other(never) });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(words(answer.text, bobs)).toBe(words(nothing.text, absent));
      }
    }
    const suffixed = await ann.send({ method: 'GET', url: `${base}${anns}.json` });
    expect(suffixed.status).toBe(404);
  });

  test('nobody gets anything without signing in', async () => {
    for (const path of [`/${anns}`, '', `/${anns}/playback?seek=0`, '/search?text=purple', `/${anns}/screen`]) {
      const answer = await world.gateway.send({ method: 'GET', url: `/v1/webapi/sites/localhost/recordings${path}` });
      expect(answer.status, path).toBe(403);
    }
  });

  test('an opening is audited once, however many pieces are asked for, and a list is none', async () => {
    const { gateway } = world;
    const bob = await gateway.signedIn('bob');
    const before = (await gateway.events()).filter(({ code }) => code === 'T2012I').length;
    await listed(bob);
    for (let round = 0; round < 3; round += 1)
      await call(bob.send, recordingRoutes.playback, {
        params: { ...CLUSTER, sid: bobs },
        query: { seek: '50' } as never,
      });
    await call(bob.send, recordingRoutes.find, {
      params: { ...CLUSTER, sid: bobs },
      query: { text: 'giraffes' } as never,
    });

    const told = (await gateway.events()).filter(({ code }) => code === 'T2012I').slice(before);
    expect(told.map(({ user, data }) => [user, data.sid])).toEqual([['bob', bobs]]);
  });

  test('the condition in SQL says of every session what the decision says, whatever the rule asks', async () => {
    const { gateway, makeRole } = world;
    const { db } = gateway.storage;
    await world.record({
      user: 'cy',
      participants: ['cy', 'ann', 'bob'],
      login: 'root',
      labels: { env: 'prod', team: 'red' },
    });
    await world.record({ user: 'ann', participants: ['ann'], login: 'ann', labels: { env: 'dev' } });
    await world.record({ user: 'o\'brien "x"', participants: ['o\'brien "x"'], labels: { 'a.b"c': 'x' } });
    // Who somebody became there stands under another name for each kind.
    const like = await db.selectFrom('session').selectAll().where('user', '=', 'cy').executeTakeFirstOrThrow();
    const { type, resource } = toSession(like).action;
    for (const { kind, ...names } of [
      { kind: 'desktop', login: 'root' },
      { kind: 'kube', user: 'root', groups: ['admins'] },
      { kind: 'kube', groups: ['root'] },
      { kind: 'db', dbUser: 'root', dbName: 'shop' },
      { kind: 'app' },
    ]) {
      const action = JSON.stringify({ type, kind, resource, ...names });
      await db
        .insertInto('session')
        .values({ ...like, id: randomUUID(), request: randomUUID(), kind, action })
        .execute();
    }
    const wheres = [
      'contains(session.participants, user.metadata.name)',
      '!contains(session.participants, user.metadata.name)',
      'session.user == user.metadata.name',
      'session.user != "ann"',
      'session.login == "root"',
      '!(session.login == "root")',
      'session.login == session.user',
      'contains(session.participants, session.user)',
      'equals(session.participants, user.metadata.name)',
      'session.server_labels["env"] == "prod"',
      'session.server_labels["env"] != "prod"',
      'exists(session.server_labels["team"])',
      '!exists(session.server_labels["team"])',
      'has_prefix(session.user, "a")',
      'has_prefix(session.participants, "a")',
      'session.kind == "ssh"',
      'session.kind == "k8s" || session.user == "bob"',
      'contains(user.spec.roles, "mine") && session.user == "bob"',
      'resource.kind == "session"',
      'resource.metadata.name == "x"',
      'contains(session.participants, "o\'brien \\"x\\"")',
    ];
    const rows = await db.selectFrom('session').selectAll().orderBy('id').execute();
    for (const [index, where] of wheres.entries()) {
      for (const side of ['allow', 'deny'] as const) {
        const rule = { resources: ['session'], verbs: ['list', 'read'], where };
        const all = { resources: ['session'], verbs: ['list', 'read'] };
        const spec =
          side === 'allow' ? { allow: { rules: [rule] } } : { allow: { rules: [all] }, deny: { rules: [rule] } };
        const name = `w${index}-${side}`;
        await makeRole(name, JSON.stringify(spec));
        await gateway.access.refreshRole(name);
        const subject = { username: 'ann', roles: [name, 'mine'].slice(0, index === 17 ? 2 : 1), traits: {} };
        const acl = gateway.access.aclOf(subject);
        const actor = { ...subject, signInId: 's', signInKind: 'browser', authType: 'local', acl } as never;
        const seen = await db
          .selectFrom('session')
          .select('id')
          .where(visibleSessions(db, gateway.access, actor, 'read'))
          .orderBy('id')
          .execute();
        const decided = rows.map(toSession).filter((session) => mayRecording(gateway.access, actor, session, 'read'));
        expect(
          seen.map(({ id }) => id),
          `${side} ${where}`,
        ).toEqual(decided.map(({ id }) => id));
      }
    }
  });
}

/** The words of an error, without the ids that are in them. */
function words(text: string, sid: string): string {
  return text.replaceAll(new RegExp(sid, 'gi'), 'ID').replaceAll(/"requestId":\s*"[^"]*"/g, '');
}
