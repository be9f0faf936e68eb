/** The audit log as a feature: reading, proving, shortening it, handing it on, and answering for it. */
import { join } from 'node:path';
import type { AuditState } from '@gatehouse/contract/audit/search';
import type { AccessControl } from '../access/create-access.ts';
import { openDiskQueue } from '../audit/disk-queue.ts';
import { type Audit, GATEWAY_CHAIN } from '../audit/emit.ts';
import { type EventStream, openEventStream } from '../audit/event-stream.ts';
import type { AuditConfig } from '../config/audit-schema.ts';
import type { FeatureHandlers } from '../http/api-handlers.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../std/log.ts';
import type { Storage } from '../storage/storage.ts';
import { eventHandlers } from './event-handlers.ts';
import { createLogNews } from './log-news.ts';
import { startRetention } from './retention.ts';
import { openLogReader } from './search/open-log-reader.ts';
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
  const signer = await openSigner(db, secrets, now());
  const queue = dataDir === undefined ? undefined : await openDiskQueue(join(dataDir, 'audit-queue'));
  const stream = openEventStream({ db, queue, strict, chain, clusterName, log, now });
  const reader = openLogReader(storage, log);
  const news = createLogNews(db, log);
  const signing = { db, signer, clusterName, log, now };
  const checkpoints = startCheckpoints(signing);
  const running = runSinks(sinks, { db, stream, news, log });
  const retention = startRetention({ ...signing, audit, retentionDays, sinks: sinks.map(({ name }) => name) });
  const state = async (): Promise<AuditState> => ({
    retentionDays,
    strict,
    queued: queue?.waiting ?? 0,
    deadLetters: queue?.deadLetters ?? 0,
    sinks: await running.state(),
  });
  return {
    audit,
    stream,
    signer,
    handlers: { events: eventHandlers({ db, access, audit, reader, news, signer, state, clusterName, now }) },
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
