/** Answers by which keys applications know people, and changes them. */

import { appKeyRotated } from '@gatehouse/contract/kinds/app/app-events';
import type { jwksRoutes } from '@gatehouse/contract/kinds/app/apps';
import type { AccessControl } from '../../access/create-access.ts';
import { requireOnCluster } from '../../access/reach.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { KEYS_MAX_AGE_MS } from './identity-keys.ts';
import type { IdentityTokens } from './identity-token.ts';

export interface IdentityKeyHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'require'>;
  audit: Audit;
  tokens: IdentityTokens;
  clusterName: string;
}

export function identityKeyHandlers(deps: IdentityKeyHandlerDeps): Handlers<typeof jwksRoutes> {
  const { db, access, audit, tokens, clusterName } = deps;
  const list = () =>
    tokens.list().map(({ until, ...key }) => ({
      ...key,
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    }));
  return {
    async keys({ exchange }) {
      exchange.mayBeKept(KEYS_MAX_AGE_MS / 1000);
      return { keys: tokens.keys() };
    },

    async list({ actor }) {
      requireOnCluster(access, actor, 'list', clusterName);
      return list();
    },

    async rotate({ actor, body: { atOnce }, exchange }) {
      requireOnCluster(access, actor, 'update', clusterName);
      await db.transaction().execute(async (tx) => {
        await tokens.rotate(tx, { atOnce });
        const fields = { user: actor.username, at_once: atOnce };
        await audit.emit(tx, appKeyRotated, fields, contextOf(actor, exchange));
      });
      await tokens.refresh();
      return list();
    },
  };
}
