/** Looks OS users up the way the machine itself does, directory services included. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Person, systemEnvironment } from '../../../runtime/children/environment.ts';

const PASSWD = '/etc/passwd';
const TIMEOUT_MS = 10_000;
/** What getent answers for a name nobody has. */
const NOT_FOUND = 2;

/** The user this agent runs as. */
export function ownUser(): Person {
  const { username, uid, gid, homedir, shell } = userInfo();
  return { name: username, uid, gid, home: homedir, shell: shell ?? '/bin/sh' };
}

/** Nothing when there is no such user. */
export async function findUser(login: string): Promise<Person | undefined> {
  const line = (ownListComesFirst() && lineIn(PASSWD, login)) || (await askGetent(login));
  const [name, , uid, gid, , home = '', shell = ''] = line?.split(':') ?? [];
  // A number would be looked up as one: '0' is not the name of root.
  if (name !== login || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return undefined;
  return { name, uid: Number(uid), gid: Number(gid), home: home || '/', shell: shell || '/bin/sh' };
}

/** Most users stand in the machine's own list, and reading that is quicker than asking a program. */
function ownListComesFirst(): boolean {
  try {
    return /^passwd:\s+(files|compat)\b/m.test(readFileSync('/etc/nsswitch.conf', 'utf8'));
  } catch {
    return true;
  }
}

function askGetent(login: string): Promise<string | undefined> {
  const options = { env: systemEnvironment(), timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 };
  return new Promise((resolve, reject) => {
    execFile('getent', ['--', 'passwd', login], options, (error, stdout) => {
      if (!error) resolve(stdout.split('\n')[0]);
      else if (error.code === NOT_FOUND) resolve(undefined);
      else if (error.code === 'ENOENT') resolve(lineIn(PASSWD, login));
      else reject(new Error(`the users of this machine cannot be looked up: ${error.message}`));
    });
  });
}

export function lineIn(file: string, login: string): string | undefined {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.find((line) => line.startsWith(`${login}:`));
}
