import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { verifyJoin } from '@gatehouse/tunnel/handshake/join-proof';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentLog, silentLog } from '../runtime/log.ts';
import { becomeKnown } from './become-known.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { loadKey, readIdentity } from './identity.ts';

const JOINED = { agentId: 'a-1', cluster: 'prod', labels: { env: 'prod' } };
let path: string;
let folder: DataFolder;
let server: Server | undefined;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'gatehouse-identity-'));
  folder = openDataFolder(path);
});
afterEach(() => {
  folder.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(path, { recursive: true, force: true });
});

async function listen(made: Server): Promise<number> {
  server = made.listen(0, '127.0.0.1');
  await new Promise((resolve) => made.once('listening', resolve));
  return (made.address() as AddressInfo).port;
}

/** A gateway that answers each join as the next of the list says, and keeps what it was sent. */
async function gateway(...answers: RequestListener[]): Promise<{ gateway: string; asked: Record<string, string>[] }> {
  const asked: Record<string, string>[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.url?.endsWith('/challenge')) return void response.end(JSON.stringify({ nonce: 'n' }));
      asked.push({ url: `${request.method} ${request.url}`, ...JSON.parse(Buffer.concat(chunks).toString()) });
      (answers.length > 1 ? answers.shift() : answers[0])?.(request, response);
    }),
  );
  return { gateway: `http://127.0.0.1:${port}`, asked };
}

const yes: RequestListener = (_, response) => response.end(JSON.stringify({ ...JOINED, nonce: 'n' }));
const refuse =
  (status: number, code: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify({ error: { message: 'because', code, requestId: 'r' } }));

function become(
  config: { gateway: string; token?: string; name?: string; ca?: string; caPin?: string },
  log: AgentLog = silentLog,
) {
  const key = loadKey(folder);
  const signal = AbortSignal.timeout(20_000);
  return becomeKnown({
    folder,
    config: { name: 'web-1', token: undefined, ca: undefined, caPin: undefined, ...config },
    key,
    log,
    signal,
  });
}

test('an agent joins once, with its own key, and needs no token afterwards', async () => {
  const { gateway: address, asked } = await gateway(yes);

  const first = await become({ gateway: address, token: 'secret' });
  const second = await become({ gateway: address });

  expect(first).toMatchObject({ ...JOINED, name: 'web-1' });
  expect(second).toEqual(first);
  const { publicKey: key } = agentKeyOf(loadKey(folder));
  expect(asked).toEqual([
    {
      url: 'POST /v1/webapi/agents/join',
      token: 'secret',
      key,
      name: 'web-1',
      version: expect.any(String),
      nonce: 'n',
      audience: new URL(address).host,
      signature: expect.any(String),
    },
  ]);
  const { signature = '', audience = '' } = asked[0] ?? {};
  expect(verifyJoin(key, signature, { nonce: 'n', token: 'secret', name: 'web-1', audience })).toBe(true);
  for (const other of [{ nonce: 'm' }, { token: 'x' }, { name: 'y' }, { audience: 'z' }])
    expect(verifyJoin(key, signature, { nonce: 'n', token: 'secret', name: 'web-1', audience, ...other })).toBe(false);
  expect(readFileSync(join(path, 'agent.json'), 'utf8')).not.toContain('secret');
});

test('key and identity are for their owner alone', async () => {
  chmodSync(path, 0o755);
  folder.close();
  folder = openDataFolder(path);
  const { gateway: address } = await gateway(yes);
  await become({ gateway: address, token: 't' });

  expect(statSync(path).mode & 0o777).toBe(0o700);
  for (const name of ['agent.key', 'agent.json', 'agent.lock'])
    expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
});

test('an answer that was lost is asked for again, with the same key', async () => {
  const { gateway: address, asked } = await gateway(
    (request) => request.socket.destroy(),
    refuse(503, 'unavailable'),
    yes,
  );

  expect(await become({ gateway: address, token: 't' })).toMatchObject(JOINED);

  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
});

test.each([
  ['a bad token', refuse(403, 'denied'), 'denied', /did not let this agent join: because/],
  ['a name that is taken', refuse(409, 'conflict'), 'conflict', /does not take 'web-1': because/],
  ['a gateway without agents', refuse(404, 'not_found'), 'unreachable', /no gateway that takes agents/],
  [
    'something else',
    ((_, response) => response.end('{"hello":1}')) as RequestListener,
    'unreachable',
    /is not a gateway/,
  ],
  [
    'a redirect',
    ((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()) as RequestListener,
    'unreachable',
    /no gateway that takes agents/,
  ],
])('%s is told as what it is, at once', async (_, answer, kind, message) => {
  const { gateway: address, asked } = await gateway(answer);

  const failed = become({ gateway: address, token: 't' });

  await expect(failed).rejects.toThrow(expect.objectContaining({ kind, message: expect.stringMatching(message) }));
  expect(asked).toHaveLength(1);
});

test('nothing at the address, and no token, are told', async () => {
  const { gateway: address } = await gateway(yes);
  server?.close();

  await expect(become({ gateway: address, token: 't' })).rejects.toThrow(/no gateway answers at .*ECONNREFUSED/);
  await expect(become({ gateway: address })).rejects.toThrow(/has no join token: make one/);
});

test('another token joins again; an old one that is refused keeps nobody away', async () => {
  const { gateway: address, asked } = await gateway(yes, yes, refuse(403, 'denied'));
  await become({ gateway: address, token: 'one' });
  await become({ gateway: address, token: 'two' });

  const third = await become({ gateway: address, token: 'three' });

  expect(asked.map(({ token }) => token)).toEqual(['one', 'two', 'three']);
  expect(third).toMatchObject(JOINED);
});

test('the name it joined with is kept, and the operator is told', async () => {
  const { gateway: address } = await gateway(yes);
  await become({ gateway: address, token: 't' });
  const told: object[] = [];

  const again = await become(
    { gateway: address, name: 'other' },
    { ...silentLog, warn: (fields) => told.push(fields) },
  );

  expect(again.name).toBe('web-1');
  expect(told).toEqual([{ name: 'web-1', wanted: 'other' }]);
});

test('a damaged identity is named with what to do', async () => {
  writeFileSync(join(path, 'agent.json'), '{');

  expect(() => readIdentity(folder)).toThrow(`'agent.json' in '${path}' is damaged: remove it, and join again`);
  writeFileSync(join(path, 'agent.key'), 'nonsense');
  expect(() => loadKey(folder)).toThrow(`'agent.key' in '${path}' is damaged`);
});

test('one agent at a time lives in a folder, and a new one after it', () => {
  expect(() => openDataFolder(path)).toThrow(expect.objectContaining({ kind: 'conflict' }));

  folder.close();

  folder = openDataFolder(path);
  expect(() => openDataFolder(join(path, 'agent.lock', 'x'))).toThrow('cannot be used');
});

test('the certificate of the gateway is held against the authority or the pin, and never passed over', async () => {
  const [good, other] = await Promise.all([makeCertificate(), makeCertificate()]);
  const made = createTlsServer({ cert: good.cert, key: good.key }, yes);
  const address = `https://localhost:${await listen(made)}`;

  await expect(become({ gateway: address, token: 't' })).rejects.toThrow(/no gateway answers at/);
  await expect(become({ gateway: address, token: 't', ca: other.ca })).rejects.toThrow(/no gateway answers at/);
  await expect(become({ gateway: address, token: 't', caPin: other.pin })).rejects.toThrow('does not show the pinned');
  expect(await become({ gateway: address, token: 't', ca: good.ca })).toMatchObject(JOINED);
  expect(await become({ gateway: address, token: 'u', caPin: good.pin })).toMatchObject(JOINED);
});
