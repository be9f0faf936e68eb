/** `gatehouse tokens`: what a machine shows once to become an agent. */

import { actorText } from '@gatehouse/contract/identity/own-actors';
import { type Kind, MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import type { AllowRule } from '@gatehouse/contract/reach/join-tokens/token-facts';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { offering } from '../completion/offers.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { labelList } from '../input/label-list.ts';
import { nameList } from '../input/trait-flags.ts';
import { TOKEN_TYPES } from '../kinds/kinds.ts';
import { addOfferFlags, type OfferOptions, offersGiven } from '../kinds/offer-flags.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

interface AddOptions extends GatewayOptions {
  type: Kind[];
  ttl?: number;
  uses?: number;
  labels: Record<string, string>;
  ownLabels?: string[];
  group?: string;
  match?: Record<string, string[]>;
  hosts?: string[];
  joinMethod: 'token' | 'iam';
  allow?: AllowRule[];
}

export function addTokenCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'tokens',
    summary: 'Make, list and take back join tokens, by which machines become agents.',
    examples: ['gatehouse tokens add --type=node --ttl=1h', 'gatehouse tokens ls'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  const add = command({
    name: 'add',
    summary: 'Make a join token and print it, this once, with the command that installs an agent.',
    examples: [
      'gatehouse tokens add --type=node --ttl=1h',
      'gatehouse tokens add --type=node --uses 1 --labels env=prod,team=blue',
      'gatehouse tokens add --app grafana=http://localhost:3000',
      "gatehouse tokens add --type=app --apps 'shop-*,wiki' --group shop",
      'gatehouse tokens add --type=db --match env=prod',
      'gatehouse tokens add --type=db --hosts db.inside,10.0.0.5',
      'gatehouse tokens add --join-method iam --allow 123456789012=arn:aws:sts::123456789012:assumed-role/web/i-*',
      'gatehouse tokens add --type=node --ttl=1h --format json',
    ],
  })
    .addOption(
      offering(
        new Option(
          '--type <types>',
          `what may join: ${Object.keys(TOKEN_TYPES).join(', ')}, several separated by commas`,
        )
          .argParser(typeList)
          .default([MACHINE_KIND], MACHINE_KIND),
        Object.keys(TOKEN_TYPES),
      ),
    )
    .addOption(
      new Option('--ttl <duration>', 'how long it works: 4h unless told, with --join-method iam for years').argParser(
        parseDurationSeconds,
      ),
    )
    .addOption(
      new Option('--uses <count>', 'how many machines may join with it; as many as come unless told').argParser(count),
    )
    .addOption(
      new Option('--labels <labels>', 'labels for everything that joins with it, like env=prod,team=blue')
        .argParser(labelList)
        .default({}, 'none'),
    );
  addOfferFlags(add)
    .addOption(
      new Option('--own-labels <names>', 'labels its machines may give themselves; any unless told').argParser(
        nameList,
      ),
    )
    .option('--group <name>', 'go on with the names that tokens of this group have')
    .addOption(
      new Option(
        '--match <labels>',
        "databases its machines look after, by labels like env=prod,env=test; '*=*' for all that are entered",
      ).argParser(matcherList),
    )
    .addOption(
      new Option('--hosts <names>', 'database servers it may have signed, once; names and addresses').argParser(
        nameList,
      ),
    )
    .addOption(
      new Option('--join-method <method>', 'how machines join: by its secret, or by who AWS says they are')
        .choices(['token', 'iam'])
        .default('token'),
    )
    .addOption(
      new Option(
        '--allow <account=arn>',
        'with --join-method iam: an AWS account whose machines join, and an ARN with * and ?; may be given several times',
      ).argParser(allowRules),
    )
    .action(async (options: AddOptions & OfferOptions) => {
      const { uses, ownLabels, group, match, hosts } = options;
      const { named, names, types } = offersGiven(options, options.type);
      const { call, joinTokenRoutes, RESOURCE_ID_LABEL, send } = await connect(options);
      const offers = { ...names, ...(ownLabels === undefined ? {} : { labels: ownLabels }) };
      const body = {
        roles: types.map((type) => TOKEN_TYPES[type]),
        join_method: options.joinMethod,
        ...(options.ttl === undefined ? {} : { ttlSeconds: options.ttl }),
        ...(options.allow === undefined ? {} : { allow: options.allow }),
        labels: options.labels,
        ...(uses === undefined ? {} : { uses }),
        ...named,
        ...(Object.keys(offers).length === 0 ? {} : { offers }),
        ...(group === undefined ? {} : { group }),
        ...(match === undefined ? {} : { suggested_agent_matcher_labels: match }),
        ...(hosts === undefined ? {} : { hosts }),
      };
      const made = await call(send, joinTokenRoutes.create, { body });
      const { command: install, openSshCommand, missing, tokenId = '', warning } = made.gatehouse ?? {};
      if (warning !== undefined && options.format !== 'json') io.stderr(`warning: ${printable(warning)}\n`);
      const result = {
        token: made.id,
        expires: made.expiry,
        ...(install === undefined ? {} : { command: install }),
        ...(openSshCommand === undefined ? {} : { openSshCommand }),
        ...(missing === undefined ? {} : { missing }),
        id: tokenId,
        // The one of ours binds what joins to this token; people neither give nor use it.
        labels: made.suggestedLabels.filter(({ name }) => name !== RESOURCE_ID_LABEL),
        ...(warning === undefined ? {} : { warning }),
      };
      const text = [
        `${made.id}`,
        '',
        `It works until ${made.expiry}.${install === undefined ? '' : ' On a machine that shall join:'}`,
        '',
        ...(install === undefined ? [] : [`  ${printable(install)}`, '']),
        ...(openSshCommand === undefined
          ? []
          : ['To keep its own sshd instead of installing the agent:', '', `  ${printable(openSshCommand)}`, '']),
        ...(missing === undefined ? [] : [`Note: ${printable(missing)}.`, '']),
      ];
      print(io, options.format, result, text.join('\n'));
    });

  command({
    name: 'ls',
    summary: 'List the join tokens that still work, without their secrets.',
    examples: ['gatehouse tokens ls'],
  }).action(async (options: GatewayOptions) => {
    const { call, joinTokenRoutes, send } = await connect(options);
    const tokens = await call(send, joinTokenRoutes.list, {});
    const rows = tokens.map(({ id, hint, roles, labels, expires, uses, usesLeft, createdBy, offers, ...more }) => [
      id,
      `${hint}…`,
      roles.join(','),
      labels.map(({ name, value }) => `${name}=${value}`).join(',') || '-',
      tellOffers({ ...offers, match: matchersOf(more.suggested_agent_matcher_labels), hosts: more.hosts }),
      expires,
      String(uses),
      usesLeft === undefined ? 'any' : String(usesLeft),
      actorText(createdBy),
    ]);
    const head = ['ID', 'TOKEN', 'ROLES', 'LABELS', 'OFFERS', 'UNTIL', 'USED', 'LEFT', 'BY'];
    print(io, options.format, tokens, rows.length === 0 ? 'no join tokens\n' : table([head, ...rows]));
  });

  command({
    name: 'rm <id>',
    summary: 'Take a join token back. Agents that joined with it stay.',
    examples: ['gatehouse tokens rm 5f0c2a6e-6f0e-4c62-9a55-1c7f7c2f9d10', 'gatehouse tokens rm 3f09ab'],
  }).action(async (given: string, options: GatewayOptions) => {
    const { call, joinTokenRoutes, send } = await connect(options);
    const tokens = await call(send, joinTokenRoutes.list, {});
    // By its id, or by what people have at hand: the beginning of the token, or the whole of it.
    const found = tokens.filter(({ id, hint }) => id === given || given.startsWith(hint));
    if (found.length > 1) throw new Failure('conflict', `several tokens begin with '${printable(given)}': give the id`);
    const id = found[0]?.id;
    if (id === undefined) throw new Failure('notFound', `there is no join token '${printable(given)}'`);
    const done = await call(send, joinTokenRoutes.remove, { params: { id } });
    print(io, options.format, done, 'join token taken back\n');
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { joinTokenRoutes, RESOURCE_ID_LABEL }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/reach/join-tokens/join-tokens'),
      anyGateway(io, options),
    ]);
    return { call, joinTokenRoutes, RESOURCE_ID_LABEL, send };
  }
}

function matchersOf(labels: Record<string, string[]> | undefined): string[] | undefined {
  return labels && Object.entries(labels).map(([name, values]) => `${name}=${values.join('|')}`);
}

function tellOffers(offers: Record<string, string[] | undefined>): string {
  const told = Object.entries(offers).flatMap(([what, names]) => (names ? [`${what}:${names.join('+')}`] : []));
  return printable(told.join(',')) || '-';
}

function typeList(text: string): Kind[] {
  const types = text.split(',').map((part) => part.trim().toLowerCase());
  const isType = (type: string): type is Kind => Object.hasOwn(TOKEN_TYPES, type);
  if (types.every(isType)) return [...new Set(types)];
  throw new InvalidArgumentError(`write ${Object.keys(TOKEN_TYPES).join(', ')}, or several separated by commas.`);
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('write a whole number from 1 on.');
  return Number(text);
}

/** A label that is given several times matches each of its values. */
function matcherList(text: string): Record<string, string[]> {
  const matcher: Record<string, string[]> = {};
  for (const pair of text.split(',').map((part) => part.trim())) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new InvalidArgumentError('write it like env=prod,team=blue.');
    const name = pair.slice(0, at);
    matcher[name] = [...(matcher[name] ?? []), pair.slice(at + 1)];
  }
  return matcher;
}

/** Each time one more. The account alone: all of its machines. */
function allowRules(text: string, before: AllowRule[] = []): AllowRule[] {
  const [, aws_account, aws_arn] = /^(\d{12})(?:=(.+))?$/.exec(text) ?? [];
  if (aws_account === undefined) throw new InvalidArgumentError('write the number of an AWS account, or ACCOUNT=ARN.');
  return [...before, { aws_account, ...(aws_arn === undefined ? {} : { aws_arn }) }];
}
