/** Recordings of made-up sessions, written by the real writer under a clock that is set by hand. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SealSigner } from '../../src/evidence/recordings/format/seal.ts';
import { OutputRate } from '../../src/evidence/recordings/output-rate.ts';
import { recordingPath } from '../../src/evidence/recordings/stores/disk-store.ts';
import type { RecordingSource } from '../../src/evidence/recordings/stores/recording-store.ts';
import { createRecorder, type RecordedSession } from '../../src/evidence/recordings/writer/create-recorder.ts';
import type { RecordingRoom } from '../../src/evidence/recordings/writer/recording-room.ts';
import { TerminalWriter } from '../../src/evidence/recordings/writer/terminal-writer.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { testSigner } from './test-signer.ts';

export const STARTED = Date.UTC(2026, 0, 31, 12);

export function madeSession(change: Partial<RecordedSession> = {}): RecordedSession {
  return {
    id: randomUUID(),
    cluster: 'main',
    user: 'ann',
    created: STARTED,
    action: { kind: 'node', resource: { id: 'n', name: 'web-1' }, login: 'root' },
    agent: 'a',
    ...change,
  };
}

export interface Scene {
  session: RecordedSession;
  writer: TerminalWriter;
  path: string;
  /** Moves the clock on; everything so far is on disk then. */
  passed(ms: number): Promise<void>;
  /** Moves it on while a frame is open. */
  advance(ms: number): void;
  bytes(): Buffer;
  close(): Promise<void>;
}

export async function startScene(
  options: {
    signer?: SealSigner;
    input?: boolean;
    session?: RecordedSession;
    folder?: string;
    room?: RecordingRoom;
  } = {},
): Promise<Scene> {
  const { signer = testSigner(), input = false, session = madeSession() } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-scene-'));
  let time = session.created;
  const recorder = createRecorder({
    folder,
    signer,
    log: silentLog,
    now: () => time,
    place: 'gateway',
    notes: {
      begins: async () => {},
      began: async () => undefined,
      marked: async () => {},
      tampered: async () => {},
      skipped: async () => {},
      failed: async () => {},
      full: async () => {},
    },
    isOn: true,
    room: options.room,
    onEnded: () => {},
  });
  const writer = new TerminalWriter(await recorder.open(session), { input, outputRate: new OutputRate() });
  const path = recordingPath(folder, session.id);
  return {
    session,
    writer,
    path,
    async passed(ms) {
      await writer.settled();
      time += ms;
    },
    advance(ms) {
      time += ms;
    },
    bytes: () => readFileSync(path),
    async close() {
      await recorder.settled();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A few minutes of a session with everything in it, as bytes. */
export async function madeRecording(signer: SealSigner, session = madeSession()): Promise<Buffer> {
  const scene = await startScene({ signer, session });
  const { writer } = scene;
  writer.begin(0, { cols: 80, rows: 24 });
  let offset = 0;
  for (let second = 0; second < 200; second += 5) {
    const bytes = Buffer.from(`line ${second} of what was printed \u001b[32mgreen\u001b[0m\r\n`.repeat(3));
    writer.write(offset, bytes);
    offset += bytes.length;
    if (second === 50) writer.joined('bob', 'observer');
    if (second === 80) writer.resize(offset, { cols: 120, rows: 40 });
    if (second === 90) writer.left('bob', 'observer');
    await scene.passed(5_000);
  }
  writer.close({ cause: 'exited', message: 'the shell ended' });
  await writer.settled();
  const bytes = scene.bytes();
  await scene.close();
  return bytes;
}

export function sourceOf(bytes: Buffer): RecordingSource {
  return {
    bytes: bytes.length,
    read: async (from, length) => bytes.subarray(from, from + length),
    close: async () => {},
  };
}
