/** `gatehouse ssh` and `gatehouse scp`: a shell on a server, a command or files, over the gateway's own port and under one's own sign-in. */
import type { Io } from '../command.ts';
import { NoCode } from '../input/second-factor.ts';
import { ownGateway } from '../proxy/own-gateway.ts';
import { Failure } from '../runtime/failure.ts';
import { findServer } from './named-server.ts';
import { readScpArgs, readSshArgs } from './ssh-args.ts';

interface Options {
  gateway?: string;
  cluster?: string;
  user?: string;
}

/** No login is called so. */
const NOBODY = ' ';

export async function connectBySignIn(io: Io, args: readonly string[], options: Options): Promise<void> {
  requireNobody(options.user);
  const read = readSshArgs(args, NOBODY);
  const { login, server } = read;
  const { stdin, stdout, stderr } = process;
  const over = new AbortController();
  const mine = await ownGateway(io, options, over.signal);
  const found = await findServer(mine, server, login === NOBODY ? undefined : login);
  const bySsh = async () => {
    const { runThroughProxy } = await import('./run-through-proxy.ts');
    await runThroughProxy('ssh', { ...options, gateway: mine.origin }, found, read);
  };
  if (!read.isPlain || !stdin.isTTY) return await bySsh();
  const [{ runTerminal }, { localTerminal }] = await Promise.all([
    import('../terminal/run-terminal.ts'),
    import('../terminal/local-terminal.ts'),
  ]);
  try {
    await runTerminal(mine, { server: found.id, login: found.login }, localTerminal({ stdin, stdout, stderr }));
  } catch (error) {
    if (!(error instanceof NoCode)) throw error;
    io.stderr('gatehouse: a browser reads your device: this goes by ssh, and ends with its network\n');
    await bySsh();
  } finally {
    over.abort();
  }
}

/** `gatehouse scp`: files there and back, in the same way. */
export async function copyBySignIn(io: Io, args: readonly string[], options: Options): Promise<void> {
  requireNobody(options.user);
  const read = readScpArgs(args, NOBODY);
  const over = new AbortController();
  try {
    const mine = await ownGateway(io, options, over.signal);
    const found = await findServer(mine, read.server, read.login === NOBODY ? undefined : read.login);
    const { runThroughProxy } = await import('./run-through-proxy.ts');
    await runThroughProxy('scp', { ...options, gateway: mine.origin }, found, read);
  } finally {
    over.abort();
  }
}

function requireNobody(user: string | undefined): void {
  if (user !== undefined) throw new Failure('usage', '--user goes with --headless: here you are who signed in');
}
