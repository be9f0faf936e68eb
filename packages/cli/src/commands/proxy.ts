/** `gatehouse proxy`: a port on this machine that leads through the gateway. */

import { printable } from '@gatehouse/contract/std/printable';
import type { TcpStreamError } from '@gatehouse/tunnel/sessions/tcp-stream';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Format, print } from '../command.ts';
import { credentialOf, remoteGateway, remoteSend } from '../gateway/remote-gateway.ts';
import { CURRENT } from '../gateway/resolve-gateway.ts';
import { ANY_LOCAL_PORT, isOnlyLocal, type ListenAddress, listenAddress } from '../proxy/listen-address.ts';
import { Failure } from '../runtime/failure.ts';
import { stopSignals } from '../runtime/stop-signals.ts';

interface AppOptions {
  format: Format;
  gateway?: string;
  listen: ListenAddress;
}

export function addProxyCommands(program: Command, { io }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'proxy',
    summary: 'Let programs on this machine reach something through the gateway.',
    examples: ['gatehouse proxy app postgres --listen 127.0.0.1:5432'],
  });

  addCommand(group, {
    name: 'app <name>',
    summary:
      'Listen on this machine and carry every connection to an application, as yourself, until you stop it with Ctrl-C.',
    examples: ['gatehouse proxy app postgres', 'gatehouse proxy app postgres --listen 127.0.0.1:5432'],
  })
    .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
    .addOption(
      new Option('--listen <address>', 'where to listen, like 127.0.0.1:5432 or only a port')
        .argParser(listenAddress)
        .default(ANY_LOCAL_PORT, 'any free port of 127.0.0.1'),
    )
    .action(async (name: string, { format, gateway, listen }: AppOptions) => {
      const [{ call }, { APP_TCP_SOCKET, appRoutes }, { VERSION }] = await Promise.all([
        import('@gatehouse/contract/wire/client'),
        import('@gatehouse/contract/kinds/app/apps'),
        import('@gatehouse/contract/std/version'),
      ]);
      const { origin, send } = remoteGateway(io, gateway);
      // Asked once at the start: a wrong name is worth knowing before the first program tries.
      const { app } = await call(send, appRoutes.get, { params: { ...CURRENT, name } });
      if (app.gatehouse?.type === 'aws') {
        throw new Failure('usage', `'${app.name}' is a console of AWS: launch it at ${origin}/web instead`);
      }
      const tell = tellFailures(app.name, io.stderr);
      const userAgent = `gatehouse/${VERSION} ${process.platform}`;
      const over = new AbortController();
      const { createSecondFactor } = await import('../input/second-factor.ts');
      // The credential is read anew each time: whoever signs in again need not start this again.
      const mine = () => remoteSend(origin, credentialOf(io, origin));
      const isTcp = app.gatehouse?.type === 'tcp';
      const factor = createSecondFactor({
        io,
        send: mine,
        what: app.name,
        needed: 'a role of yours asks for a second factor for each session',
        inBrowser: isTcp ? '' : `open it at ${origin}/web, or`,
        signal: over.signal,
      });
      const serve = isTcp ? serveBytes : serveWeb;
      const listener = await serve();
      const { address } = listener;
      if (!isOnlyLocal(listen)) {
        io.stderr(`warning: others on the network reach ${address} and come through as you\n`);
      }
      const at = isTcp ? address : `http://${address}`;
      print(io, format, { app: app.name, address }, `${printable(app.name)} is at ${at}; Ctrl-C ends it\n`);
      const signals = stopSignals(process);
      const { lastResort } = await import('@gatehouse/tunnel/last-resort');
      // Nothing is held here that could be left half done: the next connection is a new one.
      const resort = lastResort(process, tell);
      await signals.first;
      resort.release();
      signals.release();
      over.abort();
      await listener.close();

      async function serveBytes() {
        const [{ openTcpStream }, { serveTcp }] = await Promise.all([
          import('@gatehouse/tunnel/sessions/tcp-stream'),
          import('../proxy/serve-tcp.ts'),
        ]);
        const params = { ...CURRENT, name: app.name };
        const newPass = async () =>
          (await factor.with((given) => call(mine(), appRoutes.pass, { params, body: { factor: given } }))).pass;
        const open = (pass: string) =>
          openTcpStream({ origin, token: credentialOf(io, origin), door: APP_TCP_SOCKET, ...params, userAgent, pass });
        return serveTcp({ listen, newPass, open, onFailure: tell });
      }

      async function serveWeb() {
        const { serveHttpApp } = await import('../proxy/serve-http-app.ts');
        const body = { fqdn: app.fqdn, cluster_name: app.clusterId, public_addr: app.publicAddr };
        const open = async () => {
          const opened = await factor.with((given) =>
            call(mine(), appRoutes.session, { body: { ...body, factor: given } }),
          );
          return { cookie: opened.cookie_value, subject: opened.subject_cookie_value };
        };
        const appOrigin = app.gatehouse?.origin ?? `https://${app.publicAddr}`;
        return serveHttpApp({ ...listen, origin, appOrigin, userAgent, open, onFailure: tell });
      }
    });
}

/** One line for each; the same one over and over says nothing new. */
function tellFailures(app: string, write: (text: string) => void): (error: unknown) => void {
  let last = '';
  return (error) => {
    const { code, message } = error as Partial<TcpStreamError>;
    const next = code === 'not_signed_in' ? ': run gatehouse login' : '';
    const line = `gatehouse: ${printable(app)}: ${printable(message ?? String(error))}${next}\n`;
    if (line !== last) write(line);
    last = line;
  };
}
