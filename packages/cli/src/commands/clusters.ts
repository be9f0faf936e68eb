/** `gatehouse clusters`: clusters that trust each other. */
import type { RemoteCluster, TrustedClusterItem } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { printable } from '@gatehouse/contract/std/printable';
import type { Send } from '@gatehouse/contract/wire/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { toldOfFlags } from '../input/joined-by-flags.ts';
import { labelList } from '../input/label-list.ts';
import { nameList } from '../input/trait-flags.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

interface JoinOptions extends GatewayOptions {
  token: string;
  rootKey?: string;
  map: RoleMap;
  name?: string;
  caPin?: string;
  traits?: string[];
}

/** As far as the gateway goes along. */
const DAY_SECONDS = 86_400;
const MAX_OVERLAP_DAYS = 366;

type RoleMap = { remote: string; local: string[] }[];

export function addClusterCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'clusters',
    summary: 'Clusters that trust each other: leaves that joined this one, and roots whose people it lets in.',
    examples: ['gatehouse clusters token', 'gatehouse clusters ls'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'ls',
    summary: 'List this cluster, its leaves and its roots.',
    examples: ['gatehouse clusters ls', 'gatehouse clusters ls --format json'],
  }).action(async (options: GatewayOptions) => {
    const { call, clusterRoutes, leaves, roots, send } = await connect(options);
    const [own] = await call(send, clusterRoutes.sites, {});
    const rows = [
      { name: own?.name ?? '', is: 'own', status: own?.status ?? 'online' },
      ...(await leaves()).map((leaf) => ({ ...leaf, is: 'leaf' })),
      ...(await roots()).map(({ content: _, id: __, kind: ___, ...root }) => ({ ...root, is: 'root' })),
    ];
    print(
      io,
      options.format,
      rows,
      table([['NAME', 'IS', 'STATUS', 'VERSION', 'LAST SEEN', 'LABELS'], ...rows.map(tell)]),
    );
  });

  command({
    name: 'token',
    summary: 'Make a token with which one cluster can join this one, and print it, this once, with what to type there.',
    examples: ['gatehouse clusters token', 'gatehouse clusters token --ttl 15m --format json'],
  })
    .addOption(
      new Option('--ttl <duration>', 'how long it works, at most a day').argParser(parseTtl).default(3600, '1h'),
    )
    .action(async ({ ttl, ...options }: GatewayOptions & { ttl: number }) => {
      const { call, trustedClusterRoutes, send } = await connect(options);
      const made = await call(send, trustedClusterRoutes.createToken, { body: { ttlSeconds: ttl } });
      if (made.warning !== undefined && options.format !== 'json') io.stderr(`warning: ${printable(made.warning)}\n`);
      const text = [
        made.token,
        '',
        `It works once, until ${made.expires}. On the gateway of the cluster that shall join:`,
        '',
        `  ${printable(made.command)}`,
        '',
        'Add --map ROLE=ROLE there, several times if need be: what roles of this cluster mean in the other one.',
        '',
      ];
      print(io, options.format, made, text.join('\n'));
    });

  command({
    name: 'join <root>',
    summary: 'Join a root: its people come in with the roles that --map gives them here.',
    examples: [
      "gatehouse clusters join https://root.example.com --token 4f0c… --root-key SHA256:… --map 'dev=access'",
      "gatehouse clusters join https://root.example.com --token 4f0c… --root-key SHA256:… --map '^team-(.*)$=team-$1' --map '*=auditor'",
    ],
  })
    .requiredOption('--token <token>', 'the token that the root gave')
    .option('--root-key <fingerprint>', 'what the key of the root must be; the root shows it with the token')
    .option(
      '--ca-pin <sha256>',
      'fingerprint of the certificate that the root shows, or of its authority, where nobody known vouches for it',
    )
    .addOption(
      new Option(
        '--map <roles>',
        "a role of the root and what it means here, like dev=access,viewer; '*' and ^…$ match several",
      )
        .argParser(mapEntry)
        .default([], 'nobody comes in'),
    )
    .option('--name <name>', 'what to call it here: its people are NAME/ann; the name of the root unless told')
    .addOption(new Option('--traits <names>', 'traits of people to ask the root for').argParser(nameList))
    .action(async (address: string, { token, rootKey, caPin, map, name, traits, ...options }: JoinOptions) => {
      const { call, trustedClusterRoutes, send } = await connect(options);
      const spec = {
        enabled: true,
        token,
        web_proxy_addr: address.replace(/\/+$/, ''),
        ...(rootKey === undefined ? {} : { root_key: rootKey }),
        ...(caPin === undefined ? {} : { ca_pin: caPin }),
        role_map: map,
        ...(traits === undefined ? {} : { traits }),
      };
      const metadata = { name: name ?? (await nameOfRoot(address)) };
      const { default: yaml } = await import('yaml');
      const content = yaml.stringify({ kind: 'trusted_cluster', metadata, spec, version: 'v2' });
      const made = await call(send, trustedClusterRoutes.create, { body: { content } }).catch((error: unknown) => {
        throw toldOfFlags(error);
      });
      const note =
        map.length === 0 ? 'No role is mapped yet, so nobody comes in: say what roles of the root mean here.\n' : '';
      const text = `Joined the root '${printable(made.rootName ?? '')}' as its leaf. Its people are '${printable(made.name)}/NAME' here.\n${note}`;
      print(io, options.format, made, text);
    });

  command({
    name: 'label <leaf> <labels>',
    summary: 'Set the labels of a leaf: roles with cluster_labels say who sees it. One without labels is seen by all.',
    examples: ['gatehouse clusters label east env=prod,region=eu', "gatehouse clusters label east ''"],
  }).action(async (name: string, labels: string, options: GatewayOptions) => {
    const { call, remoteClusterRoutes, send } = await connect(options);
    const body = { labels: labels.trim() === '' ? {} : labelList(labels) };
    const leaf = await call(send, remoteClusterRoutes.update, { params: { name }, body });
    const note = Object.keys(leaf.labels).length === 0 ? '' : 'Only roles whose cluster_labels fit show it now.\n';
    print(io, options.format, leaf, `${printable(name)}: ${tellLabels(leaf.labels)}\n${note}`);
  });

  command({
    name: 'rm <name>',
    summary: 'Remove a leaf, or end the trust in a root. What is open through it ends at once.',
    examples: ['gatehouse clusters rm east', 'gatehouse clusters rm headquarters --root'],
  })
    .option('--leaf', 'of the two with this name, the leaf')
    .option('--root', 'of the two with this name, the root')
    .action(async (name: string, { leaf, root, ...options }: GatewayOptions & { leaf?: true; root?: true }) => {
      const { call, remoteClusterRoutes, trustedClusterRoutes, leaves, roots, send } = await connect(options);
      const isLeaf = !root && (await leaves()).some((each) => each.name === name);
      const isRoot = !leaf && (await roots()).some((each) => each.name === name);
      if (isLeaf && isRoot)
        throw new Failure('conflict', `'${printable(name)}' is a leaf and a root: say --leaf or --root`);
      if (!isLeaf && !isRoot) throw new Failure('notFound', `there is no leaf and no root '${printable(name)}'`);
      const { remove } = isLeaf ? remoteClusterRoutes : trustedClusterRoutes;
      const done = await call(send, remove, { params: { name } });
      print(io, options.format, done, isLeaf ? 'leaf removed\n' : 'trust ended\n');
    });

  command({
    name: 'rotate-key',
    summary: 'Make a new key by which other clusters know this one. Both count until the overlap is over.',
    examples: ['gatehouse clusters rotate-key --overlap 7d', 'gatehouse clusters rotate-key --overlap 0'],
  })
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long until the new key signs; clusters that hear nothing meanwhile join again; 0 when the old one may be in wrong hands',
      )
        .argParser(parseOverlap)
        .default(7 * DAY_SECONDS, '7d'),
    )
    .action(async ({ overlap, ...options }: GatewayOptions & { overlap: number }) => {
      const { call, trustedClusterRoutes, send } = await connect(options);
      const key = await call(send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: overlap } });
      const next = key.next ? `The next one is ${key.next.fingerprint}; it signs from ${key.next.from}.\n` : '';
      print(io, options.format, key, `The key is ${key.fingerprint}.\n${next}`);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { clusterRoutes }, { remoteClusterRoutes, trustedClusterRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/console/clusters'),
      import('@gatehouse/contract/reach/trusted-clusters/trusted-clusters'),
      anyGateway(io, options),
    ]);
    const leaves = async (): Promise<RemoteCluster[]> => (await call(send, remoteClusterRoutes.list, {})) ?? [];
    const roots = async (): Promise<TrustedClusterItem[]> => (await call(send, trustedClusterRoutes.list, {})) ?? [];
    return { call, clusterRoutes, remoteClusterRoutes, trustedClusterRoutes, leaves, roots, send: send as Send };
  }
}

interface Row {
  name: string;
  is: string;
  status?: string | undefined;
  version?: string;
  lastSeen?: string | undefined;
  labels?: Record<string, string>;
}

function tell({ name, is, status = '-', version = '-', lastSeen = '-', labels = {} }: Row): string[] {
  return [name, is, status, version, lastSeen, tellLabels(labels)];
}

function tellLabels(labels: Record<string, string>): string {
  const told = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return printable(told.sort().join(',')) || '-';
}

/** A pattern may hold `=`; names of roles do not. */
function mapEntry(text: string, before: RoleMap = []): RoleMap {
  const at = text.lastIndexOf('=');
  const [remote, local] = [text.slice(0, at).trim(), nameList(text.slice(at + 1))];
  if (at <= 0 || remote === '' || local.length === 0)
    throw new InvalidArgumentError("write it like dev=access or '^team-(.*)$=team-$1'.");
  return [...before, { remote, local }];
}

function parseTtl(text: string): number {
  const seconds = parseDurationSeconds(text);
  if (seconds < 60 || seconds > DAY_SECONDS) throw new InvalidArgumentError('a minute at least, and at most a day.');
  return seconds;
}

function parseOverlap(text: string): number {
  const seconds = text === '0' ? 0 : parseDurationSeconds(text);
  if (seconds > MAX_OVERLAP_DAYS * DAY_SECONDS) throw new InvalidArgumentError(`at most ${MAX_OVERLAP_DAYS} days.`);
  return seconds;
}

const ASK_MS = 3_000;

/** What the root calls itself, as far as it can be asked from here; the gateway asks it again, and believes nothing of this. */
async function nameOfRoot(address: string): Promise<string> {
  const { federationKey, trustedClusterRoutes } = await import(
    '@gatehouse/contract/reach/trusted-clusters/trusted-clusters'
  );
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`;
  if (!URL.canParse(url))
    throw new Failure('usage', `'${printable(address)}' is no address: write it like https://HOST`);
  const told = await fetch(new URL(trustedClusterRoutes.key.path, url), {
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  })
    .then((reply) => reply.json())
    .catch(() => undefined);
  return federationKey.safeParse(told).data?.name ?? new URL(url).hostname;
}
