/** Names of things that somebody may not know, and of things that there are none of: the two must read the same. */
import { randomUUID } from 'node:crypto';
import type { Thing } from '@gatehouse/contract/testing/named-things';

export const CLUSTER = { clusterId: 'localhost' };
export const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mkCCMCR8dF1dI2G1DEgEbQdGTsD1vUgTmoKvPHKBg';

export const ABSENT: Record<Thing, string> = {
  agent: 'prod-agent-2',
  alert: 'prod-alert-2',
  app: 'prodapp2',
  'app-name': 'prodname2',
  db: 'proddb2',
  'db-name': 'proddbname2',
  denial: randomUUID(),
  desktop: 'proddesktop2',
  diagnostic: randomUUID(),
  'file-session': randomUUID(),
  'join-token': randomUUID(),
  kube: 'prodkube2',
  'kube-name': 'prodkubename2',
  leaf: 'prod-leaf-2',
  lock: randomUUID(),
  node: 'prod-2',
  recording: randomUUID(),
  role: 'prod-role-2',
  session: randomUUID(),
  trust: 'prod-trust-2',
  user: 'prod-bob',
};

/** Those with an id of their own are filled in by who makes them. */
export const hidden: Record<Thing, string> = {
  agent: 'prod-agent-1',
  alert: 'prod-alert-1',
  app: 'prodapp1',
  'app-name': 'prodname1',
  db: 'proddb1',
  'db-name': 'proddbname1',
  denial: randomUUID(),
  desktop: 'proddesktop1',
  diagnostic: randomUUID(),
  'file-session': randomUUID(),
  'join-token': '',
  kube: 'prodkube1',
  'kube-name': 'prodkubename1',
  leaf: 'prod-leaf-1',
  lock: '',
  node: 'prod-1',
  recording: randomUUID(),
  role: 'prod-role-1',
  session: randomUUID(),
  trust: 'prod-trust-1',
  user: 'prod-ann',
};

const DEV = 'has_prefix(resource.metadata.name, "dev-")';
const ENV = 'equals(resource.metadata.labels["env"], "dev")';
const OWN = 'contains(session.participants, user.metadata.name)';
/** The role of who may know only of some. */
export const LIMITED = `{allow: {logins: [eve], node_labels: {env: dev}, app_labels: {env: dev}, db_labels: {env: dev}, kubernetes_labels: {env: dev}, windows_desktop_labels: {env: dev}, windows_desktop_logins: [x], db_users: [x], db_names: [x], rules: [
  {resources: [user, lock, token], verbs: ['*'], where: '${DEV}'},
  {resources: [role], verbs: [list, read]},
  {resources: [node, app_server, db_server, db, kube_server, windows_desktop], verbs: ['*'], where: '${ENV}'},
  {resources: [session, ssh_session], verbs: ['*'], where: '${OWN}'},
  {resources: [trusted_cluster], verbs: ['*'], where: '${DEV}'},
  {resources: [connection_diagnostic], verbs: ['*']}]}}`;
export const ALL_ROLES = `{allow: {rules: [{resources: [role], verbs: ['*']}, {resources: [lock], verbs: [create]}]}}`;

/** A server as the inventory keeps it: one without the rest fails the list that has it, and a list that fails hides everything. */
export function aNode(name: string, env: string) {
  return {
    ...{ cluster: CLUSTER.clusterId, kind: 'node' as const, id: randomUUID(), name, labels: { env } },
    ...{ spec: { type: 'agent', hostname: name }, owner: 'a', expires: undefined, searchWords: [] },
  };
}
