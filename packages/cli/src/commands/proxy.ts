/** `gatehouse proxy`: a port on this machine that leads through the gateway, to whichever kind has a way for programs. */

import { join } from 'node:path';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Format, type Io, print } from '../command.ts';
import { CURRENT } from '../gateway/resolve-gateway.ts';
import { KIND_PROXIES } from '../kinds/kinds.ts';
import { keepPort, keptPort } from '../proxy/kept-port.ts';
import type { KindProxy, OwnGateway, Proxied } from '../proxy/kind-proxy.ts';
import { ANY_LOCAL_PORT, isOnlyLocal, type ListenAddress, listenAddress } from '../proxy/listen-address.ts';
import { clearSocket, socketFolder } from '../proxy/own-folder.ts';
import { ownGateway, tellFailures } from '../proxy/own-gateway.ts';
import type { LocalListener } from '../proxy/serve-local.ts';
import { Failure } from '../runtime/failure.ts';
import { stopSignals } from '../runtime/stop-signals.ts';
import { addSshProxyCommand } from '../ssh/proxy-ssh.ts';

interface ProxyOptions {
  format: Format;
  gateway?: string;
  cluster?: string;
  listen?: ListenAddress;
  all?: boolean;
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
  addSshProxyCommand(group, io);
  for (const each of proxies) {
    const { kind, proxy } = each;
    const command = addCommand(group, {
      name: `${kind} ${proxy.findAll ? '[name]' : '<name>'}`,
      summary: proxy.summary,
      examples: [`gatehouse proxy ${kind} ${proxy.example}`, withPort(each)],
    });
    (proxy.addFlags?.(command) ?? command)
      .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
      .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told')
      .addOption(
        new Option(
          '--listen <address>',
          `where to listen, like 127.0.0.1:5432 or only a port; 0: any that is free, and the same again next time; ${proxy.unlessTold} unless told`,
        ).argParser(listenAddress),
      )
      .action((name: string | undefined, options: ProxyOptions) => serve(io, { kind, proxy, name, options }));
  }
}

interface Wanted {
  kind: Kind;
  proxy: KindProxy;
  name: string | undefined;
  options: ProxyOptions;
}

/** Until somebody stops it. */
async function serve(io: Io, { kind, proxy, name, options }: Wanted): Promise<void> {
  const over = new AbortController();
  const mine = await ownGateway(io, options, over.signal);
  const found = await find(mine, { kind, proxy, name, options });
  const listeners: LocalListener[] = [];
  const told: object[] = [];
  const lines: string[] = [];
  for (const proxied of found) {
    const tell = tellFailures(proxied.name, io.stderr);
    const { listener, at } = await listenFor(mine, kind, { proxied, listen: options.listen, tell });
    listeners.push(listener);
    told.push({ [kind]: proxied.name, address: listener.address });
    lines.push(`${printable(proxied.name)} is at ${printable(at)}\n`);
  }
  print(io, options.format, options.all ? told : told[0], `${lines.join('')}Ctrl-C ends it\n`);
  const signals = stopSignals(process);
  const { lastResort } = await import('@gatehouse/tunnel/last-resort');
  // Nothing is held here that could be left half done: the next connection is a new one.
  const resort = lastResort(process, tellFailures(name ?? kind, io.stderr));
  await signals.first;
  resort.release();
  signals.release();
  over.abort();
  await Promise.all(listeners.map((listener) => listener.close()));
}

async function find(mine: OwnGateway, { kind, proxy, name, options }: Wanted): Promise<Proxied[]> {
  if (options.all !== true && name !== undefined) return [await proxy.find(name, mine, options)];
  if (options.all !== true || name !== undefined) throw new Failure('usage', 'give one name, or --all');
  if ((options.listen?.port ?? 0) > 0)
    throw new Failure('usage', 'one port leads to one thing: with --all leave --listen out, or give the port 0');
  const all = (await proxy.findAll?.(mine, options)) ?? [];
  if (all.length === 0) throw new Failure('failed', `there is nothing to listen for: see gatehouse ${kind} ls`);
  return all;
}

interface Listening {
  proxied: Proxied;
  listen: ListenAddress | undefined;
  tell: (error: unknown) => void;
}

async function listenFor(mine: OwnGateway, kind: Kind, { proxied, listen, tell }: Listening) {
  const { name, socket } = proxied;
  const { io, origin, at } = mine;
  // The same name stands for another thing in another cluster.
  const whose = at.clusterId === CURRENT.clusterId ? [origin] : [origin, at.clusterId];
  if (socket && !listen) {
    const folder = socketFolder(io, name, [...whose, kind, name, ...socket.choice]);
    const path = join(folder, socket.file);
    await clearSocket(path);
    const listener = await socket.serve({ path }, tell);
    return { listener, at: `${path}: ${socket.command(folder)}` };
  }
  const wanted = listen ?? ANY_LOCAL_PORT;
  const what = [...whose, kind, name, ...(socket?.choice ?? [])].join(' ');
  const listener = await proxied.serve(await keptPort(io, what, wanted), tell);
  if (wanted.port === 0) keepPort(io, what, listener.address);
  if (!isOnlyLocal(wanted))
    io.stderr(`warning: others on the network reach ${listener.address} and come through as you\n`);
  return { listener, at: proxied.at(listener.address) };
}
