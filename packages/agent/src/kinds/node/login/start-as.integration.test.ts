/** Each way to become a user that this machine has. As root with an OS user made for it; otherwise as oneself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { findProgram } from '../../../runtime/children/find-program.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { loadNativePty } from '../pty/native-pty.ts';
import { openPty } from '../pty/open-pty.ts';
import { checkLogin } from './check-login.ts';
import { ownUser } from './find-user.ts';
import { findLoginMethod, type LoginMethod, launchShell, tryLogin } from './start-as.ts';
import { recordLogin } from './utmp.ts';

const RULES = { shell: true, logins: undefined, where: 'agent.yaml' };
const users = osUsers();
let ann: Person;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-login-'));
  ann = IS_ROOT ? await checkLogin(await users.add({ group: 'gh-way-group' }), RULES) : ownUser();
});
afterAll(async () => {
  await users.removeAll();
  rmSync(folder, { recursive: true, force: true });
});

function ways(): LoginMethod[] {
  if (!IS_ROOT) return [{ kind: 'self' }];
  const setpriv = findProgram('setpriv') ?? '';
  const runuser = findProgram('runuser') ?? '';
  return [
    { kind: 'runuser', program: runuser, carries: true },
    { kind: 'runuser', program: runuser, carries: false },
    { kind: 'setpriv', program: setpriv },
  ];
}

async function printedBy(way: LoginMethod, command: string | undefined, typed = ''): Promise<string> {
  const closer = await findDescriptorCloser();
  const launch = launchShell(way, closer, { person: ann, session: 's', term: 'vt100', language: 'C.UTF-8', command });
  const chunks: Buffer[] = [];
  const pty = openPty({
    native: loadNativePty(),
    launch,
    size: { cols: 80, rows: 24 },
    onData: (bytes) => chunks.push(Buffer.from(bytes)),
  });
  pty.write(Buffer.from(typed));
  await pty.exited;
  return Buffer.concat(chunks).toString().replaceAll('\r', '');
}

test('the way that is found is the best this machine has', async () => {
  expect(await findLoginMethod()).toMatchObject(
    IS_ROOT ? { kind: 'runuser', program: '/usr/sbin/runuser', carries: true } : { kind: 'self' },
  );
});

test.each(ways())('$kind gives groups, home, terminal and a clean environment', async (way) => {
  const command = 'echo "$(id -un) $(id -Gn) in $PWD on $(tty) TERM=$TERM"; env | cut -d= -f1 | sort | tr "\\n" " "';

  const text = await printedBy(way, command);

  const expected = IS_ROOT ? `${ann.name} ${ann.name} gh-way-group in ${ann.home}` : `${ann.name} `;
  expect(text).toContain(expected);
  expect(text).toMatch(/on \/dev\/pts\/\d+ TERM=vt100/);
  const names = text.trim().split('\n').at(-1)?.trim().split(' ') ?? [];
  const known = ['GATEHOUSE_SESSION', 'HOME', 'LANG', 'LOGNAME', 'MAIL', 'OLDPWD', 'PATH', 'PWD', 'SHELL', 'SHLVL'];
  expect(
    names.filter((name) => ![...known, 'TERM', 'USER', '_', 'LS_COLORS', 'XDG_SESSION_ID'].includes(name)),
  ).toEqual([]);
});

test.each(ways())('$kind starts a login shell that reads its profile and controls jobs', async (way) => {
  if (IS_ROOT) writeFileSync(join(ann.home, '.profile'), 'echo profile was read\n');

  const text = await printedBy(way, undefined, 'sleep 5 & jobs; kill %1; echo shell=$-; exit\n');

  if (IS_ROOT) expect(text).toContain('profile was read');
  expect(text).toMatch(/shell=\S*i\S*m|shell=\S*m\S*i/);
  expect(text).not.toContain('no job control');
});

test('a machine without the programs for it says so', async () => {
  const closer = await findDescriptorCloser();
  const launch = { person: ann, session: 's', term: 'xterm', language: 'C.UTF-8' };

  expect(() => launchShell(undefined, closer, launch)).toThrow('neither runuser nor setpriv');
  expect(() => launchShell({ kind: 'self' }, undefined, launch)).toThrow('has no bash');
  expect(await findDescriptorCloser(['/bin/dash', '/no/such/shell'])).toBeUndefined();
});

test('PAM is asked before a terminal is opened', async () => {
  expect(await tryLogin(await findLoginMethod(), ann)).toBeUndefined();
  if (IS_ROOT) expect(await tryLogin(await findLoginMethod(), { ...ann, name: 'gh-no-such' })).toContain('gh-no-such');
});

test('who names the user on the terminal until they leave', () => {
  const files = { utmp: join(folder, 'utmp'), wtmp: join(folder, 'wtmp') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const who = (file = files.utmp) =>
    execFileSync('who', [file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } });
  const month = new Date().toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  const today = `${month} ${String(new Date().getUTCDate()).padStart(2)}`;

  const leave = recordLogin({ device: '/dev/pts/17', pid: process.pid, user: 'ann' }, files);
  recordLogin({ device: '/dev/pts/18', pid: process.pid, user: 'bob' }, files);
  expect(who()).toMatch(new RegExp(`^ann +pts/17 +${today} .*\\(gatehouse\\)\nbob +pts/18 +${today} `));
  leave();

  expect(who()).toMatch(/^bob +pts\/18 /);
  expect(who(files.wtmp)).toMatch(/^ann +pts\/17 .*\nbob +pts\/18 /);
  expect(readFileSync(files.wtmp).length).toBe(readFileSync(files.utmp).length * 1.5);
});
