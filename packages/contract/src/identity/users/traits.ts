/** The traits that user records hold, as the wire calls them. A name that one connects by says which of them gives it. */
export const TRAITS = [
  'logins',
  'databaseUsers',
  'databaseNames',
  'kubeUsers',
  'kubeGroups',
  'windowsLogins',
  'awsRoleArns',
] as const;
export type Trait = (typeof TRAITS)[number];
