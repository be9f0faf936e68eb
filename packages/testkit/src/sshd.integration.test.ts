/** Starts and kills real servers, and makes real accounts. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeOsUsers } from './os-users.ts';
import { startSshd } from './sshd.ts';

function greeting(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', (chunk) => {
      resolve(String(chunk));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
const hasUser = (name: string) => readFileSync('/etc/passwd', 'utf8').includes(`\n${name}:`);

test('the server answers on its own port, keeps it through new keys, and is gone when stopped', async () => {
  const sshd = await startSshd();
  onTestFinished(() => sshd.stop());
  const before = sshd.hostKey();

  expect(await greeting(sshd.port)).toContain('SSH-2.0-OpenSSH');
  await sshd.replaceHostKeys();
  expect(sshd.hostKey()).not.toBe(before);
  expect(await greeting(sshd.port)).toContain('SSH-2.0-OpenSSH');

  await sshd.stop();
  await expect(greeting(sshd.port)).rejects.toThrow('ECONNREFUSED');
  expect(existsSync(sshd.folder)).toBe(false);
});

test('server and accounts go away when the process that made them is killed', async () => {
  const here = (file: string) => new URL(file, import.meta.url).href;
  const script = `
    const { startSshd } = await import('${here('./sshd.ts')}');
    const { makeOsUsers } = await import('${here('./os-users.ts')}');
    const [sshd, users] = [await startSshd(), await makeOsUsers(1)];
    console.log(JSON.stringify({ port: sshd.port, folder: sshd.folder, name: users.names[0] }));
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port, folder, name } = await new Promise<{ port: number; folder: string; name: string }>((resolve) =>
    starter.stdout.once('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString()))),
  );
  expect(hasUser(name)).toBe(true);

  starter.kill('SIGKILL');

  await vi.waitFor(() => expect(existsSync(folder) || hasUser(name)).toBe(false), { timeout: 20_000, interval: 100 });
  await expect(greeting(port)).rejects.toThrow('ECONNREFUSED');
});

test('accounts can be made one after the other, each with a name of its own', async () => {
  const [one, two] = [await makeOsUsers(1), await makeOsUsers(1)];
  onTestFinished(() => Promise.all([one.remove(), two.remove()]).then(() => {}));

  expect(one.names).not.toEqual(two.names);
  expect(existsSync(`/home/${one.names[0]}`)).toBe(true);
});
