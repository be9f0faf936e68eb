/** The audit log as a feature: reading, proving, and answering for it. Writing is `audit/`. */
import type { AccessControl } from '../access/create-access.ts';
import type { Audit } from '../audit/emit.ts';
import type { FeatureHandlers } from '../http/api-handlers.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../std/log.ts';
import type { Storage } from '../storage/storage.ts';
import { eventHandlers } from './event-handlers.ts';
import { createLogNews } from './log-news.ts';
import { openLogReader } from './search/open-log-reader.ts';
import { openSigner } from './signing.ts';
import { startCheckpoints } from './write-checkpoints.ts';

export interface AuditLogDeps {
  storage: Pick<Storage, 'db' | 'source'>;
  secrets: SecretBox;
  access: AccessControl;
  audit: Audit;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface AuditLog {
  audit: Audit;
  handlers: FeatureHandlers<'events'>;
  /** Lets those go who wait for news; call it before the listener closes, or they would hold it open. */
  beginClose(): void;
  close(): Promise<void>;
}

export async function openAuditLog(deps: AuditLogDeps): Promise<AuditLog> {
  const { storage, secrets, access, audit, clusterName, log, now } = deps;
  const { db } = storage;
  const signer = await openSigner(db, secrets, now());
  const reader = openLogReader(storage, log);
  const news = createLogNews(db, log);
  const checkpoints = startCheckpoints({ db, signer, clusterName, log, now });
  const state = async () => ({ retentionDays: 0, strict: false, queued: 0, deadLetters: 0, sinks: [] });
  return {
    audit,
    handlers: { events: eventHandlers({ db, access, audit, reader, news, signer, state, clusterName, now }) },
    beginClose: () => news.close(),
    async close() {
      news.close();
      await reader.close();
      await checkpoints.close();
    },
  };
}
