/** What became of a recording, as lists and the player tell it: what is known in the store, held against the file that is there now. */
import type { RecordingState } from '@gatehouse/contract/recordings/recordings';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { stateOf } from '../format/check-recording.ts';
import { decodeHead, SEAL_BYTES } from '../format/frames.ts';
import { readAhead } from '../format/read-ahead.ts';
import { findFrames, readItems } from '../format/read-recording.ts';
import { isElsewhere, isPlayable, type KnownRecording } from '../recording-status-store.ts';
import { BucketAway, orAway } from '../stores/bucket-away.ts';
import type { RecordingSource, RecordingStore } from '../stores/recording-store.ts';

export interface ToldState {
  state: RecordingState;
  playable: boolean;
  reason: string;
  bytes: number;
  durationMs: number;
}

/** What of a damaged recording may be looked at. */
export interface SoundPart {
  /** Bytes of the file. */
  bytes: number;
  ms: number;
}

export interface RecordingStates {
  /** Opens the file to see that it is there, unless it was seen lately. */
  of(session: Session, known: KnownRecording | undefined): Promise<ToldState>;
  /** The same, with the file that is open. */
  with(session: Session, known: KnownRecording | undefined, source: RecordingSource | undefined): Promise<ToldState>;
  /** The same, while nobody can look: as it was when it was last looked at, and not to be played now. */
  unseen(session: Session, known: KnownRecording | undefined, why: string): ToldState;
  /** What comes before the first bad place. */
  soundPart(sid: string, source: RecordingSource): Promise<SoundPart>;
}

const MAX_KEPT = 10_000;
/** A file that vanished is noticed after this in lists; the player notices at once. */
const FRESH_MS = 30_000;

interface Look {
  bytes: number;
  state: 'complete' | 'truncated' | 'corrupted';
  reason: string;
}

export interface StatesDeps {
  store: Pick<RecordingStore, 'open'>;
  /** PEM: what seals are signed with. */
  keys: readonly string[];
  /** Names the gateway whose folder it is. */
  place: string;
  /** Recordings go to a bucket that all gateways read. */
  hasBucket: boolean;
  now: () => number;
}

export function createRecordingStates({ store, keys, place, hasBucket, now }: StatesDeps): RecordingStates {
  const sound = new BoundedMap<string, SoundPart & { of: number }>(MAX_KEPT);
  const looks = new BoundedMap<string, Look>(MAX_KEPT);
  const told = new BoundedMap<string, { state: ToldState; at: number; of: string }>(MAX_KEPT);

  const look = async (sid: string, source: RecordingSource): Promise<Look> => {
    const kept = looks.get(sid);
    if (kept?.bytes === source.bytes) return kept;
    const made = { bytes: source.bytes, ...(await quickLook(sid, source)) };
    keep(looks, sid, made);
    return made;
  };

  const soundPart: RecordingStates['soundPart'] = async (sid, source) => {
    const kept = sound.get(sid);
    if (kept?.of === source.bytes) return kept;
    const { end, durationMs } = await stateOf(readAhead(source), { sid, keys });
    const part = { bytes: end, ms: durationMs, of: source.bytes };
    keep(sound, sid, part);
    return part;
  };

  const unseen: RecordingStates['unseen'] = (session, known, why) => ({
    state: known && known.checked > 0 ? known.state : session.ended ? 'missing' : 'live',
    playable: false,
    reason: why,
    bytes: known?.bytes ?? 0,
    durationMs: durationOf(session, known, now()),
  });

  const tell: RecordingStates['with'] = async (session, known, source) => {
    const durationMs = durationOf(session, known, now());
    const bytes = source?.bytes ?? 0;
    const say = async (state: RecordingState, reason: string): Promise<ToldState> => {
      const isSound =
        state !== 'corrupted' || !source ? isPlayable(state) : (await soundPart(session.id, source)).ms > 0;
      const playable = isSound && bytes > 0;
      return { state, playable, reason, bytes: bytes || (known?.bytes ?? 0), durationMs };
    };
    const never = known?.state === 'failed' ? undefined : neverThere(session);
    if (never) return await say(...never);
    if (!source && known && isElsewhere(known, { place, hasBucket }))
      return unseen(session, known, hasBucket ? NOT_UPLOADED : ELSEWHERE);
    if (!source) return await say(...absent(session, known));
    if (session.ended === undefined) {
      if (known?.state === 'failed') return await say('failed', known.reason);
      if (known?.finding) return await say('live', known.finding);
      return await say('live', bytes > 0 ? '' : 'nothing of it has been written yet');
    }
    // What somebody looked through from end to end is worth more than a glance, as long as it is still the same.
    if (known && known.checked > 0 && known.state !== 'live' && (known.bytes === bytes || !isPlayable(known.state)))
      return await say(known.state, known.reason);
    const { state, reason } = await look(session.id, source);
    return await say(state, known?.state === 'failed' && state === 'truncated' ? known.reason : reason);
  };

  return {
    with: tell,
    unseen,
    soundPart,
    async of(session, known) {
      const of = `${session.ended?.at ?? ''} ${known?.state ?? ''} ${known?.checked ?? ''} ${known?.bytes ?? ''}`;
      const kept = told.get(session.id);
      const isFresh = kept && kept.of === of && performance.now() - kept.at < FRESH_MS;
      if (isFresh) return { ...kept.state, durationMs: durationOf(session, known, now()) };
      const source = await store.open(session.id).catch(orAway);
      // Not remembered: it may be back at the next look.
      if (source instanceof BucketAway) return unseen(session, known, source.message);
      try {
        const state = await tell(session, known, source);
        keep(told, session.id, { state, at: performance.now(), of });
        return state;
      } finally {
        await source?.close();
      }
    },
  };
}

const ELSEWHERE = 'another gateway of this cluster keeps it in its own folder: it plays there, not from here';
const NOT_UPLOADED = 'another gateway of this cluster has it, and has not uploaded it yet';

function durationOf({ created, ended }: Session, known: KnownRecording | undefined, now: number): number {
  if (ended === undefined) return Math.max(0, now - created);
  return known?.durationMs || Math.max(0, ended.at - created);
}

/** Whatever file there is of it, nothing in it was ever on a screen. */
function neverThere({ interactive, recorded, ended, connected }: Session): [RecordingState, string] | undefined {
  if (!interactive && !recorded) return ['non_interactive', ''];
  if (ended && connected === undefined) return ['never_connected', ended.message];
  return undefined;
}

function absent(session: Session, known: KnownRecording | undefined): [RecordingState, string] {
  if (known && !isPlayable(known.state) && known.reason) return [known.state, known.reason];
  if (known?.state === 'removed') return ['removed', 'retention took it away'];
  if (!session.recorded) return ['disabled', 'recording was switched off for this session'];
  if (session.ended === undefined) return ['missing', 'nothing of it has been written yet'];
  return ['missing', 'its file is not there'];
}

/** Its first second can be read and is of this session, and its last bytes are a signature: what lies between is the reconciler's to check. */
async function quickLook(sid: string, source: RecordingSource): Promise<Omit<Look, 'bytes'>> {
  if (source.bytes === 0) return { state: 'truncated', reason: 'nothing of it reached the disk' };
  for await (const frame of findFrames(source)) {
    const items = await readItems(source, frame).catch(() => []);
    const [first] = items;
    if (first?.type !== 'facts') return { state: 'corrupted', reason: 'its beginning cannot be read' };
    if (first.facts.sid !== sid)
      return { state: 'corrupted', reason: `it is a recording of session ${first.facts.sid}` };
    const end = decodeHead(await source.read(Math.max(0, source.bytes - SEAL_BYTES), SEAL_BYTES));
    if (end?.type === 'seal') return { state: 'complete', reason: '' };
    return { state: 'truncated', reason: 'it breaks off before the session ended' };
  }
  return { state: 'corrupted', reason: 'its beginning cannot be read' };
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
