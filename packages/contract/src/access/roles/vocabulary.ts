/** The words of role documents: versions, what rules may name, and what may be done to it. What belongs to a kind of resource is read off its row. */
import { type KindLabels, type KindPrincipal, type KindRule, rows, type SessionKind } from '../../kinds/kinds.ts';

export const ROLE_VERSIONS = ['v3', 'v4', 'v5', 'v6', 'v7', 'v8'] as const;
export type RoleVersion = (typeof ROLE_VERSIONS)[number];

/** Verbs as rules spell them; the words of the acl are accepted too. */
export const RULE_VERBS = [
  'list',
  'read',
  'readnosecrets',
  'create',
  'update',
  'delete',
  'rotate',
  'use',
  '*',
] as const;
export type RuleVerb = Exclude<(typeof RULE_VERBS)[number], '*'>;

export const VERB_SYNONYMS: Readonly<Record<string, RuleVerb>> = { edit: 'update', remove: 'delete' };

/** Everything a rule may name. What does not exist here yet can be named: documents written elsewhere do. */
const OTHER_RESOURCES = [
  '*',
  'access_list',
  'access_request',
  'api_token',
  'app_session',
  'auth_connector',
  'auth_server',
  'billing',
  'bot',
  'cert_authority',
  'cluster_alert',
  'cluster_auth_preference',
  'cluster_name',
  'cluster_networking_config',
  'connection_diagnostic',
  'db_approval',
  'db_service',
  'device',
  'download',
  'event',
  'github',
  'host_cert',
  'installer',
  'instance',
  'integration',
  'kube_service',
  'license',
  'lock',
  'login_rule',
  'namespace',
  'network_restrictions',
  'oidc',
  'plugin',
  'proxy',
  'remote_cluster',
  'reverse_tunnel',
  'role',
  'saml',
  'saml_idp_service_provider',
  'semaphore',
  'session',
  'session_recording_config',
  'session_tracker',
  'ssh_session',
  'static_tokens',
  'token',
  'trusted_cluster',
  'tunnel_connection',
  'ui_config',
  'usage_event',
  'user',
  'user_group',
  'web_session',
  'web_token',
] as const;

export type RuleResource = (typeof OTHER_RESOURCES)[number] | KindRule;
export const RULE_RESOURCES = [...OTHER_RESOURCES, ...rows.flatMap((row) => row.rules)].sort() as [
  RuleResource,
  ...RuleResource[],
];

/** Lists of names somebody may become on a target. */
export type PrincipalField = KindPrincipal['field'];
const principals = rows.flatMap((row) => row.principals);
export const PRINCIPAL_FIELDS = principals.map(({ field }) => field) as [PrincipalField, ...PrincipalField[]];

const OTHER_LABELS = ['cluster_labels', 'db_service_labels'] as const;
/** Which things a role reaches, by their labels. */
export type LabelField = KindLabels | (typeof OTHER_LABELS)[number];
export const LABEL_FIELDS = [...rows.map(({ labels }) => labels as KindLabels), ...OTHER_LABELS] as unknown as [
  LabelField,
  ...LabelField[],
];

/** Traits that user records hold, by the name templates call them. */
export const INTERNAL_TRAITS: readonly string[] = principals.map(({ trait, field }) => trait ?? field);

export const SESSION_KINDS = rows.map(({ sessionKind }) => sessionKind) as [SessionKind, ...SessionKind[]];
export const JOIN_MODES = ['peer', 'observer', 'moderator'] as const;
