/** `gatehouse locks`: what may not be used for now. */
import type { LockItem } from '@gatehouse/contract/access/locks/locks';
import { actorText } from '@gatehouse/contract/identity/own-actors';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { KIND_LOCK_FLAGS } from '../kinds/lock-flags.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

/** Flag → what is locked, and its words in the help. */
const TARGET_FLAGS: Readonly<Record<string, readonly [target: string, words: string]>> = {
  user: ['user', 'a user'],
  role: ['role', 'everybody who holds a role'],
  login: ['login', 'an account on every resource'],
  ...KIND_LOCK_FLAGS,
  agent: ['agent', 'an agent and all it announces'],
};

interface AddOptions extends GatewayOptions {
  reason?: string;
  force?: boolean;
  ttl?: number;
}

export function addLockCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'locks',
    summary: `Lock users, roles, logins, ${Object.keys(KIND_LOCK_FLAGS)
      .map((flag) => `${flag}s`)
      .join(', ')} and agents, and lift locks.`,
    examples: ['gatehouse locks add --user ann --reason "laptop lost"', 'gatehouse locks ls'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  const add = command({
    name: 'add',
    summary: 'Lock something and end what is open. Name exactly one target.',
    examples: [
      'gatehouse locks add --user ann --reason "laptop lost"',
      'gatehouse locks add --server db-1 --reason maintenance --ttl 2h',
      'gatehouse locks add --database shop --reason "being moved"',
      'gatehouse locks add --login root --ttl 1d',
    ],
  });
  for (const [flag, [, words]] of Object.entries(TARGET_FLAGS)) add.option(`--${flag} <name>`, words);
  add
    .option('--reason <text>', 'for administrators and the audit log; those it concerns do not read it')
    .option('--force', 'also when nobody and nothing has this name')
    .addOption(
      new Option('--ttl <duration>', 'how long it lasts; until it is lifted unless told').argParser(
        parseDurationSeconds,
      ),
    )
    .action(async (options: AddOptions) => {
      const targets = targetsIn(options);
      const { call, lockRoutes, send } = await connect(options);
      const body = {
        targets,
        ...(options.reason === undefined ? {} : { message: options.reason }),
        ...(options.ttl === undefined ? {} : { ttlSeconds: options.ttl }),
        ...(options.force ? { force: true } : {}),
      };
      const made = await call(send, lockRoutes.create, { params: CURRENT, body }).catch((error: unknown) => {
        throw tellUnknown(error);
      });
      print(
        io,
        options.format,
        made,
        `${printable(tellTarget(made.targets))} locked${tellEnded(made.ended)}; lift it with: gatehouse locks rm ${made.name}\n`,
      );
    });

  command({ name: 'ls', summary: 'List the locks in force.', examples: ['gatehouse locks ls'] }).action(
    async (options: GatewayOptions) => {
      const { call, lockRoutes, send } = await connect(options);
      const locks = await call(send, lockRoutes.list, { params: CURRENT });
      const rows = locks.map(({ name, targets, message, createdBy, expires }) => [
        name,
        tellTarget(targets),
        expires || '-',
        actorText(createdBy),
        message,
      ]);
      const head = ['NAME', 'TARGET', 'UNTIL', 'BY', 'REASON'];
      print(io, options.format, locks, rows.length === 0 ? 'no locks\n' : table([head, ...rows]));
    },
  );

  command({
    name: 'rm <name>',
    summary: 'Lift a lock.',
    examples: ['gatehouse locks rm 5f0c2a6e-6f0e-4c62-9a55-1c7f7c2f9d10'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, lockRoutes, send } = await connect(options);
    const done = await call(send, lockRoutes.remove, { params: { ...CURRENT, name } });
    print(io, options.format, done, 'lock lifted\n');
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { lockRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/access/locks/locks'),
      anyGateway(io, options),
    ]);
    return { call, lockRoutes, send };
  }
}

function targetsIn(options: AddOptions): Record<string, string> {
  const typed = new Map<string, unknown>(Object.entries(options));
  const given = Object.entries(TARGET_FLAGS).flatMap(([flag, [target]]) => {
    const name = typed.get(camelCase(flag));
    return typeof name !== 'string' ? [] : [[target, name] as const];
  });
  if (given.length === 1) return Object.fromEntries(given);
  const flags = Object.keys(TARGET_FLAGS).map((flag) => `--${flag}`);
  throw new Failure('usage', `name exactly one of ${flags.join(', ')}`);
}

/** As the parser of the command line calls the option of a flag. */
function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function tellEnded(ended: LockItem['ended']): string {
  if (!ended) return '';
  const { signIns, sessions, stillOpen } = ended;
  const parts = [
    ...(signIns > 0 ? [`${signIns} signed out`] : []),
    ...(sessions > 0 ? [`${sessions} ${sessions === 1 ? 'session' : 'sessions'} ended`] : []),
    ...(stillOpen > 0 ? [`${stillOpen} still ending`] : []),
  ];
  return parts.length === 0 ? ', nothing was open' : `, ${parts.join(', ')}`;
}

/** What nobody has is not locked by a slip of the fingers. */
function tellUnknown(error: unknown): unknown {
  const isUnknown = error instanceof Error && 'fields' in error && Object.hasOwn(error.fields ?? {}, 'unknownTarget');
  return isUnknown ? new Failure('usage', `${error.message} To lock the name anyway, add --force.`) : error;
}

function tellTarget(targets: Partial<Record<string, string>>): string {
  const [[kind, name] = ['', '']] = Object.entries(targets);
  return `${kind} ${name}`;
}
