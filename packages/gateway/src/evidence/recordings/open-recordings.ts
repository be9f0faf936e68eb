/** Recordings as a feature: written, kept in a folder or a bucket, compared with sessions, and let go. */
import { join } from 'node:path';
import type { AccessControl } from '../../access/create-access.ts';
import { chainName } from '../../platform/audit/chain-name.ts';
import { type Audit, GATEWAY_CHAIN } from '../../platform/audit/emit.ts';
import type { RecordingConfig } from '../../platform/config/recording-schema.ts';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';
import type { Log } from '../../platform/std/log.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { SealSigner } from './format/seal.ts';
import { noteRecordings } from './note-recordings.ts';
import { OutputRate } from './output-rate.ts';
import { createPlaybackAudit, type PlaybackAudit } from './playback-audit.ts';
import { openDiskStore } from './stores/disk-store.ts';
import { noteUpload } from './stores/note-upload.ts';
import { NO_STORE, type RecordingStore } from './stores/recording-store.ts';
import { openSpooledStore, type SpooledStore } from './stores/spooled-store.ts';
import { createReconciler } from './upkeep/reconcile.ts';
import { startRetention } from './upkeep/retention.ts';
import { upkeepHandlers } from './upkeep/upkeep-handlers.ts';
import { createRecorder } from './writer/create-recorder.ts';
import { recordDesktops } from './writer/record-desktops.ts';
import { recordStatements } from './writer/record-statements.ts';
import { recordTerminals } from './writer/record-terminals.ts';
import { createRecordingRoom } from './writer/recording-room.ts';

export interface RecordingsDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  signer: SealSigner;
  /** PEM: those that signed before one was lost. */
  earlierKeys?: readonly string[];
  /** Without one nothing is recorded. */
  dataDir: string | undefined;
  config: RecordingConfig;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Recordings {
  recorder: ReturnType<typeof recordTerminals> | undefined;
  statements: ReturnType<typeof recordStatements> | undefined;
  desktops: ReturnType<typeof recordDesktops> | undefined;
  store: RecordingStore;
  /** Names this gateway's own folder. */
  place: string;
  /** Recordings go to a bucket. */
  hasBucket: boolean;
  /** How much is printed here: what can wait gives way to it. */
  outputRate: Pick<OutputRate, 'over'>;
  handlers: FeatureHandlers<'recordingUpkeep'>;
  /** Whoever gives out something of a recording says so by it. */
  openings: PlaybackAudit;
  /** After the last session has ended. */
  close(): Promise<void>;
}

export const STANDARD_RECORDINGS: RecordingConfig = { mode: 'gateway', retentionDays: 0, maxMegabytes: 0 };

export async function openRecordings(deps: RecordingsDeps): Promise<Recordings> {
  const { db, audit, signer, config, clusterName, log, now } = deps;
  const folder = join(deps.dataDir ?? '.', 'recordings');
  const local = openDiskStore(folder);
  const keys = [signer.publicKey, ...(deps.earlierKeys ?? [])];
  const place =
    deps.dataDir === undefined ? GATEWAY_CHAIN : chainName(isPostgres(db) ? 'postgres' : 'sqlite', deps.dataDir);
  const notes = noteRecordings({ db, audit, log });
  let spooled: SpooledStore | undefined;
  if (config.store) {
    const { openBucketStore } = await import('./stores/bucket-store.ts');
    const bucket = openBucketStore(config.store);
    const onTried = (sid: string, error: string | undefined) => noteUpload({ db, audit, bucket }, sid, error);
    spooled = openSpooledStore({ folder, local, bucket, log, onTried });
  }
  const store: RecordingStore = deps.dataDir === undefined ? NO_STORE : (spooled ?? local);
  const { maxSessionMegabytes = 0, keepFreeMegabytes = 0 } = config;
  const shares = { maxSessionMegabytes, keepFreeMegabytes, maxMegabytes: config.maxMegabytes };
  const room = createRecordingRoom({ folder, limits: shares });
  const recorder = createRecorder({
    folder,
    signer,
    keys,
    place,
    log,
    now,
    notes,
    isOn: config.mode !== 'off',
    room,
    onEnded: (sid) => reconciler.ended(sid),
  });
  const isWriting = recorder.isWriting;
  const reconciler = createReconciler({
    db,
    store,
    clusterName,
    keys,
    place,
    isWriting,
    noted: () => notes.settled(),
    ...(spooled ? { upload: spooled.upload } : {}),
    log,
    now,
  });
  const { retentionDays, maxMegabytes } = config;
  const limits = { db, store, audit, retentionDays, maxMegabytes, clusterName, isWriting, log, now };
  const retention = startRetention(limits);
  const openings = createPlaybackAudit({ db, audit, now });
  const outputRate = new OutputRate();
  return {
    recorder: deps.dataDir === undefined ? undefined : recordTerminals(recorder, outputRate),
    statements: deps.dataDir === undefined ? undefined : recordStatements(recorder),
    desktops: deps.dataDir === undefined ? undefined : recordDesktops(recorder, outputRate),
    store,
    place,
    hasBucket: spooled !== undefined,
    outputRate,
    openings,
    handlers: {
      recordingUpkeep: upkeepHandlers({ ...deps, place, store, reconciler, retention: limits, keys, openings }),
    },
    async close() {
      await recorder.settled();
      await notes.settled();
      await retention.close();
      await reconciler.close();
      await spooled?.close();
    },
  };
}
