/** `gatehouse kube login`, `logout`, `config` and `credentials`: how programs of Kubernetes come to clusters through the gateway. */
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, type CommandDeps, type Format, type Io, print } from '../../command.ts';
import { parseOrigin, remoteGateway } from '../../gateway/remote-gateway.ts';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { Failure } from '../../runtime/failure.ts';
import { handOut, isRefused, ownerOf } from './credentials.ts';
import { type EntryChoice, entryName, entryOf, readOwnUser, trustOf } from './kube-entry.ts';
import type { KubeconfigList } from './kubeconfig-entries.ts';
import type { KubeconfigFile, KubeconfigFiles } from './kubeconfig-files.ts';
import { forgetPass, passFile, readPass } from './pass-cache.ts';

interface ChoiceOptions {
  format: Format;
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
  namespace?: string;
  as?: string;
  asGroup?: string[];
}

interface LoginOptions extends ChoiceOptions {
  all?: boolean;
  context?: string;
}

const MAX_LISTED = 1000;
const collect = (value: string, before: string[] = []) => [...before, value];

export function addKubeLoginCommands(group: Command, { io }: Pick<CommandDeps, 'io'>): void {
  const add = (facts: Parameters<typeof addCommand>[1]) =>
    addCommand(group, facts)
      .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
      .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told');
  const choosing = (command: Command) =>
    command
      .option('--namespace <name>', 'the namespace that is meant where none is named')
      .option('--as <user>', 'the Kubernetes user to be, of those your roles give')
      .addOption(
        new Option(
          '--as-group <group>',
          'a Kubernetes group to be in, of those your roles give; may be repeated',
        ).argParser(collect),
      );

  choosing(
    add({
      name: 'login [name]',
      summary:
        'Write a Kubernetes cluster into your kubeconfig file, as its current context: kubectl, helm and others then reach it through the gateway. What others wrote there stays.',
      examples: [
        'gatehouse kube login prod && kubectl get pods',
        'gatehouse kube login prod --namespace web --as ann --as-group view',
        'gatehouse kube login --all',
      ],
    }),
  )
    .option('--all', 'every cluster that you see; the current context stays')
    .option('--context <name>', 'what the context is called; NAME@HOST unless told, of a leaf NAME+LEAF@HOST')
    .action((name: string | undefined, options: LoginOptions) => login(io, name, options));

  choosing(
    add({
      name: 'config <name>',
      summary: 'Print a kubeconfig file for one Kubernetes cluster, whole, for programs that want a file of their own.',
      examples: ['gatehouse kube config prod > prod.yaml', 'KUBECONFIG=prod.yaml kubectl get pods'],
    }),
  ).action((name: string, options: ChoiceOptions) => config(io, name, options));

  add({
    name: 'logout [name]',
    summary: 'Take a Kubernetes cluster out of your kubeconfig files, and forget the pass for it.',
    examples: ['gatehouse kube logout prod', 'gatehouse kube logout --all'],
  })
    .option('--all', 'every cluster of the gateway')
    .action((name: string | undefined, options: LoginOptions) => logout(io, name, options));

  add({
    name: 'credentials <name>',
    summary: 'Give programs of Kubernetes a pass for a cluster, as kubeconfig files tell them to ask for it.',
    examples: ['gatehouse kube credentials prod'],
    isHidden: true,
  }).action((name: string, options: ChoiceOptions) => credentials(io, name, options));
}

async function login(io: Io, name: string | undefined, options: LoginOptions): Promise<void> {
  const { origin } = remoteGateway(io, options.gateway);
  const names = name !== undefined && !options.all ? [name] : await listNames(io, name, options);
  if (options.context !== undefined && names.length !== 1)
    throw new Failure('usage', 'one context leads to one cluster: leave --context out, or name one cluster');
  // Whoever may not connect hears it now; a second factor is asked for while somebody sits here.
  if (!options.all) await renewPass(io, { origin, name: names[0]!, ...leafIn(options) });
  const [trust, { changeKubeconfigs }] = await Promise.all([trustOf(origin), import('./kubeconfig-files.ts')]);
  const written = await changeKubeconfigs(io, (files) => {
    const contexts = names.map((each) =>
      putEntry(io, files, { ...choiceOf(origin, each, options) }, trust, options.context),
    );
    if (options.all) return { contexts, file: files.first.path };
    files.first.config.setCurrent(contexts[0]!);
    return { contexts, file: files.first.path, current: contexts[0]! };
  });
  const told = written.contexts.map((context) => `context '${printable(context)}' written to ${written.file}\n`);
  const next =
    written.current === undefined
      ? 'Use one with: kubectl --context NAME@HOST get pods\n'
      : 'It is the current one: kubectl get pods\n';
  print(io, options.format, written, `${told.join('')}${next}`);
}

/** Throws for a name that somebody else gave to something of theirs. */
function putEntry(
  io: Io,
  files: KubeconfigFiles,
  choice: EntryChoice,
  trust: Awaited<ReturnType<typeof trustOf>>,
  context = entryName(choice),
): string {
  const entry = entryName(choice);
  // Whom to be there stands with the user: shared, one context would change who another one is.
  const userName = context === entry ? entry : `${context}/${entry}`;
  const made = entryOf(io, choice, trust);
  const user = fileWith(files, 'users', userName)?.config.find('users', userName);
  if (user !== undefined && !readOwnUser(user))
    throw new Failure(
      'conflict',
      `the user '${printable(userName)}' of your kubeconfig file is not ours: rename it first`,
    );
  const before = fileWith(files, 'contexts', context)?.config.find('contexts', context);
  if (before !== undefined && !isOwnContext(files, before))
    throw new Failure(
      'conflict',
      `the context '${printable(context)}' of your kubeconfig file leads elsewhere: choose another name with --context`,
    );
  const put = (list: KubeconfigList, name: string, value: object) =>
    (fileWith(files, list, name) ?? files.first).config.put(list, name, value);
  put('clusters', entry, made.cluster);
  put('users', userName, made.user);
  put('contexts', context, { ...made.context, user: userName });
  return context;
}

/** Of several files the first that has it counts, and is the one that is changed. */
function fileWith({ all }: KubeconfigFiles, list: KubeconfigList, name: string): KubeconfigFile | undefined {
  return all.find(({ config: each }) => each.find(list, name) !== undefined);
}

function isOwnContext(files: KubeconfigFiles, context: unknown): boolean {
  const { user } = (context ?? {}) as { user?: unknown };
  if (typeof user !== 'string') return false;
  return readOwnUser(fileWith(files, 'users', user)?.config.find('users', user)) !== undefined;
}

async function logout(io: Io, name: string | undefined, options: LoginOptions): Promise<void> {
  const { all = false, gateway, format, cluster: leaf } = options;
  if ((name === undefined) !== all) throw new Failure('usage', 'give one name, or --all');
  // Also for who is signed in no more.
  const origin = gateway === undefined ? remoteGateway(io, undefined).origin : parseOrigin(gateway);
  const { changeKubeconfigs } = await import('./kubeconfig-files.ts');
  const contexts = await changeKubeconfigs(io, (files) => takeOut(files, { origin, name, leaf }));
  const owner = ownerOf({ name: name ?? '', gateway: origin, ...leafIn(options) }, io.env);
  for (const { cluster } of contexts) if (owner) forgetPass(passFile(io.env, { ...owner, name: cluster }));
  if (name !== undefined && contexts.length === 0)
    throw new Failure('notFound', `no kubeconfig file of yours has '${printable(name)}' of ${origin}`);
  const names = contexts.map(({ context }) => context);
  const lines = names.map((context) => `context '${printable(context)}' taken out\n`);
  print(io, format, { contexts: names }, lines.join('') || `nothing of ${origin} was there\n`);
}

interface TakenOut {
  origin: string;
  name: string | undefined;
  leaf: string | undefined;
}

function takeOut(files: KubeconfigFiles, { origin, name, leaf }: TakenOut) {
  const taken: { context: string; cluster: string }[] = [];
  const users = new Map<string, string>();
  for (const { config: each } of files.all)
    for (const user of each.names('users')) {
      const own = readOwnUser(each.find('users', user));
      if (own?.origin !== origin || own.cluster !== leaf) continue;
      if (name === undefined || own.name === name) users.set(user, own.name);
    }
  for (const { config: each } of files.all) {
    for (const context of each.names('contexts')) {
      const { user } = (each.find('contexts', context) ?? {}) as { user?: string };
      const cluster = users.get(user ?? '');
      if (cluster === undefined) continue;
      each.remove('contexts', context);
      if (each.current() === context) each.setCurrent('');
      taken.push({ context, cluster });
    }
    for (const [user, cluster] of users) {
      each.remove('users', user);
      each.remove('clusters', entryName({ origin, name: cluster, ...leafIn({ cluster: leaf }) }));
    }
  }
  return taken;
}

async function config(io: Io, name: string, options: ChoiceOptions): Promise<void> {
  const { origin } = remoteGateway(io, options.gateway);
  // A name that leads nowhere is worth knowing before it stands in a file.
  await renewPass(io, { origin, name, ...leafIn(options) });
  const choice = choiceOf(origin, name, options);
  const entry = entryName(choice);
  const { cluster, user, context } = entryOf(io, choice, await trustOf(origin));
  const whole = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ cluster, name: entry }],
    contexts: [{ context, name: entry }],
    'current-context': entry,
    users: [{ name: entry, user }],
  };
  const { writeKubeconfig } = await import('./kubeconfig-entries.ts');
  print(io, options.format, whole, writeKubeconfig(whole));
}

async function credentials(io: Io, name: string, { gateway, cluster }: ChoiceOptions): Promise<void> {
  const { askForPass, notSignedIn } = await import('./ask-pass.ts');
  const owner = ownerOf({ name, ...(gateway === undefined ? {} : { gateway }), ...leafIn({ cluster }) }, io.env);
  if (!owner) throw notSignedIn(gateway);
  const world = { env: io.env, parent: process.ppid, now: Date.now() };
  const file = passFile(io.env, owner);
  const kept = readPass(file, world.now);
  const { pass } = await askForPass(io, owner, kept && isRefused(file, kept, world) ? kept.given : 0);
  io.stdout(handOut(file, pass, world));
}

/** Anew, whatever is kept: somebody who asks by hand may do so because the one they have is refused. */
async function renewPass(io: Io, { origin, name, cluster }: EntryChoice): Promise<void> {
  const { askForPass, notSignedIn } = await import('./ask-pass.ts');
  const owner = ownerOf({ name, gateway: origin, ...leafIn({ cluster }) }, io.env);
  if (!owner) throw notSignedIn(origin);
  await askForPass(io, owner, Date.now() - 1);
}

async function listNames(io: Io, name: string | undefined, options: LoginOptions): Promise<string[]> {
  const { all, gateway, cluster } = options;
  if (!all || name !== undefined) throw new Failure('usage', 'give one name, or --all');
  const [{ call }, { kubeRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/kube/kubernetes'),
  ]);
  const { send, origin } = remoteGateway(io, gateway);
  const query = { limit: String(MAX_LISTED), sort: 'name:asc' };
  const params = cluster === undefined ? CURRENT : { clusterId: cluster };
  const { items, totalCount } = await call(send, kubeRoutes.list, { params, query });
  if (items.length === 0) throw new Failure('notFound', `you see no Kubernetes cluster at ${origin}`);
  if (totalCount > items.length) io.stderr(`warning: ${totalCount - items.length} more are left out\n`);
  return items.map((item) => item.name);
}

/** Nothing where the gateway's own cluster is meant. */
function leafIn({ cluster }: { cluster?: string | undefined }): { cluster?: string } {
  return cluster === undefined ? {} : { cluster };
}

function choiceOf(origin: string, name: string, options: ChoiceOptions): EntryChoice {
  const { namespace, as, asGroup } = options;
  if (asGroup !== undefined && as === undefined)
    throw new Failure(
      'usage',
      'kubectl takes groups only beside a user: add --as with the name you have there, which is your own unless a role gives another',
    );
  return {
    ...{ origin, name, ...leafIn(options) },
    ...(namespace === undefined ? {} : { namespace }),
    ...(as === undefined ? {} : { as }),
    ...(asGroup === undefined ? {} : { asGroups: asGroup }),
  };
}
