/** `gatehouse users get|create|edit|rm`: users as records with roles and traits. */

import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { editText } from '../input/edit-text.ts';
import { addTraitFlags, nameList, type TraitOptions, traitsIn } from '../input/trait-flags.ts';
import { notesText } from '../output/notes-text.ts';
import { identityComments } from './user-identities.ts';

interface ChangeOptions extends GatewayOptions, TraitOptions {
  roles?: string[];
}

export function addUserRecordCommands(group: Command, { io, configFlags }: CommandDeps): void {
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  add({
    name: 'get <name>',
    summary: 'Print a user with roles, traits and who they are to sign-in providers, as a document that apply takes.',
    examples: ['gatehouse users get ann', 'gatehouse users show ann --format json'],
  })
    .alias('show')
    .action(async (name: string, options: GatewayOptions) => {
      const { call, applyRoutes, userRecordRoutes, identityRoutes, send } = await connect(options);
      const params = { username: name };
      if (options.format === 'json') {
        const user = await call(send, userRecordRoutes.get, { params });
        print(io, 'json', { ...user, identities: await call(send, identityRoutes.ofUser, { params }) }, '');
        return;
      }
      const { documents } = await call(send, applyRoutes.export, { params: CURRENT, query: { kinds: 'user', name } });
      io.stdout(`${identityComments(await call(send, identityRoutes.ofUser, { params }))}${documents}`);
    });

  const create = add({
    name: 'create <name>',
    summary: 'Make a user without a link; users reset prints one when it is time.',
    examples: ['gatehouse users create ann --roles=access --logins=ann'],
  }).addOption(new Option('--roles <names>', 'roles, separated by commas').argParser(nameList).makeOptionMandatory());
  addTraitFlags(create).action(async (name: string, options: ChangeOptions) => {
    const { call, userRecordRoutes, send } = await connect(options);
    const body = { name, roles: options.roles ?? [], traits: traitsIn(options) };
    const made = await call(send, userRecordRoutes.create, { body });
    print(
      io,
      options.format,
      made,
      `user '${printable(name)}' made; they have no credentials yet\n${notesText(made.notes)}`,
    );
  });

  const edit = add({
    name: 'edit <name>',
    summary:
      'Change the roles and traits of a user: those that are given, or in your editor (VISUAL or EDITOR) when none are.',
    examples: ['gatehouse users edit ann', 'gatehouse users edit ann --roles=access,auditor --logins=ann,deploy'],
  }).addOption(new Option('--roles <names>', 'roles instead of those held, separated by commas').argParser(nameList));
  addTraitFlags(edit).action(async (name: string, options: ChangeOptions) => {
    const connected = await connect(options);
    const traits = traitsIn(options);
    const isGiven = options.roles !== undefined || Object.keys(traits).length > 0;
    const changed = isGiven
      ? await change(connected, name, { traits, ...(options.roles ? { roles: options.roles } : {}) })
      : await changeInEditor(connected, name);
    print(
      io,
      options.format,
      changed ?? { name, changed: false },
      changed
        ? `user '${printable(name)}' changed\n${'notes' in changed ? notesText(changed.notes) : ''}`
        : 'nothing changed\n',
    );
  });

  add({
    name: 'rm <name>',
    summary: 'Delete a user and end everything they are signed in to.',
    examples: ['gatehouse users rm ann'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, userRecordRoutes, send } = await connect(options);
    const done = await call(send, userRecordRoutes.remove, { params: { username: name } });
    print(io, options.format, done, `user '${printable(name)}' deleted\n`);
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { userRecordRoutes }, { identityRoutes }, { applyRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/identity/users/user-records'),
      import('@gatehouse/contract/identity/connectors/identities'),
      import('@gatehouse/contract/access/apply/apply'),
      anyGateway(io, options),
    ]);
    return { call, userRecordRoutes, identityRoutes, applyRoutes, send };
  }
  type Connected = Awaited<ReturnType<typeof connect>>;

  async function change(
    { call, userRecordRoutes, send }: Connected,
    name: string,
    { roles, traits }: { roles?: string[]; traits: Record<string, string[]> },
  ) {
    const { revision, ...held } = await call(send, userRecordRoutes.get, { params: { username: name } });
    const body = { name, roles: roles ?? held.roles, traits, ...(revision ? { revision } : {}) };
    return await call(send, userRecordRoutes.update, { body });
  }

  async function changeInEditor({ call, applyRoutes, send }: Connected, name: string) {
    const query = { kinds: 'user', name, revisions: 'yes' } as const;
    const { documents: text } = await call(send, applyRoutes.export, { params: CURRENT, query });
    const applied = await editText(io, { name, text }, (documents) =>
      call(send, applyRoutes.apply, { params: CURRENT, body: { documents } }),
    );
    return applied?.items[0];
  }
}
