import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../platform/std/app-error.ts';
import { silentLog } from '../../platform/std/log.ts';
import { localOperations } from './local-operations.ts';
import { isGatewayRunning, localSend, NoGatewayError } from './local-send.ts';
import { type LocalSocket, serveLocalSocket } from './serve-local-socket.ts';
import { findSocketPath } from './socket-path.ts';

let dataDir: string;
const open: LocalSocket[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-socket-'));
});
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const echo: RequestListener = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  response
    .writeHead(201)
    .end(JSON.stringify({ method: request.method, url: request.url, type: request.headers['content-type'], body }));
};

async function serve(folder = dataDir): Promise<LocalSocket> {
  const socket = await serveLocalSocket({ dataDir: folder, handler: echo });
  open.push(socket);
  return socket;
}

test('a call travels to the gateway of the data folder and back', async () => {
  await serve();

  const received = await localSend(dataDir)({ method: 'POST', url: '/v1/x?y=1', body: '{"ä":1}' });

  expect(received.status).toBe(201);
  expect(JSON.parse(received.text)).toEqual({
    method: 'POST',
    url: '/v1/x?y=1',
    type: 'application/json',
    body: '{"ä":1}',
  });
});

test('only the owner can open the socket, whatever the folder allowed before', async () => {
  chmodSync(dataDir, 0o755);

  const { path } = await serve();

  expect(path).toBe(join(dataDir, 'gatehouse.sock'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test('without a gateway the message names the data folder and how to start one', async () => {
  const failed = localSend(dataDir)({ method: 'GET', url: '/' });

  await expect(failed).rejects.toThrow(NoGatewayError);
  await expect(failed).rejects.toThrow(
    `no gateway is running on data folder '${dataDir}'; start it with: gatehouse start`,
  );
  expect(await isGatewayRunning(dataDir)).toBe(false);
});

test('a second gateway on the same data folder is refused and the first goes on', async () => {
  await serve();

  await expect(serve()).rejects.toThrow(`another gateway is running on data folder '${dataDir}'`);
  expect(await isGatewayRunning(dataDir)).toBe(true);
});

test('the socket that a killed gateway left behind is replaced', async () => {
  const path = join(dataDir, 'gatehouse.sock');
  const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(path)).toBe(true);
  await expect(localSend(dataDir)({ method: 'GET', url: '/' })).rejects.toThrow(NoGatewayError);

  await serve();

  expect(await isGatewayRunning(dataDir)).toBe(true);
});

test('a file in the place of the socket is left alone and named', async () => {
  writeFileSync(join(dataDir, 'gatehouse.sock'), 'precious');

  await expect(serve()).rejects.toThrow('is in the way of the local socket');
  expect(readFileSync(join(dataDir, 'gatehouse.sock'), 'utf8')).toBe('precious');
});

test('a data folder with a very long path gets a short socket that only its owner can open', async () => {
  const long = join(dataDir, 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(long, { recursive: true });

  const { path } = await serve(long);

  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
  expect(findSocketPath(long)).toBe(path);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await isGatewayRunning(long)).toBe(true);
});

test('a data folder reached through a link serves the folder behind it', async () => {
  const link = `${dataDir}-link`;
  symlinkSync(dataDir, link);
  try {
    await serve(link);

    expect(await isGatewayRunning(dataDir)).toBe(true);
  } finally {
    rmSync(link);
  }
});

test('closing removes the socket', async () => {
  const socket = await serve();

  await socket.close();
  open.length = 0;

  expect(existsSync(socket.path)).toBe(false);
});

test('an operation of the local socket runs for its own address alone; every other call goes on', async () => {
  const rotate = vi.fn(async () => ({ keyId: 'k' }));
  const handler = localOperations({ operations: { '/local/secrets/rotate': rotate }, next: echo, log: silentLog });
  open.push(await serveLocalSocket({ dataDir, handler }));
  const send = localSend(dataDir);

  expect(await send({ method: 'POST', url: '/local/secrets/rotate' })).toEqual({ status: 200, text: '{"keyId":"k"}' });
  for (const url of ['/local/secrets/rotate/', '/local/secrets', '/constructor', '/v1/webapi/ping']) {
    expect((await send({ method: 'POST', url })).status).toBe(201);
  }
  expect((await send({ method: 'GET', url: '/local/secrets/rotate' })).status).toBe(201);
  expect(rotate).toHaveBeenCalledTimes(1);
});

test('an operation that fails tells its owner why, in the shape of every error', async () => {
  const operations = {
    '/local/a': async () => {
      throw new AppError('conflict', 'already under way');
    },
    '/local/b': async () => {
      throw new Error('the disk is full');
    },
  };
  open.push(await serveLocalSocket({ dataDir, handler: localOperations({ operations, next: echo, log: silentLog }) }));
  const post = async (url: string) => {
    const { status, text } = await localSend(dataDir)({ method: 'POST', url });
    return { status, ...JSON.parse(text) };
  };

  expect(await post('/local/a')).toEqual({
    status: 409,
    error: { message: 'already under way', code: 'conflict', requestId: expect.any(String) },
  });
  expect(await post('/local/b')).toMatchObject({
    status: 500,
    error: { message: 'the disk is full', code: 'internal' },
  });
});
