/** Answers which authorities databases have, and lets new ones follow. */
import { X509Certificate } from 'node:crypto';
import { DB_ROTATIONS, type DbAuthority, type dbAuthorityRoutes } from '@gatehouse/contract/identity/db-authorities';
import { dbAuthorityRotated } from '@gatehouse/contract/kinds/db/db-trust-events';
import type { AccessControl } from '../../../access/create-access.ts';
import { requireOnCluster } from '../../../access/reach.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { DbAuthorities } from './create-db-authorities.ts';
import { type StoredDbAuthority, signingOne } from './db-authority-store.ts';

export interface DbAuthorityHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'require'>;
  audit: Audit;
  dbAuthorities: DbAuthorities;
  clusterName: string;
  now: () => number;
}

export function dbAuthorityHandlers(deps: DbAuthorityHandlerDeps): Handlers<typeof dbAuthorityRoutes> {
  const { db, access, audit, dbAuthorities, clusterName, now } = deps;
  const list = async () => {
    const all = await dbAuthorities.list();
    return all.map((authority) => toItem(authority, all, now()));
  };
  return {
    list,

    async rotate({ actor, body: { purpose, ...asked }, exchange }) {
      requireOnCluster(access, actor, 'update', clusterName);
      const usual = DB_ROTATIONS[purpose];
      const { announceSeconds = usual.announceSeconds, overlapSeconds = usual.overlapSeconds } = asked;
      const rotate = await dbAuthorities.rotate({
        purpose,
        announceMs: announceSeconds * 1000,
        overlapMs: overlapSeconds * 1000,
      });
      await db.transaction().execute(async (tx) => {
        const made = await rotate(tx);
        const fields = {
          user: actor.username,
          purpose,
          fingerprint: fingerprintOf(made),
          announce_seconds: announceSeconds,
          overlap_seconds: overlapSeconds,
        };
        await audit.emit(tx, dbAuthorityRotated, fields, contextOf(actor, exchange));
      });
      dbAuthorities.refresh();
      return await list();
    },
  };
}

function toItem(authority: StoredDbAuthority, all: readonly StoredDbAuthority[], now: number): DbAuthority {
  const { id, purpose, certificate, created, signs, leaves } = authority;
  const facts = { id, purpose, certificate, fingerprint: fingerprintOf(authority), created: iso(created) };
  if (signs > now) return { ...facts, state: 'announced', until: iso(signs) };
  // One that is followed by another which is only announced still signs.
  const state = signingOne(all, purpose, now)?.id === id ? 'signing' : 'leaving';
  return { ...facts, state, ...(leaves === undefined ? {} : { until: iso(leaves) }) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function fingerprintOf({ certificate }: Pick<StoredDbAuthority, 'certificate'>): string {
  return new X509Certificate(certificate).fingerprint256;
}
