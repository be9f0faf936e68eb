/** `gatehouse api-tokens`: credentials for scripts, made under the user's own sign-in. */

import { printable } from '@gatehouse/contract/std/printable';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Format, print } from '../command.ts';
import { remoteGateway } from '../gateway/remote-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

interface Options {
  format: Format;
  gateway?: string;
}
interface AddOptions extends Options {
  scope: 'read' | 'all' | Record<string, string[]>;
  ttl: number;
}

export function addApiTokenCommands(program: Command, { io }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'api-tokens',
    summary: 'Make, list and remove tokens for scripts.',
    examples: ['gatehouse api-tokens add ci --scope read --ttl 30d', 'gatehouse api-tokens ls'],
  });

  withGateway(
    addCommand(group, {
      name: 'add <name>',
      summary: 'Make a token and print it, this once. Scripts pass it as GATEHOUSE_TOKEN.',
      examples: [
        'gatehouse api-tokens add ci --scope read --ttl 30d',
        'gatehouse api-tokens add inviter --scope users:list+create --ttl 1d',
      ],
    }),
  )
    .addOption(
      new Option('--scope <scope>', 'read, all, or rights like users:list+read,nodes:list')
        .argParser(parseScope)
        .default('read'),
    )
    .addOption(
      new Option('--ttl <duration>', 'how long it works').argParser(parseDurationSeconds).default(2_592_000, '30d'),
    )
    .action(async (name: string, { format, gateway, scope, ttl }: AddOptions) => {
      const { call, apiTokenRoutes, send } = await connect(gateway);
      const body = apiTokenRoutes.create.body.safeParse({ name, scope, ttlSeconds: ttl });
      if (!body.success)
        throw new Failure('usage', `the scope names something that does not exist: ${JSON.stringify(scope)}`);
      const made = await call(send, apiTokenRoutes.create, { body: body.data });
      print(io, format, made, `${made.token}\n`);
    });

  withGateway(
    addCommand(group, { name: 'ls', summary: 'List your tokens.', examples: ['gatehouse api-tokens ls'] }),
  ).action(async ({ format, gateway }: Options) => {
    const { call, apiTokenRoutes, send } = await connect(gateway);
    const tokens = await call(send, apiTokenRoutes.list, {});
    const rows = tokens.map(({ name, scope, expires, lastActive }) => [
      name,
      typeof scope === 'string' ? scope : scopeText(scope),
      expires,
      lastActive ?? 'never',
    ]);
    print(io, format, tokens, rows.length === 0 ? 'no tokens\n' : table([['NAME', 'SCOPE', 'UNTIL', 'USED'], ...rows]));
  });

  withGateway(
    addCommand(group, {
      name: 'rm <name>',
      summary: 'Take a token back: it is worth nothing from then on.',
      examples: ['gatehouse api-tokens rm ci'],
    }),
  ).action(async (name: string, { format, gateway }: Options) => {
    const { call, apiTokenRoutes, send } = await connect(gateway);
    const token = (await call(send, apiTokenRoutes.list, {})).find((candidate) => candidate.name === name);
    if (!token) throw new Failure('notFound', `you have no token '${printable(name)}'`);
    const done = await call(send, apiTokenRoutes.remove, { params: { id: token.id } });
    print(io, format, done, `token '${printable(name)}' removed\n`);
  });

  async function connect(address: string | undefined) {
    const [{ call }, { apiTokenRoutes }] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/access/api-tokens'),
    ]);
    return { call, apiTokenRoutes, send: remoteGateway(io, address).send };
  }
}

function withGateway(command: Command): Command {
  return command.option('--gateway <address>', 'the gateway, when you are signed in to several');
}

/** `users:list+read,nodes:list` → { users: ['list', 'read'], nodes: ['list'] } */
function parseScope(text: string): AddOptions['scope'] {
  if (text === 'read' || text === 'all') return text;
  const pairs = text.split(',').map((part) => /^(\w+):(\w+(?:\+\w+)*)$/.exec(part));
  if (pairs.some((pair) => pair === null)) {
    throw new InvalidArgumentError('write read, all, or rights like users:list+read,nodes:list.');
  }
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', (pair?.[2] ?? '').split('+')]));
}

function scopeText(scope: Partial<Record<string, string[]>>): string {
  return Object.entries(scope)
    .map(([group, verbs = []]) => `${group}:${verbs.join('+')}`)
    .join(',');
}
