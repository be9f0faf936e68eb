/** What a value that is taken from the user is called in the form: nobody should have to read braces. */
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { Translate, WordId } from '../../platform/i18n/words.ts';

/** Fields whose names can come from the user record, by what templates call the trait there. */
const OWN: Readonly<Record<string, WordId>> = {
  logins: 'roles.own-logins',
  db_users: 'roles.own-db-users',
  db_names: 'roles.own-db-names',
  kubernetes_users: 'roles.own-kubernetes-users',
  kubernetes_groups: 'roles.own-kubernetes-groups',
  windows_logins: 'roles.own-windows-logins',
  aws_role_arns: 'roles.own-aws-role-arns',
};

const PLAIN = /^\{\{\s*(internal|external)\.([\w-]+)\s*\}\}$/;

/** Nothing for a value that stands for itself, or that is made from a trait in a way that words would hide. */
export function traitWords(t: Translate, value: string): string | undefined {
  const [, from, trait] = PLAIN.exec(value) ?? [];
  if (trait === undefined) return undefined;
  const own = OWN[trait];
  if (own) return from === 'internal' ? t(own) : t('roles.provided-trait', { trait });
  return t('roles.own-trait', { trait });
}

/** The value that takes the names of a field from the user, where the form can offer it. */
export function ownNames(field: string): string | undefined {
  const principal = rows.flatMap(({ principals }) => principals).find((each) => each.field === field);
  const trait = principal?.trait ?? field;
  return trait in OWN ? `{{internal.${trait}}}` : undefined;
}
