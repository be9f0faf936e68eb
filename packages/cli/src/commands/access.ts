/** `gatehouse access`: why somebody can or cannot, who can reach what, and what a change would do. */

import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { readGiven } from '../input/read-files.ts';
import { addNameFlags, type NameOptions, namesGiven } from '../kinds/kinds.ts';
import { explanationText, namesText, whatIfText } from '../output/access-text.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

export function addAccessCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'access',
    summary: 'Ask who can reach what, and why.',
    examples: ['gatehouse access explain ann web-1 --login root', 'gatehouse access who web-1'],
  });
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  addNameFlags(
    add({
      name: 'explain <user> <resource>',
      summary: 'Say whether a user can reach a resource, why, and the smallest change that would turn it round.',
      examples: [
        'gatehouse access explain ann web-1 --login root',
        'gatehouse access explain ann db/orders --db-user app --db-name shop',
        'gatehouse access explain ann kube/prod --object pods/web --namespace shop --verb exec',
      ],
    }),
  ).action(async (user: string, resource: string, options: GatewayOptions & NameOptions) => {
    const { call, explainRoutes, send } = await connect(options);
    const body = { user, ...resourceIn(resource), ...namesGiven(options) };
    const answer = await call(send, explainRoutes.explain, { params: CURRENT, body });
    print(io, options.format, answer, explanationText(answer));
  });

  add({
    name: 'who <resource>',
    summary: 'List who can reach a resource, and as whom.',
    examples: ['gatehouse access who web-1', 'gatehouse access who db/orders --format json'],
  }).action(async (resource: string, options: GatewayOptions) => {
    const { call, explainRoutes, send } = await connect(options);
    const found = await everyPage((startKey) =>
      call(send, explainRoutes.who, { params: CURRENT, body: { ...resourceIn(resource), startKey, limit: 1000 } }),
    );
    const rows = found.map(({ user, names, locked }) => [user, namesText(names), locked ? 'locked' : '']);
    print(io, options.format, found, rows.length === 0 ? 'nobody\n' : table([['USER', 'AS', ''], ...rows]));
  });

  add({
    name: 'reach <user>',
    summary: 'List what a user can reach, and as whom.',
    examples: ['gatehouse access reach ann', 'gatehouse access reach ann --kind db'],
  })
    .addOption(new Option('--kind <kind>', 'only resources of this kind').choices(kinds))
    .action(async (user: string, { kind, ...options }: GatewayOptions & { kind?: Kind }) => {
      const { call, explainRoutes, send } = await connect(options);
      const found = [];
      for (const each of kind ? [kind] : kinds) {
        const ofKind = await everyPage((startKey) =>
          call(send, explainRoutes.reach, { params: CURRENT, body: { user, kind: each, startKey, limit: 1000 } }),
        );
        found.push(...ofKind);
      }
      const rows = found.map(({ kind: each, name, names }) => [`${each}/${name}`, namesText(names)]);
      print(io, options.format, found, rows.length === 0 ? 'nothing\n' : table([['RESOURCE', 'AS'], ...rows]));
    });

  add({
    name: 'what-if',
    summary: 'Say who would gain and lose what if a role were saved or deleted, without doing it.',
    examples: ['gatehouse access what-if -f dev.yaml', 'gatehouse access what-if --delete-role dev'],
  })
    .addOption(new Option('-f, --file <file>', 'the draft of a role; - for standard input').conflicts('deleteRole'))
    .option('--delete-role <name>', 'the role to be deleted')
    .action(async ({ file, deleteRole, ...options }: GatewayOptions & { file?: string; deleteRole?: string }) => {
      const change = await plannedChange(file, deleteRole);
      const { call, whatIfRoutes, send } = await connect(options);
      const answer = await call(send, whatIfRoutes.whatIf, { params: CURRENT, body: { change, limit: 1000 } });
      print(io, options.format, answer, whatIfText(answer));
    });

  add({
    name: 'denial <id>',
    summary: 'Say why a call was refused, by the id its caller was shown.',
    examples: ['gatehouse access denial 0d6f5f0e-8a53-4c8e-9d3c-6f2f1f1f7a11'],
  }).action(async (id: string, options: GatewayOptions) => {
    const { call, denialRoutes, send } = await connect(options);
    const found = await call(send, denialRoutes.get, { params: { ...CURRENT, id } });
    const lines = [
      `${found.time} ${found.user} (${found.roles.join(', ')}): ${found.call}`,
      found.message,
      ...found.reasons.map(({ sentence }) => sentence),
      ...found.change.map(({ sentence }) => `would have let it through: ${sentence}`),
    ];
    print(io, options.format, found, lines.map((line) => `${printable(line)}\n`).join(''));
  });

  async function plannedChange(file: string | undefined, deleteRole: string | undefined) {
    if (deleteRole !== undefined) return { type: 'delete-role', name: deleteRole } as const;
    if (file !== undefined) return { type: 'save-role', content: await readGiven(io, file) } as const;
    throw new Failure('usage', 'name a draft with --file, or a role with --delete-role');
  }

  async function connect(options: GatewayOptions) {
    const [{ call }, { explainRoutes }, { whatIfRoutes }, { denialRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/access/explain/explain'),
      import('@gatehouse/contract/access/explain/what-if'),
      import('@gatehouse/contract/access/explain/denials'),
      anyGateway(io, options),
    ]);
    return { call, explainRoutes, whatIfRoutes, denialRoutes, send };
  }
}

async function everyPage<T>(page: (startKey: string) => Promise<{ items: T[]; startKey: string }>): Promise<T[]> {
  const all: T[] = [];
  for (let startKey = '', more = true; more; ) {
    const { items, startKey: next } = await page(startKey);
    all.push(...items);
    startKey = next;
    more = next !== '';
  }
  return all;
}

/** `web-1`, or `node/web-1` where the kind must be said. */
function resourceIn(text: string): { kind?: Kind; resource: string } {
  const slash = text.indexOf('/');
  const kind = kinds.find((each) => each === text.slice(0, slash));
  return slash > 0 && kind ? { kind, resource: text.slice(slash + 1) } : { resource: text };
}
