/** Names of each kind that can be given on the command line, for those that have calls to list them. */
import { factsOf, type KINDS, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { call, Send } from '@gatehouse/contract/wire/client';
import { CURRENT } from '../gateway/resolve-gateway.ts';

/** As many as are worth offering. */
const LIMIT = 1000;
const all = { params: CURRENT, query: { limit: LIMIT } as never };

type Listing = (ask: typeof call, send: Send) => Promise<string[]>;

/** `null`: it has no call that lists it yet. */
const NAMES = {
  async node(ask, send) {
    const { nodeRoutes } = await import('@gatehouse/contract/kinds/node/nodes');
    return (await ask(send, nodeRoutes.list, all)).items.map(({ hostname }) => hostname);
  },
  async app(ask, send) {
    const { appRoutes } = await import('@gatehouse/contract/kinds/app/apps');
    return (await ask(send, appRoutes.list, all)).items.map(({ name }) => name);
  },
  async kube(ask, send) {
    const { kubeRoutes } = await import('@gatehouse/contract/kinds/kube/kubernetes');
    return (await ask(send, kubeRoutes.list, all)).items.map(({ name }) => name);
  },
  async db(ask, send) {
    const { databaseRoutes } = await import('@gatehouse/contract/kinds/db/databases');
    return (await ask(send, databaseRoutes.list, all)).items.map(({ name }) => name);
  },
  async desktop(ask, send) {
    const { desktopRoutes } = await import('@gatehouse/contract/kinds/desktop/desktops');
    return (await ask(send, desktopRoutes.list, all)).items.map(({ name }) => name);
  },
} satisfies { [K in Kind]: Listing | null };

type ListedKind = { [K in Kind]: (typeof NAMES)[K] extends null ? never : K }[Kind];

/** By the path of the kind, as its commands are called. */
export type NamedPath = (typeof KINDS)[ListedKind]['path'];

const listed = kinds.filter((kind): kind is ListedKind => NAMES[kind] != null);
export const NAMED_PATHS = listed.map((kind) => factsOf(kind).path) as NamedPath[];

const BY_PATH: ReadonlyMap<string, Listing> = new Map(listed.map((kind) => [factsOf(kind).path, NAMES[kind]]));

/** Undefined for what is no kind. */
export function namesOfKind(path: string): Listing | undefined {
  return BY_PATH.get(path);
}

/** The path of a kind whose names can be told. */
export function namedPath(kind: string): NamedPath | undefined {
  const known = listed.find((each) => each === kind);
  return known && (factsOf(known).path as NamedPath);
}
