/** Which picture an application gets when nobody chose one: a word in its name that many products have. */
const KNOWN = [
  'argocd',
  'confluence',
  'elastic',
  'gitea',
  'gitlab',
  'grafana',
  'harbor',
  'jenkins',
  'jira',
  'jupyter',
  'keycloak',
  'kibana',
  'mattermost',
  'metabase',
  'minio',
  'nexus',
  'nginx',
  'prometheus',
  'rabbitmq',
  'redis',
  'sentry',
  'sonarqube',
  'superset',
  'vault',
  'wiki',
  'wordpress',
] as const;

/** Empty when nothing fits. */
export function iconFor(name: string, chosen: string): string {
  return chosen || (KNOWN.find((word) => name.includes(word)) ?? '');
}
