/** What somebody wants to do, in the words decisions are asked in. Each kind names what it takes to connect, so that nothing can be left unasked. */

import type { KubeObject } from '@gatehouse/contract/access/roles/kube-objects';
import type { PrincipalField, RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import type { Principal } from '@gatehouse/contract/kinds/kind';
import { factsOf, type KINDS, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Labels } from './bind-access.ts';

/** A thing in the inventory. */
export interface ReachedResource {
  name: string;
  labels: Labels;
  /** For locks on it and on the agent that announces it. */
  id?: string;
  owner?: string;
}

/** What rules with a condition look at. What is left out is taken as not being there. */
export interface RuledObject {
  kind?: string;
  name?: string;
  labels?: Labels;
  session?: RuledSession;
}

export interface RuledSession {
  kind: string;
  user: string;
  login?: string;
  participants: readonly string[];
  serverLabels?: Labels;
}

type Row<K extends Kind> = (typeof KINDS)[K];
type NameIn<K extends Kind> = Row<K>['principals'][number];
type Always = { required: true } | { many: true };
type Value<P> = P extends { many: true } ? readonly string[] : string;

/** What it takes to connect, as the row of the kind says. */
type Names<K extends Kind> = {
  readonly [P in NameIn<K> as P extends Always ? P['name'] : never]: Value<P>;
} & {
  readonly [P in NameIn<K> as P extends Always ? never : P['name']]?: Value<P>;
};
interface WithObject {
  object?: KubeObject;
}
/** The target does not tell `Root` from `root`. */
interface WithCase {
  ignoresCase?: boolean;
}
type Objects<K extends Kind> = Row<K> extends { hasObjects: true } ? WithObject : unknown;
type Case<K extends Kind> = Row<K> extends { ignoresCase: 'asked' } ? WithCase : unknown;

export type ConnectTo<K extends Kind> = { type: 'connect'; kind: K; resource: ReachedResource } & Names<K> &
  Objects<K> &
  Case<K>;
export type Connect = { [K in Kind]: ConnectTo<K> }[Kind];

export type Action =
  /** A call of the API, or playback: a verb on what rules name. Without an object: on all of them, whatever they are. */
  | { type: 'verb'; resource: string; verb: RuleVerb; object?: RuledObject }
  /** Whether a thing is listed and counted. */
  | { type: 'see'; kind: Kind; resource: ReachedResource }
  | Connect
  /** Joining a session somebody else has open. */
  | { type: 'join'; session: { kind: string; ownerRoles: readonly string[] }; mode: string };

export interface WantedPrincipal {
  field: PrincipalField;
  value: string;
}

/** The values given for one of the names, in an action of any kind. */
export function namesIn(action: Connect, principal: Principal): readonly string[] {
  const given: unknown = (action as unknown as Record<string, unknown>)[principal.name];
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as string[]) : [given as string];
}

/** Who somebody becomes there: what locks on logins and conditions look at. */
export function loginsIn(action: Connect): string[] {
  return factsOf(action.kind)
    .principals.filter(({ login }) => login)
    .flatMap((principal) => namesIn(action, principal));
}

/** All that a name is denied or locked by: a machine may take a domain that it does not know for itself, and `x\\ann` for its own `ann`. */
export function namesToDeny(kind: Kind, name: string): string[] {
  const { domainMark } = factsOf(kind);
  if (domainMark === undefined || !name.includes(domainMark)) return [name];
  return [name, name.slice(name.lastIndexOf(domainMark) + domainMark.length)];
}

export function objectIn(action: Connect): KubeObject | undefined {
  return factsOf(action.kind).hasObjects ? (action as WithObject).object : undefined;
}

/** Groups of names that one role must allow together. */
export function wantedPrincipals(action: Connect): { together: WantedPrincipal[][]; folds: boolean } {
  const { principals, namesAddUp, ignoresCase } = factsOf(action.kind);
  const wanted = principals.flatMap((principal) =>
    namesIn(action, principal).map((value) => ({ field: principal.field as PrincipalField, value })),
  );
  return {
    // Where the target adds names up, several roles may each give one.
    together: namesAddUp && wanted.length > 0 ? wanted.map((each) => [each]) : [wanted],
    folds: ignoresCase === 'always' || (ignoresCase === 'asked' && (action as WithCase).ignoresCase === true),
  };
}
