/** Where a role asks for a second factor at each connection, who comes into the session of another proves one as well, by whichever door: a sign-in that was stolen steers nobody's shell. */
import type { AddressInfo } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { type AuthenticateChallenge, authenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import { DB_EDITOR_SOCKET } from '@gatehouse/contract/kinds/db/editor';
import { DESKTOP_SOCKET } from '@gatehouse/contract/sessions/desktop-frames';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { type ParticipantMode, TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { makeRole } from '../../testing/apps/app-world.ts';
import { DesktopPage, desktopOpening } from '../../testing/desktop/desktop-page.ts';
import { enrolKey, PASSWORD, PROMPT } from '../../testing/identity-gateway.ts';
import {
  DOORS,
  type LifecycleWorld,
  type Opened,
  startLifecycleWorld,
} from '../../testing/sessions/lifecycle-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import { createSoftwareKey, type SoftwareKey } from '../../testing/software-key.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { decodeEnvelope, encodeEnvelope } from '../doors/terminal/compat/envelope.ts';

const CLUSTER = { clusterId: 'localhost' };
const ALLOW =
  'logins: [ubuntu], node_labels: {env: dev}, db_labels: {env: dev}, db_users: [app], db_names: [shop, "0"], ' +
  'windows_desktop_labels: {env: dev}, windows_desktop_logins: [app], ' +
  "kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: pod, namespace: '*', name: '*'}]";
const JOIN = 'join_sessions: [{name: all, kinds: ["*"], roles: [works], modes: ["*"]}]';
/** More than ever come: a desktop that draws nothing for the host of tests is not shown to a second page. */
const AWAITED = `{name: eyes, filter: 'true', kinds: [desktop], count: 9, modes: [moderator], on_leave: pause}`;
const CAREFUL = '{require_session_mfa: true}';

let world: LifecycleWorld;
beforeAll(async () => {
  world = await startLifecycleWorld(40 * 60_000);
  await makeRole(world.admin, 'works', `{allow: {${ALLOW}}}`);
  await makeRole(world.admin, 'awaited', `{allow: {require_session_join: [${AWAITED}]}}`);
});
afterAll(() => world.close());

/** How a page comes into the session of another, as far as the tests look at it. */
interface GuestDoor {
  /** By which the owner came. */
  door: string;
  /** In place of that door. */
  open?(who: TestBrowser): Promise<Opened>;
  path: string;
  mode: ParticipantMode;
  /** In place of what is said over the socket. */
  query?(sid: string): object;
  attach(sid: string): object;
  /** Of what the gateway says: they are in. */
  isIn(text: string): boolean;
}

const WRITER = '00000000000000bb';
const asTerminal = (door: string, mode: ParticipantMode): GuestDoor => ({
  ...{ door, mode, path: TERMINAL_SOCKET },
  attach: (sid) => ({ type: 'attach', sid, cols: 80, rows: 24, writer: WRITER, mode }),
  isIn: (text) => text.includes('"type":"state"'),
});

const GUEST_DOORS: Record<string, GuestDoor> = {
  'terminal, to type': asTerminal('terminal', 'peer'),
  'terminal, to watch': asTerminal('terminal', 'observer'),
  'terminal, to moderate': asTerminal('terminal', 'moderator'),
  'terminal, where the owner came by SSH': asTerminal('door of SSH', 'peer'),
  'terminal in a pod': asTerminal('terminal in a pod', 'peer'),
  'socket of the reference': {
    ...asTerminal('terminal', 'peer'),
    path: '/v1/webapi/sites/:clusterId/connect',
    query: (sid) => ({ sid, mode: 'peer', term: { w: 80, h: 24 } }),
    isIn: (text) => text.includes('"session":'),
  },
  desktop: {
    ...{ door: 'desktop', mode: 'peer', path: DESKTOP_SOCKET, open: openWaiting },
    attach: (sid) => ({ type: 'attach', sid, mode: 'peer', width: 800, height: 600 }),
    isIn: (text) => text.includes('"type":"state"'),
  },
  workbench: {
    ...{ door: 'database editor', mode: 'observer', path: DB_EDITOR_SOCKET.replace(':name', 'shop') },
    attach: (sid) => ({ type: 'attach', sid, mode: 'observer' }),
    isIn: (text) => text.includes('"type":"watching"'),
  },
};
const NAMES = Object.keys(GUEST_DOORS);

async function openWaiting(who: TestBrowser): Promise<Opened> {
  const page = new DesktopPage(`http://127.0.0.1:${world.port}`, who, desktopOpening('win', 'app'));
  await page.until('state');
  return { over: page.closing, drop: () => page.close() };
}

class Guest {
  readonly socket: WebSocket;
  readonly #door: GuestDoor;
  readonly #heard: string[] = [];
  challenges: AuthenticateChallenge[] = [];
  isOver = false;

  constructor(way: GuestDoor, who: TestBrowser, sid: string) {
    this.#door = way;
    const { port } = world.gateway.app.server.address() as AddressInfo;
    const { headers, token } = tabOf(world.gateway.app, who);
    const path = way.path.replace(':clusterId', 'localhost');
    const params = way.query && encodeURIComponent(JSON.stringify(way.query(sid)));
    const query = params === undefined ? '' : `?access_token=${token}&params=${params}`;
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}${query}`, { headers });
    onTestFinished(() => this.socket.terminate());
    this.socket.on('open', () => {
      if (way.query) return;
      this.tell({ type: 'hello', token });
      this.tell(way.attach(sid));
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isOver = true;
    });
    this.socket.on('message', (data: Buffer, isBinary) => this.#hear(data, isBinary));
  }

  #hear(data: Buffer, isBinary: boolean): void {
    const envelope = this.#door.query && decodeEnvelope(data);
    if (envelope?.type === 'n') this.#asked(JSON.parse(envelope.payload.toString()));
    else if (envelope) this.#heard.push(envelope.payload.toString());
    else if (!isBinary) {
      const reply = JSON.parse(data.toString()) as { type: string; challenge: unknown };
      if (reply.type === 'factor') this.#asked(reply.challenge);
      else this.#heard.push(data.toString());
    }
  }

  #asked(challenge: unknown): void {
    this.challenges.push(authenticateChallenge.parse(challenge));
  }

  tell(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  get isIn(): boolean {
    return this.#heard.some((text) => this.#door.isIn(text));
  }

  said(): string {
    return this.#heard.join('\n');
  }

  async answer(key: SoftwareKey): Promise<void> {
    await until(() => this.challenges.length > 0);
    const [{ webauthn_challenge: asked }] = this.challenges as [AuthenticateChallenge];
    if (!asked) throw new Error('no key was asked for');
    const given = key.assert(asked, PROMPT);
    if (this.#door.query) this.socket.send(encodeEnvelope('r', Buffer.from(JSON.stringify(given))));
    else this.tell({ type: 'factor', key: given });
  }
}

const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: SOON_MS });

let people = 0;
async function somebody(...roles: string[]): Promise<{ name: string; who: TestBrowser }> {
  people += 1;
  const name = `somebody-${people}`;
  await world.gateway.addUser(name, { roles });
  const who = world.gateway.browser({ address: `127.0.5.${people}` });
  await who.signIn(name, PASSWORD);
  return { name, who };
}

const withKey = async (who: TestBrowser) =>
  enrolKey(who, await call(who.send, passwordRoutes.createPrivilegeToken, { body: {} }));

const partiesOf = async (who: TestBrowser, sid: string) => {
  const { sessions } = await call(who.send, sessionRoutes.list, { params: CLUSTER });
  return sessions.find(({ id }) => id === sid)?.parties.map(({ user }) => user) ?? [];
};

/** A session of somebody else, and a guest with a role of their own. */
async function met(way: GuestDoor, options: string) {
  const owner = await somebody('works', 'awaited');
  const opened = await (way.open?.(owner.who) ?? DOORS[way.door]!.open(world, owner.who));
  onTestFinished(() => opened.drop());
  let isOver = false;
  void opened.over.then(() => {
    isOver = true;
  });
  const role = `guest-${people}`;
  await makeRole(world.admin, role, `{options: ${options}, allow: {${JOIN}}}`);
  const guest = await somebody(role);
  const { sessions } = await call(guest.who.send, sessionRoutes.list, { params: CLUSTER });
  const sid = sessions.find((each) => each.owner === owner.name)?.id ?? '';
  expect(sid).not.toBe('');
  const change = (now: string, more = '') =>
    call(world.admin.send, roleRoutes.update, {
      params: { name: role },
      body: {
        content: `kind: role\nversion: v6\nmetadata: {name: ${role}${more}}\nspec: {options: ${now}, allow: {${JOIN}}}\n`,
      },
    });
  return { owner, guest, sid, change, join: () => new Guest(way, guest.who, sid), goesOn: () => !isOver };
}

test.each(NAMES)('by the %s: nobody without a second factor comes in', async (name) => {
  const { guest, sid, join } = await met(GUEST_DOORS[name]!, CAREFUL);
  const coming = join();
  await until(() => coming.isOver);

  expect([coming.isIn, coming.challenges]).toEqual([false, []]);
  expect(coming.said()).toMatch(/a role of yours asks for a (second factor|key) at every connection: add/);
  expect(await partiesOf(guest.who, sid)).not.toContain(guest.name);
});

test.each(NAMES)('by the %s: another key lets nobody in, and their own does', async (name) => {
  const { guest, sid, change, join, goesOn } = await met(GUEST_DOORS[name]!, CAREFUL);
  const key = await withKey(guest.who);
  const stolen = join();
  await stolen.answer(createSoftwareKey());
  await until(() => stolen.isOver);
  expect(stolen.isIn).toBe(false);

  const coming = join();
  await until(() => coming.challenges.length > 0);
  expect([coming.isIn, await partiesOf(guest.who, sid)]).toEqual([false, expect.not.arrayContaining([guest.name])]);
  await coming.answer(key);
  await until(() => coming.isIn);
  // What was proven when they came holds when they are decided about again.
  await change(CAREFUL, ', description: changed');
  await world.gateway.settled();
  await vi.waitFor(async () => expect(await partiesOf(guest.who, sid)).toContain(guest.name));
  expect([coming.isOver, coming.challenges.length, goesOn()]).toEqual([false, 1, true]);
  const joined = (await world.gateway.events()).filter(({ code, user }) => code === 'T2001I' && user === guest.name);
  expect(joined).toMatchObject([{ data: { with_mfa: 'proven' } }]);
});

test.each(NAMES)('by the %s: a role that begins to ask puts out who has proven nothing', async (name) => {
  const { guest, sid, change, join, goesOn } = await met(GUEST_DOORS[name]!, '{}');
  const coming = join();
  await until(() => coming.isIn);
  await vi.waitFor(async () => expect(await partiesOf(guest.who, sid)).toContain(guest.name));
  expect(coming.challenges).toEqual([]);

  await change(CAREFUL);
  await until(() => coming.isOver);

  expect(coming.said()).toContain('a role of yours asks for a second factor at every connection');
  expect(await partiesOf(guest.who, sid)).not.toContain(guest.name);
  expect(goesOn()).toBe(true);
});

test('the owner who proved it at the opening comes back and brings a second tab without being asked again', async () => {
  await makeRole(world.admin, 'works-carefully', `{options: ${CAREFUL}, allow: {${ALLOW}}}`);
  const { who } = await somebody('works-carefully');
  const key = await withKey(who);
  const tab = tabOf(world.gateway.app, who);
  const first = connectTerminal(tab, opening('edge', 'ubuntu'));
  onTestFinished(() => first.cut());
  const { challenge } = await first.told('factor');
  first.send({ type: 'factor', key: key.assert(challenge.webauthn_challenge!, PROMPT) });
  const { sid } = await first.state;
  for (const mode of ['peer', 'observer'] as const) {
    const again = new Guest(asTerminal('terminal', mode), who, sid);
    await until(() => again.isIn);
    expect(again.challenges).toEqual([]);
  }
  first.cut();
  await first.closed;
  const back = new Guest(GUEST_DOORS['socket of the reference']!, who, sid);
  await until(() => back.isIn);
  expect(back.challenges).toEqual([]);

  const origin = `http://127.0.0.1:${world.port}`;
  const desktop = new DesktopPage(origin, who, desktopOpening('win', 'app'));
  onTestFinished(() => desktop.close());
  const asked = await desktop.until('factor');
  desktop.tell({ type: 'factor', key: key.assert(asked.challenge.webauthn_challenge!, PROMPT) });
  const state = await desktop.until('state');
  const second = new DesktopPage(origin, who, { type: 'attach', sid: state.sid, width: 800, height: 600 });
  onTestFinished(() => second.close());
  await second.until('state');
  expect(second.heard.map(({ type }) => type)).not.toContain('factor');
});

test.each(['terminal, to moderate', 'desktop', 'workbench'])(
  'by the %s: a moderator who proved it ends the session without being asked again',
  async (name) => {
    const way = GUEST_DOORS[name]!;
    const moderating = { ...way, attach: (sid: string) => ({ ...way.attach(sid), mode: 'moderator' }) };
    const { guest, join, goesOn } = await met(moderating, CAREFUL);
    const key = await withKey(guest.who);
    const coming = join();
    await coming.answer(key);
    await until(() => coming.isIn);
    coming.tell({ type: 'end', reason: 'enough' });
    await until(() => coming.isOver && !goesOn());

    expect(coming.challenges).toHaveLength(1);
    expect(coming.said()).toContain('enough');
  },
);
