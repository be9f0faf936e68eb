/** `gatehouse roles`: what people may do, as documents. */

import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { editText } from '../input/edit-text.ts';
import { readGiven } from '../input/read-files.ts';
import { notesText } from '../output/notes-text.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

export function addRoleCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'roles',
    summary: 'List, read, make, change and delete roles.',
    examples: ['gatehouse roles ls', 'gatehouse roles edit dev'],
  });
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  add({ name: 'ls', summary: 'List the roles.', examples: ['gatehouse roles ls'] }).action(
    async (options: GatewayOptions) => {
      const { call, roleRoutes, send } = await connect(options);
      const roles = await call(send, roleRoutes.list, {});
      const { descriptionIn } = await import('../input/documents.ts');
      const rows = roles.map(({ name, content }) => [name, descriptionIn(content)]);
      print(io, options.format, roles, rows.length === 0 ? 'no roles\n' : table([['NAME', 'DESCRIPTION'], ...rows]));
    },
  );

  add({
    name: 'get <name>',
    summary: 'Print the document of a role as it was written.',
    examples: ['gatehouse roles show access', 'gatehouse roles get dev > dev.yaml'],
  })
    .alias('show')
    .action(async (name: string, options: GatewayOptions) => {
      const role = await find(await connect(options), name);
      print(io, options.format, role, withNewline(role.content));
    });

  add({
    name: 'create',
    summary: 'Make a role from a document.',
    examples: ['gatehouse roles create -f dev.yaml', 'cat dev.yaml | gatehouse roles create -f -'],
  })
    .requiredOption('-f, --file <file>', 'the document, in YAML or JSON; - for standard input')
    .action(async ({ file, ...options }: GatewayOptions & { file: string }) => {
      const { call, roleRoutes, send } = await connect(options);
      const made = await call(send, roleRoutes.create, { body: { content: await readGiven(io, file) } });
      print(io, options.format, made, `role '${printable(made.name)}' made\n${notesText(made.notes)}`);
    });

  add({
    name: 'edit <name>',
    summary: 'Change a role in your editor (VISUAL or EDITOR). If somebody else changed it meanwhile, nothing is lost.',
    examples: ['gatehouse roles edit dev', 'EDITOR="code --wait" gatehouse roles edit dev'],
  }).action(async (name: string, options: GatewayOptions) => {
    const connected = await connect(options);
    const { call, roleRoutes, send } = connected;
    const { content: text, revision } = await find(connected, name);
    const saved = await editText(io, { name, text }, (content) =>
      call(send, roleRoutes.update, { params: { name }, body: { content, ...(revision ? { revision } : {}) } }),
    );
    if (saved) print(io, options.format, saved, `role '${printable(name)}' changed\n${notesText(saved.notes)}`);
    else print(io, options.format, { name, changed: false }, 'nothing changed\n');
  });

  add({
    name: 'rm <name>',
    summary: 'Delete a role that nobody holds.',
    examples: ['gatehouse roles rm dev'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, roleRoutes, send } = await connect(options);
    const done = await call(send, roleRoutes.remove, { params: { name } });
    print(io, options.format, done, `role '${printable(name)}' deleted\n`);
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { roleRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/access/roles/roles'),
      anyGateway(io, options),
    ]);
    return { call, roleRoutes, send };
  }

  async function find({ call, roleRoutes, send }: Awaited<ReturnType<typeof connect>>, name: string) {
    const role = (await call(send, roleRoutes.list, {})).find((each) => each.name === name);
    if (!role) throw new Failure('notFound', `role '${printable(name)}' not found`);
    return role;
  }
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
