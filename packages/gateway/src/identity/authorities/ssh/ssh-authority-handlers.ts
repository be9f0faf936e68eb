/** Answers which keys servers must trust, and changes them. */

import type { SshAuthority, sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { sshAuthorityRotated } from '@gatehouse/contract/kinds/node/server-events';
import type { AccessControl } from '../../../access/create-access.ts';
import { requireOnCluster } from '../../../access/reach.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import { fingerprint, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { authorityLine } from './authority-line.ts';
import type { StoredAuthority } from './authority-store.ts';
import type { SshAuthorities } from './create-ssh-authorities.ts';

export interface SshAuthorityHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'require'>;
  audit: Audit;
  authorities: SshAuthorities;
  clusterName: string;
}

export function sshAuthorityHandlers(deps: SshAuthorityHandlerDeps): Handlers<typeof sshAuthorityRoutes> {
  const { db, access, audit, authorities, clusterName } = deps;
  const list = async () => (await authorities.list()).map((authority) => toItem(authority, clusterName));
  return {
    list,

    exportKeys: async () => (await list()).map(({ publicKey }) => `${publicKey}\n`).join(''),

    async rotate({ actor, body: { overlapSeconds }, exchange }) {
      requireOnCluster(access, actor, 'update', clusterName);
      await db.transaction().execute(async (tx) => {
        const made = await authorities.rotate(tx, overlapSeconds * 1000);
        const fields = {
          user: actor.username,
          fingerprint: fingerprintOf(made),
          overlap_seconds: overlapSeconds,
        };
        await audit.emit(tx, sshAuthorityRotated, fields, contextOf(actor, exchange));
      });
      authorities.refresh();
      return await list();
    },
  };
}

function toItem(authority: StoredAuthority, clusterName: string): SshAuthority {
  return {
    id: authority.id,
    publicKey: authorityLine(authority, clusterName),
    fingerprint: fingerprintOf(authority),
    created: new Date(authority.created).toISOString(),
    ...(authority.leaves === undefined
      ? { state: 'signing' as const }
      : { state: 'leaving' as const, until: new Date(authority.leaves).toISOString() }),
  };
}

function fingerprintOf({ publicKey }: StoredAuthority): string {
  return fingerprint(parsePublicKey(publicKey).blob);
}
