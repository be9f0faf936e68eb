/** The roles every cluster begins with, as documents. Those that nobody changes follow the version (seed-roles.ts). What they say of kinds of resources is read off the rows. */
import { rows } from '@gatehouse/contract/kinds/kinds';

/** What an editor manages beside the resources of each kind. */
const MANAGED = [
  'access_request',
  'auth_connector',
  'cluster_alert',
  'connection_diagnostic',
  'db_service',
  'event',
  'github',
  'lock',
  'oidc',
  'role',
  'saml',
  'session',
  'ssh_session',
  'token',
  'trusted_cluster',
  'user',
];

/** All of a kind, by the names that user records hold for it. */
const reached = rows.flatMap(({ labels, principals, hasObjects }) => [
  `${labels}: { '*': '*' }`,
  ...principals
    .filter(({ userTrait }) => userTrait !== undefined)
    .map(({ field, trait = field }) => `${field}: ['{{internal.${trait}}}']`),
  ...(hasObjects ? ['kubernetes_resources:', "  - { kind: pod, namespace: '*', name: '*' }"] : []),
]);

const managed = [...MANAGED, ...rows.flatMap(({ rules }) => rules)].sort();

const indented = (lines: readonly string[], by: string) => lines.map((each) => `${by}${each}`).join('\n');

export const READY_MADE_ROLES: Readonly<Record<string, string>> = {
  access: `kind: role
version: v6
metadata:
  name: access
  description: Reach every resource, as the names the user record lists
spec:
  allow:
    # Who reaches what is decided by the traits of the user.
${indented(reached, '    ')}
    rules:
      # Recordings of sessions the user took part in.
      - resources: [session]
        verbs: [list, read]
        where: contains(session.participants, user.metadata.name)
`,
  editor: `kind: role
version: v6
metadata:
  name: editor
  description: Manage users, roles, connectors, clusters and resources
spec:
  allow:
    rules:
      - resources:
${indented(managed, '          - ')}
        verbs: ['*']
`,
  auditor: `kind: role
version: v6
metadata:
  name: auditor
  description: Read the audit log, see who is connected and play recordings
spec:
  allow:
    rules:
      - resources: [event, session, ssh_session]
        verbs: [list, read]
`,
};
