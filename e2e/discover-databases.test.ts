/** Databases enrolled to their first connection in the browser, against the real ones, one after the other by the same person. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DiscoverWorld, type Person, startDiscoverWorld, started } from './discover-world.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

let world: DiscoverWorld;
let one: Person;
beforeAll(async () => {
  world = await startDiscoverWorld();
  one = await world.person();
});
afterAll(() => world?.close());

/** From the last step, as somebody where there are several to choose from. */
async function opened({ page, main }: Person, name: string, user: string): Promise<void> {
  await main.getByRole('button', { name: new RegExp(`^Connect to ${name}`) }).click();
  const there = page.getByText('Connected', { exact: true }).or(page.getByRole('textbox', { name: 'Command' }));
  const choice = page.getByRole('link', { name: new RegExp(` as ${user}$`) }).first();
  await there.or(choice).first().waitFor();
  if (await choice.isVisible()) await choice.click();
  await there.first().waitFor();
}

async function useDatabase({ main, field }: Person, name: string): Promise<void> {
  const database = field(/^Default database/);
  // Where a way through agents is given, it is open already.
  if (!(await database.isVisible())) await main.getByText('Default database, names and limits').click();
  await database.fill(name);
}

const asUser = ({ page }: Person, user: string) => page.getByLabel('As user', { exact: true }).selectOption(user);

test.each(EACH_WIDTH)(
  'PostgreSQL at $width width: user and database are asked for together, and each step is accessible',
  async ({ viewport }) => {
    const postgres = await started(startSecurePostgres());
    const person = await world.person({ viewport });
    const { page, press, heading, addName, complaints } = person;
    const { look, found } = lookAt(page);
    const name = viewport.width < 500 ? 'orders-phone' : 'orders';
    await person.describe('postgres');
    await person.describeDatabase({
      ...{ name, address: `localhost:${postgres.port}`, ca: postgres.ca },
      ...{ user: 'by_scram', password: POSTGRES_PASSWORD },
    });
    expect(await page.getByLabel('Add a database user').inputValue()).toBe('by_scram');
    await page.getByLabel('Add a database', { exact: true }).waitFor();
    await look('principals');
    await addName('Add a database user');
    await addName('Add a database', postgres.database);
    await press('Go on');
    await heading(`Test ${name}`);
    await press('Test connection');
    await page.getByText('Everything works.').waitFor();
    await look('test');
    await press('Go on');
    await heading(`${name} is ready`);
    await look('done');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
    await opened(person, name, 'by_scram');
  },
);

test('PostgreSQL without TLS: the test says so, and as it is it opens all the same', async () => {
  const rules = String.raw`host all gatehouse 127.0.0.1/32 trust\nhost all plain 127.0.0.1/32 scram-sha-256\n`;
  const postgres = await started(startPostgres({ prepare: `printf '${rules}' > pg_hba.conf` }));
  const role = "create role plain login password 'plain-pass'";
  await promisify(execFile)('psql', [postgres.url, '-c', role]);
  await one.describe('postgres');
  await one.field('Address').fill(`127.0.0.1:${postgres.port}`);
  expect(await one.tryDraft()).toMatchObject({ ok: 2, stops: true, text: expect.stringMatching(/ssl ?= ?on/i) });

  await one.main.getByLabel('TLS', { exact: true }).selectOption('off');
  const database = new URL(postgres.url).pathname.slice(1);
  await useDatabase(one, database);
  const address = `127.0.0.1:${postgres.port}`;
  await one.describeDatabase({ name: 'plain-orders', address, user: 'plain', password: 'plain-pass' });
  await one.addName('Add a database user', 'plain');
  await one.addName('Add a database', database);
  await one.press('Go on');
  await one.testToTheEnd('plain-orders');
  await opened(one, 'plain-orders', 'plain');
});

test('MariaDB: user and database are added, tested, and opened', async () => {
  const { port, ca } = await started(startSecureMariadb());
  await one.describe('mysql');
  await useDatabase(one, 'shop');
  const address = `127.0.0.1:${port}`;
  await one.describeDatabase({ name: 'shop', address, ca, user: 'by_native', password: MARIADB_PASSWORD });
  // What is told of what was done does not lie on what comes next.
  const told = await one.page.getByText('shop was added.').boundingBox();
  const goOn = await one.main.getByRole('button', { name: 'Go on', exact: true }).boundingBox();
  expect((told?.y ?? 0) + (told?.height ?? 0)).toBeLessThan(goOn?.y ?? 0);
  await one.addName('Add a database user', 'by_native');
  await one.addName('Add a database', 'shop');
  await one.press('Go on');
  await one.testToTheEnd('shop', () => asUser(one, 'by_native'));
  await opened(one, 'shop', 'by_native');
});

test('Redis, by somebody who is another user already: the one that was typed is asked about, added, tested and opened', async () => {
  const { port, ca } = await started(startSecureRedis());
  await one.describe('redis');
  await one.describeDatabase({
    name: 'cache',
    address: `127.0.0.1:${port}`,
    ca,
    user: 'app',
    password: REDIS_PASSWORD,
  });
  await one.heading('Not yet yours there: app, 0');
  await one.addName('Add a database user', 'app');
  await one.addName('Add a database', '0');
  await one.page.getByRole('heading', { name: /^Not yet yours/ }).waitFor({ state: 'detached' });
  await one.press('Go on');
  await one.testToTheEnd('cache', () => asUser(one, 'app'));
  await opened(one, 'cache', 'app');
});

test('a new agent for databases: it joins, and a database that it looks after is tested through it', async () => {
  const { port, ca, database } = await started(startSecurePostgres());
  await one.at('?flow=postgres');
  await one.main.getByRole('radio', { name: /new agent/ }).check();
  await one.main.getByLabel('Labels').fill('net=near,');
  await one.press('Go on');
  const file = `databaseMatch: [{ net: near }]\nallow: ['localhost:${port}']\n`;
  world.startAgent(await one.tokenIn('Command for the new agent'), 'near-1', file);

  await one.heading('What is it?');
  await one.main.getByText('net=near').waitFor();
  await useDatabase(one, database);
  const [user, password] = ['by_scram', POSTGRES_PASSWORD];
  await one.describeDatabase({ name: 'near-orders', address: `localhost:${port}`, ca, user, password });
  await one.addName('Add a database user', user);
  await one.addName('Add a database', database);
  await one.press('Go on');
  expect(await one.testToTheEnd('near-orders', () => asUser(one, user))).toContain('near-1');
});
