/** What templates call the traits of user records. */
import type { Traits } from './match/template.ts';

const TEMPLATE_NAMES: Readonly<Record<string, string>> = {
  databaseUsers: 'db_users',
  databaseNames: 'db_names',
  kubeUsers: 'kubernetes_users',
  kubeGroups: 'kubernetes_groups',
  windowsLogins: 'windows_logins',
  awsRoleArns: 'aws_role_arns',
};

/** Traits that came from a sign-in provider keep the names they have there. */
export function templateTraits(stored: Traits): Traits {
  return Object.fromEntries(Object.entries(stored).map(([name, values]) => [TEMPLATE_NAMES[name] ?? name, values]));
}
