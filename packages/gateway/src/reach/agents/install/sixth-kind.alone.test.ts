import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NamedKind } from '@gatehouse/contract/kinds/kinds';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addSixthKind, SIXTH } from '../../../../testing/kinds/sixth-kind.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const SHA256 = 'a'.repeat(64);
let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  addSixthKind();
  const { serveScripts } = await import('./serve-scripts.ts');
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sixth-'));
  const archive = (arch: string) => ({ file: `gatehouse-agent-linux-${arch}.tar.gz`, sha256: SHA256, bytes: 1 });
  const archives = { x64: archive('x64'), arm64: archive('arm64') };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ archives, missing: {} }));
  app = Fastify();
  serveScripts(app, {
    clusterName: 'c',
    originFor: () => 'https://gate.example.com',
    authority: () => undefined,
    sshAuthorities: async () => [],
    matchersOf: async () => ({}),
    isGood: async (token) => token === TOKEN,
    archiveDir: folder,
  });
});
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

function program(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** A folder that stands for a machine, where this version of the agent lies already: one that joins and does no more. */
function machine(name: string): { root: string; env: Record<string, string>; file: string } {
  const root = join(folder, name);
  const release = join(root, 'opt/gatehouse-agent/releases', SHA256.slice(0, 16));
  const bin = join(root, 'bin');
  for (const each of [release, bin]) mkdirSync(each, { recursive: true });
  program(join(release, 'gatehouse-agent'), `echo '{}' >'${root}/var/lib/gatehouse-agent/agent.json'; sleep 1`);
  program(join(bin, 'curl'), 'while [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done');
  return { root, env: { PATH: `${bin}:/usr/bin:/bin` }, file: join(root, 'etc/gatehouse-agent/agent.yaml') };
}

const scriptFor = async (values: Record<string, string>) =>
  (await app.inject({ url: `/scripts/${TOKEN}/install-printer.sh`, query: values })).body;

async function install({ root, env }: ReturnType<typeof machine>, values: Record<string, string>, ...args: string[]) {
  const options = { env, cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', await scriptFor(values), 'install-printer.sh', '--root', root, '--name', 'print-host', ...args],
    options,
  );
  return { status, out: stdout + stderr };
}

test('its agent offers what the command names, and not its machine', async () => {
  const printHost = machine('machine');

  expect(await install(printHost, { name: 'laser', tray: 'a4' })).toMatchObject({
    status: 0,
    out: expect.stringContaining('the printer laser shows in the list of printers'),
  });
  expect(parse(readFileSync(printHost.file, 'utf8'))).toEqual({
    gateway: 'https://gate.example.com',
    name: 'print-host',
    dataDir: join(printHost.root, 'var/lib/gatehouse-agent'),
    shell: false,
    printers: [{ name: 'laser', tray: 'a4' }],
  });
  expect(await install(printHost, { name: 'laser', tray: 'a4' })).toMatchObject({
    status: 0,
    out: expect.stringContaining('keeping'),
  });
});

test('an agent that is there already is not taken for one that offers it, though something else has that name', async () => {
  const host = machine('other');
  mkdirSync(join(host.root, 'etc/gatehouse-agent'), { recursive: true });
  const before = 'gateway: "https://gate.example.com"\nprinters:\n  - name: "ink"\napps:\n  - name: "laser"\n';
  writeFileSync(host.file, before);

  expect(await install(host, { name: 'laser', tray: 'a4' })).toMatchObject({
    status: 1,
    out: expect.stringContaining("add the printer laser under 'printers'"),
  });
  expect(readFileSync(host.file, 'utf8')).toBe(before);
  expect((await install(host, { name: 'ink', tray: 'a4' })).out).toContain('keeping');
});

test('sshd cannot offer it', async () => {
  expect(await install(machine('sshd'), { name: 'laser', tray: 'a4' }, '--openssh')).toMatchObject({
    status: 1,
    out: expect.stringContaining('the printer laser is offered by an agent'),
  });
});

test.each([`x'; touch pwned; '`, '$(touch pwned)', 'x"\nshell: true', 'x: {y', '"', '\\', '-\n- a', ''])(
  'with %j in it there is a script that says what is wrong, and not a byte of it',
  async (hostile) => {
    const scripts = new Set([
      await scriptFor({ name: hostile, tray: 'a4' }),
      await scriptFor({ name: 'laser', tray: hostile }),
    ]);

    expect(scripts.size).toBe(1);
    expect([...scripts][0]).toContain('must end with ?name=NAME&tray=TRAY');
  },
);

test('a token that is not valid is refused with how to make one for it', async () => {
  const { body } = await app.inject({
    url: `/scripts/${'f'.repeat(32)}/install-printer.sh`,
    query: { name: 'laser', tray: 'a4' },
  });

  expect(body).toContain('gatehouse tokens add --printer NAME=TRAY');
  expect(body).not.toContain('--type=node');
});

test('the command of its token names its script', async () => {
  const { installCommand } = await import('../join-tokens/install-command.ts');
  const named = { kind: SIXTH as NamedKind, values: { name: 'laser', tray: 'a4' } };

  expect(installCommand({ origin: 'https://gate.example.com', pin: undefined, token: TOKEN, named })).toContain(
    `/scripts/${TOKEN}/install-printer.sh?name=laser&tray=a4'`,
  );
});
