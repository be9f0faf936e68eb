import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { installNodeScript, refusalScript, uninstallScript } from './install-script.ts';
import { badToken, serveScripts } from './serve-scripts.ts';
import { assignments, shellQuote, shellWord } from './shell-quote.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const HOSTILE = [
  "'; touch pwned; '",
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  'a\ntouch pwned\n',
  '\\',
  "'",
  '-n',
  '$IFS',
  '!!',
  'é\u202e\u001b[31m',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-script-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function facts(value = 'x') {
  return {
    token: TOKEN,
    gateway: 'https://gate.example.com',
    cluster: value,
    authority: `-----BEGIN CERTIFICATE-----\n${value}\n-----END CERTIFICATE-----\n`,
    sshAuthorities: [`ssh-ed25519 AAAA ${value}`],
    archives: { archives: {}, missing: { x64: value } },
  };
}

test.each(HOSTILE)('a shell reads back %j as it was, and runs nothing of it', (value) => {
  const script = `${assignments({ VALUE: value })}printf '%s.' "$VALUE"`;

  const { stdout } = spawnSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8' });

  expect(stdout).toBe(`${value}.`);
  expect(execFileSync('ls', [folder], { encoding: 'utf8' })).not.toContain('pwned');
});

test('NUL has no place in a script', () => {
  expect(() => shellQuote('a\0b')).toThrow('NUL');
  expect(['ops', 'a@b.c', "x; rm -rf '/'", '', 'a\0b'].map(shellWord)).toEqual([
    'ops',
    'a@b.c',
    "'x; rm -rf '\\''/'\\'''",
    "''",
    "'ab'",
  ]);
});

test.each(['x', HOSTILE.join(' ')])(
  'an install script with %j in every value is what shellcheck calls clean',
  (value) => {
    const file = join(folder, 'install.sh');
    writeFileSync(file, installNodeScript(facts(value)));

    const { stdout, status } = spawnSync('shellcheck', ['--shell=sh', file], { encoding: 'utf8' });

    expect(stdout).toBe('');
    expect(status).toBe(0);
  },
);

test.each([
  ['install-node.sh', {}, true],
  ['install-database.sh', { looksAfter: { kind: 'db' as const, labels: { env: ['prod'] } } }, false],
])('%s calls itself so, and offers what it can do', (name, more, hasOpenssh) => {
  const file = join(folder, 'help.sh');
  writeFileSync(file, installNodeScript({ ...facts(), ...more }));

  const { stdout, status } = spawnSync('/bin/sh', [file, '--help'], { encoding: 'utf8' });

  expect(status).toBe(0);
  expect(stdout).toContain(`\n  ${name} [options]\n`);
  expect(stdout.match(/install-[a-z]+\.sh/g)?.every((each) => each === name)).toBe(true);
  expect(stdout.includes('--openssh')).toBe(hasOpenssh);
  expect(stdout).toContain('--dry-run');
});

test('the uninstaller holds no token and is clean too', () => {
  const file = join(folder, 'uninstall.sh');
  writeFileSync(file, uninstallScript());

  expect(spawnSync('shellcheck', ['--shell=sh', file], { encoding: 'utf8' }).stdout).toBe('');
  expect(uninstallScript()).toContain("TOKEN=''");
  expect(spawnSync('/bin/sh', [file, '--root', folder], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`gatehouse: nothing of ours is installed below ${folder}\n`),
  });
});

test('every piece is in the script once, and each is whole by itself', () => {
  const pieces = join(import.meta.dirname, 'script');
  const script = installNodeScript(facts());
  for (const name of readdirSync(pieces)) {
    const text = readFileSync(join(pieces, name), 'utf8');
    expect(script.split(`\n${text}`), name).toHaveLength(2);
    expect(spawnSync('/bin/sh', ['-n', join(pieces, name)], { encoding: 'utf8' }), name).toMatchObject({ status: 0 });
  }
});

test('a script that was cut off on its way runs nothing', () => {
  const script = installNodeScript(facts());
  for (const share of [0.2, 0.5, 0.9, 0.99]) {
    const cut = script.slice(0, Math.floor(script.length * share));
    const { stdout, status } = spawnSync('/bin/sh', ['-c', cut, 'sh', '--root', folder], { encoding: 'utf8' });
    expect([stdout, status === 0]).toEqual(['', false]);
  }
});

test.each([
  ['a year behind', 365 * 86_400_000, true],
  ['a year ahead', -365 * 86_400_000, true],
  ['right', 1_000, false],
])(
  'a machine whose clock is %s: a download that fails says so, with both times, or says nothing of it',
  (_, apart, isTold) => {
    const archive = { file: 'a.tar.gz', sha256: 'x', bytes: 1 };
    const servedAt = Date.now() + apart;
    const unreached = {
      gateway: 'https://127.0.0.1:1',
      archives: { archives: { x64: archive, arm64: archive }, missing: {} },
    };
    const script = installNodeScript({ ...facts(), ...unreached, servedAt });

    const { status, stderr } = spawnSync('/bin/sh', ['-c', script, 'sh', '--root', folder, '--name', 'x'], {
      encoding: 'utf8',
    });

    expect(status).toBe(1);
    expect(stderr).toContain('the download failed');
    expect(stderr.includes('the clock of this machine says')).toBe(isTold);
    if (isTold) expect(stderr).toContain(`said ${new Date(servedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`);
  },
);

test('a refusal is said and fails', () => {
  const { status, stderr } = spawnSync('/bin/sh', ['-c', refusalScript("it's over")], { encoding: 'utf8' });

  expect([status, stderr]).toEqual([1, "gatehouse: it's over\n"]);
});

test.each([
  'f'.repeat(32),
  'short',
  `${TOKEN}0`,
  TOKEN.toUpperCase(),
  ...HOSTILE.map(encodeURIComponent),
  '%2e%2e%2fagent',
  '..%00',
])('the bad token %s gets a script that says so and exits 1, without a byte of it inside', async (token) => {
  const app = Fastify();
  serveScripts(app, {
    clusterName: 'c',
    originFor: () => 'https://gate.example.com',
    authority: () => undefined,
    sshAuthorities: async () => [],
    matchersOf: async () => ({}),
    isGood: async (each) => each === TOKEN,
  });

  const { statusCode, body, headers } = await app.inject(`/scripts/${token}/install-node.sh`);
  await app.close();

  expect(statusCode).toBe(200);
  expect(headers['content-type']).toContain('text/plain');
  expect(body).toBe(refusalScript(badToken('node')));
  expect(spawnSync('/bin/sh', ['-c', body], { cwd: folder, encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('not valid'),
  });
});

test('the script for databases writes which its agent looks after, and what it may dial for them', async () => {
  const app = Fastify();
  serveScripts(app, {
    clusterName: 'c',
    originFor: () => 'https://gate.example.com',
    authority: () => undefined,
    sshAuthorities: async () => [],
    matchersOf: async () => ({ env: ['prod', '$(touch pwned)'], "it's": ['"\n- x'] }),
    isGood: async (each) => each === TOKEN,
  });
  const get = async (token: string) => (await app.inject(`/scripts/${token}/install-database.sh`)).body;
  const [good, bad] = [await get(TOKEN), await get('f'.repeat(32))];
  await app.close();
  const values = good.slice(0, good.indexOf('\nmain()'));
  const { stdout } = spawnSync('/bin/sh', ['-c', `${values}\nprintf '%s' "$SERVED_YAML"`], { encoding: 'utf8' });

  expect(parse(stdout)).toEqual({
    databaseMatch: [{ env: ['prod', '$(touch pwned)'], "it's": ['"\n- x'] }],
    allow: expect.arrayContaining(['10.0.0.0/8:5432', '192.168.0.0/16:3306', '[fc00::/7]:6379']),
  });
  expect((parse(stdout) as { allow: string[] }).allow).toHaveLength(20);
  expect(bad).toBe(refusalScript(badToken('db')));
  expect(bad).toContain('gatehouse tokens add --type=db');
});

test('a machine without an archive for it is told so', () => {
  const script = installNodeScript({ ...facts(), authority: undefined });

  const { status, stderr } = spawnSync('/bin/sh', ['-c', script, 'sh', '--root', folder], { encoding: 'utf8' });

  expect(status).toBe(1);
  expect(stderr).toMatch(/this gateway has no agent for (x64|arm64)/);
});

/** A process that runs from where an agent would, below a folder of this name. */
async function agentBelow(name: string, owner = process.getuid?.() ?? 0): Promise<string> {
  const root = join(folder, name);
  const home = join(root, 'opt/gatehouse-agent');
  mkdirSync(home, { recursive: true });
  for (const each of [root, home]) chownSync(each, owner, owner);
  copyFileSync('/bin/sleep', join(home, 'agent'));
  const child = spawn(join(home, 'agent'), ['600'], { stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'spawn');
  return root;
}

test('the uninstaller names a folder another agent runs from only where it is plain, and its own user’s', async () => {
  const script = join(folder, 'elsewhere.sh');
  writeFileSync(script, uninstallScript());
  const told = () => {
    const { stdout, stderr } = spawnSync('/bin/sh', [script, '--uninstall', '--root', join(folder, 'nothing')], {
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain('nothing of ours');
    return /runs from below ([\s\S]*?): give --root/.exec(stdout + stderr)?.[1];
  };
  const unplain = HOSTILE.filter((name) => /[^\w.-]/.test(name));
  for (const [index, name] of unplain.entries()) await agentBelow(`h${index}${name}`);
  await agentBelow('somebody-elses', 12345);
  // Other agents may run on this machine besides.
  expect(told() ?? '').not.toContain(folder);

  await agentBelow('plain-1.x_y');
  expect(told()).toMatch(/^[\w./-]+$/);
});
