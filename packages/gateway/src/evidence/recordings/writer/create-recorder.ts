/** Opens recordings for sessions that begin, and goes on with those that a gateway left. */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open as openFile, rename } from 'node:fs/promises';
import type { Log } from '../../../platform/std/log.ts';
import { toldError } from '../../../platform/std/told-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { OpenedHow } from '../../../sessions/recorder.ts';
import { keyIdOf, stateOf } from '../format/check-recording.ts';
import { decodeHead, HASH_BYTES, MARK, MARK_AT, MAX_PACKED_BYTES } from '../format/frames.ts';
import { type RecordedFacts, readItems } from '../format/read-recording.ts';
import type { SealSigner } from '../format/seal.ts';
import { type FoundFrame, walkFrames } from '../format/walk-frames.ts';
import type { RecordingNotes } from '../note-recordings.ts';
import { protocolOf } from '../protocol-of.ts';
import type { RecordingMark } from '../recording-status-store.ts';
import { openFileSource, recordingPath } from '../stores/disk-store.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import type { RecordingRoom } from './recording-room.ts';
import { FRAMES_PER_SYNC, RecordingWriter } from './recording-writer.ts';

export interface RecordedSession {
  id: string;
  cluster: string;
  user: string;
  created: number;
  action: {
    kind: string;
    resource: { id: string; name: string; spec?: unknown };
    login?: string;
    dbUser?: string;
    dbName?: string;
  };
  /** Held by an agent, which tells whether the terminal shows what is typed. */
  agent: string | undefined;
}

export interface RecorderDeps {
  /** The folder of recordings; made when it is first needed. */
  folder: string;
  signer: SealSigner;
  /** PEM: every key that may have sealed what is gone on with; the signer's own unless told. */
  keys?: readonly string[];
  /** Names the gateway whose folder it is. */
  place: string;
  log: Log;
  now: () => number;
  /** What becomes of them. */
  notes: Omit<RecordingNotes, 'settled'>;
  isOn: boolean;
  room?: RecordingRoom | undefined;
  /** Its last frame is on disk. */
  onEnded(sid: string): void;
}

export function createRecorder(deps: RecorderDeps) {
  const { folder, signer, place, log, now, notes, isOn, room, onEnded } = deps;
  const keys = deps.keys ?? [signer.publicKey];
  const writers = new Map<string, RecordingWriter>();
  let isMade = false;
  const keyId = keyIdOf(signer.publicKey);

  async function open(session: RecordedSession, mark: Mark): Promise<RecordingWriter> {
    const sid = session.id;
    const path = recordingPath(folder, sid);
    // Of most there is nothing yet: whether a file is there is then known by making it.
    const made = mark ? undefined : await makeFile(path);
    if (!made) await makeFolder();
    const { left, finding, isOurs } = made ? NEW : await goOn(path, { sid, keys, place, mark, log });
    // Before the first byte of the new part: a gateway that dies in between must not forget it.
    if (finding !== '' && isOurs) await notes.tampered(session, finding);
    const file = made ?? (await openFile(path, constants.O_RDWR | constants.O_CREAT, 0o600));
    try {
      // A crash may have left half a frame.
      if (!made && (await file.stat()).size > left.end) await file.truncate(left.end);
      const writer = new RecordingWriter({
        ...left,
        file,
        openSource: () => openFileSource(path),
        since: session.created,
        signer,
        keyId,
        log,
        now,
        room,
        onSealed: (sealed) => void notes.marked(sid, { ...sealed, place }),
        onFailed: (reason) => void notes.failed(session, reason),
        onFull: (reason, bytes) => void notes.full(session, reason, bytes),
        onClosed(how) {
          writers.delete(sid);
          // Before that, what is noted would be overtaken by what is found.
          if (how !== 'released') onEnded(sid);
        },
      });
      if (left.end === 0) writer.facts(factsOf(session));
      if (left.end > 0 || finding !== '') writer.resumed(finding);
      writers.set(sid, writer);
      return writer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function makeRoom(): Promise<void> {
    if (!isMade) await makeFolder();
    await room?.check(0);
  }

  async function makeFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    isMade = true;
  }

  /** Undefined where there is one. */
  async function makeFile(path: string): Promise<FileHandle | undefined> {
    const make = () => openFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      return await make().catch(async (error: unknown) => {
        if (!isCalled(error, 'ENOENT')) throw error;
        // Somebody has removed the folder.
        await makeFolder();
        return await make();
      });
    } catch (error) {
      if (isCalled(error, 'EEXIST')) return undefined;
      throw error;
    }
  }

  return {
    isOn,
    async open(session: RecordedSession, { isNew = false }: OpenedHow = {}): Promise<RecordingWriter> {
      const ready = makeRoom();
      // Told below, after the note that it began.
      ready.catch(() => {});
      const mark = isNew ? undefined : await notes.began(session.id);
      try {
        await ready;
        return await open(session, mark);
      } catch (error) {
        await notes.failed(session, toldError(error));
        throw error;
      }
    },
    begins: (tx: Tx, sid: string) => notes.begins(tx, sid),
    skip: (session: { id: string }, reason: string) => notes.skipped(session.id, reason),
    /** Whether this gateway is writing it. */
    isWriting: (sid: string) => writers.has(sid),
    async settled(): Promise<void> {
      await Promise.all([...writers.values()].map((writer) => writer.settled()));
    },
  };
}

const NOTHING = { end: 0, durable: 0, lastMs: 0, before: Buffer.alloc(HASH_BYTES) };

type Mark = RecordingMark | undefined;

interface GoingOn {
  sid: string;
  keys: readonly string[];
  place: string;
  mark: Mark;
  log: Log;
}

interface Resumed {
  left: typeof NOTHING;
  /** Why what was there is not gone on with; empty when it is, or when nothing was. */
  finding: string;
  /** It was this gateway's to find as it was left. */
  isOurs: boolean;
}

/** A recording that begins. */
const NEW: Resumed = { left: NOTHING, finding: '', isOurs: true };

/** What is damaged or was changed is put aside, neither cut off nor signed on: a new one begins, which tells what it has not. */
async function goOn(path: string, known: GoingOn): Promise<Resumed> {
  const { sid, keys, place, mark, log } = known;
  const source = await openFileSource(path);
  // Another gateway may have it in a folder of its own.
  const isOurs = mark === undefined || mark.place === place;
  if (!source) return { left: NOTHING, finding: isOurs && mark ? 'its file is gone' : '', isOurs };
  try {
    const left = await whatIsLeft(source);
    const isTorn = await isDamaged(source, left.end);
    const { state, reason } = await stateOf(upTo(source, left.end), { running: true, keys, sid, mark });
    if (!isTorn && state !== 'corrupted') return { left, finding: '', isOurs };
    const finding = state === 'corrupted' ? reason : 'there is something in it that is no part of a recording';
    log.error({ path, finding }, 'a recording is damaged; it is put aside, and a new one begins');
    await rename(path, await freeName(path));
    return { left: NOTHING, finding, isOurs };
  } finally {
    await source.close();
  }
}

function isCalled(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** What was put aside before stays. */
async function freeName(path: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const name = path.replace(/\.rec$/, count === 1 ? '.damaged' : `.${count}.damaged`);
    if (
      !(await access(name).then(
        () => true,
        () => false,
      ))
    )
      return name;
  }
}

/** The same without a torn end. */
function upTo(source: RecordingSource, end: number): RecordingSource {
  return {
    ...source,
    bytes: Math.min(source.bytes, end),
    read: (at, length) => source.read(at, Math.max(0, Math.min(length, end - at))),
    close: () => source.close(),
  };
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
    login: action.login ?? action.dbUser ?? '',
    ...(action.dbName === undefined ? {} : { database: action.dbName }),
    ...protocolOf(action.resource),
    user,
    started: created,
  };
}
