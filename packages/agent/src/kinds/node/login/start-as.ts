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
const CARRIED = 'LANG,GATEHOUSE_SESSION,SSH_AUTH_SOCK';

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
  /** What its client says of its language and terminal. */
  env?: Record<string, string> | undefined;
  /** Run by the shell instead of asking for commands. */
  command?: string | undefined;
  /** The socket of the keys it may use. */
  keys?: string | undefined;
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
  { person, session, term, language, env: said = {}, command, keys }: ShellLaunch,
): Launch {
  if (!closer) throw new LoginRefused('this machine has no bash, which the agent needs to start shells safely');
  if (!way) throw new LoginRefused('this machine has neither runuser nor setpriv: install util-linux');
  const env = {
    ...{ ...userEnvironment(person, language), TERM: term, GATEHOUSE_SESSION: session },
    ...(keys === undefined ? {} : { SSH_AUTH_SOCK: keys }),
  };
  const run = commandLine(way, person, { command, carried: Object.keys(said) });
  const variables = Object.entries(said).map(([key, value]) => `${key}=${value}`);
  // Not before it runs: an unknown language makes the shell of the closer complain, too.
  const [program = '', ...args] = variables.length > 0 ? ['env', ...variables, ...run] : run;
  return { ...closer(program, args), env, cwd: folderOf(person.home) };
}

export interface CommandLaunch {
  person: Person;
  session: string;
  language: string;
  /** What its client says of its language and terminal. */
  env: Record<string, string>;
  /** Absent: a login shell that reads its input. */
  command: string | undefined;
}

/**
 * A command without a terminal. As sshd has it, the shell is no login shell: what a profile prints would end up in the middle
 * of somebody's rsync. The variables come last: an unknown language makes every shell before it complain.
 */
export function launchCommand(
  way: LoginMethod | undefined,
  closer: WithoutDescriptors | undefined,
  { person, session, language, env, command }: CommandLaunch,
): Launch {
  if (!closer) throw new LoginRefused('this machine has no bash, which the agent needs to start commands safely');
  if (!way) throw new LoginRefused('this machine has neither runuser nor setpriv: install util-linux');
  const { name, shell } = person;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const run = ['env', '-u', 'LC_ALL', ...variables, shell, ...(command === undefined ? ['-l'] : ['-c', command])];
  const [program = '', ...args] =
    way.kind === 'runuser' ? [way.program, '-u', name, '--', ...run] : asLogin(way, person, run);
  const base = { ...userEnvironment(person, language), GATEHOUSE_SESSION: session, LC_ALL: 'C' };
  return { ...closer(program, args), env: base, cwd: folderOf(person.home) };
}

function asLogin(way: LoginMethod & { kind: 'setpriv' | 'self' }, { uid, gid }: Person, run: string[]): string[] {
  if (way.kind === 'self') return run;
  return [way.program, `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', ...run];
}

function commandLine(
  way: LoginMethod,
  person: Person,
  { command, carried }: { command: string | undefined; carried: readonly string[] },
): string[] {
  const { name, shell } = person;
  if (way.kind !== 'runuser')
    return asLogin(way, person, command === undefined ? [shell, '-l'] : [shell, '-c', command]);
  const kept = way.carries ? [`--whitelist-environment=${[CARRIED, ...carried].join(',')}`] : [];
  const login = [way.program, ...kept, '-l', name];
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
