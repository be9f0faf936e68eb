/** Certificates of databases: what their servers show, and who may have one made. */
import { z } from 'zod';
import { factorAnswer } from '../../identity/webauthn.ts';
import { isLineText, STEERING } from '../../std/line-text.ts';
import { defineRoutes } from '../../wire/route.ts';
import { dbRoute } from './databases.ts';
import { serverHosts } from './server-hosts.ts';

const HOUR_SECONDS = 3600;
/** Three months: long enough to be renewed by hand, short enough to be renewed. */
export const SERVER_HOURS = 2_190;
const MAX_SERVER_HOURS = 17_520;

/** Files of a server, by what they are called in its configuration. */
export const SERVER_FILES = { key: 'server.key', certificate: 'server.crt', authorities: 'server.cas' } as const;

/** PEM of a P-256 key; the private half stays with whoever made it. */
export const publicKeyPem = z
  .string()
  .max(1_024)
  .refine((text) => text.startsWith('-----BEGIN PUBLIC KEY-----'), 'holds no PEM public key');

const ttl = z
  .string()
  .regex(/^\d{1,5}h$/, 'must be hours, like 2190h')
  .refine((text) => hoursIn(text) >= 1 && hoursIn(text) <= MAX_SERVER_HOURS, `must be 1h to ${MAX_SERVER_HOURS}h`);

/** Of a `ttl` that was checked. */
export function hoursIn(text: string): number {
  return Number(text.slice(0, -1));
}

export const signedServer = z.object({
  /** PEM. */
  certificate: z.string(),
  /** PEM of the authorities that vouch for sign-ins of the gateway: what the server must trust. */
  authorities: z.string(),
  expires: z.string(),
  /** In the names of users that sign in by certificate. */
  cluster: z.string(),
});

/** They are written into files of other programs and onto terminals: a line break would begin something else there. */
const line = z.string().refine(isLineText, STEERING);

export const doorCertificate = z.object({
  /** PEM. */
  certificate: z.string(),
  expires: line,
  /** As whom, and to which: the certificate is good for these alone. */
  dbUser: line,
  dbName: line,
  /** By which clients of Redis and MongoDB name the database in their TLS; empty where the gateway has no name to put one under. */
  serverName: line,
  /** Where clients of MySQL come in; absent where they cannot. */
  mysqlPort: z.number().int().optional(),
});

export const dbTrustRoutes = defineRoutes({
  certify: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/:name/certificate',
    summary:
      'Certifies a key of the caller for connections of programs to one database, as one user. Each of them is admitted anew; without the sign-in it opens nothing.',
    auth: 'signed-in',
    body: z.strictObject({
      ...{ publicKey: publicKeyPem, factor: factorAnswer.optional(), ...dbRoute.shape },
      /** A leaf that has the database, where programs are led to; absent: the cluster that is asked. */
      leaf: z.string().min(1).max(253).optional(),
      /** What a second factor was traded for at that leaf. */
      pass: z.string().max(128).optional(),
    }),
    reply: doorCertificate,
  },
  sign: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/sign',
    summary: 'Signs a certificate for the server of a database, for a key whose private half stays with the caller.',
    auth: 'signed-in',
    needs: ['db', 'create'],
    body: z.strictObject({
      hosts: serverHosts,
      publicKey: publicKeyPem,
      ttlSeconds: z
        .number()
        .int()
        .min(HOUR_SECONDS)
        .max(MAX_SERVER_HOURS * HOUR_SECONDS)
        .default(SERVER_HOURS * HOUR_SECONDS),
    }),
    reply: signedServer,
  },
  signByToken: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/sign/db',
    summary:
      'Key, certificate and authorities for the server of a database, as a tar archive. Takes a join token of the role Db as bearer: each signs once, and only for the hosts it was made for, or for databases whose labels it names.',
    auth: 'public',
    limited: true,
    body: z.object({
      /** One, or several with commas between. */
      hostname: z
        .string()
        .max(2_048)
        .transform((text) => text.split(',').map((each) => each.trim()))
        .pipe(serverHosts),
      ttl: ttl.default(`${SERVER_HOURS}h`),
    }),
    reply: undefined,
    replyAs: 'bytes',
  },
});
