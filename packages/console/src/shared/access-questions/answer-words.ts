/** Reasons and changes of an explained decision as sentences in the shown language. */
import type { Change, Explanation, MissingName, Reason, UsableNames } from '@gatehouse/contract/access/explain/explain';
import type { KubeObjectRule } from '@gatehouse/contract/access/roles/kube-objects';
import { type KindPrincipal, rows } from '@gatehouse/contract/kinds/kinds';
import type { Translate } from '../../platform/i18n/words.ts';

export function reasonWords(t: Translate, { role, side, path, labels }: Reason): string {
  const matched = Object.entries(labels ?? {}).map(([name, value]) => `${name}: ${value}`);
  if (matched.length === 0) return t(`access.reason-${side}`, { role, path });
  return t(`access.reason-labels-${side}`, { role, path, labels: matched.join(', ') });
}

/** Whom an answer is about. */
export interface Whose {
  isOwn: boolean;
  user: string;
}

const principals = rows.flatMap((row) => row.principals);

/** Whether an account has a field of its own for what such names are taken from. */
function isOwnTrait(trait: string, field: string): boolean {
  return principals.some((each) => each.field === field && each.userTrait && trait === (each.trait ?? field));
}

/** Whether people sign in with such names, and do not only choose among what is there by them. */
export function isSignInName(field: string): boolean {
  return principals.some((each) => each.field === field && each.main);
}

/** What the names of a field are called, where people have a word for them. */
function fieldWords(t: Translate, field: string): string {
  const named = principals.find((each) => each.field === field);
  return named ? t(`access.names-${named.field as KindPrincipal['field']}`) : field;
}

export function missingWords(t: Translate, missing: MissingName, { isOwn, user }: Whose): string {
  const { type, role = '', field, trait = '', names } = missing;
  const values = {
    role,
    field: fieldWords(t, field),
    trait,
    names: names.join(', '),
    whose: isOwn ? 'you' : 'they',
    user,
  };
  // The traits that stand as fields under a person's name are told as such, others by their name.
  if (type === 'empty-trait')
    return t(isOwnTrait(trait, field) ? 'access.missing-own' : 'access.missing-trait', values);
  return t(`access.missing-${type}`, values);
}

export function changeWords(t: Translate, change: Change, whose?: Whose): string {
  switch (change.type) {
    case 'remove-clause':
      return t('access.change-remove-clause', { role: change.role, path: change.path });
    case 'add-principal':
      return t('access.change-add-principal', { role: change.role, field: change.field, value: change.value });
    case 'add-label':
      return t('access.change-add-label', {
        role: change.role,
        field: change.field,
        label: `${change.key}: ${change.value}`,
      });
    case 'drop-label':
      return t('access.change-drop-label', { role: change.role, field: change.field, label: change.key });
    case 'add-object':
      return t('access.change-add-object', { role: change.role, entry: writtenEntry(change.entry) });
    case 'add-rule':
      return t('access.change-add-rule', { role: change.role, verb: change.verb, resource: change.resource });
    case 'add-join':
      return t('access.change-add-join', { role: change.role, kind: change.kind, mode: change.mode });
    case 'add-trait':
      return t('access.change-add-trait', { trait: change.trait, value: change.value });
    case 'fill-trait':
      return t('access.change-fill-trait', { trait: change.trait, user: whose?.user ?? '' });
    case 'name-principal':
      return t('access.change-name-principal', { role: change.role, field: change.field });
    case 'use-offered':
      return t('access.change-use-offered', { names: change.names.join(', ') });
    case 'give-role':
      return t('access.change-give-role');
    case 'lift-lock':
      return t('access.change-lift-lock');
    default:
      return change satisfies never;
  }
}

/** As it stands in a role, on one line. */
function writtenEntry({ kind, api_group, namespace, name, verbs }: KubeObjectRule): string {
  const fields = { kind, api_group, namespace, name, verbs: verbs && `[${verbs.join(', ')}]` };
  const written = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{ ${written.map(([field, value]) => `${field}: ${value === '*' || value === '' ? `'${value}'` : value}`).join(', ')} }`;
}

export function lockWords(t: Translate, lock: NonNullable<Explanation['lock']>): string {
  const where = t(`access.locked-${lock.target}`, { name: lock.targetName });
  return lock.message ? `${where} ${lock.message}` : where;
}

/** All names of all fields on one line; `*` is any. */
export function nameList(t: Translate, names: UsableNames): string {
  return names
    .flatMap(({ names: each }) => each)
    .map((name) => (name === '*' ? t('access.any-name') : name))
    .join(', ');
}
