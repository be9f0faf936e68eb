/** An agent that may offer any application, and what it says of some. */
import { tokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { offeredApps } from '../../src/kinds/app/offered-apps.ts';
import type { OfferedKinds } from '../../src/reach/agents/tunnels/offered-kind.ts';

/** Any host will do, and nothing is sealed. */
export const KINDS: OfferedKinds = {
  node: null,
  app: offeredApps({
    wrongHost: () => undefined,
    secrets: { seal: (_, spec) => ({ spec: { ...spec, through: [], mark: '' }, sealed: undefined }) },
  }),
  kube: null,
  db: null,
  desktop: null,
};

export const AGENT = {
  id: 'a1',
  name: 'edge',
  cluster: 'localhost',
  roles: ['App' as const],
  labels: {},
  offers: tokenOffers.parse({ apps: ['*'] }),
  group: '',
};

export const offer = (name: string, spec: object) => ({
  kind: 'app',
  id: name,
  name,
  labels: {},
  spec: { uri: 'http://127.0.0.1:9', ...spec },
});

export const header = (value: string) => ({ rewrite: { headers: [{ name: 'X-Team', value }] } });
