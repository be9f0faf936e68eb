/** What a program asks for on a session channel: a shell, a command with or without a terminal, or files. */
import { randomUUID } from 'node:crypto';
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { isExecSignal, MAX_COMMAND_BYTES } from '@gatehouse/contract/reach/agents/exec-frames';
import type { ServerChannel, Session } from 'ssh2';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { runCommand } from '../../sessions/commands/run-command.ts';
import type { WantedProgram } from '../../sessions/commands/running-command.ts';
import { connectAs } from '../../sessions/host/as-login.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import { ProgramViewer } from '../../sessions/terminal/program-viewer.ts';
import { type BackwardWishes, grantBackward, NOTHING_BACKWARD, readX11 } from './backward-channels.ts';
import { type DoorChannel, doorChannel, readSize, type Size } from './door-channel.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { beginLimited, findServer, requireFactor, whyNotOpened } from './door-words.ts';
import { isCopy } from './is-copy.ts';
import { leafPrograms } from './leaf/leaf-programs.ts';
import type { ProgramRuns, TerminalProgram, WantedTerminal } from './program-runs.ts';
import { sayingWhy } from './refused-login.ts';
import { latestOf, signalCounter } from './seldom-enough.ts';
import type { SessionAsked } from './session-asked.ts';

const NO_COPY: SessionEnd = { cause: 'denied', message: 'a role of yours does not let you copy files' };
const TOO_LONG = `a command has at most ${MAX_COMMAND_BYTES} bytes, no system runs a longer one: put it into a file`;
const MAX_ENV = 32;
const MAX_ENV_VALUE = 256;
const ENV_NAME = /^(?:LANG|LC_[A-Z]{1,32}|COLORTERM)$/;
const TERM_NAME = /^[\w.+-]{1,64}$/;

export function serveSession(deps: SshDoorDeps, session: Session, asked: SessionAsked): void {
  const env: Record<string, string> = {};
  const wishes: BackwardWishes = { agent: false, x11: undefined };
  const listeners = { size: (_: Size) => {}, signal: (_: string) => {} };
  let pty: (Size & { term: string }) | undefined;
  const resized = latestOf((size: Size) => listeners.size(size));
  const maySignal = signalCounter(deps.now);
  let hasBegun = false;

  session.on('pty', (accept, _reject, info) => {
    const { term } = info as unknown as { term: string };
    pty = { ...readSize(info), term: TERM_NAME.test(term) ? term : 'xterm-256color' };
    accept?.();
  });
  // Whether a role lets them is known when something runs, and told then: this answer cannot wait for it.
  session.on('auth-agent', (accept, reject) => {
    if (hasBegun) return reject?.();
    wishes.agent = true;
    accept?.();
  });
  session.on('x11', (accept, reject, info) => {
    const wish = readX11(info as never);
    if (hasBegun || !wish) return reject?.();
    wishes.x11 = wish;
    accept?.();
  });
  session.on('env', (accept, reject, { key, val }) => {
    if (!ENV_NAME.test(key) || val.length > MAX_ENV_VALUE || Object.keys(env).length >= MAX_ENV) return reject?.();
    env[key] = val;
    accept?.();
  });
  session.on('window-change', (accept, _reject, info) => {
    if (pty) pty = { ...pty, ...readSize(info) };
    resized(readSize(info));
    accept?.();
  });
  session.on('signal', (accept, _reject, { name }) => {
    const plain = name.replace(/^SIG/, '');
    if (isExecSignal(plain) && maySignal()) listeners.signal(plain);
    accept?.();
  });

  /** In the very call: an end of input that comes before is lost with the channel. */
  const begin = (
    accept: () => ServerChannel,
    reject: (() => void) | undefined,
    program: WantedProgram,
    work: (front: DoorChannel) => Promise<void>,
  ) => {
    // There is none where no answer is wanted.
    if (hasBegun) return reject?.();
    hasBegun = true;
    const front = doorChannel(asked.hold(accept()), asked.hasLeft);
    asked.onFront(front);
    if (program.type === 'command' && Buffer.byteLength(program.command) > MAX_COMMAND_BYTES)
      return front.fail(TOO_LONG);
    beginLimited(deps, asked.person, { ...asked, program })
      .then(() => asked.settled())
      .then(() => work(front))
      .catch((error: unknown) => front.fail(whyNotOpened(deps, error, asked)));
  };

  const runs = asked.leaf ? leafPrograms(deps, asked, asked.leaf) : ownPrograms(deps, asked);
  const onTerminal = (front: DoorChannel, size: Size & { term: string }, program: TerminalProgram) =>
    runs.onTerminal(front, {
      ...{ size, program, wishes },
      onSize: (listener) => {
        listeners.size = listener;
        if (pty) listener(pty);
      },
    });
  const plainly = (front: DoorChannel, program: WantedProgram) =>
    runs.plainly(front, {
      ...{ program, wishes },
      onSignal: (listener) => {
        listeners.signal = listener;
      },
    });

  session.on('shell', (accept, reject) => {
    const program = { type: 'shell', env } as const;
    begin(accept, reject, program, (front) => (pty ? onTerminal(front, pty, program) : plainly(front, program)));
  });
  session.on('exec', (accept, reject, { command }) => {
    const program = { type: 'command', command, env } as const;
    begin(accept, reject, program, (front) => (pty ? onTerminal(front, pty, program) : plainly(front, program)));
  });
  session.on('subsystem', (accept, reject, { name }) => {
    if (name !== 'sftp') return reject?.();
    const program = { type: 'files' } as const;
    begin(accept as () => ServerChannel, reject, program, (front) => plainly(front, program));
  });
}

function ownPrograms(deps: SshDoorDeps, asked: SessionAsked): ProgramRuns {
  return {
    onTerminal: (front, wanted) => openTerminal(deps, asked, front, wanted),
    plainly: (front, wanted) => run(deps, asked, front, wanted),
  };
}

async function openTerminal(
  deps: SshDoorDeps,
  asked: SessionAsked,
  front: DoorChannel,
  { size, program, wishes, onSize }: WantedTerminal,
): Promise<void> {
  const { env } = program;
  const command = program.type === 'command' ? program.command : undefined;
  const { person, address, login } = asked;
  const { caller } = person;
  const { cols, rows, term } = size;
  const actor = await caller.now();
  const resource = await findServer(deps, actor, asked.servers);
  const copies = command !== undefined && isCopy(command);
  // Before anything is opened for it.
  if (copies && !mayCopy(deps, actor)) throw new AppError('denied', NO_COPY.message);
  const { backward, whyNot, hold } = grantBackward(deps, asked, actor, { front, resource, wishes });
  const requestId = randomUUID();
  const terminal = await sayingWhy(deps, { caller, resource, login, requestId }, () =>
    deps.terminals.open({
      ...{ caller, address, requestId, size: { cols, rows }, request: randomUUID() },
      target: {
        kind: MACHINE_KIND,
        // By its id: between two looks another could get its name.
        resource: resource.id,
        login,
        program: { term, env, backward, ...(command === undefined ? {} : { command }) },
      },
      part: { whyNot: (owner) => (copies && !mayCopy(deps, owner) ? NO_COPY : whyNot(owner)) },
      proveFactor: () => requireFactor(deps, person),
    }),
  );
  const { hosted } = terminal;
  hold(hosted.flow !== 'live');
  hosted.onFlow((flow) => hold(flow !== 'live'));
  const { channel } = front;
  channel.on('data', () => deps.active(caller));
  new ProgramViewer({
    ...{ terminal, caller, address, size: { cols, rows } },
    wire: {
      ...{ stdin: channel, stdout: channel, onSize, closed: front.closed },
      end: ({ cause, message, exitCode }) =>
        cause === 'exited' && exitCode !== undefined ? front.exit({ code: exitCode }) : front.fail(message),
      moved: () =>
        front.fail('this gateway is closing, and the session goes on: find it in the browser, or connect again'),
    },
  }).begin();
}

async function run(
  deps: SshDoorDeps,
  asked: SessionAsked,
  front: DoorChannel,
  { program: wanted, wishes, onSignal }: Parameters<ProgramRuns['plainly']>[1],
): Promise<void> {
  const { person, address, login } = asked;
  const { caller } = person;
  const actor = await caller.now();
  const resource = await findServer(deps, actor, asked.servers);
  const { commands } = deps.kinds[MACHINE_KIND];
  if (!commands) throw new AppError('not_available', 'no commands are run here');
  const { backward, whyNot } =
    wanted.type === 'files' ? NOTHING_BACKWARD : grantBackward(deps, asked, actor, { front, resource, wishes });
  const program = wanted.type === 'files' ? wanted : { ...wanted, backward };
  const copies = program.type === 'files' || (program.type === 'command' && isCopy(program.command));
  const { channel } = front;
  const requestId = randomUUID();
  const ended = await sayingWhy(deps, { caller, resource, login, requestId }, () =>
    runCommand(deps, {
      ...{ caller, address, requestId, program, commands },
      action: connectAs(MACHINE_KIND, resource, login),
      client: { stdin: channel, stdout: channel, stderr: channel.stderr, onSignal, closed: front.closed },
      whyNot: (owner) => (copies && !mayCopy(deps, owner) ? NO_COPY : whyNot(owner)),
      proveFactor: () => requireFactor(deps, person),
      onActive: () => deps.active(caller),
    }),
  );
  if (!('kind' in ended)) front.fail(ended.message);
  else if (ended.kind === 'lost') front.fail(ended.why);
  else if (ended.kind === 'exit') front.exit({ code: ended.code });
  else front.exit({ signal: ended.signal, core: ended.core });
}

function mayCopy({ access }: SshDoorDeps, actor: Actor): boolean {
  return sessionOptions(access.of(actor)).fileCopy;
}
