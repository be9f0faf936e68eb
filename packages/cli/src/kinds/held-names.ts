/** `names` and `free` in the group of every kind whose things several agents share, as its row says: their names belong to the agents that had them. */
import type { HeldName } from '@gatehouse/contract/kinds/held-names';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { table } from '../output/table.ts';

/** After the kinds' own commands: their groups hold these as well. */
export function addHeldNameCommands(program: Command, { io, configFlags }: CommandDeps): void {
  for (const { kind, shared, ...row } of rows) {
    if (shared === undefined || row.offered !== 'named') continue;
    const { noun } = row;
    const called = row.command ?? row.path;
    const group = program.commands.find((each) => each.name() === called) ?? addOwnGroup(program, called, noun);
    const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);
    const connect = async (options: GatewayOptions) => {
      const [{ call }, { heldNameRoutes }, send] = await Promise.all([
        import('@gatehouse/contract/wire/client'),
        import('@gatehouse/contract/kinds/held-names'),
        anyGateway(io, options),
      ]);
      return {
        call,
        routes: heldNameRoutes<string, typeof row & { shared: typeof shared }>(kind, { ...row, shared }),
        send,
      };
    };

    command({
      name: 'names',
      summary: `List the names${shared.hosts ? ' and hosts' : ''} that belong to agents, also while none of them offers the ${noun}.`,
      examples: [`gatehouse ${called} names`],
    }).action(async (options: GatewayOptions) => {
      const { call, routes, send } = await connect(options);
      const names = await call(send, routes.names, { params: CURRENT });
      print(io, options.format, names, tellNames(names, { kind, noun }));
    });

    command({
      name: 'free <name>',
      summary: shared.hosts
        ? `Free the name of one of the ${noun}s with its hosts, or one host: whoever offers it next has it.`
        : `Free the name of one of the ${noun}s: whoever offers it next has it.`,
      examples: [
        `gatehouse ${called} free wiki`,
        ...(shared.hosts ? [`gatehouse ${called} free wiki.example.org`] : []),
      ],
    }).action(async (name: string, options: GatewayOptions) => {
      const { call, routes, send } = await connect(options);
      const done = await call(send, routes.free, { params: { ...CURRENT, name } });
      print(io, options.format, done, `freed: ${done.freed.map(printable).join(', ')}\n`);
    });
  }
}

/** Of a kind that has no commands of its own. */
function addOwnGroup(program: Command, path: string, noun: string): Command {
  const summary = `See which names of ${noun}s belong to agents, and free them.`;
  return addGroup(program, { name: path, summary, examples: [`gatehouse ${path} names`] });
}

function tellNames(names: readonly HeldName[], { kind, noun }: { kind: string; noun: string }): string {
  if (names.length === 0) return 'no names belong to agents\n';
  const lines = names.map((held) => [
    held.name,
    held.kind === 'host' ? `host of ${held[kind as keyof HeldName]}` : noun,
    held.group,
    held.since,
    held.offered ? 'offered' : 'nobody offers it',
  ]);
  return table([['NAME', 'WHAT', 'GROUP', 'SINCE', 'NOW'], ...lines]);
}
