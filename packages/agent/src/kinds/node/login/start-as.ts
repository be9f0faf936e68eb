/** Starts a user's shell with all that a login gives: groups, limits and session of PAM, environment, home. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Person, systemEnvironment, userEnvironment } from '../../../runtime/children/environment.ts';
import { findProgram } from '../../../runtime/children/find-program.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import { LoginRefused } from './check-login.ts';
import { ownUser } from './find-user.ts';
import type { Launch } from './launch.ts';

const PROBE_MS = 10_000;
/** Kept by runuser in a login's fresh environment, beside TERM. */
const CARRIED = 'LANG,GATEHOUSE_SESSION';

/** `runuser` opens a PAM session, `setpriv` does not; `self` is an agent that is not root. */
export type LoginMethod =
  | { kind: 'runuser'; program: string; carries: boolean }
  | { kind: 'setpriv'; program: string }
  | { kind: 'self' };

export interface ShellLaunch {
  person: Person;
  session: string;
  term: string;
  language: string;
  /** Run by the shell instead of asking for commands. */
  command?: string | undefined;
}

/** What this machine has, found by trying; undefined when it has nothing that gives a user their groups. */
export async function findLoginMethod(): Promise<LoginMethod | undefined> {
  if (ownUser().uid !== 0) return { kind: 'self' };
  const runuser = findProgram('runuser');
  const help = runuser && (await outputOf(runuser, ['--help']));
  if (help) return { kind: 'runuser', program: runuser, carries: help.includes('--whitelist-environment') };
  const setpriv = findProgram('setpriv');
  if (setpriv && (await outputOf(setpriv, ['--help']))?.includes('--init-groups')) {
    return { kind: 'setpriv', program: setpriv };
  }
  return undefined;
}

export function launchShell(
  way: LoginMethod | undefined,
  closer: WithoutDescriptors | undefined,
  { person, session, term, language, command }: ShellLaunch,
): Launch {
  if (!closer) throw new LoginRefused('this machine has no bash, which the agent needs to start shells safely');
  if (!way) throw new LoginRefused('this machine has neither runuser nor setpriv: install util-linux');
  const env = { ...userEnvironment(person, language), TERM: term, GATEHOUSE_SESSION: session };
  const [program = '', ...args] = commandLine(way, person, command);
  return { ...closer(program, args), env, cwd: folderOf(person.home) };
}

function commandLine(way: LoginMethod, { name, uid, gid, shell }: Person, command: string | undefined): string[] {
  const run = command === undefined ? [shell, '-l'] : [shell, '-c', command];
  if (way.kind === 'self') return run;
  if (way.kind === 'setpriv') {
    return [way.program, `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', ...run];
  }
  const login = [way.program, ...(way.carries ? [`--whitelist-environment=${CARRIED}`] : []), '-l', name];
  // Its -c would put the command into a session of its own, without the terminal.
  return command === undefined ? login : [...login, `--session-command=${command}`];
}

/** How the shell calls itself once it runs. */
export function shellNameOf(way: LoginMethod | undefined, { shell }: Person): string {
  return way?.kind === 'runuser' ? `-${basename(shell)}` : shell;
}

/** Lets PAM say no before a terminal is opened; undefined when it says nothing. */
export async function tryLogin(way: LoginMethod | undefined, { name }: Person): Promise<string | undefined> {
  if (way?.kind !== 'runuser') return undefined;
  return await new Promise((resolve) => {
    const options = { env: systemEnvironment(), cwd: '/', timeout: PROBE_MS, maxBuffer: 64 * 1024 };
    execFile(way.program, ['-u', name, '--', 'true'], options, (error, _stdout, stderr) => {
      resolve(error ? stderr.trim().split('\n')[0] || error.message : undefined);
    });
  });
}

/** A home that is missing must not keep its owner out. */
function folderOf(home: string): string {
  return statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : '/';
}

function outputOf(program: string, args: string[]): Promise<string | undefined> {
  const options = { env: systemEnvironment(), timeout: PROBE_MS };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
