import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readAgentConfig } from './config.ts';
import { runAgent } from './main.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(handler: RequestListener): Promise<string> {
  const started = createServer(handler).listen(0, '127.0.0.1');
  server = started;
  await new Promise((resolve) => started.once('listening', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const AROUND = { env: {}, cwd: '/srv', timeoutMs: 200 };

test('a gateway that answers is named, and that it takes no agents is said plainly', async () => {
  const pong = {
    auth: { type: 'local', private_key_policy: 'none', has_motd: false },
    proxy: { kube: {}, ssh: {}, db: {}, tls_routing_enabled: false },
    server_version: '0.1.0',
    min_client_version: '0.1.0',
    cluster_name: 'prod',
    automatic_upgrades: false,
  };
  const gateway = await serve((_, response) => response.end(JSON.stringify(pong)));

  expect(await runAgent({ gateway }, AROUND)).toEqual({
    exit: 'unreachable',
    message: `the gateway of cluster 'prod' at ${gateway} (version 0.1.0) answers, but does not take agents yet`,
    gateway,
  });
});

test.each<[string, RequestListener, RegExp]>([
  ['something else', (_, response) => response.end('{"hello":1}'), /is not a gateway/],
  ['an error', (_, response) => response.writeHead(503).end('busy'), /it answered 503/],
  ['nothing', () => {}, /no answer in time/],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /redirect/],
])('%s at the address is reported as no gateway', async (_, handler, reason) => {
  const gateway = await serve(handler);

  const { message } = await runAgent({ gateway }, AROUND);

  expect(message).toContain(`no gateway answers at ${gateway}`);
  expect(message).toMatch(reason);
});

test('an address where nothing listens is reported as no gateway', async () => {
  const gateway = await serve(() => {});
  server?.close();
  server = undefined;

  expect((await runAgent({ gateway }, AROUND)).message).toContain('ECONNREFUSED');
});

test('the command line wins over the environment', () => {
  const env = {
    GATEHOUSE_AGENT_GATEWAY: 'https://env.example.com',
    GATEHOUSE_AGENT_TOKEN: 'from-env',
    GATEHOUSE_AGENT_LABELS: 'env=prod,team=web',
  };

  expect(readAgentConfig({ gateway: 'https://Flag.example.com/' }, env, '/srv')).toEqual({
    gateway: 'https://flag.example.com',
    token: 'from-env',
    dataDir: '/srv/agent-data',
    labels: { env: 'prod', team: 'web' },
  });
});

test.each([
  [{}, /gateway: is missing/],
  [{ gateway: 'http://gate.example.com' }, /gateway: must be an https/],
  [{ gateway: 'gate.example.com' }, /gateway: must be an https/],
  [{ gateway: 'https://gate.example.com', labels: ['prod'] }, /labels: must be name=value/],
])('the configuration %j is refused with its key', (given, message) => {
  expect(() => readAgentConfig(given, {}, '/srv')).toThrow(message);
});
