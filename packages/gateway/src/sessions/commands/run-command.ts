/** Runs a command without a terminal as a session: decided, counted, recorded and ended as every other. Nobody can join it, so it waits for nobody. */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Actor, Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import type { SessionHost } from '../host/session-host.ts';
import { UNJOINABLE } from '../host/session-parts.ts';
import type { SessionAction, SessionEnd } from '../host/session-store.ts';
import { shown } from '../host/shown-command.ts';
import { noteRecording, openRecording } from '../open-recording.ts';
import type { TerminalRecorders } from '../terminal/terminal-recorder.ts';
import type { Commands } from './commands.ts';
import { ExecRecording } from './exec-recording.ts';
import type { CommandEnd, RunningCommand, WantedProgram } from './running-command.ts';

/** It has no window, and a recording wants one. */
const SIZE = { cols: 80, rows: 24 };

export interface RunCommandDeps {
  host: Pick<SessionHost, 'open'>;
  /** Undefined: nothing is recorded. */
  recorder: TerminalRecorders | undefined;
  log: Log;
}

/** Who asked for it, and is given what it prints. */
export interface CommandClient {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  onSignal(listener: (name: string) => void): void;
  readonly closed: Promise<unknown>;
}

export interface WantedCommand {
  caller: Caller;
  address: string;
  requestId: string;
  action: SessionAction;
  program: WantedProgram;
  commands: Pick<Commands, 'run'>;
  client: CommandClient;
  /** What it takes beside the right to connect; asked at each decision. */
  whyNot(owner: Actor): SessionEnd | undefined;
  proveFactor(): Promise<void>;
  /** Somebody did something. */
  onActive(): void;
}

/** Resolves when it is over; throws what is told instead. */
export async function runCommand(deps: RunCommandDeps, wanted: WantedCommand): Promise<CommandEnd | SessionEnd> {
  const { caller, address, program, client } = wanted;
  const { username, signInId } = caller;
  const isCommand = program.type === 'command';
  const hosted = await deps.host.open({
    ...{ caller, address, requestId: wanted.requestId, proveFactor: wanted.proveFactor, action: wanted.action },
    call: isCommand ? 'ssh command' : `ssh ${program.type}`,
    nature: UNJOINABLE,
    request: randomUUID(),
    size: SIZE,
    // It is not taken over: what an agent runs for it ends with this connection.
    agent: undefined,
    recorded: deps.recorder?.isOn ?? false,
    interactive: false,
    isPrinted: program.type !== 'files',
    ...(isCommand ? { command: shown(program.command) } : {}),
    part: { whyNot: wanted.whyNot },
    noted: noteRecording(deps.recorder),
  });
  let running: RunningCommand | undefined;
  try {
    // Files are told by events: there is nothing to record, and no role that turns it off.
    const recorder = program.type === 'files' ? undefined : deps.recorder;
    const options = { input: hosted.options.recordInput };
    // First of all that is written from here on: nothing runs before it is there.
    const recording = new ExecRecording(hosted, await openRecording(recorder, hosted, { options, log: deps.log }));
    const onRemoved = (end: SessionEnd) => hosted.finish(end);
    if (!hosted.end) hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved });
    hosted.traffic = () => recording.traffic;
    whenAborted(hosted.signal, () => recording.close(hosted.signal.reason as SessionEnd));
    void client.closed.then(() => hosted.finish({ cause: 'closed', message: 'the client left' }));
    const { user, id, action, mfa } = hosted.session;
    running = await wanted.commands.run({
      ...{ session: id, user, signInId, address, mfa, action, program },
      signal: hosted.signal,
    });
    hosted.connected();
    return await carry(hosted, {
      client,
      running,
      recording,
      onActive: wanted.onActive,
      isKept: program.type !== 'files',
    });
  } catch (error) {
    running?.close();
    const before = hosted.end;
    hosted.finish({ cause: 'failed', message: errorMessage(error) });
    throw before ? new AppError('denied', before.message) : error;
  }
}

interface Carried {
  client: CommandClient;
  running: RunningCommand;
  recording: ExecRecording;
  /** Files are told by events of their own, and nobody reads them as text. */
  isKept: boolean;
  onActive(): void;
}

async function carry(hosted: HostedSession, carried: Carried): Promise<CommandEnd | SessionEnd> {
  const { client, running, recording } = carried;
  const pass = (name: 'stdin' | 'stdout' | 'stderr', from: Readable, to: Writable) => {
    let isHeld = false;
    const goOn = () => {
      if (!isHeld) return;
      isHeld = false;
      from.resume();
    };
    to.on('drain', goOn);
    to.once('close', goOn);
    from.on('data', (bytes: Buffer) => {
      if (hosted.end) return;
      if (carried.isKept ? !recording.keep(name, bytes) : !recording.count(name, bytes)) return;
      hosted.active(hosted.id);
      if (name === 'stdin') carried.onActive();
      if (to.destroyed || to.writableEnded || to.write(bytes)) return;
      isHeld = true;
      from.pause();
    });
  };
  pass('stdin', client.stdin, running.stdin);
  client.stdin.once('end', () => running.stdin.end());
  pass('stdout', running.stdout, client.stdout);
  pass('stderr', running.stderr, client.stderr);
  client.onSignal((name) => running.signal(name));
  const over = new Promise<SessionEnd>((resolve) =>
    whenAborted(hosted.signal, () => resolve(hosted.signal.reason as SessionEnd)),
  );
  const ended = await Promise.race([running.ended, over]);
  if ('kind' in ended) hosted.finish(endOf(ended));
  running.close();
  return ended;
}

function endOf(end: CommandEnd): SessionEnd {
  if (end.kind === 'exit')
    return {
      cause: 'exited',
      message: end.code === 0 ? 'the command ended' : `the command ended with status ${end.code}`,
      exitCode: end.code,
    };
  if (end.kind === 'signal') return { cause: 'exited', message: `the command was ended by ${end.signal}` };
  return { cause: 'target_lost', message: end.why };
}
