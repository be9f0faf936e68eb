/** Leaves and roots of a cluster, as the gateway tells of them. */
import { CLUSTER } from './fake-gateway.ts';
import { KEY } from './no-trusts.ts';

export { KEY };

export const EAST = {
  name: 'east',
  id: '3f0c41e9-90ab-45d2-8d27-0c41e90ab5d2',
  key: KEY,
  labels: { region: 'us-east' },
  version: '0.1.0',
  status: 'online',
  connectedSince: '2026-11-15T03:00:00Z',
  lastSeen: '2026-11-15T04:00:00Z',
  created: '2026-11-14T03:00:00Z',
  createdBy: 'ines',
};

export const LAB = { ...EAST, name: 'lab', id: '6f0c41e9-90ab-45d2-8d27-0c41e90ab5d2', labels: {}, version: '0.0.9' };

export const STAGING = {
  ...EAST,
  name: 'staging',
  id: '4f0c41e9-90ab-45d2-8d27-0c41e90ab5d2',
  labels: { env: 'staging' },
  status: 'offline',
  connectedSince: undefined,
  trouble: "'staging' is not connected since 13:52:07",
};

/** No role of the caller shows it. */
export const VAULT = { ...EAST, name: 'vault', id: '5f0c41e9-90ab-45d2-8d27-0c41e90ab5d2', labels: { secret: 'yes' } };

interface Leaf {
  name: string;
  status: string;
  version: string;
  labels: Readonly<Record<string, string>>;
}

/** A leaf as `sites` has it. */
export function siteOf({ name, status, version, labels }: Leaf) {
  return { ...CLUSTER, name, status, version, labels, leaf: true, nodeCount: 0, authVersion: '', proxyVersion: '' };
}

export const HQ = {
  id: 'trusted_cluster:hq',
  kind: 'trusted_cluster',
  name: 'hq',
  content: [
    'kind: trusted_cluster',
    'version: v2',
    'metadata:',
    '  name: hq',
    'spec:',
    '  enabled: true',
    '  web_proxy_addr: https://hq.example.com',
    '  role_map:',
    '    - remote: dev*',
    '      local: [access]',
    '    - remote: contractor',
    '      local: [access]',
    '  traits: [team]',
    '',
  ].join('\n'),
  revision: 'r1',
  enabled: true,
  address: 'https://hq.example.com',
  rootName: 'hq',
  rootId: '7f0c41e9-90ab-45d2-8d27-0c41e90ab5d2',
  rootKey: KEY,
  roleMap: [
    { remote: 'dev*', local: ['access'] },
    { remote: 'contractor', local: ['access'] },
  ],
  status: 'online',
  since: '2026-11-15T03:00:00Z',
  created: '2026-11-14T03:00:00Z',
  visitors: 7,
};
