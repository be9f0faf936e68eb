import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../std/log.ts';
import { type Diagnostics, startDiagnostics } from './diagnostics-listener.ts';
import { createMetrics } from './metrics.ts';
import { type Check, createReadiness } from './readiness.ts';

/** Told by Node for each request that a server of this process begins to answer. */
const REQUEST_STARTS = 'http.server.request.start';

let running: Diagnostics | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(checks: Record<string, Check> = {}, timeoutMs = 50) {
  const log = { ...silentLog, warn: vi.fn() };
  const readiness = createReadiness({ checks, log, timeoutMs });
  const { registry, metrics } = createMetrics({ version: '1.2.3', processMetrics: 'none' });
  running = await startDiagnostics({ listen: { host: '127.0.0.1', port: 0 }, registry, readiness, log });
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${running?.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, text, headers: response.headers };
  };
  return { get, metrics, readiness, log };
}

test('a healthy process says so without asking anybody', async () => {
  const storage = vi.fn(async () => {
    throw new Error('down');
  });
  const { get } = await start({ storage });

  expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}\n' });
  expect(storage).not.toHaveBeenCalled();
});

test('ready means that every named check passed', async () => {
  const { get } = await start({ storage: async () => {}, changes: async () => {} });

  const { status, text } = await get('/readyz');

  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    ready: true,
    checks: {
      storage: { ok: true, durationMs: expect.any(Number) },
      changes: { ok: true, durationMs: expect.any(Number) },
    },
  });
});

test('a failed check is named, its details stay in the log', async () => {
  const { get, log } = await start({
    storage: async () => {
      throw new Error('password authentication failed for ann');
    },
  });

  const { status, text } = await get('/readyz');

  expect(status).toBe(503);
  expect(JSON.parse(text)).toMatchObject({ ready: false, checks: { storage: { ok: false, reason: 'failed' } } });
  expect(text).not.toContain('ann');
  expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ check: 'storage' }), 'readiness check failed');
});

test('a check that never answers is given up after its time', async () => {
  const { get } = await start({ storage: () => new Promise(() => {}) });

  const { status, text } = await get('/readyz');

  expect(status).toBe(503);
  expect(JSON.parse(text).checks.storage.reason).toBe('no answer within 50 ms');
});

test('probes that come together share one run of the checks', async () => {
  const answer = Promise.withResolvers<void>();
  const storage = vi.fn(() => answer.promise);
  const { get } = await start({ storage }, 60_000);
  const came = vi.fn();
  subscribe(REQUEST_STARTS, came);
  onTestFinished(() => void unsubscribe(REQUEST_STARTS, came));

  const probes = [get('/readyz'), get('/readyz'), get('/readyz')];
  await expect.poll(() => came.mock.calls.length).toBe(3);
  answer.resolve();
  await Promise.all(probes);

  expect(storage).toHaveBeenCalledOnce();
});

test('a draining gateway is healthy but not ready', async () => {
  const { get, readiness } = await start({ storage: async () => {} });

  readiness.beginDrain();

  expect((await get('/healthz')).status).toBe(200);
  const { status, text } = await get('/readyz');
  expect(status).toBe(503);
  expect(JSON.parse(text).checks.drain).toMatchObject({ ok: false, reason: 'shutting down' });
});

test('metrics are in the Prometheus text format', async () => {
  const { get, metrics } = await start();
  metrics.httpRequests.inc({ method: 'GET', route: '/v1/webapi/ping', status: '200' });

  const { status, text, headers } = await get('/metrics');

  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('text/plain');
  expect(text).toContain('gatehouse_http_requests_total{method="GET",route="/v1/webapi/ping",status="200"} 1');
  expect(text).toContain('gatehouse_build_info{version="1.2.3"');
});

test('process metrics are there unless left out', async () => {
  const { registry } = createMetrics({ version: '1.2.3' });

  expect(await registry.metrics()).toContain('process_cpu_seconds_total');
});

test.each(['/', '/web', '/v1/webapi/ping', '/metrics/', '/healthz.json', '/__proto__', '/constructor'])(
  '%s is not there',
  async (path) => {
    const { get } = await start();

    expect((await get(path)).status).toBe(404);
  },
);

test('nothing but reading is allowed', async () => {
  const { get } = await start();

  const refused = await get('/metrics', { method: 'POST', body: 'x' });

  expect(refused.status).toBe(405);
  expect(refused.headers.get('allow')).toBe('GET, HEAD');
  expect((await get('/healthz', { method: 'HEAD' })).text).toBe('');
});

test('garbage on the socket is answered and the listener lives on', async () => {
  const { get } = await start();
  const port = Number(new URL(running?.url ?? '').port);

  const reply = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('\x16\x03\x01\x00garbage\r\n\r\n'));
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.once('error', reject);
  });

  expect(reply).toMatch(/^HTTP\/1\.1 400/);
  expect((await get('/healthz')).status).toBe(200);
});

test('a taken port is said plainly', async () => {
  await start();
  const port = Number(new URL(running?.url ?? '').port);
  const { registry } = createMetrics({ version: '1', processMetrics: 'none' });
  const readiness = createReadiness({ checks: {}, log: silentLog });

  const second = startDiagnostics({ listen: { host: '127.0.0.1', port }, registry, readiness, log: silentLog });

  await expect(second).rejects.toThrow(`127.0.0.1:${port} is already in use`);
});
