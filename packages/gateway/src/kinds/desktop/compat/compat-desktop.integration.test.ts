/** A real desktop by the sockets of the wire reference: seen, typed at and played again as its clients do it. */
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { whyNoDrives } from '@gatehouse/testkit/desktop/xrdp';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CompatClient, CompatPlayer, withoutAlpha } from '../../../../testing/desktop/compat-client.ts';
import { type DesktopWorld, startDesktopWorld } from '../../../../testing/desktop/desktop-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findRecording, writeRecording } from '../../../evidence/recordings/recording-status-store.ts';

const CLUSTER = { clusterId: 'localhost' };
/** What its window manager paints. */
const BLUE = [0x2e, 0x5b, 0x88];
const SLOW = { timeout: 30_000, interval: 200 };
const ERROR = 2;
/** What ended it, in words. That nothing is drawn yet is told as well on a slow machine, and ends nothing. */
const endedBy = ({ notes }: CompatClient) => notes.find(({ severity }) => severity === ERROR)?.text;
const PLAYED_MS = 24_000;

/** Where they cannot be mounted, they are taken all the same. */
const noDrives = whyNoDrives();

let world: DesktopWorld;
let ann: TestBrowser;
beforeAll(async () => {
  world = await startDesktopWorld();
  await world.gateway.addUser('ann', { roles: ['dev'] });
  ann = await world.gateway.signedIn('ann');
});
afterAll(() => world?.close());

function connect(query = `username=${world.xrdp.user}&width=800&height=600`, name = 'desk', who = ann) {
  const client = new CompatClient(world.origin, who, `/v1/webapi/sites/localhost/desktops/${name}/connect?${query}`);
  onTestFinished(() => client.socket.terminate());
  return client;
}
function play(sid: string, who = world.admin) {
  const player = new CompatPlayer(world.origin, who, `/v1/webapi/sites/localhost/desktopplayback/${sid}`);
  onTestFinished(() => player.socket.terminate());
  return player;
}
const isDrawn = (client: CompatClient) =>
  client.colourAt(780, 580).every((value, at) => Math.abs(value - BLUE[at]!) <= 12);
const openSids = async () =>
  (await call(ann.send, sessionRoutes.list, { params: CLUSTER })).sessions.map(({ id }) => id);
const end = (sid: string) => call(world.admin.send, sessionRoutes.end, { params: { ...CLUSTER, sid }, query: {} });
/** A key that is pressed and let go of. */
const pressed = (scanCode: string) => `05000000${scanCode}01` + `05000000${scanCode}00`;
const refusal = async (client: CompatClient) => {
  expect(await client.closing).toBe(1000);
  expect(client.notes.at(-1)?.severity).toBe(ERROR);
  return client.notes.at(-1)?.text;
};

test('it is drawn as a page draws it, typed at, ended in words, and played again to the same picture', {
  timeout: 120_000,
}, async () => {
  const client = connect();
  await expect.poll(() => endedBy(client) ?? isDrawn(client), SLOW).toBe(true);
  const [sid = ''] = await openSids();
  const page = await world.open(ann, { type: 'attach', sid, width: 800, height: 600 });
  const isSame = async () => withoutAlpha((await page.client.look()).pixels).equals(client.pixels);
  await expect.poll(isSame, SLOW).toBe(true);

  // So long it takes when it is played.
  world.gateway.clock.advance(PLAYED_MS);
  const before = Buffer.from(client.pixels);
  client.say('03000002bc000001f4' + '040201' + '040200' + '050000000101' + '050000000100');
  await expect.poll(() => world.xrdp.inSession(['xdotool', 'getmouselocation']), SLOW).toContain('x:700 y:500');
  // A terminal that says in its title what was typed into it.
  const named = 'read line; printf "\\033]2;typed-%s\\007" "$line"; sleep 1000';
  await world.xrdp.inSession([
    'sh',
    '-c',
    `xterm -T empty -geometry 60x20+100+100 -e sh -c '${named}' </dev/null >/dev/null 2>&1 &`,
  ]);
  const titled = (title: string) => ['xdotool', 'search', '--sync', '--onlyvisible', '--name', title];
  await world.xrdp.inSession(titled('^empty$'));
  client.say('03000000c8000000c8' + '040001' + '040000');
  const focused = () => world.xrdp.inSession(['xdotool', 'getwindowfocus', 'getwindowname']).catch(() => '');
  await expect.poll(focused, SLOW).toBe('empty\n');
  await expect.poll(() => client.pixels.equals(before), SLOW).toBe(false);
  client.say(['23', '17', '1c'].map(pressed).join(''));
  expect(await world.xrdp.inSession([...titled('^typed-'), 'getwindowname'])).toBe('typed-hi\n');
  await expect.poll(isSame, SLOW).toBe(true);
  client.say(`0600000006${Buffer.from('grüß').toString('hex')}`);
  const pasted = () => world.xrdp.inSession(['timeout', '5', 'xclip', '-o', '-selection', 'clipboard']).catch(() => '');
  await expect.poll(pasted, SLOW).toBe('grüß');
  await world.xrdp.inSession(['sh', '-c', 'printf from-the-host | xclip -i -selection clipboard >/dev/null 2>&1']);
  await expect.poll(() => client.clipboard, SLOW).toContain('from-the-host');
  page.page.close();
  await page.page.closing;

  await end(sid);
  expect(await refusal(client)).toContain('ended by admin');
  expect(client.wrong).toEqual([]);
  const player = play(sid);
  player.socket.on('open', () => player.socket.send('{"action":"speed","speed":1000}'));
  const begun = performance.now();
  expect(await player.closing).toBe(1000);
  expect(performance.now() - begun).toBeGreaterThan(PLAYED_MS / 16);
  const [first] = player.frames;
  expect(first).toMatchObject({ ms: expect.any(Number), ei: 0, event: 'desktop.recording' });
  expect(player.types[0]).toBe(1);
  expect(player.types).toEqual(expect.arrayContaining([3, 4, 27]));
  expect(player.frames.at(-1)).toEqual({ message: 'end' });
  expect(player.wrong).toEqual([]);
  expect(player.pixels.equals(client.pixels)).toBe(true);
  const told = (await world.gateway.events()).filter(({ code, data }) => code === 'T2012I' && data.sid === sid);
  expect(told.map(({ user }) => user)).toEqual(['admin']);
});

test('what cannot be opened is told in words', async () => {
  expect(await refusal(connect('width=800&height=600'))).toContain('a username');
  expect(await refusal(connect(`username=${world.xrdp.user}&width=9000&height=600`))).toContain('8192');
  expect(await refusal(connect('username=root&width=800&height=600'))).toContain('root');
  expect(await refusal(connect(undefined, 'other'))).toContain("'other' not found");
});

/** The one of the first test. */
async function recordedSid(): Promise<string> {
  const [told] = (await world.gateway.events()).filter(({ code }) => code === 'T2012I');
  return String(told?.data.sid);
}

test('a recording is played to who may watch it alone, and an action that nobody knows closes it', async () => {
  const sid = await recordedSid();
  const stranger = play(sid, ann);
  await stranger.closing;
  expect(stranger.frames).toEqual([{ message: 'error', errorText: 'session not found' }]);
  const player = play(sid);
  player.socket.on('open', () => player.socket.send('{"action":"rewind"}'));
  expect(await player.closing).toBe(1008);
});

test('who may not know of a desktop hears the same as of one that is not there', async () => {
  await world.gateway.addUser('bob', { roles: [] });
  const bob = await world.gateway.signedIn('bob');
  const [unseen, absent] = await Promise.all(['desk', 'none'].map((name) => refusal(connect(undefined, name, bob))));
  expect(unseen?.replace("'desk'", "'none'")).toBe(absent);
});

/** That it is over soon after rights are gone, and how it says so. */
async function endsSoon(client: CompatClient, take: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await take();
  await client.closing;
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
}

test('a role that is taken away ends it soon: at the desktop, and in a recording that is paused', async () => {
  await world.gateway.addUser('eve', { roles: ['dev', 'auditor'] });
  const eve = await world.gateway.signedIn('eve');
  const client = connect(undefined, undefined, eve);
  await expect.poll(() => endedBy(client) ?? isDrawn(client), SLOW).toBe(true);
  const player = play(await recordedSid(), eve);
  await expect.poll(() => player.types, SLOW).toContain(1);
  player.socket.send('{"action":"play/pause"}');
  await endsSoon(client, () => world.gateway.setRoles('eve', ['auditor']));
  expect(client.notes.at(-1)?.severity).toBe(ERROR);
  await endsSoon(player, () => world.gateway.setRoles('eve', []));
  expect(player.frames.at(-1)).toEqual({ message: 'error', errorText: 'session not found' });
});

test('who reads nothing for a while is shown the newest then, and nothing between', async () => {
  const client = connect();
  await expect.poll(() => endedBy(client) ?? isDrawn(client), SLOW).toBe(true);
  const sid = (await openSids()).at(-1) ?? '';
  const page = await world.open(ann, { type: 'attach', sid, width: 800, height: 600 });
  client.socket.pause();
  const paint = async (colour: string) => {
    await world.xrdp.inSession(['xsetroot', '-solid', `#${colour}`]);
    const wanted = [...Buffer.from(colour, 'hex')];
    const isPainted = async () =>
      (await page.client.colourAt(780, 580)).every((value, at) => Math.abs(value - wanted[at]!) <= 12);
    await expect.poll(isPainted, SLOW).toBe(true);
  };
  for (const colour of ['aa0000', '00aa00', '0000aa', '2e5b88', '884411']) await paint(colour);
  client.socket.resume();
  const isSame = async () => withoutAlpha((await page.client.look()).pixels).equals(client.pixels);
  await expect.poll(isSame, SLOW).toBe(true);
  expect(client.wrong).toEqual([]);
  await paint('2e5b88');
  await end(sid);
  await client.closing;
});

test('two hundred at once are told in words, but for two of them', async () => {
  const clients = Array.from({ length: 200 }, () => connect());
  await expect.poll(() => clients.filter((client) => endedBy(client) === undefined).length, SLOW).toBe(2);
  const told = clients.flatMap((client) => endedBy(client) ?? []);
  expect(told.length).toBe(198);
  expect(new Set(told).size).toBe(1);
  expect(told[0]).toContain('2 desktops are drawn by this gateway');
  for (const { socket } of clients) socket.close(1000);
  for (const sid of await openSids()) await end(sid);
  await expect.poll(openSids, SLOW).toEqual([]);
});

test('a recording that retention takes away while it is played is over soon', async () => {
  const sid = await recordedSid();
  const player = play(sid);
  await expect.poll(() => player.types, SLOW).toContain(27);
  player.socket.send('{"action":"speed","speed":0.25}');
  const { db } = world.gateway.storage;
  const known = (await findRecording(db, sid))!;
  await endsSoon(player, () => writeRecording(db, { ...known, state: 'removed', reason: 'old' }));
  expect(player.frames.at(-1)).toEqual({ message: 'error', errorText: 'session not found' });
});

test('a directory of the client is a drive of the desktop', async () => {
  const client = connect();
  await expect.poll(() => endedBy(client) ?? isDrawn(client), SLOW).toBe(true);
  client.files.set('hello.txt', Buffer.from('from the client'));
  client.say('0b000000000000000200000003646f63');
  await expect.poll(() => client.shared, SLOW).toEqual([{ error: 0, directory: 2 }]);
  const read = () => world.xrdp.inSession(['sh', '-c', 'cat $HOME/thinclient_drives/DOC/hello.txt']).catch(() => '');
  if (!noDrives) await expect.poll(read, SLOW).toBe('from the client');
  expect(client.wrong).toEqual([]);
  for (const sid of await openSids()) await end(sid);
  await client.closing;
});
