/** The one table of resource kinds. Add a row and the compiler names every place that must learn about it. */
import { appKind } from './app/app-kind.ts';
import { dbKind } from './db/db-kind.ts';
import { desktopKind } from './desktop/desktop-kind.ts';
import type { KindFacts, OfferedFacts, OwnFacts } from './kind.ts';
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
export type KindNameField = Rows['nameField'];
export type KindIdField = Extract<Rows, { idField: string }>['idField'];
export type KindJoinRole = Rows['joinRole'];
export type KindRule = Rows['rules'][number];
export type KindLabels = Rows['labels'];
export type KindPrincipal = Rows['principals'][number];
export type KindDocument = Extract<Rows, { document: string }>['document'];
export type KindLockTarget = Extract<Rows, { lockTarget: string }>['lockTarget'];
export type KindTestStep =
  | Extract<Rows, { testSteps: readonly string[] }>['testSteps'][number]
  | Extract<Rows, { draftSteps: readonly string[] }>['draftSteps'][number];
/** Names that the call which tests a connection may give. */
export type KindTestedNames = { [P in Extract<KindPrincipal, { testedAs: string }> as P['testedAs']]?: string };
/** Parts of the call that asks whether connecting takes a second factor: exactly one of them names a thing. */
export type KindFactorBody = {
  [K in Kind as (typeof KINDS)[K] extends { factorBody: { part: infer Part extends string } } ? Part : K]?: Record<
    string,
    string
  >;
};
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

/** Lists whose items differ: read as the lists of any row, or only what all items have could be asked of one. */
type ListFact = 'principals' | 'sortable';
type OwnWord = Exclude<keyof Rows, ListFact>;
/** A row as any row is: what all of them say in their own words; what only some of them say may be missing. */
export type KindRow = Omit<OwnFacts, OwnWord> & OfferedFacts & Pick<Rows, OwnWord>;

/** The one way to read a row whose kind is not known. */
export function factsOf(kind: Kind): KindRow {
  return KINDS[kind];
}

export const rows: readonly (KindRow & { kind: Kind })[] = kinds.map((kind) => ({ ...factsOf(kind), kind }));

type OfferedAs<How extends string> = { [K in Kind]: (typeof KINDS)[K] extends { offered: How } ? K : never }[Kind];
/** Kinds whose agents offer what they reach, each by its name. */
export type NamedKind = OfferedAs<'named'>;

/** The kind of the machines that agents run on. */
export const MACHINE_KIND = rows.find(({ offered }) => offered === 'machine')!.kind as OfferedAs<'machine'>;

type MatchedKind = { [K in Kind]: (typeof KINDS)[K] extends { matched: true } ? K : never }[Kind];
const matchedKind = rows.find(({ matched }) => matched)!.kind as MatchedKind;
/** The row of what agents look after by its labels where it is entered at the gateway: reports and tokens have room for one such kind. */
export const MATCHED_ROW: (typeof KINDS)[MatchedKind] & { kind: MatchedKind } = {
  ...KINDS[matchedKind],
  kind: matchedKind,
};

export function isNamedKind(kind: Kind): kind is NamedKind {
  return factsOf(kind).offered === 'named';
}

/** The script that sets up an agent which offers such things. */
export function installScriptOf(kind: NamedKind | typeof MACHINE_KIND): string {
  return KINDS[kind].installScript;
}

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
  return kinds.find((kind) => factsOf(kind).sessionKind === sessionKind);
}
