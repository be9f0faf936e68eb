/** Where recordings are kept, as readers and retention see it: the same for a folder and for a bucket. */

export interface RecordingStore {
  /** Undefined: there is none. */
  open(sid: string): Promise<RecordingSource | undefined>;
  list(): AsyncIterable<StoredRecording>;
  /** With everything beside it. */
  remove(sid: string): Promise<void>;
  /** What can be made again from the recording, e.g. its index. */
  readBeside(sid: string, name: string): Promise<Buffer | undefined>;
  /** All of it, or as it was before. */
  writeBeside(sid: string, name: string, bytes: Uint8Array): Promise<void>;
}

export interface StoredRecording {
  sid: string;
  bytes: number;
  changed: number;
}

export interface RecordingSource {
  /** As it was when opened; a running session's grows. */
  readonly bytes: number;
  /** As `list` tells it. */
  readonly changed?: number;
  /** Shorter than asked for at the end. */
  read(from: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Where nothing is kept. */
export const NO_STORE: RecordingStore = {
  open: async () => undefined,
  async *list() {},
  remove: async () => {},
  readBeside: async () => undefined,
  writeBeside: async () => {},
};

const SID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BESIDE = /^[a-z][a-z0-9-]{0,31}$/;

/** Anything else never becomes part of a path or a key. */
export function isSid(sid: string): boolean {
  return SID.test(sid);
}

export function isBeside(name: string): boolean {
  return BESIDE.test(name) && name !== 'rec';
}

export function requireBeside(sid: string, name: string): void {
  if (!isSid(sid) || !isBeside(name)) throw new RangeError(`'${sid}' and '${name}' name nothing beside a recording`);
}
