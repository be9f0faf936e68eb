/** The kinds on the command line. A kind that has no commands of its own is asked about, locked and joined all the same: its row says how. */
import { type KINDS, type Kind, type KindAskedNames, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { type Command, Option } from 'commander';
import type { CommandDeps } from '../command.ts';
import { dashed, nameList } from '../input/trait-flags.ts';
import type { KindProxy } from '../proxy/kind-proxy.ts';
import { addAppCommands } from './app/apps.ts';
import { appProxy } from './app/proxy-app.ts';
import { addDbCommands } from './db/databases.ts';
import { dbProxy } from './db/proxy-db.ts';
import { addDesktopCommands } from './desktop/desktops.ts';
import { addHeldNameCommands } from './held-names.ts';
import { addKubeCommands } from './kube/kube.ts';
import { addObjectFlags, type ObjectOptions, objectGiven } from './kube/object-flags.ts';
import { addNodeCommands } from './node/nodes.ts';

/** In the group that is called as its path; `null`: none but those that its row gives it. */
const COMMANDS: { readonly [K in Kind]: ((program: Command, deps: CommandDeps) => void) | null } = {
  node: addNodeCommands,
  app: addAppCommands,
  kube: addKubeCommands,
  db: addDbCommands,
  desktop: addDesktopCommands,
};

export function addKindCommands(program: Command, deps: CommandDeps): void {
  for (const kind of kinds) COMMANDS[kind]?.(program, deps);
  addHeldNameCommands(program, deps);
}

/** How programs on this machine reach one; `null`: not by a local port. */
export const KIND_PROXIES: { readonly [K in Kind]: KindProxy | null } = {
  node: null,
  app: appProxy,
  kube: null,
  db: dbProxy,
  desktop: null,
};

/** What people write → the role of join tokens on the wire. */
export const TOKEN_TYPES = Object.fromEntries(rows.map(({ kind, joinRole }) => [kind, joinRole])) as {
  readonly [K in Kind]: (typeof KINDS)[K]['joinRole'];
};

/** What `access explain` asks of each name one connects by. */
const ASKED: Record<keyof KindAskedNames, string> = {
  login: 'account on a server or desktop',
  awsRoleArn: 'AWS role, for an application',
  azureIdentity: 'Azure identity, for an application',
  gcpServiceAccount: 'Google Cloud service account, for an application',
  kubeUser: 'Kubernetes user',
  kubeGroups: 'Kubernetes groups',
  dbUser: 'user of a database',
  dbName: 'database',
  dbRole: 'role in a database, for users that are made there',
};

/** One flag for each of these names, whatever kind it is of, and those for what lies inside one. */
export function addNameFlags(command: Command): Command {
  for (const [name, words] of Object.entries(ASKED)) {
    const principal = rows.flatMap(({ principals }) => principals).find((each) => (each.asked ?? each.name) === name);
    if (principal?.many)
      command.addOption(new Option(`--${dashed(name)} <names>`, `${words}, separated by commas`).argParser(nameList));
    else
      command.option(
        `--${dashed(name)} <name>`,
        principal?.with ? `${words}, together with --${dashed(principal.with)}` : words,
      );
  }
  return addObjectFlags(command);
}

export type NameOptions = KindAskedNames & ObjectOptions;

/** Those that were given, as a question about access has them. */
export function namesGiven(options: NameOptions): KindAskedNames & ReturnType<typeof objectGiven> {
  const names = Object.keys(ASKED) as (keyof KindAskedNames)[];
  const given = Object.fromEntries(names.flatMap((name) => (options[name] ? [[name, options[name]]] : [])));
  return { ...given, ...objectGiven(options) };
}
