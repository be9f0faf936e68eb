/** A command without a terminal on a server with plain OpenSSH, over a connection of its own. */
import { isExecSignal } from '@gatehouse/contract/reach/agents/exec-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { ClientChannel } from 'ssh2';
import { boundChannel } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { CommandEnd, RunningCommand, WantedProgram } from '../../../sessions/commands/running-command.ts';
import type { SshConnection } from './connect-ssh.ts';
import { SshFailure } from './ssh-failure.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const BEGIN_MS = 20_000;
const MAX_SIGNAL_NAME = 32;

export interface SshCommandOptions {
  connection: SshConnection;
  /** For messages. */
  name: string;
  program: WantedProgram;
  signal: AbortSignal;
}

/** Rejects with an `SshFailure`. The connection is closed with what it ran. */
export async function runOverSsh(options: SshCommandOptions): Promise<RunningCommand> {
  const { connection, signal } = options;
  try {
    const running = await open(options);
    whenAborted(signal, () => running.close());
    return running;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function open({ connection, name, program }: SshCommandOptions): Promise<RunningCommand> {
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
      if (error) fail(`the server '${name}' does not run it: ${error.message}`, error);
      // Listened to in this very call: the end of a short command comes in the same piece of bytes.
      else resolve(asRunning(connection, channel));
    };
    if (program.type === 'files') client.subsys('sftp', opened);
    else if (program.type === 'shell') client.shell(false, { env: program.env }, opened);
    else client.exec(program.command, { env: program.env }, opened);
  });
}

function asRunning(connection: SshConnection, channel: ClientChannel): RunningCommand {
  let told: CommandEnd | undefined;
  let tooMuch: string | undefined;
  const close = () => {
    channel.close();
    connection.close();
  };
  boundChannel(channel, MAX_AHEAD_BYTES, () => {
    tooMuch = 'the server sends more than it was asked for';
    channel.destroy();
    close();
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
  });
  const over = gone.then(async (): Promise<CommandEnd> => {
    // What has come is read to its end, however slowly, unless nothing can come any more.
    await Promise.race([printed, connection.closed]);
    connection.close();
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
