/** A database in which ann writes only what ben has approved, for tests. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '../apps/app-world.ts';
import type { TestBrowser } from '../test-browser.ts';
import { CLUSTER, type DbWorld, type DbWorldOptions, startDbWorldOf, type WorldDatabase } from './db-world.ts';

export interface ApprovalWorld extends DbWorld {
  ben: TestBrowser;
  /** Gives the id. */
  asked(sql: string, dbUser?: string): Promise<string>;
  approved(sql: string, dbUser?: string): Promise<string>;
}

const RULES =
  'rules: [{resources: [db_server], verbs: [list, read]}, {resources: [db_approval], verbs: [list, read, update]}]';

export async function startApprovalWorld(db: WorldDatabase, options: DbWorldOptions = {}): Promise<ApprovalWorld> {
  const world = await startDbWorldOf(db, options);
  const names = JSON.stringify({ db_users: db.dbUsers, db_names: db.dbNames }).slice(1, -1);
  const spec = `{options: {db_approval: true}, allow: {db_labels: {env: dev}, ${names}}}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: ${spec}\n`;
  await call(world.admin.send, roleRoutes.update, { params: { name: 'dev' }, body: { content } });
  await makeRole(world.admin, 'approver', `{allow: {db_labels: {env: dev}, ${RULES}}}`);
  await world.gateway.addUser('ben', { roles: ['approver'] });
  const ben = await world.gateway.signedIn('ben');
  const [usual = ''] = db.dbUsers;
  const asked = async (sql: string, dbUser = usual) => {
    const params = { ...CLUSTER, name: 'shop' };
    return (await call(world.ann.send, dbApprovalRoutes.ask, { params, body: { dbUser, sql, reason: 'a ticket' } })).id;
  };
  return {
    ...world,
    ben,
    asked,
    async approved(sql, dbUser) {
      const approval = await asked(sql, dbUser);
      await call(ben.send, dbApprovalRoutes.decide, { params: { ...CLUSTER, approval }, body: { state: 'APPROVED' } });
      return approval;
    },
  };
}
