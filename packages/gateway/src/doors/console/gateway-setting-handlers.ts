/** Answers how this gateway is set up. */
import type { GatewaySetting, gatewaySettingRoutes } from '@gatehouse/contract/console/gateway-settings';
import type { AccessControl } from '../../access/create-access.ts';
import { requireOnCluster } from '../../access/reach.ts';
import type { Handlers } from '../../platform/http/call.ts';

export interface GatewaySettingDeps {
  access: Pick<AccessControl, 'require'>;
  clusterName: string;
  version: string;
  /** How long a sign-in lasts at most. */
  signInMs: number;
  settings: readonly GatewaySetting[];
}

export function gatewaySettingHandlers(deps: GatewaySettingDeps): Handlers<typeof gatewaySettingRoutes> {
  const { access, clusterName, version, signInMs, settings } = deps;
  return {
    async read({ actor }) {
      requireOnCluster(access, actor, 'read', clusterName);
      return { version, signInHours: signInMs / 3_600_000, settings: [...settings] };
    },
  };
}
