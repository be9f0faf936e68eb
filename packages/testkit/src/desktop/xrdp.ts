/** A real xrdp for tests: Debian's, with TLS, on a port, with a certificate and a user of its own, which go away with it. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { makeOsUsers } from '../os-users.ts';
import { supervise } from './supervised.ts';

const run = promisify(execFile);
const XRDP = '/usr/sbin/xrdp';
const START_TIMEOUT_MS = 30_000;
const SESMAN_PORT = 3350;
/** For a test that starts one: it waits until all that began theirs before have ended them. */
export const XRDP_TURN_MS = 600_000;
/** Displays that nobody else of ours uses. */
export const FIRST_DISPLAY = 400;
/** Where sessions listen for xrdp and for their programs, each by its display. Nobody may take the place of what somebody else left there. */
export const XRDP_SOCKETS = '/run/xrdp/sockdir';

/**
 * xrdp finds its session manager by a file of the system, whatever it is told: there can be one at a time on a machine, and whoever
 * comes next waits. What an earlier one left behind, which was killed with all around it, goes first: it is known by its settings, since
 * a file that tells of it may be gone as well.
 */
const SCRIPT = `
folder=$1 user=$2 lock=/tmp/gatehouse-xrdp.lock
exec 9>>"$lock"; flock 9
echo turn
pkill -KILL -f '/gatehouse-xrdp-[A-Za-z0-9]*/(xrdp|sesman)[.]ini' && sleep 0.2
for number in $(seq ${FIRST_DISPLAY} ${FIRST_DISPLAY + 20}); do
  rm -f ${XRDP_SOCKETS}/*_$number
  [ -e /tmp/.X$number-lock ] || [ -e /tmp/.X11-unix/X$number ] || continue
  pid=$(tr -d ' ' </tmp/.X$number-lock 2>/dev/null)
  [ -n "$pid" ] && [ -d /proc/$pid ] || rm -f /tmp/.X$number-lock /tmp/.X11-unix/X$number
done
mkdir -p ${XRDP_SOCKETS}; chmod 3777 ${XRDP_SOCKETS}
xrdp-sesman -n -c "$folder/sesman.ini" >"$folder/sesman.out" 2>&1 9>&- & sesman=$!
xrdp -n -c "$folder/xrdp.ini" >"$folder/xrdp.out" 2>&1 9>&- & xrdp=$!
echo started
cat >/dev/null
kill $xrdp; kill $sesman
for try in 1 2 3 4 5 6 7 8 9 10; do pkill -TERM -u "$user" || break; sleep 0.1; done
pkill -KILL -u "$user"
rm -rf "$folder"
`;

/** Why its sessions have no drives of pages here. Undefined: they have. */
export function whyNoDrives(): string | undefined {
  if (!existsSync('/dev/fuse')) return 'this machine has no /dev/fuse, by which xrdp mounts the drives of its clients';
  return existsSync('/usr/bin/fusermount3') ? undefined : "no fusermount3: install the Debian package 'fuse3'";
}

export interface XrdpOptions {
  /** Lines of the shell that run in the session before its window manager. */
  begin?: readonly string[];
  /** `rdp`: nothing but the old security. */
  security?: 'tls' | 'rdp';
}

export interface TestXrdp {
  port: number;
  /** HOST:PORT */
  addr: string;
  user: string;
  password: string;
  /** Of its certificate, as PEM. */
  certificate: string;
  /** Readable for the user of the session: for what tests and session tell each other. */
  folder: string;
  /** Runs a program in the session, as its user; gives what it printed. */
  inSession(words: readonly string[]): Promise<string>;
  log(): string;
  stop(): Promise<void>;
}

export async function startXrdp(options: XrdpOptions = {}): Promise<TestXrdp> {
  if (!existsSync(XRDP)) throw new Error(`no ${XRDP}: install the Debian packages 'xrdp' and 'xorgxrdp'`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-xrdp-'));
  const users = await makeOsUsers(1);
  const [user] = users.names as [string];
  const password = `Pw-${randomBytes(9).toString('base64url')}`;
  try {
    // The session's own programs read what lies in it.
    chmodSync(folder, 0o711);
    await setPassword(user, password);
    const port = await freePort();
    await makeCertificate(folder);
    writeSettings(folder, port, options);
    const { stop } = await supervise(SCRIPT, [folder, user], { turnMs: XRDP_TURN_MS });
    await listening(port).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const log = () => ['xrdp', 'sesman'].map((name) => readOr(join(folder, `${name}.log`))).join('\n');
    return {
      port,
      addr: `127.0.0.1:${port}`,
      user,
      password,
      certificate: readFileSync(join(folder, 'cert.pem'), 'utf8'),
      folder,
      inSession: (words) => inSession(folder, user, words),
      log,
      async stop() {
        await stop();
        await users.remove();
      },
    };
  } catch (error) {
    await users.remove();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const readOr = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

async function setPassword(user: string, password: string): Promise<void> {
  const done = run('chpasswd');
  done.child.stdin?.end(`${user}:${password}\n`);
  await done;
}

async function makeCertificate(folder: string): Promise<void> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const name = ['-subj', '/CN=desk.test', '-addext', 'subjectAltName=DNS:desk.test'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '30',
    ...name,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
}

/** As Debian has them, but for what is ours. */
function writeSettings(folder: string, port: number, { begin = [], security = 'tls' }: XrdpOptions): void {
  const changed = (from: string, settings: Readonly<Record<string, string>>): string =>
    Object.entries(settings).reduce(
      (text, [name, value]) => text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`),
      readFileSync(from, 'utf8'),
    );
  const quiet = { EnableSyslog: 'false' };
  writeFileSync(
    join(folder, 'xrdp.ini'),
    changed('/etc/xrdp/xrdp.ini', {
      port: `tcp://127.0.0.1:${port}`,
      security_layer: security,
      certificate: join(folder, 'cert.pem'),
      key_file: join(folder, 'key.pem'),
      LogFile: join(folder, 'xrdp.log'),
      ...quiet,
    }),
  );
  writeFileSync(
    join(folder, 'sesman.ini'),
    changed('/etc/xrdp/sesman.ini', {
      EnableUserWindowManager: 'false',
      DefaultWindowManager: join(folder, 'session.sh'),
      X11DisplayOffset: String(FIRST_DISPLAY),
      LogFile: join(folder, 'sesman.log'),
      ...quiet,
    }),
  );
  const lines = ['#!/bin/sh', "xsetroot -solid '#2e5b88' -cursor_name left_ptr", ...begin, 'exec openbox', ''];
  writeFileSync(join(folder, 'session.sh'), lines.join('\n'), { mode: 0o755 });
}

/** Both of them: xrdp takes a connection before its session manager does, which may listen on the other loopback. */
async function listening(port: number): Promise<void> {
  for (const each of [SESMAN_PORT, port]) {
    for (const end = Date.now() + START_TIMEOUT_MS; !(await anyAnswers(each)); await sleep(20))
      if (Date.now() > end) throw new Error(`xrdp does not listen on ${each}`);
  }
}

async function anyAnswers(port: number): Promise<boolean> {
  return (await Promise.all(['127.0.0.1', '::1'].map((host) => answers(host, port)))).includes(true);
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Where its latest session is drawn. The one before it may still hold its display when this begins, which then gets another; and that one's
 * X server tells of its end after this has begun.
 */
export function displayIn(sesmanLog: string): string | undefined {
  return [...sesmanLog.matchAll(/Starting X server on display (\d+):/g)].at(-1)?.[1];
}

async function inSession(folder: string, user: string, words: readonly string[]): Promise<string> {
  const display = displayIn(readOr(join(folder, 'sesman.log')));
  if (display === undefined) throw new Error('xrdp has begun no session');
  const { stdout } = await run('runuser', ['-u', user, '--', 'env', `DISPLAY=:${display}`, ...words], { cwd: '/' });
  return stdout;
}
