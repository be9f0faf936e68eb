/** `gatehouse users`: people who may sign in, managed from the gateway's own machine through its local socket. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addCommand,
  addConfigFlags,
  addGroup,
  type CommandParts,
  DATA_FOLDER_FLAGS,
  type Format,
  print,
} from '../command.ts';
import { parseDurationSeconds } from '../duration.ts';
import { linkText } from '../link-text.ts';
import { localGateway } from '../local-gateway.ts';
import { printable, table } from '../printable.ts';

type Options = Record<string, string> & { format: Format };

/** Flag → trait. */
const TRAIT_FLAGS = {
  logins: ['logins', 'accounts on servers'],
  dbUsers: ['databaseUsers', 'database users'],
  dbNames: ['databaseNames', 'databases'],
  kubeUsers: ['kubeUsers', 'Kubernetes users'],
  kubeGroups: ['kubeGroups', 'Kubernetes groups'],
  windowsLogins: ['windowsLogins', 'accounts on Windows desktops'],
  awsRoleArns: ['awsRoleArns', 'AWS roles'],
} as const;

type TraitFlag = keyof typeof TRAIT_FLAGS;
interface AddOptions extends Partial<Record<TraitFlag, string[]>> {
  format: Format;
  roles: string[];
  ttl?: number;
}

export function addUserCommands(program: Command, { io, configFlags }: CommandParts): void {
  const group = addGroup(program, {
    name: 'users',
    summary: 'Invite people, reset and unlock them, on the machine the gateway runs on.',
    examples: ['gatehouse users add ann --roles=access --logins=ann,deploy', 'gatehouse users reset ann'],
  });

  const add = addCommand(group, {
    name: 'add <name>',
    summary: 'Make a user and print the link with which they choose their credentials.',
    examples: [
      'gatehouse users add ann --roles=access --logins=ann,deploy',
      'gatehouse users add root --roles=editor,auditor --ttl 24h --format json',
    ],
  })
    .addOption(new Option('--roles <names>', 'roles, separated by commas').argParser(list).makeOptionMandatory())
    .addOption(
      new Option('--ttl <duration>', 'how long the link works; 1h unless told').argParser(parseDurationSeconds),
    );
  for (const [flag, [, words]] of Object.entries(TRAIT_FLAGS)) {
    add.addOption(new Option(`--${dashed(flag)} <names>`, `${words}, separated by commas`).argParser(list));
  }
  addConfigFlags(add, configFlags, DATA_FOLDER_FLAGS).action(async (name: string, options: AddOptions) => {
    const { call, userRoutes, send } = await connect(dataFolder(options));
    const traits = Object.fromEntries(
      Object.entries(TRAIT_FLAGS).flatMap(([flag, [trait]]) => {
        const values = options[flag as TraitFlag];
        return values ? [[trait, values]] : [];
      }),
    );
    const body = {
      name,
      roles: options.roles,
      traits,
      ...(options.ttl === undefined ? {} : { ttlSeconds: options.ttl }),
    };
    const invited = await call(send, userRoutes.invite, { body });
    const link = await linkText(io, invited.inviteUrl);
    const text = `user '${printable(name)}' made; they choose their credentials until ${invited.expires} at\n${link}`;
    print(io, options.format, invited, text);
  });

  const reset = addCommand(group, {
    name: 'reset <name>',
    summary: 'Print a link with which a user sets new credentials; their sign-ins end when it is used.',
    examples: ['gatehouse users reset ann'],
  });
  addConfigFlags(reset, configFlags, DATA_FOLDER_FLAGS).action(async (name: string, { format, ...flags }: Options) => {
    const { call, passwordRoutes, send } = await connect(flags);
    const made = await call(send, passwordRoutes.createToken, { body: { name, type: 'password' } });
    const data = { name, resetUrl: made.link, expires: made.expiry };
    const text = `'${printable(name)}' sets new credentials until ${made.expiry} at\n${await linkText(io, made.link)}`;
    print(io, format, data, text);
  });

  const unlock = addCommand(group, {
    name: 'unlock <name>',
    summary: 'Let a name sign in again that was locked after failed sign-ins.',
    examples: ['gatehouse users unlock ann'],
  });
  addConfigFlags(unlock, configFlags, DATA_FOLDER_FLAGS).action(async (name: string, { format, ...flags }: Options) => {
    const { call, lockOutRoutes, send } = await connect(flags);
    const done = await call(send, lockOutRoutes.lift, { params: { name } });
    print(io, format, done, `'${printable(name)}' may sign in again\n`);
  });

  const ls = addCommand(group, {
    name: 'ls',
    summary: 'List the users.',
    examples: ['gatehouse users ls', 'gatehouse users ls --format json'],
  });
  addConfigFlags(ls, configFlags, DATA_FOLDER_FLAGS).action(async ({ format, ...flags }: Options) => {
    const { call, userRoutes, send } = await connect(flags);
    const users = await call(send, userRoutes.list, {});
    const rows = users.map(({ name, roles, authType }) => [name, roles.join(', '), authType]);
    print(io, format, users, rows.length === 0 ? 'no users\n' : table([['NAME', 'ROLES', 'TYPE'], ...rows]));
  });

  async function connect(flags: Record<string, string>) {
    const [{ call }, { userRoutes }, { passwordRoutes }, { lockOutRoutes }, { send }] = await Promise.all([
      import('@gatehouse/contract/client'),
      import('@gatehouse/contract/users/users'),
      import('@gatehouse/contract/auth/passwords'),
      import('@gatehouse/contract/auth/lock-outs'),
      localGateway(io, flags),
    ]);
    return { call, userRoutes, passwordRoutes, lockOutRoutes, send };
  }
}

function dataFolder(options: object): Record<string, string> {
  const given = Object.entries(options).filter(([name]) => (DATA_FOLDER_FLAGS as readonly string[]).includes(name));
  return Object.fromEntries(given);
}

function list(text: string): string[] {
  const values = text.split(',').map((value) => value.trim());
  if (values.some((value) => value === '')) throw new InvalidArgumentError('write names separated by commas.');
  return values;
}

function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
