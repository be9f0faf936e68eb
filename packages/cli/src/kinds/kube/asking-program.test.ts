import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { askingProgram } from './asking-program.ts';

/** A shell that says its number and waits: `outer` starts the others. */
async function started(script: string, env: Record<string, string>): Promise<{ child: ChildProcess; said: number[] }> {
  const child = spawn('sh', ['-c', script], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.stdin?.end());
  let heard = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    heard += String(bytes);
  });
  await expect.poll(() => heard.endsWith('ready\n')).toBe(true);
  return { child, said: heard.split('\n').slice(0, -2).map(Number) };
}

const FOR_IT = { KUBERNETES_EXEC_INFO: '{}' };

test('the program that wants a pass is found behind scripts that it started for it', async () => {
  // `read` keeps the innermost waiting; what follows it keeps each shell from becoming the next.
  const { said } = await started('echo $$; sh -c "echo \\$\\$; echo ready; read line; true"; true', FOR_IT);
  const [outer, inner] = said as [number, number];
  expect(inner).not.toBe(outer);

  expect(askingProgram(inner)).toBe(process.pid);
  expect(askingProgram(outer)).toBe(process.pid);
});

test('a program that was not started for it is the one, whatever is above', async () => {
  const { said } = await started('echo $$; echo ready; read line; true', {});

  expect(askingProgram(said[0] ?? 0)).toBe(said[0]);
});

test('of a process that is gone nothing is known', async () => {
  const gone = spawn('true', { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ended] = await Promise.all([once(gone, 'close'), text(gone.stdout)]);
  expect(ended[0]).toBe(0);

  expect(askingProgram(gone.pid ?? 0)).toBe(gone.pid);
});
