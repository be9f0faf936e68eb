/** `gatehouse agents`: the machines that have joined. */

import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { table } from '../output/table.ts';

export function addAgentsCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'agents',
    summary: 'List agents, and forget them.',
    examples: ['gatehouse agents ls', 'gatehouse agents rm web-1'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'ls',
    summary: 'List every agent that has joined, connected or not.',
    examples: ['gatehouse agents ls', 'gatehouse agents ls --format json'],
  }).action(async (options: GatewayOptions) => {
    const { call, agentRoutes, send } = await connect(options);
    const agents = await call(send, agentRoutes.list, {});
    const rows = agents.map(({ name, connected, address, resources, version, lastSeen, id }) => [
      name,
      connected ? 'connected' : 'away',
      address || '-',
      String(resources),
      version,
      lastSeen || 'never',
      id,
    ]);
    const head = ['NAME', 'STATE', 'ADDRESS', 'OFFERS', 'VERSION', 'SEEN', 'ID'];
    print(io, options.format, agents, rows.length === 0 ? 'no agents\n' : table([head, ...rows]));
  });

  command({
    name: 'rm <name>',
    summary: 'Forget an agent, by name or id: it is disconnected, what it offered is gone, and its key opens nothing.',
    examples: ['gatehouse agents rm web-1'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, agentRoutes, send } = await connect(options);
    const done = await call(send, agentRoutes.remove, { params: { id: name } });
    print(io, options.format, done, `agent '${printable(name)}' forgotten\n`);
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { agentRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/reach/agents/agents'),
      anyGateway(io, options),
    ]);
    return { call, agentRoutes, send };
  }
}
