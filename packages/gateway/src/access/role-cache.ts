/** Every role of the cluster in memory, ready to be bound, and renewed the moment a change is heard of. */
import { LABEL_FIELDS } from '@gatehouse/contract/access/roles/vocabulary';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { Log } from '../platform/std/log.ts';
import { createMutex } from '../platform/std/mutex.ts';
import type { Db } from '../platform/storage/tables.ts';
import { type CompiledRole, compileRole } from './compile-role.ts';
import { parseRole } from './document/role-document.ts';
import { RoleDocumentError } from './document/role-document-error.ts';
import { findRole, listRoles, ROLE_TOPIC, type StoredRole } from './role-store.ts';

export interface RoleCache {
  get(name: string): CompiledRole | undefined;
  names(): string[];
  /** Keys of traits that any of them asks for. */
  askedTraits(): ReadonlySet<string>;
  /** Counts up with every change of any role. */
  version(): number;
  /** Reads one role again: for the caller who has just changed it and must not meet the old one. */
  refresh(name: string): Promise<void>;
  close(): void;
}

interface RoleCacheDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  log: Log;
  /** Called after every change that now counts. */
  onChange(): void;
}

export async function openRoleCache({ db, feed, log, onChange }: RoleCacheDeps): Promise<RoleCache> {
  let roles = new Map<string, CompiledRole>();
  let version = 0;
  let asked: { version: number; traits: ReadonlySet<string> } | undefined;

  // A slow read of the role as it was must not arrive after a quick one of the role as it is.
  const inTurn = createMutex();
  const reload = () =>
    inTurn(async () => {
      roles = new Map((await listRoles(db)).map((stored) => [stored.name, readStored(stored, log)]));
      version += 1;
      onChange();
    });
  const refresh = (name: string) =>
    inTurn(async () => {
      const stored = await findRole(db, name);
      if (stored) roles.set(name, readStored(stored, log));
      else roles.delete(name);
      version += 1;
      onChange();
    });
  // Followed before the first read: a change in between is then heard, at worst twice.
  const subscription = feed.subscribe([ROLE_TOPIC], { change: ({ id }) => refresh(id), gap: reload });
  await reload();
  return {
    get: (name) => roles.get(name),
    names: () => [...roles.keys()].sort(),
    askedTraits() {
      if (asked?.version !== version)
        asked = { version, traits: new Set([...roles.values()].flatMap((role) => [...role.traits])) };
      return asked.traits;
    },
    version: () => version,
    refresh,
    close: () => subscription.close(),
  };
}

/** A document that was good when it was saved and cannot be read now may have held a denial: its holders may do nothing. */
function readStored({ name, content }: StoredRole, log: Log): CompiledRole {
  try {
    return compileRole(parseRole(content, 'stored').document);
  } catch (error) {
    if (!(error instanceof RoleDocumentError)) throw error;
    log.error({ role: name, error }, 'a stored role cannot be read and now denies everything');
    return compileRole(denyingRole(name));
  }
}

function denyingRole(name: string): Parameters<typeof compileRole>[0] {
  const every = { '*': ['*'] };
  return {
    kind: 'role',
    version: 'v6',
    metadata: { name },
    spec: {
      deny: {
        ...Object.fromEntries(LABEL_FIELDS.map((field) => [field, every])),
        rules: [{ resources: ['*'], verbs: ['*'] }],
      },
    },
  };
}
