/**
 * Pipes between the agent and a command. What Node makes are sockets, which nobody can open by name: a script that writes to
 * /dev/stderr fails on them, and a shell takes them for a remote login. Node makes no pipes, but a shell does, and whoever may
 * look into a process can open what that holds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Person, systemEnvironment } from '../../../runtime/children/environment.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const MAKE_MS = 10_000;
/** Says who it is, and holds three pipes until its input ends. */
const SCRIPT = `
exec 9<&0 8>&1
: | { exec 5<&0; : | { exec 6<&0; : | { exec 7<&0; exec /bin/sh -c 'echo $$ >&8; read line <&9'; }; }; }
`;

export interface CommandPipes {
  stdin: Socket;
  stdout: Socket;
  stderr: Socket;
  /** The command's ends, to be given to it and closed here. */
  ends: readonly [number, number, number];
  closeEnds(): void;
}

/** Six descriptors: the command's three, and ours to the same pipes. */
interface MadePipes {
  ends: readonly [number, number, number];
  own: readonly [number, number, number];
}

export interface PipeStock {
  /** Rejects where this machine has no shell or no /proc. */
  take(person: Pick<Person, 'uid' | 'gid'>): Promise<CommandPipes>;
  /** Lets go of what is ready. */
  close(): void;
}

/** Has the pipes of the next command ready once there was a first: who runs one command runs more, and each waits for them. */
export function createPipeStock(): PipeStock {
  let next: Promise<MadePipes> | undefined;
  const release = (made: Promise<MadePipes> | undefined) =>
    void made?.then(
      ({ ends, own }) => [...ends, ...own].forEach(closeSync),
      () => {},
    );
  return {
    async take(person) {
      const ready = next;
      next = undefined;
      // What failed once may work now: a machine that was out of processes.
      const made = await (ready?.catch(makePipes) ?? makePipes());
      next ??= makePipes();
      next.catch(() => {});
      return ownedBy(person, made);
    },
    close() {
      release(next);
      next = undefined;
    },
  };
}

function ownedBy({ uid, gid }: Pick<Person, 'uid' | 'gid'>, { ends, own }: MadePipes): CommandPipes {
  // So that the command can open them by their names in /dev.
  if (process.getuid?.() === 0) for (const end of ends) fchownSync(end, uid, gid);
  const [stdin, stdout, stderr] = own;
  return {
    stdin: new Socket({ fd: stdin, readable: false, writable: true }),
    stdout: new Socket({ fd: stdout, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr, readable: true, writable: false }),
    ends,
    closeEnds: () => ends.forEach(closeSync),
  };
}

async function makePipes(): Promise<MadePipes> {
  const maker = spawn('/bin/sh', ['-c', SCRIPT], {
    env: systemEnvironment(),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: MAKE_MS,
    killSignal: 'SIGKILL',
  });
  const opened: number[] = [];
  try {
    const pid = await numberFrom(maker);
    const open = (held: number, flags: number) => {
      const fd = openSync(`/proc/${pid}/fd/${held}`, flags);
      opened.push(fd);
      return fd;
    };
    // Ours never wait; the command's do, as every program expects it.
    return {
      ends: [open(5, O_RDONLY), open(6, O_WRONLY), open(7, O_WRONLY)],
      own: [open(5, O_WRONLY | O_NONBLOCK), open(6, O_RDONLY | O_NONBLOCK), open(7, O_RDONLY | O_NONBLOCK)],
    };
  } catch (error) {
    opened.forEach(closeSync);
    throw error;
  } finally {
    maker.stdin?.destroy();
    maker.stdout?.destroy();
  }
}

function numberFrom(maker: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error) => reject(new Error(`no pipes could be made: ${error?.message ?? '/bin/sh failed'}`));
    maker.once('error', fail);
    maker.once('exit', () => fail());
    maker.stdin?.on('error', () => {});
    // A line so short comes in one piece.
    maker.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
}
