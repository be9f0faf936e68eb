/** The authorities of databases without a gateway around them, and terms of signing in by what they mint, for tests of engines. */

import { createDbAuthorities, type DbAuthorities } from '../../src/identity/authorities/db/create-db-authorities.ts';
import { dbTerms } from '../../src/kinds/db/dial-db.ts';
import type { ServerTerms } from '../../src/kinds/db/engine/server-terms.ts';
import { toListedDb } from '../../src/kinds/db/listed-db.ts';
import { createAudit } from '../../src/platform/audit/emit.ts';
import { openChangeFeed } from '../../src/platform/change-feed/change-feed.ts';
import { openSecretBox } from '../../src/platform/secrets/open-secret-box.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { testKey } from '../secrets/test-key.ts';
import { openMemoryStorage } from '../storage/memory-storage.ts';

const CLUSTER = 'main';
const NO_CLOUDS = {
  async issue(): Promise<never> {
    throw new Error('no cloud here');
  },
};

export interface LoneAuthorities {
  dbAuthorities: DbAuthorities;
  /** What a server at `localhost` shows. */
  server: { cert: string; key: string };
  /** What a server trusts. */
  clientCas: string;
  /** As `user` by certificate, to a server at `localhost`; `tls` as records have it. */
  termsOf(user: string, wanted: { protocol: string; port: number; database: string; tls?: object }): ServerTerms;
  close(): Promise<void>;
}

export async function startLoneAuthorities(): Promise<LoneAuthorities> {
  const now = Date.now;
  const storage = await openMemoryStorage(now);
  const key = testKey();
  const secrets = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  const audit = createAudit({ now, clusterName: CLUSTER, chain: 'gateway' });
  const dbAuthorities = createDbAuthorities({
    ...{ db: storage.db, secrets, feed, audit, clusterName: CLUSTER, log: silentLog, now },
  });
  const names = ['localhost', '127.0.0.1'];
  return {
    dbAuthorities,
    server: await dbAuthorities.mint('db', { subject: { name: 'localhost' }, names, ttlMs: 86_400_000 }),
    clientCas: (await dbAuthorities.trusted('db_client')).join(''),
    termsOf(user, { protocol, port, database, tls = {} }) {
      const spec = { protocol, uri: `localhost:${port}`, signIn: 'certificate', tls };
      const resource = { cluster: CLUSTER, kind: 'db', id: 'shop', name: 'shop', labels: {}, owner: '' } as const;
      const listed = toListedDb({ ...resource, spec, expires: undefined }, { offers: new Map(), services: [] });
      const proofs = {
        secrets: { passwordOf: () => undefined },
        dbAuthorities,
        clusterName: CLUSTER,
        clouds: NO_CLOUDS,
      };
      return dbTerms(proofs, listed, { dbUser: user, dbName: database });
    },
    async close() {
      dbAuthorities.close();
      await feed.close();
      await storage.close();
    },
  };
}
