/** Serves the console's page with what it must know before it asks for anything. */
import { VERSION } from '@gatehouse/contract/std/version';
import type { FastifyInstance } from 'fastify';
import { servePage } from '../doors/console/page.ts';
import type { Identity } from '../identity/identity.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import { connectorWords } from './connector-words.ts';

interface Parts {
  config: Pick<GatewayConfig, 'clusterName' | 'canJoinSessions' | 'ui'>;
  identity: Pick<Identity, 'pageAuth' | 'offered' | 'isUnclaimed' | 'pageSignIn'>;
  consoleDir: string;
}

export async function serveConsole(app: FastifyInstance, { config, identity, consoleDir }: Parts): Promise<void> {
  await servePage(app, {
    consoleDir,
    pageConfig: async () => ({
      auth: { ...(await identity.pageAuth()), localAuthEnabled: true, authType: 'local' },
      proxyCluster: config.clusterName,
      recoveryCodesEnabled: true,
      canJoinSessions: config.canJoinSessions ?? true,
      ...(config.ui ? { isDashboard: config.ui.isDashboard, ui: { scrollbackLines: config.ui.scrollbackLines } } : {}),
      gatehouse: {
        version: VERSION,
        ...connectorWords(await identity.offered()),
        ...((await identity.isUnclaimed()) ? { isUnclaimed: true } : {}),
      },
    }),
    pageSignIn: identity.pageSignIn,
  });
}
