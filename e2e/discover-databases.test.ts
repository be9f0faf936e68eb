/** Databases enrolled to their first connection in the browser, against the real ones, one after the other by the same person. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { startStubMongodb } from '@gatehouse/gateway/testing/db/stub-mongodb';
import { startStubSqlserver } from '@gatehouse/gateway/testing/db/stub-sqlserver';
import { freePort } from '@gatehouse/testkit/free-port';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DescribedDatabase,
  type DiscoverWorld,
  type Person,
  startDiscoverWorld,
  started,
} from './discover-world.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

let world: DiscoverWorld;
let one: Person;
beforeAll(async () => {
  world = await startDiscoverWorld();
  one = await world.person();
});
afterAll(() => world?.close());

/** From the last step, as who was just tested: nothing is left to choose. */
async function opened({ page, main }: Person, name: string, user: string): Promise<void> {
  await main.getByRole('button', { name: `Connect to ${name} as ${user}`, exact: true }).click();
  const there = page.getByText('Connected', { exact: true }).or(page.getByRole('textbox', { name: 'Command' }));
  await there.first().waitFor();
}

const nameDatabase = ({ field }: Person, name: string) => field(/^Default database/).fill(name);

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
  await nameDatabase(one, database);
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
  await nameDatabase(one, 'shop');
  const address = `127.0.0.1:${port}`;
  const [told] = await Promise.all([
    // Looked for before it comes: it leaves by itself.
    one.page.getByText('shop was added.').boundingBox(),
    one.describeDatabase({ name: 'shop', address, ca, user: 'by_native', password: MARIADB_PASSWORD }),
  ]);
  // What is told of what was done does not lie on what comes next.
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

test('SQL Server, as far as its stub speaks: added, tested, and opened', async () => {
  const { port, ca } = await started(startStubSqlserver({ app: 'a secret of the shop' }));
  await one.describe('sqlserver');
  await nameDatabase(one, 'shop');
  const address = `localhost:${port}`;
  await one.describeDatabase({ name: 'ledger', address, ca, user: 'app', password: 'a secret of the shop' });
  await one.addName('Add a database user', 'app');
  await one.addName('Add a database', 'shop');
  await one.press('Go on');
  await one.testToTheEnd('ledger', () => asUser(one, 'app'));
  await opened(one, 'ledger', 'app');
});

test('MongoDB, as far as its stub speaks: added, tested, and opened', async () => {
  const { port, ca } = await started(startStubMongodb({ app: 'a secret of the shop' }));
  await one.describe('mongodb');
  await nameDatabase(one, 'shop');
  const address = `localhost:${port}`;
  await one.describeDatabase({ name: 'catalog', address, ca, user: 'app', password: 'a secret of the shop' });
  await one.addName('Add a database user', 'app');
  await one.addName('Add a database', 'shop');
  await one.press('Go on');
  await one.testToTheEnd('catalog', () => asUser(one, 'app'));
  await opened(one, 'catalog', 'app');
});

/** The command is made on the way, an agent as it would install joins, and what it looks after is described, tested and opened. */
async function byNewAgent(
  flow: string,
  { agent, database, ...described }: DescribedDatabase & { agent: string; database: string },
): Promise<void> {
  const { name, address, user } = described;
  await one.at(`?flow=${flow}`);
  await one.main.getByRole('radio', { name: /new agent/ }).check();
  await one.main.getByLabel('Labels').fill(`net=${agent},`);
  await one.press('Go on');
  const file = `databaseMatch: [{ net: ${agent} }]\nallow: ['${address}']\n`;
  world.startAgent(await one.tokenIn('Command for the new agent'), agent, file);

  await one.heading('What is it?');
  await one.main.getByText(`net=${agent}`).waitFor();
  await nameDatabase(one, database);
  await one.describeDatabase(described);
  await one.addName('Add a database user', user);
  await one.addName('Add a database', database);
  await one.press('Go on');
  expect(await one.testToTheEnd(name, () => asUser(one, user))).toContain(agent);
  await opened(one, name, user);
}

test('a new agent for databases: it joins, and a PostgreSQL that it looks after is tested and opened through it', async () => {
  const { port, ca, database } = await started(startSecurePostgres());
  const address = `localhost:${port}`;
  const signIn = { user: 'by_scram', password: POSTGRES_PASSWORD };
  await byNewAgent('postgres', { agent: 'near-1', name: 'near-orders', address, ca, database, ...signIn });
});

test('a new agent for databases: it joins, and a MariaDB that it looks after is tested and opened through it', async () => {
  const { port, ca } = await started(startSecureMariadb());
  const address = `localhost:${port}`;
  const signIn = { user: 'by_native', password: MARIADB_PASSWORD };
  await byNewAgent('mysql', { agent: 'near-2', name: 'near-shop', address, ca, database: 'shop', ...signIn });
});

test.each(EACH_WIDTH)(
  'at $width width a test that failed is found under way, and beside the next one',
  async ({ viewport }) => {
    const address = `127.0.0.1:${await freePort()}`;
    const person = await world.person({ viewport });
    const { page, main, press, heading, complaints } = person;
    const { look, found } = lookAt(page);
    const name = viewport.width < 500 ? 'gone-phone' : 'gone';
    await person.describe('redis');
    await main.getByLabel('Labels').fill('env=prod,');
    await person.describeDatabase({ name, address, user: 'app', password: 'none' });
    await person.addName('Add a database user', 'app');
    await person.addName('Add a database', '0');
    await press('Go on');
    await heading(`Test ${name}`);
    await asUser(person, 'app');
    await press('Test connection');
    const earlier = page.getByRole('complementary', { name: 'Earlier' });
    const refused = new RegExp(`${address} refuses the connection`);
    await main.getByRole('list').getByText(refused).waitFor();
    await press('Choose something else');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();

    const underWay = page.getByRole('region', { name: /^Under way/ });
    await underWay.getByText(refused).waitFor();
    await underWay.getByTitle('env: prod').waitFor();
    await look('under way');
    await underWay.getByRole('button', { name: `Continue with ${name}` }).focus();
    await page.keyboard.press('Enter');
    await heading(`Test ${name}`);
    await earlier.getByText(refused).waitFor();
    await look('earlier');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
