import { expect, test } from 'vitest';
import { resolveConfig } from './resolve.ts';
import { gatewayConfig } from './schema.ts';

function resolved(written: object) {
  return resolveConfig(gatewayConfig.parse(written), {
    baseFor: () => '/etc/gatehouse',
    defaultDataDir: '/srv/data',
    defaultLogFormat: 'json',
  });
}

function problemKeys(written: object): string[] {
  return resolved(written).problems.map(({ key }) => key);
}

test.each(['0.0.0.0:3080', '[::]:3080', '10.0.0.5:3080', 'gate.example.com:3080'])(
  'listening on %s in the clear does not start, and the three ways out are named',
  (listen) => {
    const { problems } = resolved({ listen });

    expect(problems).toEqual([{ key: 'listen', message: expect.any(String) }]);
    expect(problems[0]?.message).toMatch(/tls\.cert.*tls\.selfMade.*proxy\.behind/);
  },
);

test.each([
  { tls: { cert: 'a', key: 'b' } },
  { tls: { selfMade: true } },
  { proxy: { behind: true, trusted: ['10.0.0.1'] } },
])('listening on every address is fine with %j', (setting) => {
  expect(problemKeys({ listen: '0.0.0.0:443', ...setting })).toEqual([]);
});

test('being behind a proxy means nothing until the proxy is named', () => {
  expect(problemKeys({ proxy: { behind: true } })).toEqual(['proxy.behind']);
  expect(resolved({ proxy: { trusted: ['10.0.0.1'] } }).warnings.map(({ key }) => key)).toEqual(['proxy.trusted']);
});

test('a certificate and its key come together and exclude the self-made one', () => {
  expect(problemKeys({ tls: { cert: 'a' } })).toEqual(['tls.cert']);
  expect(problemKeys({ tls: { key: 'a' } })).toEqual(['tls.key']);
  expect(problemKeys({ tls: { cert: 'a', key: 'b', selfMade: true } })).toEqual(['tls.selfMade']);
  expect(resolved({ tls: { selfMade: true } }).config.tls).toEqual({ mode: 'self-made' });
});

test.each([
  [{}, 'optional'],
  [{ listen: '[::1]:1' }, 'optional'],
  [{ publicAddr: 'gate.example.com', tls: { selfMade: true } }, 'on'],
  [{ listen: '0.0.0.0:1', tls: { selfMade: true } }, 'on'],
  [{ listen: '0.0.0.0:1', tls: { selfMade: true }, auth: { secondFactor: 'otp' } }, 'otp'],
])('with %j the second factor is %s', (written, secondFactor) => {
  expect(resolved(written).config.auth.secondFactor).toBe(secondFactor);
});

const selfMade = { tls: { selfMade: true } };
test.each([
  [{ publicAddr: 'gate.example.com', ...selfMade }, 'https://gate.example.com', 443],
  [{ publicAddr: 'gate.example.com:443', ...selfMade }, 'https://gate.example.com', 443],
  [{ publicAddr: 'https://gate.example.com:8443/', ...selfMade }, 'https://gate.example.com:8443', 8443],
  [{ publicAddr: 'gate.example.com', proxy: { behind: true, trusted: ['::1'] } }, 'https://gate.example.com', 443],
  [{ publicAddr: 'localhost:3080' }, 'http://localhost:3080', 3080],
  [{ publicAddr: '[::1]:80' }, 'http://[::1]', 80],
])('the public address of %j has one canonical origin', (written, origin, port) => {
  expect(resolved(written).config.publicAddr).toMatchObject({ origin, port });
});

test('a public address whose scheme contradicts how the gateway is reached does not start', () => {
  expect(problemKeys({ publicAddr: 'http://gate.example.com', ...selfMade })).toEqual(['publicAddr']);
  expect(problemKeys({ publicAddr: 'https://gate.example.com' })).toEqual(['publicAddr']);
});

test('a public name without TLS is warned about', () => {
  expect(resolved({ publicAddr: 'gate.example.com:3080' }).warnings.map(({ key }) => key)).toEqual(['publicAddr']);
  expect(resolved({ publicAddr: 'localhost:3080' }).warnings).toEqual([]);
});

test('diagnostics never share the public listener and are warned about beyond this machine', () => {
  expect(problemKeys({ diagListen: '127.0.0.1:3080' })).toEqual(['diagListen']);
  expect(resolved({ diagListen: '0.0.0.0:9090' }).warnings.map(({ key }) => key)).toEqual(['diagListen']);
  expect(resolved({ diagListen: '127.0.0.1:9090' })).toMatchObject({ problems: [], warnings: [] });
});

test('the listener for programs of MySQL needs TLS, and an address of its own', () => {
  const databases = { mysqlListen: '127.0.0.1:3306' };
  const tls = { selfMade: true };
  expect(problemKeys({ databases })).toEqual(['databases.mysqlListen']);
  expect(problemKeys({ databases, tls, listen: '127.0.0.1:3306' })).toEqual(['databases.mysqlListen']);
  expect(problemKeys({ databases, tls, diagListen: '127.0.0.1:3306' })).toEqual(['databases.mysqlListen']);
  expect(resolved({ databases, tls }).problems).toEqual([]);
});

test('the listener for programs that speak SSH needs an address of its own, and its name no scheme', () => {
  const ssh = { listen: '127.0.0.1:3022', publicAddr: 'Gate.example.com' };
  expect(resolved({ ssh })).toMatchObject({
    ...{ problems: [], warnings: [] },
    config: { ssh: { listen: { host: '127.0.0.1', port: 3022 }, publicAddr: { host: 'gate.example.com', port: 0 } } },
  });
  expect(problemKeys({ ssh, listen: '127.0.0.1:3022' })).toEqual(['ssh.listen']);
  expect(problemKeys({ ssh, diagListen: '127.0.0.1:3022' })).toEqual(['ssh.listen']);
  expect(problemKeys({ ssh, databases: { mysqlListen: '127.0.0.1:3022' }, tls: { selfMade: true } })).toEqual([
    'ssh.listen',
  ]);
  expect(resolved({ ssh: { publicAddr: 'gate' } }).warnings.map(({ key }) => key)).toEqual(['ssh.publicAddr']);
});

test('the key for secrets is given once', () => {
  expect(problemKeys({ secrets: { key: 'x'.repeat(32), keyFile: 'key' } })).toEqual(['secrets.key']);
});

test('passwordless leads the sign-in page only where passkeys are taken', () => {
  const auth = { connectorName: 'passwordless' };

  expect(problemKeys({ auth })).toEqual([]);
  expect(problemKeys({ auth: { ...auth, secondFactor: 'otp' } })).toEqual(['auth.connectorName']);
});

test.each(['hardware_key', 'hardware_key_touch'])(
  '%s, which nobody could enforce, is refused by its name',
  (policy) => {
    const { problems } = resolved({ auth: { privateKeyPolicy: policy } });

    expect(problems).toEqual([{ key: 'auth.privateKeyPolicy', message: expect.stringContaining(policy) }]);
  },
);
