/** Starts and kills real servers. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from './postgres.ts';

test('a missing server is told by the name of the Debian package', async () => {
  await expect(startPostgres({ versions: '/nowhere' })).rejects.toThrow("install the Debian package 'postgresql'");
});

test('the server answers on its own port until it is stopped', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { port } = new URL(postgres.url);

  expect(await accepts(Number(port))).toBe(true);
  expect(await postgres.createDatabase()).not.toBe(postgres.url);

  await postgres.stop();
  expect(await accepts(Number(port))).toBe(false);
});

test('the server and its folder go away when the process that started it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755); // The server's user must be able to reach its own folder inside.
  const script = `
    const { startPostgres } = await import('${new URL('./postgres.ts', import.meta.url).href}');
    const { url } = await startPostgres();
    console.log(new URL(url).port);
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  const port = await new Promise<number>((resolve) =>
    starter.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
  );
  expect(await accepts(port)).toBe(true);
  expect(readdirSync(folder)).toHaveLength(1);

  starter.kill('SIGKILL');

  await expect.poll(() => accepts(port), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => readdirSync(folder), { timeout: 10_000 }).toEqual([]);
});

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
