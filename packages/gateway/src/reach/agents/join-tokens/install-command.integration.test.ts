import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Certificate } from '../../../platform/tls/certificate.ts';
import { selfMadeCertificate } from '../../../platform/tls/self-made.ts';
import { installCommand, publicKeyPin } from './install-command.ts';

const token = '0123456789abcdef0123456789abcdef';
let folder: string;
let selfMade: Certificate;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  selfMade = await selfMadeCertificate({ dataDir: folder, names: ['localhost', '127.0.0.1'], now: Date.now() });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the command is taken by curl from the gateway with that key, and from no other', async () => {
  const server = createServer({ cert: selfMade.cert, key: selfMade.key }, (_, response) => response.end('echo joined'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (pin: string) =>
    runCommand('sh', ['-c', installCommand({ origin, pin, token }).replace('sudo ', '')], { PATH: '/usr/bin:/bin' });

  const right = await run(publicKeyPin(selfMade));
  const wrong = await run(publicKeyPin({ cert: authorityOf(selfMade) }));
  server.close();

  expect(right).toMatchObject({ code: 0, stdout: 'joined\n' });
  expect(wrong.stdout).toBe('');
  expect(wrong.stderr).toContain('public key');
});

function authorityOf({ cert }: Certificate): string {
  return cert.slice(cert.lastIndexOf('-----BEGIN CERTIFICATE-----'));
}
