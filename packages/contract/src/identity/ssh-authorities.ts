/** The keys that sign SSH user certificates, and their rotation. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

export const sshAuthority = z.object({
  id: z.string(),
  /** A line for TrustedUserCAKeys. */
  publicKey: z.string(),
  fingerprint: z.string(),
  created: z.string(),
  /** `signing`: certificates carry its signature. `leaving`: still offered beside the new one, until `until`. */
  state: z.enum(['signing', 'leaving']),
  until: z.string().optional(),
});
export type SshAuthority = z.output<typeof sshAuthority>;

export const sshAuthorityRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sshauthorities',
    summary: 'The public keys that servers with plain OpenSSH must trust now.',
    auth: 'public',
    reply: z.array(sshAuthority),
  },
  exportKeys: {
    method: 'GET',
    path: '/v1/webapi/auth/export',
    summary: 'The same keys as lines for a TrustedUserCAKeys file.',
    auth: 'public',
    query: z.object({ type: z.enum(['user', 'openssh'], "only the types 'user' and 'openssh' are known here") }),
    reply: z.string(),
    replyAs: 'text',
  },
  rotate: {
    method: 'POST',
    path: '/v1/webapi/sshauthorities/rotate',
    summary: 'Makes a new signing key; the one before stays in use beside it for the overlap.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.strictObject({
      overlapSeconds: z
        .number()
        .int()
        .min(0)
        .max(366 * 86_400)
        .default(7 * 86_400),
    }),
    reply: z.array(sshAuthority),
  },
});
