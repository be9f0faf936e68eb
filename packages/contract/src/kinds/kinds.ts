/** The one table of resource kinds. Add a row and the compiler names every place that must learn about it. */
import { appKind } from './app/app-kind.ts';
import { dbKind } from './db/db-kind.ts';
import { desktopKind } from './desktop/desktop-kind.ts';
import type { KindFacts } from './kind.ts';
import { kubeKind } from './kube/kube-kind.ts';
import { nodeKind } from './node/node-kind.ts';

export const KINDS = {
  node: nodeKind,
  app: appKind,
  kube: kubeKind,
  db: dbKind,
  desktop: desktopKind,
} as const satisfies Record<string, KindFacts>;

export type Kind = keyof typeof KINDS;
type Rows = (typeof KINDS)[Kind];
export const kinds: readonly Kind[] = Object.keys(KINDS) as Kind[];

export type SessionKind = Rows['sessionKind'];
export type KindPage = Rows['path'];
export type KindFlag = Rows['flag'];
export type KindJoinRole = Rows['joinRole'];
export type KindRule = Rows['rules'][number];
export type KindLabels = Rows['labels'];
export type KindPrincipal = Rows['principals'][number];
export type KindLockTarget = Extract<Rows, { lockTarget: string }>['lockTarget'];
/** Acl groups of the kinds, each with what rules call it. */
export type KindAclGroups = { readonly [K in Kind as (typeof KINDS)[K]['acl']]: (typeof KINDS)[K]['rules'][0] };
/** Feature flags of the kinds, each with the acl group whose `list` gives it. */
export type KindFlags = { readonly [K in Kind as (typeof KINDS)[K]['flag']]: (typeof KINDS)[K]['acl'] };
/** What questions about access may name, each as they call it. */
export type KindAskedNames = {
  [P in KindPrincipal as AskedName<P>]?: P extends { many: true } ? string[] : string;
};
type AskedName<P> = P extends { asked: infer Name extends string }
  ? Name
  : P extends { name: infer Name extends string }
    ? Name
    : never;
export type KindJoinRoles = { readonly [K in Kind as (typeof KINDS)[K]['joinRole']]: K };

/** A row as any row is: what only some of them say may be missing. */
export function factsOf(kind: Kind): KindFacts {
  return KINDS[kind];
}

export const rows: readonly (KindFacts & { kind: Kind })[] = kinds.map((kind) => ({ ...factsOf(kind), kind }));

/** Sessions with it are recorded, unless somebody turns that off; of the others the audit log tells. */
export function isRecorded(kind: Kind): boolean {
  return factsOf(kind).recording !== 'none';
}

export function isKind(text: string): text is Kind {
  return Object.hasOwn(KINDS, text);
}

/** The row of the kind that locks call so; nothing where such a lock is on no resource. */
export function rowOfLockTarget(target: string): (typeof rows)[number] | undefined {
  return rows.find(({ lockTarget }) => lockTarget === target);
}

/** The kind whose sessions are called so. */
export function kindOfSession(sessionKind: string): Kind | undefined {
  return kinds.find((kind) => KINDS[kind].sessionKind === sessionKind);
}
