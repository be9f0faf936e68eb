/** What an open store is, whichever engine holds it. */
import type { Log } from '../std/log.ts';
import type { ClusterIdentity } from './cluster-identity.ts';
import type { StoreConsent } from './store-guard.ts';
import type { Db, Engine } from './tables.ts';

export interface Storage {
  db: Db;
  engine: Engine;
  /** Where other threads of this process can read the same store; undefined for one in memory. */
  source: StoreSource | undefined;
  cluster: ClusterIdentity;
  /** Resolves with the reason when the store is lost for good; the process should end then. Never rejects. */
  failed: Promise<Error>;
  /** Resolves when the store answers, with SQLite also the thread that writes. */
  probe(): Promise<void>;
  /** Resolves when something of a usual size could be written. */
  probeWrite(): Promise<void>;
  /** Calls back for every statement that failed, whoever asked for it. */
  onError(listener: (error: unknown) => void): void;
  /** Calls back soon after a commit that published changes: of this process in SQLite, of any gateway in PostgreSQL. */
  watchChanges(onNews: () => void): NewsWatch;
  close(): Promise<void>;
}

/** Travels to a thread. */
export type StoreSource = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

export interface NewsWatch {
  close(): Promise<void>;
}

export interface StorageOptions {
  /** `postgres://…`; without it SQLite in the data folder. */
  url?: string;
  dataDir: string;
  log: Log;
  now: () => number;
  /** What the operator lets pass of what is otherwise refused. */
  consent?: StoreConsent;
}
