/** Opens recordings for sessions that begin, and goes on with those that a gateway left. */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open as openFile, rename } from 'node:fs/promises';
import type { Log } from '../std/log.ts';
import { keyIdOf } from './check-recording.ts';
import { openFileSource, recordingPath } from './disk-store.ts';
import { decodeHead, HASH_BYTES, MARK, MARK_AT, MAX_PACKED_BYTES } from './frames.ts';
import type { RecordingNotes } from './note-recordings.ts';
import { type RecordedFacts, readItems } from './read-recording.ts';
import type { RecordingRoom } from './recording-room.ts';
import type { RecordingSource } from './recording-store.ts';
import { FRAMES_PER_SYNC, RecordingWriter } from './recording-writer.ts';
import type { SealSigner } from './seal.ts';
import { type FoundFrame, walkFrames } from './walk-frames.ts';

export interface RecordedSession {
  id: string;
  cluster: string;
  user: string;
  created: number;
  action: { kind: string; resource: { id: string; name: string }; login?: string };
  /** Held by an agent, which tells whether the terminal shows what is typed. */
  agent: string | undefined;
}

export interface RecorderDeps {
  /** The folder of recordings; made when it is first needed. */
  folder: string;
  signer: SealSigner;
  log: Log;
  now: () => number;
  /** What becomes of them. */
  notes: Omit<RecordingNotes, 'settled'>;
  isOn: boolean;
  room?: RecordingRoom | undefined;
  /** Its last frame is on disk. */
  onEnded(sid: string): void;
}

export function createRecorder({ folder, signer, log, now, notes, isOn, room, onEnded }: RecorderDeps) {
  const writers = new Map<string, RecordingWriter>();
  const keyId = keyIdOf(signer.publicKey);

  async function open(session: RecordedSession, input: boolean): Promise<RecordingWriter> {
    const sid = session.id;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await room?.check(0);
    const path = recordingPath(folder, sid);
    const left = await goOn(path, log);
    const file = await openFile(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      // A crash may have left half a frame.
      if ((await file.stat()).size > left.end) await file.truncate(left.end);
      const writer = new RecordingWriter({
        ...left,
        file,
        openSource: () => openFileSource(path),
        since: session.created,
        input,
        signer,
        keyId,
        log,
        now,
        room,
        onFailed: (reason) => void notes.failed(session, reason),
        onFull: (reason, bytes) => void notes.full(session, reason, bytes),
        onClosed(how) {
          writers.delete(sid);
          // Before that, what is noted would be overtaken by what is found.
          if (how !== 'released') onEnded(sid);
        },
      });
      if (left.end === 0) writer.facts(factsOf(session));
      writers.set(sid, writer);
      return writer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  return {
    isOn,
    async open(session: RecordedSession, { input = false } = {}): Promise<RecordingWriter> {
      await notes.began(session.id);
      try {
        return await open(session, input);
      } catch (error) {
        await notes.failed(session, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    skip: (session: { id: string }, reason: string) => notes.skipped(session.id, reason),
    /** Whether this gateway is writing it. */
    isWriting: (sid: string) => writers.has(sid),
    async settled(): Promise<void> {
      await Promise.all([...writers.values()].map((writer) => writer.settled()));
    },
  };
}

const NOTHING = { end: 0, durable: 0, lastMs: 0, before: Buffer.alloc(HASH_BYTES) };

/** What is damaged in the middle is put aside, not cut off: a new one begins, which tells what it has not. */
async function goOn(path: string, log: Log): Promise<typeof NOTHING> {
  const source = await openFileSource(path);
  if (!source) return NOTHING;
  try {
    const left = await whatIsLeft(source);
    if (!(await isDamaged(source, left.end))) return left;
    log.error({ path }, 'a recording is damaged; it is put aside, and a new one begins');
    await rename(path, path.replace(/\.rec$/, '.damaged'));
    return NOTHING;
  } finally {
    await source.close();
  }
}

/** Whether there is more behind `end` than what was written since the last wait for the disk. */
async function isDamaged(source: RecordingSource, end: number): Promise<boolean> {
  const tail = await source.read(end + 1, Math.min(MAX_PACKED_BYTES, Math.max(0, source.bytes - end - 1)));
  let heads = 0;
  for (let at = tail.indexOf(MARK); at >= 0; at = tail.indexOf(MARK, at + 1))
    if (at >= MARK_AT && decodeHead(tail.subarray(at - MARK_AT))) heads += 1;
  if (heads > FRAMES_PER_SYNC) return true;
  return source.bytes - end > MAX_PACKED_BYTES;
}

/** Where one goes on: after the last whole frame. */
async function whatIsLeft(source: RecordingSource): Promise<typeof NOTHING> {
  const found: FoundFrame[] = [];
  for await (const frame of walkFrames(source)) {
    found.push(frame);
    if (found.length > FRAMES_PER_SYNC + 1) found.shift();
  }
  // A crash may have left the length of the file and not its bytes; what was there before the last wait for the disk is safe.
  let whole = found.length > FRAMES_PER_SYNC ? found.shift() : undefined;
  for (const frame of found) {
    if (!(await isWhole(source, frame))) break;
    whole = frame;
  }
  if (!whole) return NOTHING;
  return {
    end: whole.at + whole.length,
    durable: whole.to,
    lastMs: whole.endMs,
    before: hash('sha256', await source.read(whole.at, whole.length), 'buffer'),
  };
}

async function isWhole(source: RecordingSource, frame: FoundFrame): Promise<boolean> {
  if (frame.type === 'seal')
    return (await source.read(frame.at, frame.length)).subarray(-64).some((byte) => byte !== 0);
  return await readItems(source, frame).then(
    () => true,
    () => false,
  );
}

function factsOf({ id, cluster, user, created, action }: RecordedSession): RecordedFacts {
  const { id: resourceId, name } = action.resource;
  return {
    format: 1,
    sid: id,
    cluster,
    kind: action.kind,
    resource: { id: resourceId, name },
    login: action.login ?? '',
    user,
    started: created,
  };
}
