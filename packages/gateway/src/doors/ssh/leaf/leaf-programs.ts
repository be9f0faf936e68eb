/** What a program runs on a server of another cluster: bytes, sizes, signals and the end are handed on as they are. */
import { isExecSignal } from '@gatehouse/contract/reach/agents/exec-frames';
import type { ClientChannel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { BackwardWishes } from '../backward-channels.ts';
import type { DoorChannel, Size } from '../door-channel.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import { LEADS_NOWHERE } from '../door-words.ts';
import type { LeafConnection, LeafTarget } from '../leaf-target.ts';
import type { AskedProgram, ProgramRuns } from '../program-runs.ts';
import type { SessionAsked } from '../session-asked.ts';
import { leafWords } from './leaf-words.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const BEGIN_MS = 60_000;

type Wanted = AskedProgram & { pty?: (Size & { term: string }) | undefined };

/** What a role lets somebody do, and for how long, is for that cluster to say: it tells it on the outputs. */
export function leafPrograms(deps: SshDoorDeps, asked: SessionAsked, server: LeafTarget): ProgramRuns {
  return {
    async onTerminal(front, { size, onSize, ...wanted }) {
      const far = await open(deps, asked, { front, server, wanted: { ...wanted, pty: size } });
      onSize(({ cols, rows }) => far.channel.setWindow(rows, cols, 0, 0));
      await carry(deps, asked, { front, server, far });
    },
    async plainly(front, { onSignal, ...wanted }) {
      const far = await open(deps, asked, { front, server, wanted });
      onSignal((name) => {
        // ssh2 throws at all others.
        if (isExecSignal(name)) far.channel.signal(name);
      });
      await carry(deps, asked, { front, server, far });
    },
  };
}

interface Opening {
  front: DoorChannel;
  server: LeafTarget;
  wanted: Wanted;
}

async function open(
  deps: SshDoorDeps,
  { toward, person }: SessionAsked,
  { front, server, wanted }: Opening,
): Promise<Far> {
  const connection = server.connection();
  const { agent, x11 } = person.limits ? ledNowhere(front, wanted.wishes) : wanted.wishes;
  // What that cluster does not let them have it tells itself, on the second output.
  deps.onwards.backward(connection, {
    ...(agent && { agent: () => toward.keys() }),
    ...(x11 && { x11: { ...x11, open: (from) => toward.windows(from) } }),
  });
  const far = await begin(connection, wanted, server);
  void far.hasTooMuch.then(() => front.fail(`'${server.found.cluster}' sends more than it was asked for`));
  return far;
}

function ledNowhere(front: DoorChannel, { agent, x11 }: BackwardWishes): BackwardWishes {
  if (agent || x11) front.tell(LEADS_NOWHERE);
  return { agent: false, x11: undefined };
}

function begin({ client, closed }: LeafConnection, wanted: Wanted, server: LeafTarget): Promise<Far> {
  const { cluster } = server.found;
  return new Promise((resolve, reject) => {
    const fail = (words: string) => reject(new AppError('unavailable', words));
    const timer = setTimeout(() => fail(`'${cluster}' did not begin to run it`), BEGIN_MS).unref();
    void closed.then(() => fail(`the connection to '${cluster}' was lost`));
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      clearTimeout(timer);
      if (error) fail(`'${cluster}' does not run it: ${leafWords(error)}`);
      // Listened to in this very call: the end of a short command comes in the same piece of bytes.
      else resolve(heard(channel));
    };
    const { program, pty } = wanted;
    if (program.type === 'files') return void client.subsys('sftp', opened);
    const { env } = program;
    const terminal = pty && { term: pty.term, cols: pty.cols, rows: pty.rows, width: 0, height: 0 };
    if (program.type === 'shell') client.shell(terminal ?? false, { env }, opened);
    else client.exec(program.command, { env, ...(terminal ? { pty: terminal } : {}) }, opened);
  });
}

interface Far {
  channel: ClientChannel;
  /** Undefined while it goes on, and where nobody said how it ended. */
  end(): Parameters<DoorChannel['exit']>[0] | undefined;
  /** Both outputs. */
  printed: Promise<unknown>;
  gone: Promise<void>;
  hasTooMuch: Promise<void>;
}

function heard(channel: ClientChannel): Far {
  let told: Parameters<DoorChannel['exit']>[0] | undefined;
  channel.on('exit', (code: number | null, signal?: string, core?: boolean) => {
    told ??= code === null ? { signal: String(signal ?? '').replace(/^SIG/, ''), core: core === true } : { code };
  });
  const tooMuch = Promise.withResolvers<void>();
  boundChannel(channel, MAX_AHEAD_BYTES, () => {
    tooMuch.resolve();
    channel.destroy();
  });
  tellOwnClose(channel);
  channel.on('error', () => {});
  return {
    ...{ channel, end: () => told, hasTooMuch: tooMuch.promise },
    printed: Promise.all([channel, channel.stderr].map((output) => new Promise((over) => output.once('end', over)))),
    gone: new Promise((over) => void channel.once('close', () => over())),
  };
}

interface Carried {
  front: DoorChannel;
  server: LeafTarget;
  far: Far;
}

/** Until it is over on either side. */
async function carry(deps: SshDoorDeps, { person }: SessionAsked, { front, server, far }: Carried): Promise<void> {
  const near = front.channel;
  const { channel } = far;
  near.on('data', () => deps.active(person.caller));
  near.pipe(channel);
  channel.pipe(near, { end: false });
  channel.stderr.pipe(near.stderr, { end: false });
  void front.closed.then((how) => {
    // What nobody said goodbye to goes on there as it would here.
    if (how === 'lost') server.lose();
    else channel.close();
  });
  await Promise.race([far.gone, server.closed]);
  await Promise.race([far.printed, server.closed, front.closed]);
  const end = far.end();
  if (end) front.exit(end);
  else front.fail(`the connection to '${server.found.cluster}' was lost`);
}
