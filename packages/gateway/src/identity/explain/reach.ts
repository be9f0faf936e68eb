/** Everything a user may be on resources of one kind that certain roles of theirs match, in a form that can be compared. Pure; agrees with the decision for every name. */

import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { namesToDeny } from '../../access/action.ts';
import type { Access, BoundRole } from '../../access/bind-access.ts';
import { isMeantByStar } from '../../access/star-fields.ts';

/** Which names a field allows. With `any`, all but what `except` says. */
export interface Names {
  any: boolean;
  values: ReadonlySet<string>;
  allows(name: string): boolean;
  /** Patterns that are denied; only told apart where any name would be allowed. */
  except: ReadonlySet<string>;
}

export interface PairedNames {
  field: PrincipalField;
  with: PrincipalField;
  /** `*`: for any name of the other field. */
  namesFor(name: string): Names;
}

export interface Reach {
  /** For kinds that can be reached without a name. */
  connect: boolean;
  fields: ReadonlyMap<PrincipalField, Names>;
  /** Names that go with one of another field, as databases with a database user; nothing for one that is not allowed. */
  paired: readonly PairedNames[];
  /** As they are written: what two patterns have in common is not worked out. */
  objects: ReadonlySet<string>;
  deniedObjects: ReadonlySet<string>;
}

/** The names a kind of resource is reached by, and whether it can be reached without any. Names that only go with another are apart. */
export function reachedBy(kind: Kind): { fields: PrincipalField[]; nameless: boolean } {
  const { principals } = factsOf(kind);
  return {
    fields: principals.filter((each) => each.with === undefined).map(({ field }) => field as PrincipalField),
    nameless: !principals.some(({ required }) => required),
  };
}

/** Fields of names that go with names of another. */
export function pairedFields(kind: Kind): { field: PrincipalField; with: PrincipalField }[] {
  const { principals } = factsOf(kind);
  return principals.flatMap((each) => {
    const other = principals.find(({ name }) => name === each.with);
    return other ? [{ field: each.field as PrincipalField, with: other.field as PrincipalField }] : [];
  });
}

const NO_NAMES: Names = { any: false, values: new Set(), allows: () => false, except: new Set() };

export const NO_REACH: Reach = {
  connect: false,
  fields: new Map(),
  paired: [],
  objects: new Set(),
  deniedObjects: new Set(),
};

/** `matching`: the roles whose labels reach the resource. Labels that deny it must have been asked before. */
export function reachOf(access: Access, kind: Kind, matching: readonly BoundRole[]): Reach {
  if (matching.length === 0) return NO_REACH;
  const { fields, nameless } = reachedBy(kind);
  const { hasObjects } = factsOf(kind);
  const namesIn = (granting: readonly BoundRole[], field: PrincipalField) =>
    allowedNames(access, granting, field, kind);
  const names = new Map(fields.map((field) => [field, namesIn(matching, field)]));
  return {
    connect: nameless,
    fields: names,
    paired: pairedFields(kind).map((pair) => ({
      ...pair,
      namesFor(name) {
        const others = names.get(pair.with);
        const isAny = name === '*';
        if (!others || !(isAny ? others.any : others.allows(name))) return NO_NAMES;
        const granting = matching.filter(({ allow }) => {
          const allowed = allow.principals.get(pair.with);
          return isAny ? allowed?.any === true : allowed?.allows(name) === true;
        });
        return namesIn(granting, pair.field);
      },
    })),
    objects: new Set(hasObjects ? matching.flatMap(({ allow }) => objectTexts(allow)) : []),
    deniedObjects: new Set(hasObjects ? access.roles.flatMap(({ deny }) => objectTexts(deny)) : []),
  };
}

function allowedNames(access: Access, matching: readonly BoundRole[], field: PrincipalField, kind: Kind): Names {
  const folds = factsOf(kind).ignoresCase === 'always';
  const denying = access.roles.flatMap(({ deny }) => deny.principals.get(field) ?? []);
  const denies = (given: string) =>
    namesToDeny(kind, given).some((name) =>
      denying.some((entry) => (folds ? entry.matchesFolded(name) : entry.matches(name))),
    );
  const allowed = matching.flatMap(({ allow }) => allow.principals.get(field) ?? []);
  const any = allowed.some((each) => each.any) && !access.roles.some((role) => deniesAll(role, field));
  const values = new Set(allowed.flatMap((each) => [...each.values]).filter((name) => !denies(name)));
  return {
    any,
    values,
    allows: (name) => (values.has(name) || (any && isMeantByStar(field, name))) && !denies(name),
    except: any ? new Set(access.roles.flatMap((role) => deniedTexts(access, role, field))) : new Set(),
  };
}

function deniesAll({ role }: BoundRole, field: PrincipalField): boolean {
  return (role.deny.principals.get(field) ?? []).some(({ source }) => 'pattern' in source && source.pattern.matchesAll);
}

function deniedTexts(access: Access, { role }: BoundRole, field: PrincipalField): string[] {
  return (role.deny.principals.get(field) ?? []).flatMap(({ source }) =>
    'pattern' in source ? [source.pattern.text] : source.template.expand(access.traits),
  );
}

function objectTexts({ objects }: Pick<BoundRole['allow'], 'objects'>): string[] {
  return objects.map(({ text }) => text);
}
