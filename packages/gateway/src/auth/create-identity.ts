/** Makes identity out of the store, the change feed and the configuration. Until people exist, nobody is signed in. */
import { API } from '@gatehouse/contract/api';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { GatewayConfig } from '../config/resolve.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { AppError } from '../std/app-error.ts';
import type { Log } from '../std/log.ts';
import type { Storage } from '../storage/storage.ts';
import type { Identity } from './identity.ts';

export interface IdentityDeps {
  config: Pick<GatewayConfig, 'clusterName' | 'publicAddr' | 'auth'>;
  storage: Pick<Storage, 'db' | 'engine' | 'cluster'>;
  feed: ChangeFeed;
  secrets: SecretBox;
  /** Where people open the console, known once the gateway listens. */
  publicOrigin(): string;
  log: Log;
  now: () => number;
}

export async function createIdentity({ config }: IdentityDeps): Promise<Identity> {
  const nobody = async () => {
    throw new AppError('not_signed_in', 'you are not signed in');
  };
  const handlers = Object.fromEntries(
    Object.entries(API).map(([feature, routes]) => [
      feature,
      Object.fromEntries(Object.keys(routes).map((name) => [name, nobody])),
    ]),
  );
  const { ping: _ping, clusters: _clusters, capture: _capture, openApi: _openApi, ...own } = handlers;
  return {
    authenticate: nobody,
    pageSignIn: async () => undefined,
    pageAuth: async () => ({
      second_factor: config.auth.secondFactor,
      allowPasswordless: false,
      preferredLocalMfa: '',
      localConnectorName: '',
    }),
    handlers: own as unknown as Identity['handlers'],
    close: async () => {},
  };
}
