/** Answers why somebody can see a thing and has no name to connect under: which roles reach it, and why none gives a name. */
import type { Change, Explanation, MissingName } from '@gatehouse/contract/access/explain/explain';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Action } from '../../access/action.ts';
import type { Access, BoundRole } from '../../access/bind-access.ts';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import type { Lock } from '../../access/lock-store.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { explainAccess } from './explain-access.ts';

interface NamesQuestion {
  subject: Subject;
  resource: Resource;
  readsRoles: boolean;
  readsLock: (lock: Lock) => boolean;
  now: number;
}

/**
 * The names without which there is no way in, the one to connect as first: none for a kind that is reached under no name. Whoever
 * may be a user of a database and use no database in it gets nowhere. Applications want one only where AWS is behind them.
 */
function neededFields(kind: Kind): PrincipalField[] {
  const { principals } = factsOf(kind);
  const main = principals.find((each) => each.main) ?? principals[0];
  if (!main) return [];
  const beside = principals.filter((each) => each.with === main.name && !each.given);
  return [main, ...beside].map(({ field }) => field as PrincipalField);
}

export function explainAnyName(access: AccessControl, { resource, ...asked }: NamesQuestion): Explanation {
  const { kind, labels } = resource;
  const seen = explainAccess(access, { ...asked, resource, action: { type: 'see', kind, resource } as Action });
  const answer = { ...seen, asked: 'connect under any name' };
  if (!seen.allowed) return answer;
  const held = access.of(asked.subject);
  const [main, ...beside] = neededFields(kind);
  if (main === undefined) return answer;
  const without = (field: PrincipalField, offered?: readonly string[]) => {
    const given = principalsFor(held, kind, labels, field);
    const usable = offered && !given.includes('*') ? given.filter((name) => offered.includes(name)) : given;
    if (usable.length > 0) return [];
    return [missingNames(held, { kind, labels, field }, given.length > 0 ? offered : undefined)];
  };
  const lackedFirst = without(main, limitsOf(resource));
  const lacked = [...lackedFirst, ...beside.flatMap((field) => without(field))];
  if (lacked.length === 0) return { ...answer, fromTraits: traitsFor(held, kind, labels) };
  const missing = lacked.flat();
  return {
    ...answer,
    allowed: false,
    sentence: `denied: ${missing.map(({ sentence }) => sentence).join('; ')}`,
    reasons: [],
    missing,
    change: lacked.flatMap((each) => changesFor(each)),
    // A user of a database is told to whoever only lacks the database.
    names: lackedFirst.length > 0 ? [] : answer.names,
  };
}

function missingNames(
  access: Access,
  { kind, labels, field }: { kind: Kind; labels: Resource['labels']; field: PrincipalField },
  offered: readonly string[] | undefined,
): MissingName[] {
  if (offered) {
    return [{ type: 'not-offered', field, names: [...offered], sentence: `it offers only ${offered.join(', ')}` }];
  }
  return reachingRoles(access, kind, labels).map((role): MissingName => missingIn(role, field));
}

function traitsFor(access: Access, kind: Kind, labels: Resource['labels']): { field: string; trait: string }[] {
  const reaching = reachingRoles(access, kind, labels);
  return factsOf(kind).principals.flatMap(({ field }) => {
    const traits = reaching.flatMap((role) => traitsOf(role, field as PrincipalField));
    return [...new Set(traits)].map((trait) => ({ field, trait }));
  });
}

function reachingRoles(access: Access, kind: Kind, labels: Resource['labels']): BoundRole[] {
  return access.roles.filter((role) => role.allow.labels.get(factsOf(kind).labels)?.matches(labels));
}

/** The traits of the user that a role takes such names from. */
function traitsOf(role: BoundRole, field: PrincipalField): string[] {
  const entries = role.role.allow.principals.get(field) ?? [];
  return entries.flatMap(({ source }) => ('template' in source ? [source.template.trait] : []));
}

function missingIn(role: BoundRole, field: PrincipalField): MissingName {
  const names = [...(role.allow.principals.get(field)?.values ?? [])];
  if (names.length > 0) {
    return { type: 'denied', role: role.name, field, names, sentence: `a role denies ${names.join(', ')}` };
  }
  const [trait] = traitsOf(role, field);
  if (trait !== undefined) {
    const sentence = `role '${role.name}' takes ${field} from the user's trait '${trait}', which is empty`;
    return { type: 'empty-trait', role: role.name, field, trait, names: [], sentence };
  }
  return { type: 'none', role: role.name, field, names: [], sentence: `role '${role.name}' names no ${field}` };
}

/** The least that helps: a name in the account where a role takes it from there, or else in a role. */
function changesFor(missing: readonly MissingName[]): Change[] {
  const empty = missing.find(({ type }) => type === 'empty-trait');
  if (empty?.trait !== undefined) {
    return [{ type: 'fill-trait', trait: empty.trait, sentence: `adding a name to the user's trait '${empty.trait}'` }];
  }
  const bare = missing.find(({ type }) => type === 'none');
  if (bare?.role !== undefined) {
    const { role, field } = bare;
    return [
      { type: 'name-principal', role, field, sentence: `adding a name to spec.allow.${field} of role '${role}'` },
    ];
  }
  const shut = missing.find(({ type }) => type === 'not-offered');
  return shut ? [{ type: 'use-offered', names: shut.names, sentence: `giving one of ${shut.names.join(', ')}` }] : [];
}

/** The names the thing itself takes, as the logins an agent starts shells for where it was told which. */
function limitsOf({ kind, spec }: Resource): readonly string[] | undefined {
  const { offeredIn } = factsOf(kind).principals.find(({ main }) => main) ?? {};
  const offered = offeredIn === undefined ? undefined : (spec as Readonly<Record<string, unknown>>)[offeredIn];
  return Array.isArray(offered) ? (offered as string[]) : undefined;
}
