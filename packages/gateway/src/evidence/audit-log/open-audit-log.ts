/** The audit log as a feature: reading, proving, shortening it, handing it on, and answering for it. */
import { join } from 'node:path';
import { auditMemoryLost, auditNotSigned, signingKeyLost } from '@gatehouse/contract/audit/audit-log-events';
import type { AuditState } from '@gatehouse/contract/audit/search';
import type { AccessControl } from '../../access/create-access.ts';
import { openDiskQueue } from '../../platform/audit/disk-queue.ts';
import { type Audit, GATEWAY_CHAIN } from '../../platform/audit/emit.ts';
import { type EventStream, openEventStream } from '../../platform/audit/event-stream.ts';
import type { AuditConfig } from '../../platform/config/audit-schema.ts';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { eventHandlers } from './event-handlers.ts';
import { createLogNews } from './log-news.ts';
import { startRetention } from './retention.ts';
import { openLogReader } from './search/open-log-reader.ts';
import { openSignedMemory, type SignedMemory } from './signed-memory.ts';
import { type ClusterSigner, openSigner } from './signing.ts';
import { openSink } from './sinks/open-sink.ts';
import { runSinks } from './sinks/run-sinks.ts';
import { startCheckpoints } from './write-checkpoints.ts';

export interface AuditLogDeps {
  storage: Pick<Storage, 'db' | 'source'>;
  secrets: SecretBox;
  access: AccessControl;
  audit: Audit;
  clusterName: string;
  /** Names this gateway's chain; the same that `audit` writes to. */
  chain?: string;
  config?: AuditConfig;
  /** Where events wait while the store is down. Without one, they do not wait. */
  dataDir?: string;
  log: Log;
  now: () => number;
}

export interface AuditLog {
  audit: Audit;
  /** For events of streams: many, and each on disk before the next step of its stream is acknowledged. */
  stream: EventStream;
  /** The key of this cluster for what must not be changed later. */
  signer: ClusterSigner;
  handlers: FeatureHandlers<'events'>;
  /** Why the log is not signed any more; empty while it is. */
  signingTrouble(): string;
  /** Lets those go who wait for news; call it before the listener closes, or they would hold it open. */
  beginClose(): void;
  close(): Promise<void>;
}

const STANDARD: AuditConfig = { retentionDays: 0, strict: false, sinks: [] };

export async function openAuditLog(deps: AuditLogDeps): Promise<AuditLog> {
  const { storage, secrets, access, audit, clusterName, chain = GATEWAY_CHAIN, dataDir, log, now } = deps;
  const { retentionDays, strict, sinks: given } = deps.config ?? STANDARD;
  const { db } = storage;
  const sinks = given.map((sink) => openSink(sink, dataDir ?? '.'));
  const memory = await openSignedMemory({ dataDir, secrets, db, chain });
  const signer = await openSigner(db, secrets, now(), memory.last()?.publicKey);
  await tellLosses({ db, audit, log, chain }, { signer, memory });
  const queue = dataDir === undefined ? undefined : await openDiskQueue(join(dataDir, 'audit-queue'));
  const stream = openEventStream({ db, queue, strict, chain, clusterName, log, now });
  const reader = openLogReader(storage, log);
  const news = createLogNews(db, log);
  const signing = { db, signer, memory, clusterName, log, now };
  let trouble = '';
  const checkpoints = startCheckpoints({
    ...signing,
    async onRefused(reason) {
      if (trouble === reason) return;
      trouble = reason;
      await db.transaction().execute((tx) => audit.emit(tx, auditNotSigned, { gateway: chain, error: reason }));
    },
    async onSigned() {
      trouble = '';
    },
  });
  const running = runSinks(sinks, { db, stream, news, log });
  const retention = startRetention({ ...signing, audit, retentionDays, sinks: sinks.map(({ name }) => name) });
  const state = async (): Promise<AuditState> => ({
    retentionDays,
    strict,
    queued: queue?.waiting ?? 0,
    deadLetters: queue?.deadLetters ?? 0,
    signing: trouble,
    memoryLost: memory.lost,
    sinks: await running.state(),
  });
  return {
    audit,
    stream,
    signer,
    handlers: { events: eventHandlers({ db, access, audit, reader, news, signer, memory, state, now }) },
    signingTrouble: () => trouble,
    beginClose: () => news.close(),
    async close() {
      news.close();
      await retention.close();
      await running.close();
      await stream.close();
      await reader.close();
      // Last, so that it covers everything this gateway wrote.
      await checkpoints.close();
    },
  };
}

/** What vouched for the log before and does not any more is told in the log itself, and to whoever starts the gateway. */
async function tellLosses(
  { db, audit, log, chain }: { db: Db; audit: Audit; log: Log; chain: string },
  { signer, memory }: { signer: ClusterSigner; memory: SignedMemory },
): Promise<void> {
  if (signer.isNewAfterLoss) {
    log.error(
      {},
      'the key that signed the audit log and recordings is gone from the store; a new one signs from now on',
    );
    const fields = { gateway: chain, earlier: signer.earlierKeys.length };
    await db.transaction().execute((tx) => audit.emit(tx, signingKeyLost, fields));
  }
  if (memory.lost === '') return;
  log.error({ reason: memory.lost }, 'what this gateway signed last is not known any more');
  await db.transaction().execute((tx) => audit.emit(tx, auditMemoryLost, { gateway: chain, error: memory.lost }));
}
