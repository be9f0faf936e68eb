/** A PostgreSQL that is away, or whose disk is full: few lines in the log, one word for it, and all well when it is back. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

const AWAY_MS = 12_000;
/** One for each loop that meets it, however long it lasts; it was 364 of one of them. */
const MAX_LINES = 40;

let postgres: TestPostgres;
let way: Awaited<ReturnType<typeof startWay>>;
let gateway: GatewayProcess;
let diagnostics = '';

beforeAll(async () => {
  postgres = await startPostgres();
  const url = new URL(postgres.url);
  way = await startWay(Number(url.port));
  url.port = String(way.port);
  const port = await freePort();
  diagnostics = `http://127.0.0.1:${port}`;
  gateway = await startGateway({ GATEHOUSE_STORAGE_URL: String(url), GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${port}` });
});
afterAll(async () => {
  await gateway?.stop();
  way?.close();
  await postgres?.stop();
});

/** Connections to the database that can be cut, with nobody there who answers. */
async function startWay(target: number) {
  const open = new Set<Socket>();
  const serve = (near: Socket) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  };
  const listen = (port: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(serve).listen(port, '127.0.0.1', () => resolve(server));
    });
  const port = await freePort();
  let server = await listen(port);
  const close = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    close,
    open: async () => {
      server = await listen(port);
    },
  };
}

const ready = async () => {
  const reply = await fetch(`${diagnostics}/readyz`);
  return { status: reply.status, text: await reply.text() };
};
const add = (name: string) => gateway.command('users', 'add', name, '--roles=access');

test('an outage is a few lines: that it began, and that it is over with how often it was met', async () => {
  await expect.poll(ready, { timeout: 20_000 }).toMatchObject({ status: 200 });
  const before = gateway.output().length;

  way.close();
  const until = performance.now() + AWAY_MS;
  for (; performance.now() < until; await sleep(500)) await ready();
  await way.open();
  await expect.poll(ready, { timeout: 30_000, interval: 500 }).toMatchObject({ status: 200 });
  await expect.poll(() => gateway.output(), { timeout: 10_000 }).toContain('"msg":"the database answers again"');
  const said = gateway.output().slice(before);
  const lines = said.trim().split('\n');

  expect(said).toContain('"msg":"the database does not answer"');
  expect(lines.length, said).toBeLessThan(MAX_LINES);
  expect(said).not.toContain('    at ');
  const over = lines.find((line) => line.includes('the database answers again')) ?? '{}';
  expect(JSON.parse(over)).toMatchObject({ times: expect.any(Number), seconds: expect.any(Number) });
});

test('a full disk of the database is told by its name', async () => {
  const url = new URL(postgres.url);
  const client = new pg.Client(String(url));
  await client.connect();
  // What PostgreSQL says when it cannot make a table longer.
  await client.query(`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  for (const table of ['meta', 'event'])
    await client.query(`create trigger no_room before insert or update on ${table} execute function no_room()`);

  const refused = await add('nobody');
  const red = await ready();
  for (const table of ['meta', 'event']) await client.query(`drop trigger no_room on ${table}`);
  await client.end();

  expect(refused.stderr).toContain('the disk is full');
  expect(red.status).toBe(503);
  expect(JSON.parse(red.text).checks.disk.reason).toContain('the disk is full');
  await expect.poll(ready, { timeout: 30_000, interval: 500 }).toMatchObject({ status: 200 });
  expect(await add('somebody')).toMatchObject({ code: 0 });
});
