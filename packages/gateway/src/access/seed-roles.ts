/** Puts the ready-made roles into a new store, once: one that was deleted later stays away. Those that nobody has changed since follow the version of the gateway. */
import { createHash } from 'node:crypto';
import { roleUpdated } from '@gatehouse/contract/audit/role-events';
import { UPGRADE_ACTOR } from '@gatehouse/contract/identity/own-actors';
import type { Audit } from '../platform/audit/emit.ts';
import { readMeta, writeMeta } from '../platform/storage/meta.ts';
import type { Db } from '../platform/storage/tables.ts';
import { shapeOfName } from './document/role-name.ts';
import { READY_MADE_ROLES } from './ready-made-roles.ts';
import { listRoles, type StoredRole } from './role-store.ts';

const SEEDED = 'roles.seeded';
/** Begins the revision of a role as a gateway wrote it. Whoever saves one gives it another, even with the same text. */
const OURS = 'ready-made';

export interface SeedRolesDeps {
  db: Db;
  audit: Audit;
  now: () => number;
}

export async function seedRoles(deps: SeedRolesDeps): Promise<void> {
  if ((await readMeta(deps.db, SEEDED)) === undefined) await seed(deps.db, deps.now());
  else await followVersion(deps);
}

async function seed(db: Db, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const rows = Object.entries(READY_MADE_ROLES).map(([name, content]) => ({
      name,
      shape: shapeOfName(name),
      content,
      revision: revisionOf(content),
      created: now,
      updated: now,
      updated_by: '',
    }));
    await tx
      .insertInto('role')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await writeMeta(tx, SEEDED, String(now));
  });
}

/**
 * An administrator could otherwise not list, explain or lock what a new version brings.
 * Other gateways are not told: one of the version before, which still runs beside this one, could not read the new text and
 * would deny everything to whoever holds the role. Each reads it when it starts.
 */
async function followVersion({ db, audit, now }: SeedRolesDeps): Promise<void> {
  const ours = (await listRoles(db)).filter(({ revision }) => revision.startsWith(OURS));
  for (const role of ours) {
    const content = READY_MADE_ROLES[role.name];
    if (content !== undefined && content !== role.content) await replace({ db, audit, now }, role, content);
  }
}

async function replace({ db, audit, now }: SeedRolesDeps, role: StoredRole, content: string): Promise<void> {
  const { name, content: before } = role;
  await db.transaction().execute(async (tx) => {
    // By its revision: of gateways that start together one writes it, and what somebody saves meanwhile stays.
    const { numUpdatedRows } = await tx
      .updateTable('role')
      .set({ content, revision: revisionOf(content), updated: now() })
      .where('name', '=', name)
      .where('revision', '=', role.revision)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await audit.emit(tx, roleUpdated, { user: UPGRADE_ACTOR, name, before, after: content });
  });
}

/** The same on every gateway of a version, and another where the text is: an editor that was opened before does not save over it. */
function revisionOf(content: string): string {
  return `${OURS}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
}
