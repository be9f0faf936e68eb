/** A store in memory with sessions that have ended, a folder of recordings, and everything that looks after them. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndCause } from '@gatehouse/contract/sessions/terminal-frames';
import { measureCoverage } from '../../src/evidence/recordings/coverage.ts';
import { noteRecordings } from '../../src/evidence/recordings/note-recordings.ts';
import { OutputRate } from '../../src/evidence/recordings/output-rate.ts';
import { openDiskStore, recordingPath } from '../../src/evidence/recordings/stores/disk-store.ts';
import type { RecordingStore } from '../../src/evidence/recordings/stores/recording-store.ts';
import { createReconciler, type ReconcileDeps } from '../../src/evidence/recordings/upkeep/reconcile.ts';
import { createRecorder } from '../../src/evidence/recordings/writer/create-recorder.ts';
import { recordTerminals } from '../../src/evidence/recordings/writer/record-terminals.ts';
import type { TerminalWriter } from '../../src/evidence/recordings/writer/terminal-writer.ts';
import { createAudit, GATEWAY_CHAIN } from '../../src/platform/audit/emit.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { insertSession, markEnded, type Session } from '../../src/sessions/host/session-store.ts';
import { openMemoryStorage } from '../storage/memory-storage.ts';
import { STARTED } from './make-recording.ts';
import { testSigner } from './test-signer.ts';

interface WorldParts {
  db: ReconcileDeps['db'];
  folder: string;
  local: ReturnType<typeof openDiskStore>;
}

interface WorldOptions {
  /** Memory unless given; closed with the world. */
  storage?: Storage;
  /** The folder unless given. */
  place?: (parts: WorldParts) => { store: RecordingStore; upload: (sid: string) => Promise<boolean> };
}

export async function startRecordingWorld({ storage: lent, place }: WorldOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upkeep-'));
  const clock = { now: STARTED };
  const now = () => clock.now;
  const storage = lent ?? (await openMemoryStorage(now));
  const { db } = storage;
  const signer = testSigner();
  const audit = createAudit({ now, clusterName: 'main', chain: GATEWAY_CHAIN });
  const local = openDiskStore(folder);
  const given = place?.({ db, folder, local });
  const store = given?.store ?? local;
  const notes = noteRecordings({ db, audit, log: silentLog });
  const anyRecorder = createRecorder({
    folder,
    signer,
    place: 'gateway',
    log: silentLog,
    now,
    notes,
    isOn: true,
    onEnded: () => {},
  });
  const { isWriting } = anyRecorder;
  const recorder = recordTerminals(anyRecorder, new OutputRate());
  const reconciler = createReconciler({
    db,
    store,
    clusterName: 'main',
    keys: [signer.publicKey],
    place: 'gateway',
    isWriting,
    noted: () => notes.settled(),
    ...(given ? { upload: given.upload } : {}),
    log: silentLog,
    now,
  });

  const addSession = (recorded = true): Promise<Session> =>
    db.transaction().execute((tx) =>
      insertSession(tx, {
        id: randomUUID(),
        cluster: 'main',
        action: {
          type: 'connect',
          kind: 'node',
          login: 'root',
          resource: {
            ...{ cluster: 'main', kind: 'node', id: 'n', name: 'web-1', labels: { env: 'dev' }, spec: {} },
            ...{ owner: '', expires: undefined },
          },
        } as unknown as Session['action'],
        user: 'ann',
        signInId: 's',
        address: '127.0.0.1',
        request: randomUUID(),
        created: clock.now,
        size: { cols: 80, rows: 24 },
        agent: 'a',
        gateway: 'g',
        mfa: false,
        recorded,
        begun: clock.now,
        connected: clock.now,
      }),
    );
  const end = (session: Session, cause: EndCause = 'exited') =>
    db.transaction().execute((tx) => markEnded(tx, session, { cause, message: 'over' }, clock.now));

  return {
    ...{ db, audit, clock, now, folder, local, store, notes, recorder, reconciler, signer, isWriting, addSession, end },
    pathOf: (session: Session) => recordingPath(folder, session.id),
    /** A whole session of ten seconds, with its recording. */
    async recorded(end_: EndCause | 'goes on' = 'exited'): Promise<{ session: Session; writer: TerminalWriter }> {
      const session = await addSession();
      const writer = await recorder.open(session);
      writer.begin(0, session.size);
      writer.write(0, Buffer.from('what was printed\r\n'));
      await writer.settled();
      clock.now += 10_000;
      if (end_ !== 'goes on') {
        writer.close({ cause: end_, message: 'over' });
        await writer.settled();
        await end(session, end_);
      }
      return { session, writer };
    },
    coverage: () => measureCoverage(db, { cluster: 'main', from: 0, to: Number.MAX_SAFE_INTEGER, isSeen: () => true }),
    async close() {
      await reconciler.close();
      await recorder.settled();
      await storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type RecordingWorld = Awaited<ReturnType<typeof startRecordingWorld>>;
