/** `gatehouse ssh`: a shell on a server, or a command, over the gateway's own port and under one's own sign-in. */
import type { Io } from '../command.ts';
import { ownGateway } from '../proxy/own-gateway.ts';
import { Failure } from '../runtime/failure.ts';
import { findServer } from './named-server.ts';
import { readSshArgs } from './ssh-args.ts';

interface Options {
  gateway?: string;
  user?: string;
}

/** No login is called so. */
const NOBODY = ' ';

export async function connectBySignIn(io: Io, args: readonly string[], { gateway, user }: Options): Promise<void> {
  if (user !== undefined) throw new Failure('usage', '--user goes with --headless: here you are who signed in');
  const read = readSshArgs(args, NOBODY);
  const { login, server } = read;
  const { stdin, stdout, stderr } = process;
  const over = new AbortController();
  const mine = await ownGateway(io, gateway, over.signal);
  const found = await findServer(mine, server, login === NOBODY ? undefined : login);
  if (!read.isPlain || !stdin.isTTY) {
    const { runThroughProxy } = await import('./run-through-proxy.ts');
    return await runThroughProxy(mine.origin, found, read);
  }
  const [{ runTerminal }, { localTerminal }] = await Promise.all([
    import('../terminal/run-terminal.ts'),
    import('../terminal/local-terminal.ts'),
  ]);
  try {
    await runTerminal(mine, { server: found.id, login: found.login }, localTerminal({ stdin, stdout, stderr }));
  } finally {
    over.abort();
  }
}
