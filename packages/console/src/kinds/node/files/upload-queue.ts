/** Uploads of one place: a few at a time, each goes on from what is there, and a lost network is waited for. */
import { CallError } from '@gatehouse/contract/wire/client';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import type { ChosenFile } from '../../../shared/files/dropped-files.ts';

export interface UploadQuery {
  folder: string;
  name: string;
  upload: string;
}

export interface UploadWire {
  /** Bytes that are there of an upload, and whether its name is taken. */
  progress(query: UploadQuery): Promise<{ offset: number; exists: boolean }>;
  write(
    query: UploadQuery & { offset: string; size: string; replace: 'true' | 'false' },
    body: Blob,
    options: { onProgress: (sentBytes: number) => void; signal: AbortSignal },
  ): Promise<void>;
  giveUp(query: UploadQuery): Promise<unknown>;
}

export type UploadState = 'waiting' | 'running' | 'paused' | 'lost' | 'exists' | 'failed' | 'done';

export interface Upload {
  id: string;
  folder: string;
  /** Below the folder, as it lay in the folder that was dropped. */
  name: string;
  size: number;
  sent: number;
  state: UploadState;
  /** Why it stopped, for people. */
  error?: string;
}

const AT_ONCE = 3;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

interface Entry {
  file: File;
  query: UploadQuery;
  replace: boolean;
  tries: number;
  stop?: AbortController;
}

interface QueueDeps {
  wire: UploadWire;
  /** After each that is finished. */
  onDone: (upload: Upload) => void;
  explain: (error: unknown) => string;
  after?: (work: () => void, ms: number) => unknown;
}

export class UploadQueue {
  readonly items: Store<readonly Upload[]> = createStore<readonly Upload[]>([]);
  readonly #deps: QueueDeps;
  readonly #entries = new Map<string, Entry>();
  #lastId = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  add(folder: string, files: readonly ChosenFile[]): void {
    const added = files.map(({ file, name }): Upload => {
      this.#lastId += 1;
      const id = String(this.#lastId);
      this.#entries.set(id, {
        file,
        query: { folder, name, upload: idOf(folder, name, file) },
        replace: false,
        tries: 0,
      });
      return { id, folder, name, size: file.size, sent: 0, state: 'waiting' };
    });
    this.items.set((before) => [...before, ...added]);
    this.#fill();
  }

  pause(id: string): void {
    this.#change(id, { state: 'paused' });
    this.#entries.get(id)?.stop?.abort();
    this.#fill();
  }

  /** Goes on with one that was paused, or that failed. */
  resume(id: string, how: { replace?: boolean } = {}): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.tries = 0;
    if (how.replace) entry.replace = true;
    this.#set(id, ({ error: _, ...upload }) => ({ ...upload, state: 'waiting' }));
    this.#fill();
  }

  /** What is there of it on the server is removed. */
  cancel(id: string): void {
    const entry = this.#entries.get(id);
    const state = this.#find(id)?.state;
    this.#entries.delete(id);
    this.items.set((before) => before.filter((each) => each.id !== id));
    entry?.stop?.abort();
    // A part that stays behind is hidden and harmless; nobody can be told any more.
    if (entry && state !== 'done' && state !== 'exists')
      void this.#deps.wire.giveUp(entry.query).catch(() => undefined);
    this.#fill();
  }

  clearDone(): void {
    for (const { id, state } of this.items.get()) if (state === 'done') this.#entries.delete(id);
    this.items.set((before) => before.filter(({ state }) => state !== 'done'));
  }

  #fill(): void {
    const items = this.items.get();
    const running = items.filter(({ state }) => state === 'running').length;
    for (const { id } of items.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, AT_ONCE - running)))
      void this.#run(id);
  }

  async #run(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { file, query } = entry;
    const stop = new AbortController();
    entry.stop = stop;
    this.#change(id, { state: 'running' });
    try {
      const there = await this.#deps.wire.progress(query);
      // SftpRequest before: a large file would be sent for nothing.
      if (there.exists && !entry.replace) {
        this.#change(id, { state: 'exists' });
        this.#fill();
        return;
      }
      const offset = there.offset <= file.size ? there.offset : 0;
      this.#change(id, { sent: offset });
      const about = {
        ...query,
        offset: String(offset),
        size: String(file.size),
        replace: String(entry.replace) as 'true',
      };
      await this.#deps.wire.write(about, file.slice(offset), {
        onProgress: (sent) => this.#change(id, { sent: Math.min(file.size, offset + sent) }),
        signal: stop.signal,
      });
      this.#change(id, { state: 'done', sent: file.size });
      const done = this.#find(id);
      if (done) this.#deps.onDone(done);
    } catch (error) {
      if (!stop.signal.aborted) this.#failed(id, entry, error);
    }
    this.#fill();
  }

  #failed(id: string, entry: Entry, error: unknown): void {
    const known = error instanceof CallError;
    if (known && error.fields.exists === true) {
      this.#change(id, { state: 'exists' });
      return;
    }
    const isLost = !known || [500, 502, 503, 504, 412].includes(error.status);
    const words = this.#deps.explain(error);
    const wait = RETRY_MS[entry.tries];
    if (!isLost || wait === undefined) {
      this.#change(id, { state: 'failed', error: words });
      return;
    }
    entry.tries += 1;
    this.#change(id, { state: 'lost', error: words });
    const after = this.#deps.after ?? setTimeout;
    after(() => {
      if (this.#find(id)?.state !== 'lost') return;
      this.#change(id, { state: 'waiting' });
      this.#fill();
    }, wait);
  }

  #find(id: string): Upload | undefined {
    return this.items.get().find((each) => each.id === id);
  }

  #change(id: string, part: Partial<Upload>): void {
    this.#set(id, (upload) => ({ ...upload, ...part }));
  }

  #set(id: string, change: (upload: Upload) => Upload): void {
    this.items.set((before) => before.map((each) => (each.id === id ? change(each) : each)));
  }
}

/** The same for the same file, so that a try after a reload finds what is there: FNV-1a, 64 bits. */
export function idOf(
  folder: string,
  name: string,
  { size, lastModified }: Pick<File, 'size' | 'lastModified'>,
): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify([folder, name, size, lastModified])))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}
