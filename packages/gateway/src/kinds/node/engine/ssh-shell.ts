/** A shell on a server with plain OpenSSH. This gateway holds it: browsers come and go, it stays until the gateway goes. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import { Writers } from '@gatehouse/tunnel/shells/writers';
import type { ClientChannel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { Shell, ShellEvents, ShellOver, ShellProgram } from '../../../sessions/terminal/shell.ts';
import type { SshConnection } from './connect-ssh.ts';
import { serverWords } from './server-words.ts';
import { SshFailure } from './ssh-failure.ts';
import { type NarrowWindow, narrowWindow, pingServer, together } from './ssh2-patches/channel-window.ts';

/** What a program may print beyond what was passed on: the less, the sooner a Ctrl-C is felt. */
const LEAD_BYTES = 256 * 1024;
/** What a server may have sent that nobody has read: twice the window. Beyond it, it sends what it was not asked for. */
const MAX_AHEAD_BYTES = 1024 * 1024;
const SHELL_MS = 20_000;
const TOO_MUCH = 'the server sends more than it was asked for';
/** Only how characters are written, not the language of messages: that is the server's. Servers that take no such wish ignore it. */
const ENVIRONMENT = { LC_CTYPE: 'C.UTF-8' };

export interface SshShellOptions {
  connection: SshConnection;
  /** For messages. */
  name: string;
  size: ShellSize;
  program: ShellProgram & { term: string };
  events: ShellEvents;
}

/** Rejects with an `SshFailure`; the connection is closed then. */
export async function openSshShell(options: SshShellOptions): Promise<Shell> {
  try {
    const window = narrowWindow(options.connection.client);
    return await openChannel(options, (channel) => new SshShell({ ...options, window, channel }));
  } catch (error) {
    options.connection.close();
    throw error;
  }
}

/** `begin` hears of the channel in the very call that opens it: the end of a short command comes in the same piece of bytes. */
function openChannel(
  { connection, name, size, program }: SshShellOptions,
  begin: (channel: ClientChannel) => Shell,
): Promise<Shell> {
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: unknown) =>
      reject(
        new SshFailure('login_refused', message, {
          stage: 'login',
          cause,
          next: 'look into the log of the server: it let the login in and gave it no terminal',
        }),
      );
    const timer = setTimeout(() => fail(`the server '${name}' gave no shell within ${SHELL_MS / 1000} s`), SHELL_MS);
    void connection.closed.then(() => fail(`the server '${name}' closed the connection instead of giving a shell`));
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      clearTimeout(timer);
      if (error) fail(`the server '${name}' gave no shell: ${serverWords(error)}`, error);
      else resolve(begin(channel));
    };
    const pty = { term: program.term, ...size, width: 0, height: 0 };
    const env = { ...ENVIRONMENT, ...program.env };
    if (program.command === undefined) connection.client.shell(pty, { env }, opened);
    else connection.client.exec(program.command, { pty, env }, opened);
  });
}

interface OpenShell extends Omit<SshShellOptions, 'program'> {
  channel: ClientChannel;
  window: NarrowWindow;
}

class SshShell implements Shell {
  readonly survives = false;
  readonly #connection: SshConnection;
  readonly #channel: ClientChannel;
  readonly #window: NarrowWindow;
  readonly #events: ShellEvents;
  readonly #writers = new Writers();
  #size: ShellSize;
  #printed = 0;
  #passed = 0;
  #paused = false;
  #over: ShellOver = {};
  #reason: string | undefined;
  #ended = false;

  constructor({ connection, channel, window, name, size, events }: OpenShell) {
    this.#connection = connection;
    this.#channel = channel;
    this.#window = window;
    this.#events = events;
    this.#size = size;
    boundChannel(channel, MAX_AHEAD_BYTES, () => this.end(TOO_MUCH));
    tellOwnClose(channel);
    events.begin({ start: 0, ...size, echo: true, program: '' });
    channel.on('data', (bytes: Buffer) => this.#heard(bytes));
    channel.stderr.on('data', (bytes: Buffer) => this.#heard(bytes));
    channel.on('drain', () => this.#flush());
    channel.on('error', () => {});
    channel.on('exit', (code: number | null, signal?: string) => {
      this.#over = code === null ? { signal: String(signal ?? '').slice(0, 32) } : { code };
    });
    channel.on('close', () => this.#finish(name));
    void connection.closed.then(() => this.#finish(name));
  }

  takenBy(writer: string): number {
    return this.#writers.taken[writer] ?? 0;
  }

  input(writer: string, offset: number, bytes: Uint8Array): void {
    if (this.#ended) return;
    this.#writers.receive(writer, offset, bytes);
    this.#flush();
  }

  resize(size: ShellSize): void {
    const { cols, rows } = size;
    if (this.#ended || (cols === this.#size.cols && rows === this.#size.rows)) return;
    this.#size = size;
    this.#channel.setWindow(rows, cols, 0, 0);
    this.#events.size({ cols, rows });
  }

  passed(offset: number): void {
    this.#passed = Math.max(this.#passed, offset);
    this.#balance();
  }

  /** What is held is with the session; sshd keeps nothing. */
  kept(): void {}

  end(reason: string): void {
    this.#reason ??= reason;
    this.#channel.close();
    this.#connection.close();
  }

  release(): void {
    this.end('the gateway let go of it');
  }

  async roundTrip(): Promise<number | undefined> {
    return this.#ended ? undefined : await pingServer(this.#connection.client);
  }

  #heard(bytes: Buffer): void {
    // The second stream of a channel is read whether or not the first one waits.
    if (this.#printed + bytes.length - this.#passed > LEAD_BYTES + MAX_AHEAD_BYTES) {
      this.end(TOO_MUCH);
      return;
    }
    this.#printed += bytes.length;
    if (!this.#ended) this.#window.read(this.#channel, bytes.length);
    this.#events.output(bytes);
    this.#balance();
  }

  /** Lets the server wait, or go on. With two limits, so that it does not stutter. */
  #balance(): void {
    const wait = this.#printed - this.#passed >= LEAD_BYTES / (this.#paused ? 2 : 1);
    if (wait === this.#paused) return;
    this.#paused = wait;
    if (wait) this.#channel.pause();
    else this.#channel.resume();
  }

  #flush(): void {
    const channel = this.#channel;
    const taken = this.#writers.flush((bytes) => {
      if (channel.writableNeedDrain || channel.writableEnded || channel.destroyed) return 0;
      together(this.#connection.client, () => channel.write(bytes));
      return bytes.length;
    });
    for (const { writer, offset } of taken) this.#events.taken(writer, offset);
  }

  #finish(name: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.close();
    const known = this.#over.code !== undefined || this.#over.signal !== undefined;
    const lost = !known && this.#reason === undefined;
    this.#events.over({
      ...this.#over,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...(lost ? { lost: 'target_lost', reason: `the connection to '${name}' was lost` } : {}),
    });
  }
}
