import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordDesktop } from '@gatehouse/gateway/testing/desktop/record-desktop';
import { testSigner } from '@gatehouse/gateway/testing/recordings/test-signer';
import { type ShellWorld, startShellWorld } from '@gatehouse/gateway/testing/sessions/shell-world';
import { connectTerminal, opening, tabOf } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<ShellWorld>;
let world: ShellWorld;
let sid: string;

beforeEach(async () => {
  const recordings = { mode: 'gateway' as const, retentionDays: 30, maxMegabytes: 0 };
  line = await startCommandLine((dataDir) => startShellWorld({ dataDir, recordings }));
  world = line.world;
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  ({ sid } = await client.state);
  world.fakes.last().print('\u001b]0;title\u0007\u001b[32mhello\u001b[0m \u001b[6nworld\r\n');
  await client.until(/world/);
  client.type('exit');
  await client.told('ended');
  client.cut();
  await vi.waitFor(async () => expect((await run('coverage')).stdout).toContain('100 %'), 5_000);
});
afterEach(() => line.close());

const run = (...args: string[]) => line.local(...(args[0] === 'audit' ? args : ['recordings', ...args]));

test('recordings are listed, counted, played without acting, and taken out', async () => {
  expect((await run('ls')).stdout).toMatch(new RegExp(`${sid} .* ann .* ubuntu@edge .* complete`));
  expect((await line.local('names', 'recordings')).stdout).toBe(`${sid}\n`);
  expect((await run('coverage', '--format', 'json')).stdout).toContain('"share":1');
  const played = await run('play', sid, '--speed', '64');
  expect(played.stderr).toBe('');
  expect(played.stdout).toMatch(/\[(0;)?32mhello/);
  expect(played.stdout).toContain('world');
  expect(played.stdout).not.toContain('title');
  expect(played.stdout).not.toContain('\u001b[6n');

  const cast = (await run('export', sid)).stdout.trim().split('\n');
  expect(JSON.parse(cast[0] as string)).toMatchObject({ version: 2, title: 'ann: ubuntu@edge' });
  const codes = (await world.gateway.events()).map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['T2012I', 'GH310I']));
  expect((await run('play', '6f1c2d3e-1111-4222-8333-444455556666')).code).toBe(4);
});

test('a recording is verified by the gateway, and without one by the key alone; a change is told with its place', async () => {
  expect((await run('verify', sid)).stdout).toContain('is as it was written');
  writeFileSync(join(line.folder, 'audit.pem'), (await run('audit', 'key')).stdout);
  expect((await run('verify', sid, '--key', 'audit.pem')).stdout).toContain('is as it was written');
  expect((await run('export', sid, '--as', 'recording', '--out', 'session.rec')).code).toBe(0);
  expect((await run('export', sid, '--as', 'recording', '--out', 'session.rec')).code).toBe(2);
  await line.closeDoor();

  expect((await run('verify', 'session.rec', '--key', 'audit.pem')).stdout).toContain(`${sid} is as it was written`);
  expect((await run('play', 'session.rec', '--speed', '64')).stdout).toContain('world');
  expect((await run('export', 'session.rec')).stdout).toContain('"version":2');
  const bytes = readFileSync(join(line.folder, 'session.rec'));
  bytes[100] = (bytes[100] as number) ^ 1;
  writeFileSync(join(line.folder, 'changed.rec'), bytes);
  expect(await run('play', 'changed.rec', '--speed', '64')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it plays only so far: the frame at byte 0 cannot be read'),
  });
  const changed = await run('verify', 'changed.rec', '--key', 'audit.pem');
  expect(changed.code).toBe(1);
  expect(changed.stderr).toMatch(/is not whole: at byte \d+, 0:00 into the session/);
  expect((await run('verify', 'session.rec')).code).toBe(2);

  writeFileSync(join(line.folder, 'desktop.rec'), await recordDesktop(testSigner()));
  for (const verb of ['play', 'export'])
    expect(await run(verb, 'desktop.rec')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('recording of a desktop'),
    });
});

test('a damaged recording gives what can be read, says that it is not all, and fails', async () => {
  const stored = readdirSync(line.folder, { recursive: true, encoding: 'utf8' }).find((file) =>
    file.includes(`${sid}.`),
  );
  const path = join(line.folder, stored as string);
  const bytes = readFileSync(path);
  bytes[100] = (bytes[100] as number) ^ 1;
  writeFileSync(path, bytes);
  writeFileSync(join(line.folder, 'changed.rec'), bytes);

  const told = { code: 1, stderr: expect.stringMatching(/is not whole: at byte \d+/) };
  expect(await run('play', sid, '--speed', '64')).toMatchObject(told);
  expect(await run('export', sid)).toMatchObject({ ...told, stdout: expect.stringContaining('"version":2') });
  expect(await run('export', sid, '--as', 'recording', '--out', 'kept.rec')).toMatchObject(told);
  expect(readFileSync(join(line.folder, 'kept.rec'))).toEqual(bytes);
  expect(await run('export', 'changed.rec')).toMatchObject(told);
  expect(await run('export', 'changed.rec', '--out', 'changed.cast')).toMatchObject(told);
});

test('what retention would remove is told first, and nothing is gone by that', async () => {
  expect((await run('prune', '--dry-run')).stdout).toBe('0 recordings (0 bytes) would go\n');
  world.gateway.clock.advance(31 * 86_400_000);
  expect((await run('prune', '--dry-run')).stdout).toMatch(new RegExp(`^${sid}\n1 recordings .* would go\n$`));
  expect((await run('verify', sid)).code).toBe(0);
  expect((await run('prune')).stdout).toContain('are gone');
  expect((await run('verify', sid)).code).toBe(4);
  expect((await run('ls', '--from', '2025-12-01T00:00:00Z')).stdout).toContain('removed by retention');
  expect((await run('coverage')).stdout).toContain('100 %: 0 of 0 sessions');
});
