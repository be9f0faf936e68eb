/** How this gateway is set up, for administrators to read. It is changed where the gateway runs. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

export const gatewaySetting = z.object({
  key: z.string(),
  /** Absent when it is not set and has no default. Secrets are hidden. */
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  /** A flag, a variable, a file with its line, or `default`. */
  source: z.string(),
});
export type GatewaySetting = z.output<typeof gatewaySetting>;

export const gatewaySettingRoutes = defineRoutes({
  read: {
    method: 'GET',
    path: '/v1/webapi/gatewaysettings',
    summary:
      'Every key of the configuration of the gateway that answers, with its value and where it is set. Secrets are hidden.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'read'],
    reply: z.object({
      version: z.string(),
      /** How long a sign-in lasts at most. No key sets it. */
      signInHours: z.number(),
      settings: z.array(gatewaySetting),
    }),
  },
});
