/** A gateway that may open nothing more says so: until then the system turned people away without a word. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, ended, freePort, ROOT, ready } from '@gatehouse/tools/gateway-process';
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

  const sockets: Socket[] = Array.from({ length: 2 * LIMIT }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  await expect.poll(() => said, { timeout: 20_000 }).toContain('no further file or connection can be opened');
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => said, { timeout: 20_000 }).toContain('files and connections can be opened again');
  const metrics = await (await fetch(`http://127.0.0.1:${diagnostics}/metrics`)).text();

  expect(said.match(/no further file/g)).toHaveLength(1);
  expect(metrics).toMatch(/^gatehouse_descriptors_exhausted_total [1-9]/m);
}, 90_000);
