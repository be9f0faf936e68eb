/** Who may have sessions, for how long, with whom, and how each ends: with shells in memory behind a real tunnel. */

import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { codeOf, enrolApp, enrolKey, type IdentityGateway, PROMPT } from '../../testing/identity-gateway.ts';
import type { FakeShells } from '../../testing/sessions/fake-shells.ts';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../testing/sessions/terminal-client.ts';
import { createSoftwareKey, type SoftwareKey } from '../../testing/software-key.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let fakes: FakeShells;
let world: ShellWorld;

let makeRole: ShellWorld['makeRole'];

beforeEach(async () => {
  world = await startShellWorld();
  ({ gateway, admin, ann, fakes, makeRole } = world);
});
afterEach(() => world.close());

function open(as = ann, request: Parameters<typeof connectTerminal>[1] = opening('edge', 'ubuntu')): TerminalClient {
  const client = connectTerminal(tabOf(gateway.app, as), request);
  onTestFinished(() => client.cut());
  return client;
}
const attaching = (sid: string, more: object = {}) =>
  ({ type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb', ...more }) as const;
const eventsOf = async (...codes: string[]) => (await gateway.events()).filter(({ code }) => codes.includes(code));

test('a session is audited from its start to its end, with cause', async () => {
  const client = open();
  const { sid } = await client.state;
  client.type('hello');
  await client.until(/hello/);
  client.type('exit');

  expect(await client.told('ended')).toMatchObject({ cause: 'exited', exitCode: 0 });
  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1));
  expect(await eventsOf('T2000I', 'T2004I')).toMatchObject([
    {
      code: 'T2000I',
      user: 'ann',
      data: { sid, login: 'ubuntu', server_hostname: 'edge', 'addr.remote': '127.0.0.1' },
    },
    { code: 'T2004I', user: 'ann', data: { sid, participants: ['ann'], reason: 'the shell ended' } },
  ]);
});

test('a terminal opened elsewhere ends when a role ties its sign-in to the address it was made at', async () => {
  const tab = tabOf(gateway.app, ann);
  const far = connectTerminal({ ...tab, localAddress: '127.0.0.2' }, opening('edge', 'ubuntu'));
  const near = open();
  onTestFinished(() => far.cut());
  await Promise.all([far.state, near.state]);
  await makeRole('pins', '{options: {pin_source_ip: true}}');

  await call(admin.send, userRecordRoutes.update, { body: { name: 'ann', roles: ['dev', 'pins'] } });

  expect(await far.told('ended')).toMatchObject({ cause: 'denied', message: expect.stringContaining('tied to') });
  near.type('still here');
  await near.until(/still here/);
});

test('asking twice with the same request opens one session', async () => {
  const request = opening('edge', 'ubuntu');
  const [first, second] = [open(ann, request), open(ann, request)];
  const [one, two] = [await first.state, await second.state];
  const third = await open(ann, request).state;

  expect([two.sid, third.sid]).toEqual([one.sid, one.sid]);
  expect(fakes.shells.size).toBe(1);
});

test('a changed role ends the session, and one that still allows it does not', async () => {
  const client = open();
  await client.state;
  await makeRole('other', '{allow: {logins: [nobody], node_labels: {env: dev}}}');
  client.type('still here');
  await client.until(/still here/);
  await gateway.setRoles('ann', ['other']);

  expect(await client.told('ended')).toMatchObject({ cause: 'denied' });
  await vi.waitFor(() => expect(fakes.last().ends).toHaveLength(1));
});

test('a lock on the user ends it and says so', async () => {
  const client = open();
  await client.state;
  await call(admin.send, lockRoutes.create, {
    params,
    body: { targets: { user: 'ann' }, message: 'left the company' },
  });

  const ended = await client.told('ended').catch(() => undefined);
  await vi.waitFor(() => expect(fakes.last().ends).toHaveLength(1), { timeout: 2_000 });
  expect(ended === undefined || ended.cause === 'locked').toBe(true);
  await vi.waitFor(async () =>
    expect(await eventsOf('T2004I')).toMatchObject([{ data: { reason: expect.stringContaining('locked') } }]),
  );
});

test.each(['id', 'name'] as const)(
  'a lock on the agent by its %s ends what it holds, and nothing new begins',
  async (by) => {
    const client = open();
    const { server } = await client.state;
    const agent = { id: server.id, name: server.name }[by];
    await call(admin.send, lockRoutes.create, { params, body: { targets: { agent }, message: 'stolen' } });

    // The reason of a lock is for administrators.
    expect(await client.told('ended')).toMatchObject({
      cause: 'locked',
      message: expect.not.stringContaining('stolen'),
    });
    expect(await open().told('refused')).toMatchObject({ code: 'denied', message: expect.stringContaining('locked') });
  },
);

test('signing out ends what was opened under that sign-in', async () => {
  const client = open();
  await client.state;
  await call(ann.send, signInRoutes.signOut, {});

  await vi.waitFor(() => expect(fakes.last().ends).toEqual(['you signed out']), { timeout: 2_000 });
});

test('limits of roles are counted, told and audited', async () => {
  await makeRole('few', '{options: {max_connections: 1}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'few'] });
  const bob = await gateway.signedIn('bob');
  const first = open(bob);
  await first.state;

  expect(await open(bob).told('refused')).toMatchObject({
    code: 'too_many',
    message: 'you have too many sessions open: at most 1',
  });
  expect(await eventsOf('T1006W')).toMatchObject([{ user: 'bob', data: { max: 1, server_hostname: 'edge' } }]);
  first.send({ type: 'end' });
  await first.told('ended');
  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1));
  await open(bob).state;
});

test('sessions with one server are counted where a role limits them', async () => {
  await makeRole('once', '{options: {max_sessions: 1}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'once'] });
  const bob = await gateway.signedIn('bob');
  await open(bob).state;

  expect(await open(bob).told('refused')).toMatchObject({
    code: 'too_many',
    message: "you have too many sessions open with 'edge': at most 1",
  });
});

test('a role that says so lets a session end with the sign-in it was opened under', async () => {
  await makeRole('bound', '{options: {disconnect_expired_cert: true}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'bound'] });
  const client = open(await gateway.signedIn('bob'));
  await client.state;

  gateway.clock.advance(12 * 3_600_000 + 1);

  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toMatchObject([{ user: 'bob' }]), { timeout: 5_000 });
});

test('length and silence end sessions, and a minute before their people are told', async () => {
  await makeRole('short', '{options: {max_session_ttl: 1h, client_idle_timeout: 10m}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'short'] });
  const bob = await gateway.signedIn('bob');
  const [idle, long] = [open(bob), open(bob)];
  await Promise.all([idle.state, long.state]);
  for (let minutes = 0; minutes < 55; minutes += 5) {
    gateway.clock.advance(300_000);
    long.type('.');
    // Each of them: until it is taken, that one rests as well.
    const offset = minutes / 5 + 1;
    await vi.waitFor(() => expect(long.replies.findLast(({ type }) => type === 'taken')).toMatchObject({ offset }));
    if (minutes === 5) expect(await idle.told('ended')).toMatchObject({ cause: 'idle' });
  }
  gateway.clock.advance(4 * 60_000 + 30_000);
  long.type('.');
  expect(await long.told('notice')).toMatchObject({ kind: 'ends_soon' });
  gateway.clock.advance(60_000);

  expect(await long.told('ended')).toMatchObject({ cause: 'max_length' });
});

test('a second factor is asked for in-band where a role wants it', async () => {
  await makeRole('careful', '{options: {require_session_mfa: true}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'careful'] });
  const bob = await gateway.signedIn('bob');
  expect(await open(bob).told('refused')).toMatchObject({ code: 'mfa_required' });
  const secret = await enrolApp(gateway, bob);

  const wrong = open(bob);
  expect(await wrong.told('factor')).toMatchObject({ challenge: { totp_challenge: true } });
  wrong.send({ type: 'factor', code: '000000' });
  expect(await wrong.told('refused')).toMatchObject({ code: 'bad_request' });
  const right = open(bob);
  await right.told('factor');
  right.send({ type: 'factor', code: codeOf(secret, gateway.clock.now) });
  await right.state;

  expect(await eventsOf('T2000I')).toMatchObject([{ user: 'bob', data: { with_mfa: 'proven' } }]);
});

test('a security key is a second factor in-band too; an answer by another key is refused', async () => {
  await makeRole('careful', '{options: {require_session_mfa: true}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'careful'] });
  const bob = await gateway.signedIn('bob');
  const key = await enrolKey(bob, await call(bob.send, passwordRoutes.createPrivilegeToken, { body: {} }));
  const answer = async (by: SoftwareKey) => {
    const client = open(bob);
    const { challenge } = await client.told('factor');
    if (!challenge.webauthn_challenge) throw new Error('no key was asked for');
    client.send({ type: 'factor', key: by.assert(challenge.webauthn_challenge, PROMPT) });
    return client;
  };

  await (await answer(key)).state;
  expect(await (await answer(createSoftwareKey())).told('refused')).toMatchObject({ code: expect.any(String) });
  expect(fakes.shells.size).toBe(1);
});

test('who may not join neither sees nor finds it; an observer sees all and types nothing', async () => {
  await makeRole(
    'watcher',
    '{allow: {rules: [{resources: [ssh_session], verbs: [list, read]}], join_sessions: [{name: w, kinds: [ssh], roles: [dev], modes: [observer]}]}}',
  );
  await gateway.addUser('eve', { roles: ['dev'] });
  await gateway.addUser('bob', { roles: ['watcher'] });
  const [eve, bob] = [await gateway.signedIn('eve'), await gateway.signedIn('bob')];
  const client = open();
  const { sid } = await client.state;
  client.type('secret');
  await client.until(/secret/);

  expect(await open(eve, attaching(sid)).told('refused')).toMatchObject({ code: 'not_found' });
  expect(await open(bob, attaching(sid, { mode: 'peer' })).told('refused')).toMatchObject({ code: 'denied' });
  const watching = open(bob, attaching(sid));
  expect(await watching.state).toMatchObject({ mode: 'observer', user: 'ann' });
  await watching.until(/secret/);
  watching.type('from bob');
  watching.send({ type: 'end' });
  expect(await watching.closed).toBe(1000);
  client.type(' from ann');
  await client.until(/secret from ann/);
  expect(client.text()).not.toContain('from bob');
  await vi.waitFor(async () =>
    expect((await eventsOf('T2001I', 'T2003I')).map(({ user }) => user)).toEqual(['bob', 'bob']),
  );
  expect((await call(eve.send, sessionRoutes.list, { params })).sessions).toEqual([]);
  expect((await call(bob.send, sessionRoutes.list, { params })).sessions).toMatchObject([
    { id: sid, participantModes: ['observer'] },
  ]);
});

test('who only watches changes no size, and no change of others is told as theirs', async () => {
  await makeRole('watcher', '{allow: {join_sessions: [{name: w, kinds: [ssh], roles: [dev], modes: [observer]}]}}');
  await gateway.addUser('bob', { roles: ['watcher'] });
  const wide = open(ann, { ...opening('edge', 'ubuntu'), cols: 120, rows: 40 });
  const { sid } = await wide.state;
  const narrow = open(ann, attaching(sid, { mode: 'peer' }));
  await narrow.state;
  await vi.waitFor(() => expect(fakes.last().size).toEqual({ cols: 80, rows: 24 }));
  wide.send({ type: 'resize', cols: 130, rows: 45 });
  wide.send({ type: 'ping', id: 1 });
  await wide.told('pong');
  const watching = open(await gateway.signedIn('bob'), attaching(sid));
  await watching.state;
  watching.send({ type: 'resize', cols: 20, rows: 5 });
  watching.send({ type: 'ping', id: 1 });
  await watching.told('pong');
  narrow.cut();
  await vi.waitFor(() => expect(fakes.last().size).toEqual({ cols: 130, rows: 45 }));
  wide.send({ type: 'end' });
  await wide.told('ended');

  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1));
  const resizes = await eventsOf('T2002I');
  expect(resizes.length).toBeGreaterThan(0);
  expect(resizes.filter(({ user }) => user !== 'ann')).toEqual([]);
});

/** The gateway has noticed: from now on it waits for them to come back. */
async function everybodyIsGone(): Promise<void> {
  await vi.waitFor(async () => {
    const { sessions } = await call(admin.send, sessionRoutes.list, { params });
    expect(sessions.flatMap(({ parties }) => parties)).toEqual([]);
  });
}

test('a closed page leaves the session for half a minute, a lost network for five', async () => {
  const [left, lost] = [open(), open()];
  await Promise.all([left.state, lost.state]);
  left.socket.close(1001);
  lost.cut();
  await Promise.all([left.closed, lost.closed]);
  await everybodyIsGone();
  gateway.clock.advance(31_000);
  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1), { timeout: 3_000 });
  gateway.clock.advance(270_000);

  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(2), { timeout: 3_000 });
});

test('a role says how long a lost network is waited for', async () => {
  await makeRole('brief', '{options: {disconnect_grace: 20s}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'brief'] });
  const lost = open(await gateway.signedIn('bob'));
  await lost.state;
  lost.cut();
  await lost.closed;
  await everybodyIsGone();
  gateway.clock.advance(21_000);

  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1), { timeout: 3_000 });
  expect(await eventsOf('T2004I')).toMatchObject([{ data: { reason: 'nobody came back to it' } }]);
});

test('a wire to the agent that breaks is told, and nothing is lost', async () => {
  const client = open();
  await client.state;
  client.type('before ');
  await client.until(/before /);
  fakes.last().cut();
  fakes.last().print('meanwhile ');
  client.type('after');
  await client.until(/before meanwhile after/);

  expect(client.replies.filter(({ type }) => type === 'notice')).toMatchObject([
    { kind: 'agent_lost' },
    { kind: 'agent_back' },
  ]);
});

test('what a shell said last, and its end, are there for who was away', async () => {
  const client = open();
  const { sid } = await client.state;
  client.cut();
  await client.closed;
  fakes.last().print('last words');
  fakes.last().exit(7);
  await vi.waitFor(async () => expect(await eventsOf('T2004I')).toHaveLength(1));
  const back = open(ann, attaching(sid, { from: 0 }));

  expect(await back.told('ended')).toMatchObject({ cause: 'exited', exitCode: 7 });
  expect(back.text()).toBe('last words');
});

test('several who type share the smaller size', async () => {
  const first = open();
  const { sid } = await first.state;
  const second = open(ann, attaching(sid, { cols: 60, rows: 40 }));
  await second.state;

  await vi.waitFor(() => expect(fakes.last().size).toEqual({ cols: 60, rows: 24 }));
  second.socket.close();
  await vi.waitFor(() => expect(fakes.last().size).toEqual({ cols: 80, rows: 24 }));
});

test('a hole in the input, or what is no message, closes the socket and not the session', async () => {
  const client = open();
  const { sid } = await client.state;
  const frame = Buffer.alloc(12);
  frame[0] = 0x11;
  frame.writeBigUInt64BE(5n, 1);
  client.socket.send(frame);
  expect(await client.closed).toBe(1008);
  const next = open(ann, attaching(sid));
  await next.state;
  next.socket.send('{');

  expect(await next.closed).toBe(1008);
  await open(ann, attaching(sid)).state;
});
