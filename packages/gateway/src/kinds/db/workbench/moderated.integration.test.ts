/** Workbenches that go on only under the eyes of somebody: they wait, freeze, go on and end, with a real PostgreSQL behind them. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../../testing/db/db-world.ts';
import { EditorPage } from '../../../../testing/db/editor-page.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { type WatchOptions, WatchPage } from '../../../../testing/db/watch-page.ts';
import { PASSWORD } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const wish = (onLeave: string) =>
  `{name: eyes, filter: 'contains(user.roles, "helper")', kinds: [db], count: 1, modes: [moderator], on_leave: ${onLeave}}`;
let postgres: SecurePostgres;
let world: DbWorld;
let direct: Client;
let eve: TestBrowser;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  world = await startDbWorld(postgres);
  direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  await makeRole(world.admin, 'paused', `{allow: {require_session_join: [${wish('pause')}]}}`);
  await makeRole(world.admin, 'ended', `{allow: {require_session_join: [${wish('terminate')}]}}`);
  await makeRole(
    world.admin,
    'helper',
    '{allow: {join_sessions: [{name: h, kinds: [db], roles: [dev], modes: [observer, moderator]}]}}',
  );
  await world.gateway.addUser('eve', { roles: ['helper'] });
  eve = await world.gateway.signedIn('eve');
});
afterAll(async () => {
  await direct?.end();
  await world?.close();
  await postgres?.stop();
});

let people = 0;
async function opened(...roles: string[]) {
  people += 1;
  const name = `owner-${people}`;
  await world.gateway.addUser(name, { roles: ['dev', ...roles] });
  const who = world.gateway.browser({ address: `127.0.4.${people}` });
  await who.signIn(name, PASSWORD);
  const page = new EditorPage({ origin: world.origin, who });
  onTestFinished(() => page.close());
  return { page, who, name };
}

/** The session of somebody, as who may join it finds it. */
async function sidOf(owner: string): Promise<string> {
  const find = async () =>
    (await call(eve.send, sessionRoutes.list, { params: CLUSTER })).sessions.find((each) => each.owner === owner);
  await expect.poll(find).toBeDefined();
  return (await find())?.id ?? '';
}

function watch(sid: string, options: Partial<WatchOptions> = {}): WatchPage {
  const page = new WatchPage({ origin: world.origin, who: eve, sid, ...options });
  onTestFinished(() => page.leave());
  return page;
}

const flows = (page: EditorPage) => page.heard.flatMap((reply) => (reply.type === 'flow' ? [reply.flow] : []));
const running = async (mark: string) =>
  (
    await direct.query(
      `select 1 from pg_stat_activity where wait_event is distinct from 'ClientRead' and state = 'active' and query like '%${mark}%' and pid <> pg_backend_pid()`,
    )
  ).rowCount;

test('it waits and says for whom, begins when they come, and they see each statement', async () => {
  const { page, name } = await opened('paused');
  await expect
    .poll(() => page.heard.at(-1))
    .toMatchObject({
      ...{ type: 'flow', flow: 'waiting', could: ['eve'] },
      needs: [{ role: 'paused', policy: 'eyes', missing: 1, modes: ['moderator'] }],
    });
  const sid = await sidOf(name);
  const dialled = await direct.query(`select 1 from pg_stat_activity where usename = 'by_scram'`);
  expect(dialled.rowCount).toBe(0);
  // Who only looks does not count.
  const observer = watch(sid, { mode: 'observer' });
  await expect.poll(() => observer.of('flow').at(-1)).toMatchObject({ flow: 'waiting' });
  expect(flows(page)).not.toContain('live');
  const eyes = watch(sid);

  await page.next('ready');
  expect((await page.run("select 'seen by both'")).rows).toEqual([['seen by both']]);
  for (const viewer of [eyes, observer]) {
    const run = () => viewer.of('asked').find(({ what, text }) => what !== 'prepare' && text.includes('seen by both'));
    await expect.poll(() => viewer.of('answered').find(({ n }) => n === run()?.n)).toMatchObject({ rows: 1 });
  }
  expect(eyes.of('watching')).toMatchObject([
    { user: name, mode: 'moderator', database: 'shop', protocol: 'postgres', dbUser: 'by_scram' },
  ]);
  const told = (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code);
  expect(told).toEqual(expect.arrayContaining(['T2001I', 'TDB00I']));
});

test('without them it is frozen: what runs goes on unseen, nothing new runs, and it goes on when they are back', async () => {
  const { page, name } = await opened('paused');
  const sid = await sidOf(name);
  const eyes = watch(sid);
  await page.next('ready');
  // It runs until the test lets it go on, however slow the machine is.
  await direct.query('select pg_advisory_lock(77)');
  const sql = "select pg_advisory_lock(77)::text, 'came late'; select 'after it'";
  const id = page.send({ type: 'run', tab: 0, sql });
  await expect.poll(() => running('came late')).toBe(1);
  await eyes.leave();
  await expect.poll(() => flows(page).at(-1)).toBe('frozen');
  const asked = page.send({ type: 'run', tab: 1, sql: "select 'never run'" });
  await expect(page.next('done', asked)).rejects.toThrow(/"frozen".*nothing runs until/);
  await direct.query('select pg_advisory_unlock(77)');
  await expect.poll(() => running('came late')).toBe(0);
  expect(page.heard.some((reply) => 'id' in reply && reply.id === id)).toBe(false);
  // Neither the second of what was sent together.
  const ran = await direct.query(
    `select 1 from pg_stat_activity where query like '%after it%' and pid <> pg_backend_pid()`,
  );
  expect(ran.rowCount).toBe(0);
  const again = watch(sid);

  await expect.poll(() => page.heard.filter((reply) => reply.type === 'done' && reply.id === id).length).toBe(2);
  expect(flows(page).at(-1)).toBe('live');
  await expect.poll(() => JSON.stringify(again.of('asked'))).toContain('after it');
  expect((await page.run('select 3')).rows).toEqual([['3']]);
});

test('where a role says so it ends with them, and what runs is cancelled at the server', async () => {
  const { page, name } = await opened('ended');
  const eyes = watch(await sidOf(name));
  await page.next('ready');
  page.send({ type: 'run', tab: 0, sql: "select pg_sleep(60), 'left alone'" });
  await expect.poll(() => running('left alone')).toBe(1);
  const began = performance.now();
  await eyes.leave();

  await expect
    .poll(() => page.heard.at(-1))
    .toMatchObject({ type: 'ended', cause: 'moderator_left', message: expect.stringContaining('a moderator left') });
  await expect.poll(() => running('left alone'), { timeout: SOON_MS }).toBe(0);
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});

test('a moderator ends it with a reason; one who only looks does not', async () => {
  const { page, name } = await opened('paused');
  const sid = await sidOf(name);
  const eyes = watch(sid);
  const observer = watch(sid, { mode: 'observer' });
  await page.next('ready');
  await expect.poll(() => observer.of('watching').length).toBe(1);
  observer.end('I may not');
  await observer.closed;
  expect((await page.run('select 1')).rows).toEqual([['1']]);
  eyes.end('enough');

  const ended = { type: 'ended', cause: 'ended_by', message: 'it was ended by eve: enough' };
  await expect.poll(() => page.heard.at(-1)).toMatchObject(ended);
  await expect.poll(() => eyes.heard.at(-1)).toMatchObject(ended);
});

test('a role that asks for eyes while somebody works freezes what is open', async () => {
  const { page, name } = await opened();
  await page.next('ready');
  await world.gateway.setRoles(name, ['dev', 'paused']);

  await expect.poll(() => flows(page).at(-1), { timeout: SOON_MS }).toBe('frozen');
  await world.gateway.setRoles(name, ['dev']);
  await expect.poll(() => flows(page).at(-1), { timeout: SOON_MS }).toBe('live');
  expect((await page.run('select 1')).rows).toEqual([['1']]);
});

test('nobody joins by another name, without the right, their own, or what a program opened', async () => {
  const { page, who, name } = await opened();
  await page.next('ready');
  const sid = await sidOf(name);
  const stranger = await opened('paused');
  const refusal = async (options: Partial<WatchOptions>) => {
    const watching = watch(sid, options);
    await watching.closed;
    return watching.of('refused')[0]?.code;
  };
  expect(await refusal({ who: stranger.who })).toBe('not_found');
  expect(await refusal({ name: 'other' })).toBe('not_found');
  expect(await refusal({ sid: '00000000-0000-4000-8000-000000000000' })).toBe('not_found');
  expect(await refusal({ mode: 'peer' })).toBe('denied');
  expect(await refusal({ who, mode: 'observer' })).toBe('denied');
  const { port } = await world.tunnel();
  const program = new Client({ host: '127.0.0.1', port, user: 'x', database: 'x' });
  program.on('error', () => {});
  await program.connect();
  onTestFinished(() => program.end());
  const listed = (await call(eve.send, sessionRoutes.list, { params: CLUSTER })).sessions;
  expect(listed.find(({ owner }) => owner === 'ann')?.participantModes).toEqual([]);
  expect(listed.find(({ owner }) => owner === name)?.participantModes).toEqual(['observer', 'moderator']);
  expect(await refusal({ sid: listed.find(({ owner }) => owner === 'ann')?.id ?? '' })).toBe('not_available');
});

test('a program is refused, and told where it can be done', async () => {
  await world.gateway.setRoles('ann', ['dev', 'paused']);
  onTestFinished(async () => void (await world.gateway.setRoles('ann', ['dev'])));
  const { port, failures } = await world.tunnel();
  const program = new Client({ host: '127.0.0.1', port, user: 'x', database: 'x' });
  program.on('error', () => {});

  await expect(program.connect()).rejects.toThrow();
  expect(failures[0]?.message).toContain('use its workbench in the console');
  expect(await call(world.ann.send, databaseRoutes.get, { params: { ...CLUSTER, name: 'shop' } })).toBeDefined();
});
