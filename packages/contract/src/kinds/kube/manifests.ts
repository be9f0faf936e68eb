/** What a Kubernetes cluster is given so that the gateway may act as people there, as objects of its API: the one file they come from, whoever applies them. */

/** An object of Kubernetes, as its API takes it. */
export interface KubeManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [more: string]: unknown;
}

/** Everything of ours in a cluster is called so, and lies in the namespace of this name. */
export const KUBE_ACCOUNT = 'gatehouse';

/** Of everybody's, where Node is: no image of ours has to be published. */
export const KUBE_AGENT_IMAGE = 'node:24-bookworm-slim';

const ANY = '*';
const RBAC = 'rbac.authorization.k8s.io';
const LABELS = { 'app.kubernetes.io/managed-by': 'gatehouse' };

/**
 * Acting as people, and nothing else. Groups are named one by one: whoever may take any group takes `system:masters`, which may do
 * everything. Users have no such power by themselves, and are not known beforehand.
 */
export function impersonator(groups: readonly string[], name = KUBE_ACCOUNT): KubeManifest {
  const group = { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'] };
  const named = groups.includes(ANY) ? group : { ...group, resourceNames: [...groups] };
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: LABELS },
    rules: [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }, ...(groups.length > 0 ? [named] : [])],
  };
}

/** The account that acts as people, with its rights, in the order in which they must be made. What is of the whole cluster is called as the namespace: a second gateway takes another. */
export function accountManifests(groups: readonly string[], namespace = KUBE_ACCOUNT): KubeManifest[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: LABELS } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: KUBE_ACCOUNT, namespace, labels: LABELS } },
    impersonator(groups, namespace),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace, labels: LABELS },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: namespace },
      subjects: [{ kind: 'ServiceAccount', name: KUBE_ACCOUNT, namespace }],
    },
  ];
}

/** A token that does not end by itself: the cluster fills it in. Removing it, or the account, ends it. */
export function tokenSecret(namespace = KUBE_ACCOUNT): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${KUBE_ACCOUNT}-token`,
      namespace,
      labels: LABELS,
      annotations: { 'kubernetes.io/service-account.name': KUBE_ACCOUNT },
    },
    type: 'kubernetes.io/service-account-token',
  };
}

/** Where its API has it: the collection, and what is created there. */
export function collectionOf({ apiVersion, kind, metadata: { namespace } }: KubeManifest): string {
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}

const AGENT = `${KUBE_ACCOUNT}-agent`;
const AGENTS = 2;
const DATA = '/data';
const CONFIG = '/etc/gatehouse-agent';
const PROGRAM = '/agent';

export interface AgentManifest {
  /** Of the cluster, as it is offered. */
  name: string;
  groups: readonly string[];
  namespace: string;
  /** With Node and tar, for glibc: it fetches the agent from the gateway, and no image of ours is needed. */
  image: string;
  /** Where pods reach the gateway. */
  gateway: string;
  /** PEM of its authority, where no public one vouches for it; empty otherwise. */
  authority: string;
  token: string;
}

/** Fetches the agent of this machine's sort from the gateway, whose certificate is checked, and unpacks it. */
const FETCH = [
  "const { writeFileSync } = require('node:fs');",
  "const { execFileSync } = require('node:child_process');",
  'const [, gateway, to] = process.argv;',
  "const url = gateway + '/scripts/agent/gatehouse-agent-linux-' + process.arch + '.tar.gz';",
  'const fetchAgent = async () => {',
  '  const answer = await fetch(url);',
  "  if (!answer.ok) throw new Error(url + ' answers with ' + answer.status);",
  "  writeFileSync(to + '/agent.tar.gz', Buffer.from(await answer.arrayBuffer()));",
  "  execFileSync('tar', ['-xzf', to + '/agent.tar.gz', '-C', to, '--strip-components=1']);",
  '};',
  "const tell = (error) => { console.error('the agent could not be fetched: ' + (error.cause ?? error)); process.exit(1); };",
  'fetchAgent().catch(tell);',
].join('\n');

/** Agents in the cluster that they offer. Each has a Secret that its identity is kept in: pods forget, and a join token ends. */
export function agentManifests(asked: AgentManifest): KubeManifest[] {
  const { name, groups, namespace, image, gateway, authority, token } = asked;
  const identities = Array.from({ length: AGENTS }, (_, at) => `${AGENT}-${at}`);
  const meta = (called: string) => ({ name: called, namespace, labels: LABELS });
  const role = { apiGroup: RBAC, kind: 'Role', name: AGENT };
  return [
    ...accountManifests(groups, namespace),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: meta(AGENT),
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'patch'], resourceNames: identities }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: meta(AGENT),
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', name: KUBE_ACCOUNT, namespace }],
    },
    ...identities.map((secret) => ({ apiVersion: 'v1', kind: 'Secret', metadata: meta(secret), type: 'Opaque' })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta(AGENT),
      type: 'Opaque',
      stringData: { token, 'agent.yaml': agentFile(asked), 'gateway-ca.pem': authority },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: meta(AGENT),
      spec: {
        replicas: AGENTS,
        serviceName: AGENT,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: AGENT } },
        template: {
          metadata: { labels: { ...LABELS, app: AGENT } },
          spec: {
            serviceAccountName: KUBE_ACCOUNT,
            securityContext: { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
            initContainers: [
              {
                name: 'fetch',
                image,
                command: ['node', '-e', FETCH, gateway, PROGRAM],
                env: [
                  ...(authority === '' ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${CONFIG}/gateway-ca.pem` }]),
                ],
                securityContext: LOCKED_DOWN,
                volumeMounts: [
                  { name: 'program', mountPath: PROGRAM },
                  { name: 'config', mountPath: CONFIG, readOnly: true },
                ],
              },
            ],
            containers: [
              {
                name: 'agent',
                image,
                command: [`${PROGRAM}/gatehouse-agent`, 'agent', '--config', `${CONFIG}/agent.yaml`],
                env: [
                  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  { name: 'GATEHOUSE_AGENT_NAME', value: `${name}-$(POD_NAME)` },
                  { name: 'GATEHOUSE_AGENT_IDENTITY_SECRET', value: `${namespace}/$(POD_NAME)` },
                  { name: 'GATEHOUSE_AGENT_TOKEN', valueFrom: { secretKeyRef: { name: AGENT, key: 'token' } } },
                ],
                resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '512Mi' } },
                securityContext: LOCKED_DOWN,
                volumeMounts: [
                  { name: 'program', mountPath: PROGRAM, readOnly: true },
                  { name: 'config', mountPath: CONFIG, readOnly: true },
                  { name: 'data', mountPath: DATA },
                ],
              },
            ],
            volumes: [
              { name: 'program', emptyDir: {} },
              { name: 'data', emptyDir: {} },
              {
                name: 'config',
                secret: {
                  secretName: AGENT,
                  items: ['agent.yaml', 'gateway-ca.pem'].map((key) => ({ key, path: key })),
                },
              },
            ],
          },
        },
      },
    },
  ];
}

const LOCKED_DOWN = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** JSON, which is YAML too. */
function agentFile({ name, gateway, authority }: AgentManifest): string {
  return `${JSON.stringify({
    ...{ gateway, dataDir: `${DATA}/agent`, shell: false },
    ...(authority === '' ? {} : { ca: `${CONFIG}/gateway-ca.pem` }),
    kubernetes: [{ name, inCluster: true }],
  })}\n`;
}
