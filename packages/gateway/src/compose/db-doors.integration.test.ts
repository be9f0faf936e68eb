/** The doors of programs of databases, of a gateway that runs as people start it, with the certificate that it makes by itself. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
let gateway: GatewayProcess;
let mysqlPort: number;
beforeAll(async () => {
  mysqlPort = await freePort();
  gateway = await startGateway({
    ...{ GATEHOUSE_TLS_SELF_MADE: 'true', GATEHOUSE_DATABASES_MYSQL_LISTEN: `127.0.0.1:${mysqlPort}` },
  });
});
afterAll(() => gateway?.stop());

test('clients check the name of a database against its own certificate, and are refused in their own words', async () => {
  const { port } = new URL(gateway.origin);
  const authority = join(gateway.dataDir, 'tls', 'ca.crt');
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: Number(port), ca: readFileSync(authority), servername: 'cache.db.localhost' },
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  expect(socket.authorized).toBe(true);

  const { stdout } = await run('redis-cli', [
    ...['-h', 'localhost', '-p', port, '--tls', '--sni', 'cache.db.localhost', '--cacert', authority, 'PING'],
  ]);
  expect(stdout).toContain('NOPERM no certificate was shown');
});

test('programs of MySQL are listened for where the configuration says so, until it stops', async () => {
  const client = ['--no-defaults', '-h', '127.0.0.1', '-P', String(mysqlPort), '-e', 'select 1'];
  const ca = `--ssl-ca=${join(gateway.dataDir, 'tls', 'ca.crt')}`;
  await expect(run('mariadb', [...client, ca, '--ssl-verify-server-cert'])).rejects.toMatchObject({
    stderr: expect.stringContaining('no certificate was shown'),
  });
  const { stdout } = await gateway.command('config', 'check');
  expect(stdout).not.toContain('mysqlListen');
  // One that says nothing keeps nothing from ending.
  const silent = connect(mysqlPort, '127.0.0.1').on('error', () => {});
  await once(silent, 'data');

  await gateway.stop();
  const after = connect(mysqlPort, '127.0.0.1');
  await expect(once(after, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
