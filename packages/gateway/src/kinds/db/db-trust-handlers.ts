/** Answers who wants a certificate for the server of a database. */
import { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { certificateIssued } from '@gatehouse/contract/audit/gateway-events';
import { type dbTrustRoutes, hoursIn, SERVER_FILES } from '@gatehouse/contract/kinds/db/db-trust';
import { dbServerSigned } from '@gatehouse/contract/kinds/db/db-trust-events';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { readP256 } from '../../platform/crypto/x509/mint.ts';
import { attachmentNamed } from '../../platform/http/byte-reply.ts';
import type { Handlers } from '../../platform/http/call.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { tarEnd, tarHeader, tarPadding } from '../../platform/std/tar.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { JoinTokens } from '../../reach/agents/join-tokens/redeem-join-token.ts';
import { requireLeaf } from '../../sessions/tcp/leaf-stream.ts';
import { DOOR_FACTS, type DoorFacts } from './door-certificate.ts';
import { doorName, nameAtDoor } from './door-name.ts';
import { refuseOtherHosts } from './signed-hosts.ts';
import { findWantedDb } from './wanted-db.ts';

const HOUR_MS = 3_600_000;
/** Without a sign-in it opens nothing, however long it is good for. */
const DOOR_MS = 12 * HOUR_MS;
const FACTOR_MS = HOUR_MS;
/** A common name is no longer; the names it is dialled by stand beside it anyway. */
const MAX_COMMON_NAME = 64;

export interface DbTrustDeps {
  clusters: Pick<Clusters, 'find'>;
  db: Db;
  access: AccessControl;
  audit: Audit;
  identity: Pick<Identity, 'proveAgain'>;
  tokens: Pick<JoinTokens, 'require' | 'redeem'>;
  dbAuthorities: DbAuthorities;
  clusterName: string;
  /** The name that people open the gateway by. */
  publicHost(): string;
  /** Where programs of MySQL come in; undefined where they cannot. */
  mysqlPort(): number | undefined;
  now: () => number;
}

export function dbTrustHandlers(deps: DbTrustDeps): Handlers<typeof dbTrustRoutes> {
  const { db, access, audit, tokens, dbAuthorities, clusterName, now } = deps;
  const leafFor = (hosts: readonly string[], ttlMs: number) => ({
    // Whoever is in an organization is a member of the cluster to MongoDB.
    subject: { name: (hosts[0] ?? '').slice(0, MAX_COMMON_NAME) },
    names: hosts,
    ttlMs,
  });
  type Certifying = Parameters<Handlers<typeof dbTrustRoutes>['certify']>[0];
  type Decided = Omit<DoorFacts, 'user' | 'signIn' | 'database'>;

  async function decideHere({ actor, cluster, params, body, exchange }: Certifying): Promise<Decided> {
    const { factor, dbUser: asked, dbName: named } = body;
    const on = { ...deps, clusterName: cluster };
    const { listed, chosen } = await findWantedDb(on, actor, { ...params, dbUser: asked, dbName: named });
    const resource = { ...listed.resource, owner: '' };
    access.require(actor, { type: 'connect', kind: 'db', resource, ...chosen });
    const { dbUser, dbName } = chosen;
    if (!sessionOptions(access.of(actor)).requireMfa) return { dbUser, dbName, factor: 0 };
    if (!factor) throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
    await deps.identity.proveAgain(actor, { code: factor.code, key: factor.key }, exchange);
    return { dbUser, dbName, factor: now() };
  }

  /** What it opens there is decided there, whenever a program comes with it. */
  async function leadElsewhere({ actor, body }: Certifying, leaf: string): Promise<Decided> {
    const found = await requireLeaf(deps.clusters, actor, leaf);
    const { dbUser, dbName, pass = '' } = body;
    if (dbName === '') throw new AppError('bad_request', `name a database: '${found.name}' alone knows which is usual`);
    return { dbUser, dbName, factor: 0, cluster: found.name, ...(pass === '' ? {} : { pass }) };
  }

  const authorities = async () => (await dbAuthorities.trusted('db_client')).join('');

  return {
    async certify(given) {
      const { actor, params, body, exchange } = given;
      const { name } = params;
      const { leaf } = body;
      if (actor.isOwner) throw new AppError('denied', 'a certificate belongs to a sign-in: sign in first');
      const decided = await (leaf === undefined ? decideHere(given) : leadElsewhere(given, leaf));
      const { dbUser, dbName, cluster } = decided;
      const { username: user, signInId: signIn } = actor;
      const facts: DoorFacts = { user, signIn, database: name, ...decided };
      const certificate = await dbAuthorities.mintFor('db_door', keyIn(body.publicKey), {
        subject: { organization: clusterName, name: user },
        ttlMs: decided.factor > 0 || decided.pass !== undefined ? FACTOR_MS : DOOR_MS,
        facts: { oid: DOOR_FACTS, text: JSON.stringify(facts) },
      });
      const { expires, fingerprint } = factsOf(certificate);
      await db.transaction().execute((tx) =>
        audit.emit(
          tx,
          certificateIssued,
          {
            cert_type: 'db',
            identity: {
              user,
              database: nameAtDoor(name, cluster),
              db_user: dbUser,
              db_name: dbName,
              expires,
              fingerprint,
            },
            user,
          },
          { signInId: signIn, address: exchange.address },
        ),
      );
      const mysqlPort = deps.mysqlPort();
      return {
        ...{ certificate, expires, dbUser, dbName, serverName: doorName(name, deps.publicHost(), cluster) },
        ...(mysqlPort === undefined ? {} : { mysqlPort }),
      };
    },

    async sign({ actor, cluster, body: { hosts, publicKey, ttlSeconds }, exchange }) {
      const object = { kind: 'db', name: hosts[0] ?? '', labels: {} } as const;
      access.require(actor, { type: 'verb', resource: 'db', verb: 'create', object });
      const certificate = await dbAuthorities.mintFor('db', keyIn(publicKey), leafFor(hosts, ttlSeconds * 1000));
      await db
        .transaction()
        .execute((tx) =>
          audit.emit(
            tx,
            dbServerSigned,
            { user: actor.username, hosts, ...factsOf(certificate) },
            contextOf(actor, exchange),
          ),
        );
      const { expires } = factsOf(certificate);
      return { certificate, authorities: await authorities(), expires, cluster };
    },

    async signByToken({ body: { hostname: hosts, ttl }, exchange }) {
      const [first = ''] = hosts;
      const secret = /^Bearer (.+)$/i.exec(exchange.header('authorization') ?? '')?.[1] ?? '';
      const { address } = exchange;
      // One token signs once, however often it may let machines in.
      const asker = { address, name: first, key: 'sign db', role: 'Db', isKnown: async () => false } as const;
      // Before the store is held for writing, and not for everybody who calls.
      await tokens.require(secret, asker);
      const { cert, key } = await dbAuthorities.mint('db', leafFor(hosts, hoursIn(ttl) * HOUR_MS));
      const files = await tokens.redeem(secret, asker, async (tx, token) => {
        await refuseOtherHosts(tx, clusterName, token, hosts);
        const fields = { hosts, ...factsOf(cert), token_name: token.id };
        await audit.emit(tx, dbServerSigned, fields, { address });
        return { [SERVER_FILES.key]: key, [SERVER_FILES.certificate]: cert };
      });
      const archive = gzipSync(archiveOf({ ...files, [SERVER_FILES.authorities]: await authorities() }, now()));
      return {
        status: 200,
        headers: { 'content-disposition': attachmentNamed(`teleport_mTLS_${first}.tar.gz`) },
        bytes: Readable.from([archive]),
      };
    },
  };
}

function keyIn(pem: string) {
  try {
    return readP256(pem);
  } catch (error) {
    throw new AppError('bad_request', 'publicKey: must be a P-256 key as PEM', { cause: error });
  }
}

function factsOf(certificate: string): { fingerprint: string; expires: string } {
  const { fingerprint256, validToDate } = new X509Certificate(certificate);
  return { fingerprint: fingerprint256, expires: validToDate.toISOString() };
}

function archiveOf(files: Readonly<Record<string, string>>, now: number): Buffer {
  const entries = Object.entries(files).flatMap(([name, text]) => {
    const body = Buffer.from(text);
    const mode = name === SERVER_FILES.key ? 0o600 : 0o644;
    const entry = { name: Buffer.from(name), mode, size: body.length, modified: Math.floor(now / 1000) };
    return [tarHeader({ type: 'file', ...entry }), body, tarPadding(body.length)];
  });
  return Buffer.concat([...entries, tarEnd()]);
}
