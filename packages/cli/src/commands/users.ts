/** `gatehouse users`: people who may sign in. */

import type { UserItem } from '@gatehouse/contract/identity/users/users';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { addTraitFlags, nameList, type TraitOptions, traitsIn } from '../input/trait-flags.ts';
import { handedOverText } from '../output/link-text.ts';
import { notesText } from '../output/notes-text.ts';
import { table } from '../output/table.ts';
import { addUserIdentityCommands } from './user-identities.ts';
import { addUserRecordCommands } from './user-records.ts';

interface AddOptions extends GatewayOptions, TraitOptions {
  roles: string[];
  ttl?: number;
}

export function addUserCommands(program: Command, parts: CommandDeps): void {
  const { io, configFlags } = parts;
  const group = addGroup(program, {
    name: 'users',
    summary: 'Invite people, give them roles, link them to sign-in providers, reset and unlock them.',
    examples: ['gatehouse users add ann --roles=access --logins=ann,deploy', 'gatehouse users reset ann'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  const add = command({
    name: 'add <name>',
    summary: 'Make a user and print the link with which they choose their credentials.',
    examples: [
      'gatehouse users add ann --roles=access --logins=ann,deploy',
      'gatehouse users add root --roles=editor,auditor --ttl 24h --format json',
    ],
  })
    .addOption(new Option('--roles <names>', 'roles, separated by commas').argParser(nameList).makeOptionMandatory())
    .addOption(
      new Option('--ttl <duration>', 'how long the link works, at most 48h; 24h unless told').argParser(
        parseDurationSeconds,
      ),
    );
  addTraitFlags(add).action(async (name: string, options: AddOptions) => {
    const { call, userRoutes, send } = await connect(options);
    const body = {
      name,
      roles: options.roles,
      traits: traitsIn(options),
      ...(options.ttl === undefined ? {} : { ttlSeconds: options.ttl }),
    };
    const invited = await call(send, userRoutes.invite, { body });
    const link = await handedOverText(io, invited.inviteUrl);
    const text = `user '${printable(name)}' made; they choose their credentials until ${invited.expires} at\n${link}`;
    print(io, options.format, invited, `${text}${notesText(invited.notes)}`);
  });

  command({
    name: 'reset <name>',
    summary: 'Print a link with which a user sets new credentials; their sign-ins end when it is used.',
    examples: ['gatehouse users reset ann'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, passwordRoutes, send } = await connect(options);
    const made = await call(send, passwordRoutes.createToken, { body: { name, type: 'password' } });
    const data = { name, resetUrl: made.link, expires: made.expiry };
    const link = await handedOverText(io, made.link);
    print(io, options.format, data, `'${printable(name)}' sets new credentials until ${made.expiry} at\n${link}`);
  });

  command({
    name: 'unlock <name>',
    summary: 'Let a name sign in again that was locked after failed sign-ins.',
    examples: ['gatehouse users unlock ann'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, lockOutRoutes, send } = await connect(options);
    const done = await call(send, lockOutRoutes.lift, { params: { name } });
    print(io, options.format, done, `'${printable(name)}' may sign in again\n`);
  });

  command({
    name: 'ls',
    summary: 'List the users.',
    examples: ['gatehouse users ls', 'gatehouse users ls --format json'],
  }).action(async (options: GatewayOptions) => {
    const { call, userRoutes, send } = await connect(options);
    const users = await call(send, userRoutes.list, {});
    const rows = users.map((user) => [user.name, user.roles.join(', '), typeOf(user)]);
    print(io, options.format, users, rows.length === 0 ? 'no users\n' : table([['NAME', 'ROLES', 'TYPE'], ...rows]));
  });

  addUserRecordCommands(group, parts);
  addUserIdentityCommands(group, parts);

  async function connect(options: GatewayOptions) {
    const [{ call }, { userRoutes }, { passwordRoutes }, { lockOutRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/identity/users/users'),
      import('@gatehouse/contract/identity/passwords'),
      import('@gatehouse/contract/identity/lock-outs'),
      anyGateway(io, options),
    ]);
    return { call, userRoutes, passwordRoutes, lockOutRoutes, send };
  }
}

/** Whoever came through a connector that is gone was never let in here by anybody. */
function typeOf({ authType, formerConnector, closedConnector }: UserItem): string {
  if (closedConnector !== undefined) return `${authType} (${closedConnector} is off)`;
  return formerConnector === undefined ? authType : `${formerConnector} (removed)`;
}
