import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
});
afterEach(() => line.close());

const inFolder = (name: string) => join(line.folder, 'certs', name);
const modeOf = (name: string) => statSync(inFolder(name)).mode & 0o777;

test('key and certificate fit, only the owner reads the key, and it is said what to write at the server', async () => {
  const args = [
    'db',
    'sign',
    '--host',
    'db.inside,10.0.0.5',
    '--for',
    'postgres',
    '--out',
    'certs',
    '--from',
    '10.0.0.1',
  ];
  const signed = await line.local(...args);
  const made = new X509Certificate(readFileSync(inFolder('server.crt')));

  expect(signed).toMatchObject({ code: 0, stderr: '' });
  expect(signed.stdout).toContain('hostssl all all 10.0.0.1/32 cert');
  expect(signed.stdout).not.toContain('PRIVATE');
  expect(made.subjectAltName).toBe('DNS:db.inside, IP Address:10.0.0.5');
  expect([modeOf('server.key'), modeOf('server.crt')]).toEqual([0o600, 0o644]);

  // Again, over what is there.
  expect((await line.local(...args)).code).toBe(0);
  expect(new X509Certificate(readFileSync(inFolder('server.crt'))).serialNumber).not.toBe(made.serialNumber);
});

test('MongoDB gets both in one file, for the owner alone', async () => {
  await line.local('db', 'sign', '--host', 'db.inside', '--for', 'mongodb', '--out', 'certs');

  expect(readFileSync(inFolder('server.pem'), 'utf8')).toMatch(/BEGIN CERTIFICATE.*BEGIN PRIVATE KEY/s);
  expect(modeOf('server.pem')).toBe(0o600);
});

test('what is no host is said by name', async () => {
  const refused = await line.local('db', 'sign', '--host', '*.inside', '--for', 'postgres', '--out', 'certs');

  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('hosts');
});
