/** Whether somebody may have a shell here: what the configuration, the machine and the account say. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Person } from '../../../runtime/children/environment.ts';
import { findUser, lineIn, ownUser } from './find-user.ts';

const DAY_MS = 86_400_000;
const NO_SHELLS = ['nologin', 'false', 'true', 'sync', 'halt', 'shutdown'];
const NOLOGIN_FILES = ['/run/nologin', '/etc/nologin', '/var/run/nologin'];

/** Why not, in words for the one who asks. */
export class LoginRefused extends Error {
  override name = 'LoginRefused';
}

export interface LoginRules {
  /** False: this agent offers no shell. */
  shell: boolean;
  /** Absent: any that exists. */
  logins: readonly string[] | undefined;
  /** How the file or flag is called where an operator would change it. */
  where: string;
}

export async function checkLogin(login: string, { shell, logins, where }: LoginRules): Promise<Person> {
  if (!shell) throw new LoginRefused(`this agent offers no shell: 'shell: false' in ${where}`);
  if (logins && !logins.includes(login)) {
    throw new LoginRefused(`'${login}' is not among the logins this agent allows: add it to 'logins' in ${where}`);
  }
  const self = ownUser();
  if (self.uid !== 0) {
    if (login === self.name) return checkAccount(self);
    throw new LoginRefused(`the agent runs as '${self.name}' and cannot start a shell as '${login}': run it as root`);
  }
  const person = await findUser(login);
  if (!person) throw new LoginRefused(`there is no user '${login}' on this machine`);
  return checkAccount(person);
}

function checkAccount(person: Person): Person {
  const { name, uid, shell } = person;
  if (NO_SHELLS.includes(basename(shell))) {
    throw new LoginRefused(`the user '${name}' has no shell to log in with (${shell})`);
  }
  try {
    accessSync(shell, constants.X_OK);
  } catch {
    throw new LoginRefused(`the shell of '${name}' cannot be run: ${shell}`);
  }
  if (uid === 0) return person;
  const expired = expiryOf(name);
  if (expired !== undefined && expired <= Date.now()) {
    throw new LoginRefused(`the account '${name}' expired on ${new Date(expired).toISOString().slice(0, 10)}`);
  }
  const closed = NOLOGIN_FILES.map(readShort).find((text) => text !== undefined);
  if (closed !== undefined) {
    throw new LoginRefused(`this machine lets nobody in but root now${closed ? `: ${closed}` : ''}`);
  }
  return person;
}

/** `runuser` asks nobody whether an account is still good; a directory's own rules stay with its PAM modules. */
function expiryOf(name: string): number | undefined {
  try {
    const days = lineIn('/etc/shadow', name)?.split(':')[7];
    return days ? Number(days) * DAY_MS : undefined;
  } catch {
    return undefined;
  }
}

/** As pam_nologin has it: while such a file exists, only root comes in, and others read why. */
function readShort(file: string): string | undefined {
  try {
    return (readFileSync(file, 'utf8').trim().split('\n')[0] ?? '').slice(0, 200);
  } catch {
    return undefined;
  }
}
