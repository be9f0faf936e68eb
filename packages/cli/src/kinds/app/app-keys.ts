/** `gatehouse apps keys|rotate-key`: by which keys applications know who somebody is. */
import type { Command } from 'commander';
import { addCommand, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { table } from '../../output/table.ts';

type Key = { kid: string; state: string; until?: string | undefined };

export function addAppKeyCommands(group: Command, { io, configFlags }: CommandDeps): void {
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
      print(io, options.format, keys, `${tellRotation(keys, now)}${tell(keys)}`);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { jwksRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/app/apps'),
      anyGateway(io, options),
    ]);
    return { call, jwksRoutes, send };
  }
}

function tell(keys: readonly Key[]): string {
  return table([['KEY', 'STATE', 'WHEN'], ...keys.map((key) => [key.kid, key.state, tellWhen(key)])]);
}

/** What the one time of a key means goes by its state. */
function tellWhen({ state, until }: Key): string {
  if (until === undefined) return '-';
  return `${WHEN[state] ?? 'until'} ${until}`;
}

const WHEN: Readonly<Record<string, string>> = { coming: 'signs from', signing: 'signs until', leaving: 'goes at' };

function tellRotation(keys: readonly Key[], isAtOnce: boolean): string {
  if (isAtOnce)
    return 'a new key signs from now on, and nothing that the others signed counts any more; applications that keep the keys refuse everybody until they read them again: restart those that do not read them by themselves\n';
  const from = keys.find(({ state }) => state === 'coming')?.until;
  return `a new key was made${from ? ` and signs from ${from}` : ''}; there is nothing to do for applications that read the keys every five minutes. See where it stands with: gatehouse apps keys\n`;
}
