/** Traits that somebody's roles take names from and that are empty: such a role shows things and lets into none of them. */
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Trait } from '@gatehouse/contract/identity/users/traits';
import { type KindLabels, rows } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole } from './bind-access.ts';

export interface MissingTrait {
  trait: Trait;
  /** Those that would use it. */
  roles: string[];
}

interface NeededTrait {
  trait: Trait;
  /** As templates call it. */
  template: string;
  field: PrincipalField;
  labels: KindLabels;
  /** What nobody does without it. */
  deed: string;
}

/** Where a connection needs a name, and a user record has a field for it. Kinds that need none, or of which many installations have none, are left out. */
const NEEDED: readonly NeededTrait[] = rows
  .filter(({ offered }) => offered === 'machine')
  .flatMap(({ principals, labels, refusedVerb = 'connect to', noun }) =>
    principals.flatMap(({ required, userTrait, trait, field }) =>
      required && userTrait !== undefined
        ? [
            {
              trait: userTrait as Trait,
              template: trait ?? field,
              field: field as PrincipalField,
              labels,
              deed: `${refusedVerb} no ${noun}`,
            },
          ]
        : [],
    ),
  );

function lackingIn({ roles }: Access): { needed: NeededTrait; lacking: string[] }[] {
  return NEEDED.map((needed) => ({
    needed,
    lacking: roles.filter((role) => lacks(role, needed)).map(({ name }) => name),
  })).filter(({ lacking }) => lacking.length > 0);
}

export function missingTraits(access: Access): MissingTrait[] {
  return lackingIn(access).map(({ needed: { trait }, lacking }) => ({ trait, roles: lacking }));
}

function lacks({ role, allow }: BoundRole, { field, template, labels }: NeededTrait): boolean {
  const asks = role.allow.principals
    .get(field)
    ?.some(({ source }) => 'template' in source && source.template.trait === template);
  const got = allow.principals.get(field);
  return Boolean(asks) && allow.labels.has(labels) && !got?.any && (got?.values.size ?? 0) === 0;
}

export interface LackedTrait {
  trait: Trait;
  /** As connectors call it. */
  to: string;
  why: string;
}

export function lackedTraits(access: Access): LackedTrait[] {
  return lackingIn(access).map(({ needed: { trait, template, deed }, lacking }) => ({
    trait,
    to: template,
    why: `'${access.username}' has no ${trait}, and ${naming(lacking)} would use them: without any they ${deed} by it`,
  }));
}

/** For the answer to whoever made or changed the user. */
export function missingTraitNotes(access: Access): string[] {
  return lackedTraits(access).map(({ why }) => why);
}

/** For whoever writes a connector, of everybody who would come through it: the provider alone gives such people traits. */
export function unmappedTraitNotes(access: Access): string[] {
  return lackingIn(access).map(
    ({ needed: { trait, template, deed }, lacking }) =>
      `${naming(lacking)} would use people's ${trait}, and no entry of 'traits' gives any (to: ${template}): without any they ${deed} by it`,
  );
}

function naming(roles: readonly string[]): string {
  return `${roles.length === 1 ? 'role' : 'roles'} ${roles.map((role) => `'${role}'`).join(', ')}`;
}
