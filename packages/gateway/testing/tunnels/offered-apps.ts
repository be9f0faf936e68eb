/** An agent that may offer any application, and what it says of some. */
import { tokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';

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
