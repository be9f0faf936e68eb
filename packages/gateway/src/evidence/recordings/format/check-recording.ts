/** Says what became of a recording: reads it once from end to end, in bounded memory, and holds each part against the others. */
import { createHash, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { HASH_BYTES, HEAD_BYTES, holds, ITEMS, KEY_ID_BYTES, SEAL_BYTES } from './frames.ts';
import { type RecordedFacts, readItems } from './read-recording.ts';
import { type FoundFrame, type WalkEnd, walkFrames } from './walk-frames.ts';

const PIECE_BYTES = 1024 * 1024;

export interface CheckOptions {
  /** Its session goes on: no end is expected. */
  running?: boolean;
  /** PEM. With keys, each seal must be by one of them; without, only that all of it fits together is told. */
  keys?: readonly string[];
  /** What the recording must say it is of. */
  sid?: string;
  /** What is known of it from elsewhere: a frame with this hash must end there. */
  mark?: { end: number; hash: string } | undefined;
}

export interface RecordingCheck {
  state: 'complete' | 'running' | 'truncated' | 'corrupted';
  /** For people; empty when it is complete or running. */
  reason: string;
  /** The first bad place. */
  problem: { at: number; ms: number; reason: string } | undefined;
  /** Frames that were looked at. */
  frames: number;
  /** How long the session is in it. */
  durationMs: number;
  /** A signature vouches for everything before this. */
  signedMs: number;
  /** Where the whole frames end. */
  end: number;
  facts: RecordedFacts | undefined;
  /** Something was printed that it has not: it says so itself. */
  hasGap: boolean;
}

export async function stateOf(source: RecordingSource, options: CheckOptions = {}): Promise<RecordingCheck> {
  const check = new Check(source, options);
  const walk = walkFrames(source);
  for (;;) {
    const next = await walk.next();
    if (next.done) return check.finish(next.value);
    if (!(await check.add(next.value))) {
      await walk.return({ at: next.value.at, found: 'foreign' });
      return check.corrupted();
    }
  }
}

class Check {
  readonly #source: RecordingSource;
  readonly #options: CheckOptions;
  readonly #keys: Map<string, KeyObject> | undefined;
  #before: Buffer = Buffer.alloc(HASH_BYTES);
  #last: FoundFrame | undefined;
  #facts: RecordedFacts | undefined;
  #problem: RecordingCheck['problem'];
  #frames = 0;
  #durationMs = 0;
  #signedMs = 0;
  #to = 0;
  #ended = false;
  #hasGap = false;

  constructor(source: RecordingSource, options: CheckOptions) {
    this.#source = source;
    this.#options = options;
    this.#keys =
      options.keys && new Map(options.keys.map((pem) => [readKey(pem).id.toString('hex'), readKey(pem).key]));
  }

  /** False when it does not fit what came before. */
  async add(frame: FoundFrame): Promise<boolean> {
    const reason = this.#misfit(frame) ?? (await this.#unsealed(frame)) ?? (await this.#alien(frame));
    if (reason) {
      this.#problem = { at: frame.at, ms: this.#durationMs, reason };
      return false;
    }
    this.#before = await this.#hashOf(frame);
    if (!this.#fitsMark(frame)) {
      this.#problem = { at: frame.at, ms: this.#durationMs, reason: 'it is not what was sealed: it was written anew' };
      return false;
    }
    this.#frames += 1;
    this.#last = frame;
    this.#durationMs = frame.endMs;
    this.#to = frame.to;
    if (frame.type === 'seal') this.#signedMs = frame.startMs;
    else this.#ended = holds(frame, ITEMS.end);
    this.#hasGap ||= holds(frame, ITEMS.gap);
    return true;
  }

  #fitsMark({ at, length }: FoundFrame): boolean {
    const { mark } = this.#options;
    if (!mark || at >= mark.end || at + length < mark.end) return true;
    return at + length === mark.end && this.#before.toString('hex') === mark.hash;
  }

  #misfit(frame: FoundFrame): string | undefined {
    // Which of the two was changed cannot be told: this one says what the one before was.
    if (!frame.before.equals(this.#before))
      return this.#last
        ? 'it does not follow what is before it: one of the two was changed'
        : 'its beginning is missing';
    if (frame.startMs < (this.#last?.startMs ?? 0) || frame.from < this.#to) return 'it goes back in time';
    if (this.#ended && frame.type === 'frame') return 'it comes after the end of the session';
    return undefined;
  }

  async #unsealed(frame: FoundFrame): Promise<string | undefined> {
    if (frame.type !== 'seal' || !this.#keys) return undefined;
    const bytes = await this.#source.read(frame.at, SEAL_BYTES);
    const signed = bytes.subarray(0, HEAD_BYTES + KEY_ID_BYTES);
    const key = this.#keys.get(bytes.toString('hex', HEAD_BYTES, HEAD_BYTES + KEY_ID_BYTES));
    if (!key) return 'it is signed with a key that is not the one of this cluster';
    return verify(null, signed, key, bytes.subarray(HEAD_BYTES + KEY_ID_BYTES)) ? undefined : 'its signature is wrong';
  }

  async #alien(frame: FoundFrame): Promise<string | undefined> {
    if (this.#last) return undefined;
    const [first] = await this.#read(frame);
    if (first?.type !== 'facts') return 'it does not begin with what it is a recording of';
    this.#facts = first.facts;
    const { sid } = this.#options;
    return sid === undefined || first.facts.sid === sid ? undefined : `it is a recording of session ${first.facts.sid}`;
  }

  async #read(frame: FoundFrame) {
    return frame.type === 'seal' ? [] : await readItems(this.#source, frame).catch(() => []);
  }

  async #hashOf({ at, length }: FoundFrame): Promise<Buffer> {
    const digest = createHash('sha256');
    for (let done = 0; done < length; done += PIECE_BYTES)
      digest.update(await this.#source.read(at + done, Math.min(PIECE_BYTES, length - done)));
    return digest.digest();
  }

  async finish({ at, found }: WalkEnd): Promise<RecordingCheck> {
    if (found === 'foreign') {
      this.#problem = { at, ms: this.#durationMs, reason: 'there is something that is no part of a recording' };
      return this.corrupted();
    }
    if (at < (this.#options.mark?.end ?? 0)) {
      this.#problem = { at, ms: this.#durationMs, reason: 'what was sealed after this is missing' };
      return this.corrupted();
    }
    if (this.#frames === 0)
      return this.#tell('truncated', at, this.#options.running ? '' : 'nothing of it reached the disk');
    if (found === 'torn') {
      if (this.#options.running) return this.#tell('running', at, '');
      const reason = 'it breaks off in the middle of a second';
      this.#problem = { at, ms: this.#durationMs, reason };
      return this.#tell('truncated', at, reason);
    }
    if (this.#ended && this.#last?.type === 'seal') return this.#tell('complete', at, '');
    // What no seal covers has only its own checksum.
    if (this.#last?.type === 'frame' && (await this.#read(this.#last)).length === 0) {
      this.#problem = { at: this.#last.at, ms: this.#last.startMs, reason: 'its last second cannot be read' };
      return this.#tell('truncated', this.#last.at, this.#problem.reason);
    }
    if (this.#options.running) return this.#tell('running', at, '');
    const reason = this.#ended ? 'its end is not signed' : 'it breaks off before the session ended';
    this.#problem = { at, ms: this.#durationMs, reason };
    return this.#tell('truncated', at, reason);
  }

  corrupted(): RecordingCheck {
    const { at, reason } = this.#problem ?? { at: 0, reason: 'it cannot be read' };
    return this.#tell('corrupted', at, `at byte ${at}: ${reason}`);
  }

  #tell(state: RecordingCheck['state'], end: number, reason: string): RecordingCheck {
    return {
      state: state === 'truncated' && this.#options.running ? 'running' : state,
      reason,
      problem: this.#problem,
      frames: this.#frames,
      durationMs: this.#durationMs,
      signedMs: this.#signedMs,
      end,
      facts: this.#facts,
      hasGap: this.#hasGap,
    };
  }
}

/** The first bytes of SHA-256 of the public key as DER. */
export function keyIdOf(pem: string): Buffer {
  return readKey(pem).id;
}

interface ReadKey {
  id: Buffer;
  key: KeyObject;
}

/** A cluster has few, and each recording that ends is held against them. */
const readKeys = new BoundedMap<string, ReadKey>(64);

function readKey(pem: string): ReadKey {
  const known = readKeys.get(pem);
  if (known) return known;
  const key = createPublicKey(pem);
  const der = key.export({ type: 'spki', format: 'der' });
  const read = { id: hash('sha256', der, 'buffer').subarray(0, KEY_ID_BYTES), key };
  readKeys.set(pem, read);
  return read;
}
