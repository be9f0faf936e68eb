/** Certificates by which programs of a sign-in come to the SSH door. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';
import { headlessAsked } from './headless.ts';

export const MAX_CERTIFICATE_SECONDS = 12 * 3_600;

export const sshCertificate = z.object({
  /** In hexadecimal. */
  serial: z.string(),
  /** Of the key that is certified. */
  fingerprint: z.string(),
  /** The sign-in it stands on, and ends with. */
  signIn: z.string(),
  created: z.string(),
  expires: z.string(),
});
export type SshCertificate = z.output<typeof sshCertificate>;

export const sshBoundKey = z.object({
  id: z.string(),
  fingerprint: z.string(),
  /** From where alone it is let in. */
  address: z.string(),
  /** The sign-in of the browser that said yes, and with which it ends. */
  signIn: z.string(),
  created: z.string(),
});
export type SshBoundKey = z.output<typeof sshBoundKey>;

export const sshCertificateRoutes = defineRoutes({
  keys: {
    method: 'GET',
    path: '/v1/webapi/ssh/keys',
    summary: 'Keys that the caller lets in at the SSH door until the browser that said so signs out.',
    auth: 'signed-in',
    reply: z.array(sshBoundKey),
  },
  unbind: {
    method: 'DELETE',
    path: '/v1/webapi/ssh/keys/:keyId',
    summary: 'Lets a key in no longer: connections that come with it ask the browser again.',
    auth: 'signed-in',
    reply: ack,
  },
  issue: {
    method: 'POST',
    path: '/v1/webapi/ssh/certs',
    summary:
      'Certifies a public key for the SSH door, as the caller and for no longer than their sign-in lasts. The key is a line of a public key file, or that in base64; the certificate comes written in the same way. With headless_id, user and target nobody need be signed in: the call is held for up to three minutes until that user approves it, and certifies for one session on that server.',
    auth: 'signed-in',
    nobodyWith: 'headless_id',
    body: z.object({
      pub_key: z.string().min(1).max(8192),
      /** In nanoseconds, as other clients of this wire write it; what is too little for that is taken for seconds. */
      ttl: z.number().int().min(1).optional(),
      user: headlessAsked.user.optional(),
      headless_id: headlessAsked.headless_id.optional(),
      target: headlessAsked.target.optional(),
      command: headlessAsked.command,
      client: headlessAsked.client,
    }),
    reply: z.object({
      cert: z.string(),
      /** Public keys: the door shows a certificate that one of them has signed. */
      host_authorities: z.array(z.string()),
      username: z.string(),
      serial: z.string(),
      expires: z.string(),
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/webapi/ssh/certs',
    summary: 'The caller’s certificates for the SSH door that are good now.',
    auth: 'signed-in',
    reply: z.array(sshCertificate),
  },
  revoke: {
    method: 'DELETE',
    path: '/v1/webapi/ssh/certs/:serial',
    summary:
      'Revokes a certificate of the caller’s: it opens nothing from here on, and what came in by it is shown out.',
    auth: 'signed-in',
    reply: ack,
  },
});
