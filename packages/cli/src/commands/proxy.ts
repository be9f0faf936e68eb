/** `gatehouse proxy`: a port on this machine that leads through the gateway, to whichever kind has a way for programs. */

import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Format, type Io, print } from '../command.ts';
import { KIND_PROXIES } from '../kinds/kinds.ts';
import type { KindProxy } from '../proxy/kind-proxy.ts';
import { ANY_LOCAL_PORT, isOnlyLocal, type ListenAddress, listenAddress } from '../proxy/listen-address.ts';
import { ownGateway, tellFailures } from '../proxy/own-gateway.ts';
import { stopSignals } from '../runtime/stop-signals.ts';

interface ProxyOptions {
  format: Format;
  gateway?: string;
  listen: ListenAddress;
}

export function addProxyCommands(program: Command, { io }: CommandDeps): void {
  const proxies = kinds.flatMap((kind) => {
    const proxy = KIND_PROXIES[kind];
    return proxy ? [{ kind, proxy }] : [];
  });
  const withPort = ({ kind, proxy }: (typeof proxies)[number]) =>
    `gatehouse proxy ${kind} ${proxy.example} --listen 127.0.0.1:5432`;
  const group = addGroup(program, {
    name: 'proxy',
    summary: 'Let programs on this machine reach something through the gateway.',
    examples: proxies.map(withPort),
  });
  for (const each of proxies) {
    const { kind, proxy } = each;
    const command = addCommand(group, {
      name: `${kind} <name>`,
      summary: proxy.summary,
      examples: [`gatehouse proxy ${kind} ${proxy.example}`, withPort(each)],
    });
    (proxy.addFlags?.(command) ?? command)
      .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
      .addOption(
        new Option('--listen <address>', 'where to listen, like 127.0.0.1:5432 or only a port')
          .argParser(listenAddress)
          .default(ANY_LOCAL_PORT, 'any free port of 127.0.0.1'),
      )
      .action((name: string, options: ProxyOptions) => serve(io, { kind, proxy, name, options }));
  }
}

interface Wanted {
  kind: Kind;
  proxy: KindProxy;
  name: string;
  options: ProxyOptions;
}

/** Until somebody stops it. */
async function serve(io: Io, { kind, proxy, name, options }: Wanted): Promise<void> {
  const { format, gateway, listen } = options;
  const over = new AbortController();
  const mine = await ownGateway(io, gateway, over.signal);
  const proxied = await proxy.find(name, mine, options);
  const tell = tellFailures(proxied.name, io.stderr);
  const listener = await proxied.serve(listen, tell);
  const { address } = listener;
  if (!isOnlyLocal(listen)) io.stderr(`warning: others on the network reach ${address} and come through as you\n`);
  const told = `${printable(proxied.name)} is at ${proxied.at(address)}; Ctrl-C ends it\n`;
  print(io, format, { [kind]: proxied.name, address }, told);
  const signals = stopSignals(process);
  const { lastResort } = await import('@gatehouse/tunnel/last-resort');
  // Nothing is held here that could be left half done: the next connection is a new one.
  const resort = lastResort(process, tell);
  await signals.first;
  resort.release();
  signals.release();
  over.abort();
  await listener.close();
}
