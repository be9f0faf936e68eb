/** What the gateway prints into the page and the console reads on start. */
import { z } from 'zod';

export const SECOND_FACTORS = ['off', 'otp', 'webauthn', 'on', 'optional'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

export const PRIVATE_KEY_POLICIES = ['none', 'hardware_key', 'hardware_key_touch'] as const;
/** Names of the way in that needs no provider: `passwordless` leads with passkeys. */
export const LOCAL_CONNECTORS = ['local', 'passwordless'] as const;

const provider = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  type: z.enum(['oidc', 'saml', 'github']),
  url: z.string(),
});

export const pageConfig = z.object({
  auth: z.object({
    second_factor: z.enum(SECOND_FACTORS).default('off'),
    providers: z.array(provider).default([]),
    localAuthEnabled: z.boolean().default(true),
    allowPasswordless: z.boolean().default(false),
    authType: z.enum(['local', 'github', 'oidc', 'saml']).default('local'),
    preferredLocalMfa: z.enum(['webauthn', 'otp', '']).default(''),
    localConnectorName: z.string().default(''),
    privateKeyPolicy: z.enum(PRIVATE_KEY_POLICIES).default('none'),
  }),
  canJoinSessions: z.boolean().default(true),
  proxyCluster: z.string().default('localhost'),
  isCloud: z.boolean().default(false),
  isDashboard: z.boolean().default(false),
  tunnelPublicAddress: z.string().default(''),
  recoveryCodesEnabled: z.boolean().default(false),
  ui: z.object({ scrollbackLines: z.number().int().positive().default(1000) }).prefault({}),
  /** Ours, beside the reference's names. */
  gatehouse: z
    .object({
      version: z.string(),
      language: z.string().optional(),
      /** Only while nobody has set a password or key, so that nobody could sign in. */
      isUnclaimed: z.literal(true).optional(),
      /** How connectors are drawn, and whose e-mail domains lead to which. */
      connectors: z
        .array(z.object({ name: z.string(), icon: z.string().optional(), domains: z.array(z.string()).optional() }))
        .optional(),
    })
    .prefault({ version: '' }),
});
export type PageConfig = z.output<typeof pageConfig>;
export type PageConfigSent = z.input<typeof pageConfig>;

/** Which form the login page shows first. */
export function primaryAuthType(auth: PageConfig['auth']): 'passwordless' | 'local' | 'sso' {
  if (auth.localConnectorName === 'passwordless') return 'passwordless';
  return auth.authType === 'local' ? 'local' : 'sso';
}
