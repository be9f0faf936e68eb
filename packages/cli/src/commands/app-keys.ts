/** `gatehouse apps keys|rotate-key`: by which keys applications know who somebody is. */
import type { Command } from 'commander';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../any-gateway.ts';
import { addCommand, type CommandParts, print } from '../command.ts';
import { table } from '../table.ts';

type Key = { kid: string; state: string; until?: string | undefined };

export function addAppKeyCommands(group: Command, { io, configFlags }: CommandParts): void {
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'keys',
    summary: 'List the keys that sign who somebody is, for applications, and when each comes and goes.',
    examples: ['gatehouse apps keys'],
  }).action(async (options: GatewayOptions) => {
    const { call, jwksRoutes, send } = await connect(options);
    const keys = await call(send, jwksRoutes.list, {});
    print(io, options.format, keys, tell(keys));
  });

  command({
    name: 'rotate-key',
    summary:
      'Make a new key. It signs after six minutes, when every application has had to read the keys again; the old one stays among them until what it signed has run out.',
    examples: ['gatehouse apps rotate-key', 'gatehouse apps rotate-key --now   # the old key is in wrong hands'],
  })
    .option('--now', 'the new key signs at once, and nothing that the others signed counts any more')
    .action(async ({ now = false, ...options }: GatewayOptions & { now?: boolean }) => {
      const { call, jwksRoutes, send } = await connect(options);
      const keys = await call(send, jwksRoutes.rotate, { body: { atOnce: now } });
      const advice = now ? 'applications that keep the keys refuse everybody until they read them again\n' : '';
      print(io, options.format, keys, `${tell(keys)}${advice}`);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { jwksRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/client'),
      import('@gatehouse/contract/apps/apps'),
      anyGateway(io, options),
    ]);
    return { call, jwksRoutes, send };
  }
}

function tell(keys: readonly Key[]): string {
  return table([['KEY', 'STATE', 'UNTIL'], ...keys.map(({ kid, state, until }) => [kid, state, until ?? '-'])]);
}
