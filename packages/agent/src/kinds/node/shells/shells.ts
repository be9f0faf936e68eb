/** The shells this agent holds, each under the id of its session. Gateways attach by that id and by nothing else. */
import { chmodSync, chownSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { type ShellRequest, shellRequest } from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../../reach/metadata.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { hangUp } from '../../../runtime/children/hang-up.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import type { AgentLog } from '../../../runtime/log.ts';
import type { KeySockets } from '../keys/key-sockets.ts';
import { checkLogin, type LoginRules } from '../login/check-login.ts';
import { type LoginMethod, launchShell, shellNameOf } from '../login/start-as.ts';
import { recordLogin } from '../login/utmp.ts';
import type { NativePty } from '../pty/native-pty.ts';
import { openPty, type Pty } from '../pty/open-pty.ts';
import { Shell } from './shell.ts';
import { createSettingsReader } from './terminal-settings.ts';

const MAX_SHELLS = 1000;
/** Ids of ended sessions that are remembered, so that none is begun a second time by a gateway that missed its end. */
const MAX_ENDED = 1000;
/** Group of the programs that write to other people's terminals, on every Linux. */
const TTY_GROUP = 5;

export interface ShellsDeps {
  rules: LoginRules;
  way: LoginMethod | undefined;
  closer: WithoutDescriptors | undefined;
  native: NativePty;
  keys: Pick<KeySockets, 'socketOf'>;
  language: string;
  log: AgentLog;
}

export interface Shells {
  serve(offered: OfferedStream, metadata: StreamMetadata): Promise<void>;
  readonly size: number;
  /** Hangs up on all of them; resolves when nothing of them runs any more. */
  endAll(reason: string): Promise<void>;
  /** Forgets them all: nothing of them keeps the agent any longer. */
  close(): void;
}

export function createShells(deps: ShellsDeps): Shells {
  const { rules, log } = deps;
  /** A promise, so that two gateways that ask at the same time get one shell. */
  const shells = new Map<string, Promise<Shell>>();
  const running = new Set<Shell>();
  const ended = new Set<string>();
  const settings = createSettingsReader(deps.closer);

  const forget = (session: string, shell: Shell) => {
    running.delete(shell);
    shells.delete(session);
    ended.add(session);
    for (const oldest of ended) {
      if (ended.size <= MAX_ENDED) break;
      ended.delete(oldest);
    }
  };

  const start = async (request: ShellRequest & { login: string }): Promise<Shell> => {
    const { session, user, login, cols, rows, term, command, env } = request;
    const person = await checkLogin(login, rules);
    const keys = deps.keys.socketOf(session, login);
    const { way, closer, language } = deps;
    const launch = launchShell(way, closer, { person, session, term, language, env, command, keys });
    let logOut = () => {};
    const shell: Shell = new Shell({
      login,
      size: { cols, rows },
      shellName: shellNameOf(deps.way, person),
      openPty(size, onData) {
        const pty = openPty({ native: deps.native, launch, size, onData });
        logOut = takeTerminal(pty, person);
        return pty;
      },
      settings: (device) => settings.read(device),
      hangUp,
      onEnd: () => logOut(),
      onGone: () => forget(session, shell),
      log,
    });
    running.add(shell);
    log.info({ sessionId: session, username: user, login, pid: shell.pid }, 'shell started');
    return shell;
  };

  const find = async (request: ShellRequest): Promise<Shell> => {
    const { session, login, from } = request;
    const known = shells.get(session);
    if (known) return known;
    if (ended.has(session) || from > 0) throw new StreamRefused('not_found', 'the shell of this session has ended');
    if (login === undefined) throw new StreamRefused('not_found', 'this agent holds no shell of this session');
    if (shells.size >= MAX_SHELLS)
      throw new StreamRefused('busy', `this agent holds ${MAX_SHELLS} shells; it takes no more`);
    const starting = start({ ...request, login });
    shells.set(session, starting);
    starting.catch(() => shells.delete(session));
    return starting;
  };

  return {
    get size() {
      return shells.size;
    },
    async serve(offered, metadata) {
      const request = readMetadata(shellRequest, metadata);
      const { login, from, ahead, seen, graceMs } = request;
      const shell = await find(request);
      if (login !== undefined && login !== shell.login) {
        throw new StreamRefused('not_allowed', `the shell of this session belongs to '${shell.login}'`);
      }
      if (from > shell.end) {
        throw new StreamRefused('bad_request', `the shell has printed ${shell.end} bytes, not ${from}`);
      }
      const stream: Duplex = offered.accept();
      shell.attach(stream, { from, ahead, seen, graceMs });
    },
    async endAll(reason) {
      await Promise.all([...running].map((shell) => shell.hangUp(reason)));
    },
    close() {
      for (const shell of [...running]) shell.close();
      settings.close();
    },
  };
}

/** As every login has it: the terminal belongs to who sits at it, and `who` names them. */
function takeTerminal({ device, pid }: Pty, { name, uid }: Person): () => void {
  if (process.getuid?.() !== 0) return () => {};
  chownSync(device, uid, TTY_GROUP);
  chmodSync(device, 0o620);
  return recordLogin({ device, pid, user: name });
}
