/** The tables as Kysely sees them. Booleans are 0 or 1, times are milliseconds, JSON columns hold text (see json.ts). */
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { AccessTables } from './access-tables.ts';
import type { AppTables } from './app-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { DesktopTables } from './desktop-tables.ts';
import type { FederationTables } from './federation-tables.ts';
import type { FileTables } from './file-tables.ts';
import type { IdentityTables } from './identity-tables.ts';
import type { KubeTables } from './kube-tables.ts';
import type { RecordingIndexTables } from './recording-index-tables.ts';
import type { RecordingTables } from './recording-tables.ts';
import type { ServerTables } from './server-tables.ts';
import type { SessionTables } from './session-tables.ts';

export interface Tables
  extends AccessTables,
    AppTables,
    AuditTables,
    DesktopTables,
    FederationTables,
    FileTables,
    IdentityTables,
    KubeTables,
    RecordingIndexTables,
    RecordingTables,
    ServerTables,
    SessionTables {
  alert: AlertTable;
  change: ChangeTable;
  meta: MetaTable;
  migration: MigrationTable;
  secret: SecretTable;
}

/** A handle to the store: the whole of it, or one transaction. Store functions take it first. */
export type Db = Kysely<Tables>;
/** One transaction, where a function must not work outside of one. */
export type Tx = Transaction<Tables>;

export type Engine = 'sqlite' | 'postgres';

/** Facts about this database, one row each. */
interface MetaTable {
  key: string;
  value: string;
}

/** Which migrations this database has been through. */
interface MigrationTable {
  number: number;
  name: string;
  applied: number;
}

/** What an administrator tells everyone who signs in. */
interface AlertTable {
  name: string;
  severity: number;
  message: string;
  labels: string;
  created: number;
  expires: number | null;
}

/** The gateway's own secrets (signing keys and the like), sealed. */
interface SecretTable {
  name: string;
  sealed: string;
  created: number;
  updated: number;
}

/** Committed changes in commit order, kept for a while so that late readers can catch up. */
interface ChangeTable {
  position: ColumnType<number, never, never>;
  topic: string;
  id: string;
  data: string | null;
  time: Generated<number>;
}
