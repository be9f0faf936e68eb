/** The words of role documents: versions, what rules may name, and what may be done to it. */

export const ROLE_VERSIONS = ['v3', 'v4', 'v5', 'v6'] as const;

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
export const RULE_RESOURCES = [
  '*',
  'access_list',
  'access_request',
  'api_token',
  'app',
  'app_server',
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
  'db',
  'db_server',
  'db_service',
  'device',
  'download',
  'event',
  'github',
  'host_cert',
  'installer',
  'instance',
  'integration',
  'kube_cluster',
  'kube_server',
  'kube_service',
  'license',
  'lock',
  'login_rule',
  'namespace',
  'network_restrictions',
  'node',
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
  'windows_desktop',
  'windows_desktop_service',
] as const;

/** Lists of names somebody may become on a target. */
export const PRINCIPAL_FIELDS = [
  'logins',
  'db_users',
  'db_names',
  'kubernetes_users',
  'kubernetes_groups',
  'windows_desktop_logins',
  'aws_role_arns',
  'azure_identities',
  'gcp_service_accounts',
] as const;
export type PrincipalField = (typeof PRINCIPAL_FIELDS)[number];

/** Which things a role reaches, by their labels. */
export const LABEL_FIELDS = [
  'node_labels',
  'app_labels',
  'kubernetes_labels',
  'db_labels',
  'windows_desktop_labels',
  'cluster_labels',
  'db_service_labels',
] as const;
export type LabelField = (typeof LABEL_FIELDS)[number];

/** Traits that user records hold, by the name templates call them. */
export const INTERNAL_TRAITS = [
  'logins',
  'db_users',
  'db_names',
  'kubernetes_users',
  'kubernetes_groups',
  'windows_logins',
  'aws_role_arns',
  'azure_identities',
  'gcp_service_accounts',
] as const;

export const SESSION_KINDS = ['ssh', 'k8s', 'db', 'app', 'desktop'] as const;
export const JOIN_MODES = ['peer', 'observer', 'moderator'] as const;
