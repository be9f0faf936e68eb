/** Files through a real agent, whose process for them is the login's own; and what a cut wire leaves. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../../testing/sessions/process-world.ts';

let world: ProcessWorld;
let send: Send;
let raw: (path: string, init?: RequestInit) => Promise<Response>;
beforeAll(async () => {
  world = await startProcessWorld();
  const { tab, gateway } = world;
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
  raw = (path, init = {}) => {
    const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf, ...init.headers };
    return fetch(`${gateway.origin}${path}`, { ...init, headers, duplex: 'half' } as RequestInit);
  };
  send = async ({ method, url, body }) => {
    const json = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
    const reply = await raw(url, { method, ...json });
    return { status: reply.status, text: await reply.text() };
  };
});
afterAll(() => world?.close());

test('a process of the login writes, a cut wire keeps what came, and the rest follows', async () => {
  const site = { clusterId: '-current-' };
  const opened = await call(send, fileRoutes.open, { params: site, body: { server: SERVER, login: world.login } });
  const params = { ...site, fileSession: opened.id };
  const bytes = randomBytes(6_000_000);
  const query = { folder: opened.home, name: 'big.bin', upload: '0123456789abcdef' };
  const write = (body: BodyInit | ReadableStream, offset: number) =>
    raw(pathFor(fileRoutes.write.path, params) + queryString({ ...query, offset, size: bytes.length }), {
      method: 'PUT',
      body: body as BodyInit,
    });
  const progress = async () => (await call(send, fileRoutes.progress, { params, query })).offset;

  const slow = new ReadableStream({
    async pull(controller) {
      controller.enqueue(bytes.subarray(0, 2_000_000));
      await sleep(60_000);
    },
  });
  const cut = write(slow, 0).then(
    ({ status }) => status,
    () => 0,
  );
  await vi.waitFor(async () => expect(await progress()).toBe(2_000_000), { timeout: 10_000 });
  world.cutAgent();
  const status = await cut;
  const there = await vi.waitFor(progress, { timeout: 20_000, interval: 200 });
  const rest = await write(Buffer.from(bytes.subarray(there)), there);
  const path = `${opened.home}/big.bin`;
  const back = await raw(pathFor(fileRoutes.read.path, params) + queryString({ path }));

  expect([0, 504]).toContain(status);
  expect(there).toBe(2_000_000);
  expect(rest.status).toBe(200);
  expect(statSync(path).uid).toBe(Number(execFileSync('id', ['-u', world.login]).toString()));
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
  const rootOnly = await raw(pathFor(fileRoutes.read.path, params) + queryString({ path: '/etc/shadow' }));
  expect(rootOnly.status).toBe(403);
});
