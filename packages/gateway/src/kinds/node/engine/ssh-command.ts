/** A command without a terminal on a server with plain OpenSSH, over a connection that others may run theirs on. */
import { isExecSignal } from '@gatehouse/contract/reach/agents/exec-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { ClientChannel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { CommandEnd, RunningCommand, WantedProgram } from '../../../sessions/commands/running-command.ts';
import type { SshConnection } from './connect-ssh.ts';
import { serverWords } from './server-words.ts';
import { SshFailure } from './ssh-failure.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const BEGIN_MS = 20_000;
const MAX_SIGNAL_NAME = 32;

export interface SshCommandOptions {
  connection: SshConnection;
  /** The command is over, and the connection as it should be. */
  giveBack(): void;
  /** It was ended and may run on, as sshd lets it: nothing else begins there, and what runs beside it goes on. */
  retire(): void;
  /** The server does not do as it should: whatever runs over it ends. */
  cut(): void;
  /** For messages. */
  name: string;
  program: WantedProgram;
  signal: AbortSignal;
}

/** Rejects with an `SshFailure`. The connection is given back or cut, however it ends. */
export async function runOverSsh(options: SshCommandOptions): Promise<RunningCommand> {
  const { signal, cut, giveBack } = options;
  try {
    const running = await open(options);
    whenAborted(signal, () => running.close());
    return running;
  } catch (error) {
    // It answered, and others may run theirs.
    if (isNoRoom(error)) giveBack();
    else cut();
    throw error;
  }
}

/** Whether a server refused to open one more channel on a connection; not that it would not run the command. */
export function isNoRoom(error: unknown): boolean {
  const said: unknown = error instanceof SshFailure ? error.cause : undefined;
  return said instanceof Error && 'reason' in said && said.reason !== undefined;
}

function open(options: SshCommandOptions): Promise<RunningCommand> {
  const { connection, name, program } = options;
  const { client, closed } = connection;
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: unknown) =>
      reject(
        new SshFailure('login_refused', message, {
          stage: 'login',
          cause,
          next:
            program.type === 'files'
              ? "look whether its configuration has the line 'Subsystem sftp internal-sftp'"
              : 'look into the log of the server: it let the login in and ran nothing for it',
        }),
      );
    const timer = setTimeout(() => fail(`the server '${name}' did not begin to run it`), BEGIN_MS).unref();
    void closed.then(() => fail(`the server '${name}' closed the connection instead of running it`));
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      clearTimeout(timer);
      if (error) fail(`the server '${name}' does not run it: ${serverWords(error)}`, error);
      // Listened to in this very call: the end of a short command comes in the same piece of bytes.
      else resolve(asRunning(options, channel));
    };
    if (program.type === 'files') client.subsys('sftp', opened);
    else if (program.type === 'shell') client.shell(false, { env: program.env }, opened);
    else client.exec(program.command, { env: program.env }, opened);
  });
}

function asRunning({ connection, giveBack, retire, cut }: SshCommandOptions, channel: ClientChannel): RunningCommand {
  let told: CommandEnd | undefined;
  let tooMuch: string | undefined;
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  const close = () => {
    channel.close();
    retire();
    giveUp();
  };
  tellOwnClose(channel);
  boundChannel(channel, MAX_AHEAD_BYTES, () => {
    tooMuch = 'the server sends more than it was asked for';
    channel.destroy();
    cut();
  });
  channel.on('error', () => {});
  channel.on('exit', (code: number | null, signal?: string, dump?: boolean) => {
    told ??=
      code === null
        ? {
            kind: 'signal',
            signal: String(signal ?? '')
              .slice(0, MAX_SIGNAL_NAME)
              .replace(/^SIG/, '')
              .replaceAll(/[^\w.@-]/g, '?'),
            core: dump === true,
          }
        : { kind: 'exit', code };
  });
  const printed = Promise.all([channel, channel.stderr].map(ended));
  const gone = new Promise<void>((resolve) => {
    channel.once('close', () => resolve());
    void connection.closed.then(() => resolve());
    // A server need not agree that it is over.
    void givenUp.then(() => resolve());
  });
  const over = gone.then(async (): Promise<CommandEnd> => {
    // What has come is read to its end, however slowly, unless nothing can come any more.
    await Promise.race([printed, connection.closed, givenUp]);
    giveBack();
    return told ?? { kind: 'lost', why: tooMuch ?? 'the connection to the server was lost' };
  });
  return {
    stdin: channel,
    stdout: channel,
    stderr: channel.stderr,
    signal(name) {
      // ssh2 throws at all others, in the middle of what it reads from who sent it.
      if (isExecSignal(name)) channel.signal(name);
    },
    ended: over,
    close,
  };
}

function ended(stream: NodeJS.ReadableStream & { readableEnded?: boolean }): Promise<void> {
  if (stream.readableEnded) return Promise.resolve();
  return new Promise((resolve) => stream.once('end', resolve));
}
