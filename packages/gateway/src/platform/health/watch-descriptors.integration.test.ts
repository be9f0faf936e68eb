/** A gateway that may open nothing more says so: until then the system turned people away without a word. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, ended, ROOT, ready } from '@gatehouse/testkit/gateway-process';
import { expect, onTestFinished, test } from 'vitest';

const LIMIT = 160;

test('with all descriptors in use the log says so once, it is counted, and it is told when it is over', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-descriptors-'));
  const [port, diagnostics] = [await freePort(), await freePort()];
  const env = {
    ...cleanEnvironment(),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LISTEN: `127.0.0.1:${port}`,
    GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagnostics}`,
    GATEHOUSE_DRAIN_SECONDS: '1',
  };
  const child = spawn('sh', ['-c', `ulimit -n ${LIMIT}; exec "${ROOT}/gatehouse" start`], { cwd: ROOT, env });
  onTestFinished(async () => {
    await ended(child, 'SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });
  let said = '';
  await ready(child, (text) => {
    said += text;
  });

  // Who holds a connection, as probes do, can be told; who opens one cannot.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const readyz = () =>
    new Promise<string>((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port: diagnostics, path: '/readyz', agent }, (answer) => {
        let text = String(answer.statusCode);
        answer.on('data', (piece) => {
          text += piece;
        });
        answer.on('end', () => resolve(text));
      });
      asked.on('error', reject);
    });
  expect(await readyz()).toMatch(/^200/);

  const sockets: Socket[] = Array.from({ length: 2 * LIMIT }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  await expect.poll(() => said, { timeout: 20_000 }).toContain('no further file or connection can be opened');
  await expect.poll(readyz, { timeout: 20_000 }).toMatch(/^503.*"descriptors":\{"ok":false.*no further file/);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => said, { timeout: 20_000 }).toContain('files and connections can be opened again');
  await expect.poll(readyz, { timeout: 20_000 }).toMatch(/^200/);
  const metrics = await (await fetch(`http://127.0.0.1:${diagnostics}/metrics`)).text();

  expect(said.match(/whoever connects is turned away/g)).toHaveLength(1);
  expect(metrics).toMatch(/^gatehouse_descriptors_exhausted_total [1-9]/m);
});
