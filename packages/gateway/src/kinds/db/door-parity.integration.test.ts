/** Every door to a database holds the same controls: what one of them refuses or ends, none of the others gives, and what runs is over at the server itself. */
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { median, SOON_MS } from '@gatehouse/testkit/soon';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DB_DOORS, type Entered } from '../../../testing/db/door-table.ts';
import {
  DATABASES,
  type DoorPerson,
  type DoorServers,
  type DoorWorld,
  startDoorServers,
  startDoorWorld,
  type Wanted,
} from '../../../testing/db/door-world.ts';
import { PlainRedis } from '../../../testing/db/plain-redis.ts';
import { PASSWORD } from '../../../testing/db/secure-mariadb.ts';
import { PASSWORD as REDIS_PASSWORD } from '../../../testing/db/secure-redis.ts';
import { makeTakeawayRoles, TAKEAWAYS } from '../../../testing/takeaways.ts';

const CLUSTER = { clusterId: 'localhost' };
const NAMES = Object.keys(DB_DOORS);
/** How long the statements of each control ran on at the server, in milliseconds. */
const took: number[] = [];
let servers: DoorServers;
let world: DoorWorld;
let direct: Client;
let directMariadb: Connection;
let directRedis: PlainRedis;
beforeAll(async () => {
  servers = await startDoorServers();
  const { postgres, mariadb, redis } = servers;
  world = await startDoorWorld(servers);
  direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  const watcher = { host: '127.0.0.1', port: mariadb.port, user: 'by_native', password: PASSWORD };
  directMariadb = await createConnection(watcher);
  const plain = connect(redis.plainPort, '127.0.0.1');
  await once(plain, 'connect');
  directRedis = await PlainRedis.open(plain, 'AUTH', 'app', REDIS_PASSWORD);
  await makeTakeawayRoles(world.admin);
});
afterAll(async () => {
  await direct?.end();
  await directMariadb?.end();
  directRedis?.drop();
  await world?.close();
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
});

type Verdict = 'in' | 'waits' | 'refused';

async function tried(door: string, who: DoorPerson, wanted?: Wanted): Promise<Verdict> {
  const entered = await DB_DOORS[door]?.open(world, who, wanted).catch(() => undefined);
  const isWaiting = entered?.flow?.() === 'waiting';
  entered?.drop();
  await entered?.over;
  if (!entered) return 'refused';
  return isWaiting ? 'waits' : 'in';
}

/** By door. */
async function verdicts(who: DoorPerson, wanted?: (door: string) => Wanted) {
  return Object.fromEntries(
    await Promise.all(NAMES.map(async (door) => [door, await tried(door, who, wanted?.(door))] as const)),
  );
}

const everyDoor = (verdict: (door: string) => Verdict) =>
  Object.fromEntries(NAMES.map((door) => [door, verdict(door)]));

/** Statements of somebody that run at the servers now. */
async function sleeping({ name }: DoorPerson): Promise<number> {
  const { rows } = await direct.query(
    `select count(*)::int as count from pg_stat_activity where wait_event = 'PgSleep' and query like '%/* ${name} */%'`,
  );
  const [inMariadb] = await directMariadb.query<RowDataPacket[]>(
    `select 1 from information_schema.processlist where state = 'User sleep' and info like '%/* ${name} */%'`,
  );
  // Redis shows no words of what waits: only one person here lets it wait at a time.
  const inRedis = (await directRedis.run('CLIENT LIST')).match(/ cmd=xread /g)?.length ?? 0;
  const inStubs = servers.mongodb.sleeping(name) + servers.sqlserver.waiting(`/* ${name} */`);
  return rows[0].count + inMariadb.length + inRedis + inStubs;
}

interface Opened extends Entered {
  door: string;
  isOver: boolean;
}

async function openAll(who: DoorPerson): Promise<Opened[]> {
  const all = await Promise.all(
    NAMES.map(async (door) => {
      const opened: Opened = { ...(await DB_DOORS[door]!.open(world, who)), door, isOver: false };
      void opened.over.then(() => {
        opened.isOver = true;
      });
      return opened;
    }),
  );
  onTestFinished(async () => {
    for (const { drop } of all) drop();
    await Promise.all(all.map(({ over }) => over));
  });
  return all;
}

const lock = (targets: object) =>
  call(world.admin.send, lockRoutes.create, { params: CLUSTER, body: { targets, force: true } as never });
/** A database that is locked is so for everybody: lifted for the next. */
const lift = (name: string) => call(world.admin.send, lockRoutes.remove, { params: { ...CLUSTER, name } });
const takeaway = (what: keyof typeof TAKEAWAYS) => (who: DoorPerson) =>
  TAKEAWAYS[what](world.admin, who.name, [who.role]);

interface Control {
  options?: string;
  /** What is given back puts it right again, once everybody has tried. */
  act(who: DoorPerson): Promise<unknown>;
  undo?(done: never): Promise<unknown>;
  /** What ended it is over: somebody may come again. */
  mayComeBack?: true;
  /** Doors whose sessions wait are held up, and not over. */
  freezes?: true;
}

const CONTROLS: Record<string, Control> = {
  'a role that gives the label no more': { act: ({ role }) => world.setRole(role, '{allow: {}}') },
  'a role that denies the label': {
    act: ({ role }) => world.setRole(role, `{allow: {${world.allow}}, deny: {db_labels: {env: dev}}}`),
  },
  'a role that gives another user': {
    act: ({ role }) => world.setRole(role, `{allow: {${world.allow.replace('by_scram', 'by_md5')}}}`),
  },
  'a role that denies the user': {
    act: ({ role }) => world.setRole(role, `{allow: {${world.allow}}, deny: {db_users: [by_scram]}}`),
  },
  'a role that gives another database': {
    act: ({ role }) => world.setRole(role, `{allow: {${world.allow.replace(world.names, '[other]')}}}`),
  },
  'a role that denies the database': {
    act: ({ role }) => world.setRole(role, `{allow: {${world.allow}}, deny: {db_names: ${world.names}}}`),
  },
  'the role is taken away': { act: takeaway('the role is taken away') },
  'a lock on the user': { act: ({ name }) => lock({ user: name }) },
  'a lock on a role': { act: ({ role }) => lock({ role }) },
  'a lock on the database': {
    act: async () => await Promise.all(DATABASES.map((name) => lock({ database: name }))),
    undo: (locks: { name: string }[]) => Promise.all(locks.map(({ name }) => lift(name))),
  },
  'a second factor for each session': { act: takeaway('a second factor is asked for') },
  'a moderator for each session': { act: takeaway('a moderator is asked for'), freezes: true },
  'a sign-in that is tied to its address': {
    act: ({ role }) => world.setRole(role, `{options: {pin_source_ip: true}, allow: {${world.allow}}}`),
  },
  'an administrator signs them out': { act: takeaway('an administrator signs them out') },
  'the user is deleted': { act: takeaway('the user is deleted') },
  'a role that lets them only read': {
    act: ({ role }) => world.setRole(role, `{options: {db_read_only: true}, allow: {${world.allow}}}`),
    mayComeBack: true,
  },
  'labels that are out of reach': {
    act: () => Promise.all(DATABASES.map((name) => world.change(name, { labels: [{ name: 'env', value: 'prod' }] }))),
    undo: () => Promise.all(DATABASES.map((name) => world.change(name, { labels: [{ name: 'env', value: 'dev' }] }))),
  },
  'another address, whose passwords are not known': {
    act: () => Promise.all(DATABASES.map((name) => world.change(name, { uri: world.address(name, '127.0.0.1') }))),
    async undo() {
      for (const name of DATABASES) {
        await world.change(name, { uri: world.address(name, 'localhost') });
        await world.setSecret(name);
      }
    },
  },
  'another password': { act: () => Promise.all(DATABASES.map(world.setSecret)), mayComeBack: true },
  'the longest a role lets it last': {
    options: '{max_session_ttl: 2m}',
    act: async () => world.gateway.clock.advance(2 * 60_000 + 1),
    mayComeBack: true,
  },
  'a role that runs out': {
    async act({ role }) {
      const expires = new Date(world.gateway.clock.now + 60_000).toISOString();
      await world.setRole(role, `{allow: {${world.allow}}}`, `, expires: "${expires}"`);
      await world.gateway.settled();
      world.gateway.clock.advance(60_001);
    },
  },
};

test('by every door somebody gets in, so that the refusals below mean something', async () => {
  const who = await world.person();

  expect(await verdicts(who)).toEqual(everyDoor(() => 'in'));
});

test.each(Object.keys(CONTROLS))('%s: what runs ends at the server by every door, and none lets in', async (what) => {
  const { options, act, undo, mayComeBack, freezes } = CONTROLS[what]!;
  const who = await world.person(options);
  const opened = await openAll(who);
  for (const { run, door } of opened) void run(DB_DOORS[door]!.says.sleep(who.name)).catch(() => {});
  await expect.poll(() => sleeping(who), { interval: 20 }).toBe(NAMES.length);
  const began = performance.now();
  const done = await act(who);

  const isHeld = ({ door }: Opened) => freezes === true && DB_DOORS[door]?.waits === true;
  const held = opened.filter(isHeld);
  await expect
    .poll(() => opened.filter((each) => !each.isOver && !isHeld(each)).map(({ door }) => door), {
      ...{ timeout: SOON_MS, interval: 10 },
    })
    .toEqual([]);
  await expect.poll(() => sleeping(who), { timeout: SOON_MS, interval: 10 }).toBe(held.length);
  took.push(performance.now() - began);
  for (const { flow, isOver } of held) expect([flow?.(), isOver]).toEqual(['frozen', false]);
  const now = await verdicts(who);
  if (undo) await undo(done as never);
  expect(now).toEqual(
    everyDoor((door) => {
      if (mayComeBack) return 'in';
      return freezes && DB_DOORS[door]?.waits ? 'waits' : 'refused';
    }),
  );
});

test('what is taken away is over at the server within two seconds', () => {
  expect(took.length).toBe(Object.keys(CONTROLS).length);
  expect(median(took)).toBeLessThan(2_000);
});

test('what no role gives is not had by any door', async () => {
  const who = await world.person();

  expect(await verdicts(who, () => ({ dbUser: 'by_md5' }))).toEqual(everyDoor(() => 'refused'));
  const elsewhere = (door: string) => ({ dbName: DB_DOORS[door]!.says.elsewhere });
  expect(await verdicts(who, elsewhere)).toEqual(everyDoor(() => 'refused'));
});

test('all doors together count for what a role lets somebody have open', async () => {
  const who = await world.person(`{max_connections: ${NAMES.length}}`);
  await openAll(who);

  expect(await verdicts(who)).toEqual(everyDoor(() => 'refused'));
});

test('by every door who only reads does not write', async () => {
  const who = await world.person('{db_read_only: true}');
  for (const { run, door } of await openAll(who)) {
    const { read, write } = DB_DOORS[door]!.says;
    await run(read);
    await expect(run(write(`by ${door}`)), door).rejects.toThrow(/read.only|only reads?\b/i);
  }
});

test('where what writes waits for an approval, only the workbench lets in, and there nobody writes', async () => {
  const who = await world.person();
  const opened = await openAll(who);
  await world.setRole(who.role, `{options: {db_approval: true}, allow: {${world.allow}}}`);

  await expect.poll(() => opened.filter(({ isOver }) => !isOver), { timeout: SOON_MS }).toEqual([]);
  expect(await verdicts(who)).toEqual(everyDoor((door) => (DB_DOORS[door]?.waits ? 'in' : 'refused')));
  for (const door of NAMES.filter((name) => DB_DOORS[name]?.waits)) {
    const { run, drop } = await DB_DOORS[door]!.open(world, who);
    await run(DB_DOORS[door]!.says.read);
    await expect(run(DB_DOORS[door]!.says.write(`by ${door}`)), door).rejects.toThrow(/read.only/);
    drop();
  }
});

test('by every door nobody comes in while it cannot be recorded and a role wants it to be', async () => {
  const who = await world.person('{record_session: {db: strict}}');
  mkdirSync(world.folder, { recursive: true });
  renameSync(world.folder, `${world.folder}-away`);
  writeFileSync(world.folder, 'no folder');
  const now = await verdicts(who);
  rmSync(world.folder);
  renameSync(`${world.folder}-away`, world.folder);

  expect(now).toEqual(everyDoor(() => 'refused'));
  expect(await verdicts(who)).toEqual(everyDoor(() => 'in'));
});

test('with the end of the sign-in all of it is over, by every door', async () => {
  const who = await world.person();
  const opened = await openAll(who);
  world.gateway.clock.advance(31 * 24 * 60 * 60_000);

  await expect
    .poll(() => opened.filter(({ isOver }) => !isOver).map(({ door }) => door), { timeout: SOON_MS })
    .toEqual([]);
  expect(await verdicts(who)).toEqual(everyDoor(() => 'refused'));
});
