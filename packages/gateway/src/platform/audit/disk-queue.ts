/** Events that wait on disk while the store is down, in order, and those the store would not take at all. */
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../std/app-error.ts';
import { createMutex } from '../std/mutex.ts';
import type { EventDraft } from './event-draft.ts';

/** Some hundred thousand events. Beyond it actions are refused: the disk is not ours alone. */
const MAX_BYTES = 256 * 1024 * 1024;
const BATCH_BYTES = 512 * 1024;

export interface DiskQueue {
  /** How many wait. */
  readonly waiting: number;
  readonly deadLetters: number;
  /** Where dead letters are kept. */
  readonly deadFile: string;
  /** On disk when it resolves. */
  append(drafts: readonly EventDraft[]): Promise<void>;
  /** Hands over what waits, oldest first. What `take` has taken is not handed over again, except after a crash. */
  replay(take: (drafts: EventDraft[]) => Promise<void>): Promise<void>;
  bury(draft: EventDraft, reason: string): Promise<void>;
  close(): Promise<void>;
}

const text = z.string();
const draftShape: z.ZodType<EventDraft> = z.object({
  uid: text,
  time: z.number(),
  event: text,
  code: text,
  severity: text,
  user: text,
  sign_in: text,
  session: text,
  resource_kind: text,
  resource_name: text,
  address: text,
  cluster: text,
  data: text,
});

export async function openDiskQueue(folder: string, maxBytes = MAX_BYTES): Promise<DiskQueue> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const deadFile = join(folder, 'dead-letters.jsonl');
  const file = await open(join(folder, 'waiting.jsonl'), 'a+', 0o600);
  const dead = await open(deadFile, 'a+', 0o600);
  const queue = new FileQueue({ file, dead, deadFile, maxBytes });
  await queue.readOld();
  return queue;
}

class FileQueue implements DiskQueue {
  readonly deadFile: string;
  readonly #file: FileHandle;
  readonly #dead: FileHandle;
  readonly #maxBytes: number;
  readonly #inTurn = createMutex();
  waiting = 0;
  deadLetters = 0;
  #size = 0;
  /** Where the next event to hand over begins. */
  #read = 0;

  constructor(parts: { file: FileHandle; dead: FileHandle; deadFile: string; maxBytes: number }) {
    this.#file = parts.file;
    this.#dead = parts.dead;
    this.deadFile = parts.deadFile;
    this.#maxBytes = parts.maxBytes;
  }

  /** A line that a crash cut off was never acknowledged. */
  async readOld(): Promise<void> {
    const held = await this.#file.readFile();
    this.#size = held.lastIndexOf(0x0a) + 1;
    if (this.#size < held.length) await this.#file.truncate(this.#size);
    this.waiting = countLines(held.subarray(0, this.#size));
    this.deadLetters = countLines(await readFile(this.deadFile));
  }

  append(drafts: readonly EventDraft[]): Promise<void> {
    return this.#inTurn(async () => {
      const lines = Buffer.from(drafts.map((draft) => `${JSON.stringify(draft)}\n`).join(''));
      if (this.#size + lines.length > this.#maxBytes) {
        throw new AppError('unavailable', 'this cannot be recorded now: too many audit events wait for the store');
      }
      await this.#file.appendFile(lines);
      await this.#file.datasync();
      this.#size += lines.length;
      this.waiting += drafts.length;
    });
  }

  async replay(take: (drafts: EventDraft[]) => Promise<void>): Promise<void> {
    for (;;) {
      const { drafts, lines, bytes } = await this.#next();
      if (bytes === 0) {
        if (await this.#clear()) return;
        continue;
      }
      if (drafts.length > 0) await take(drafts);
      this.#read += bytes;
      this.waiting -= lines;
    }
  }

  async bury(draft: EventDraft, reason: string): Promise<void> {
    await this.#dead.appendFile(`${JSON.stringify({ reason, event: draft })}\n`);
    await this.#dead.datasync();
    this.deadLetters += 1;
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#file.close();
      await this.#dead.close();
    });
  }

  /** Always some lines while there are any: of none it would be thought that something came meanwhile, again and again. */
  async #next(): Promise<{ drafts: EventDraft[]; lines: number; bytes: number }> {
    const { buffer, bytes } = await this.#readLines();
    const lines = buffer.toString('utf8', 0, bytes).split('\n').slice(0, -1);
    const drafts: EventDraft[] = [];
    for (const line of lines) {
      const draft = readDraft(line);
      if (draft) drafts.push(draft);
      // The disk has spoilt it, or somebody has: those behind it must not wait for it for ever.
      else await this.#buryLine(line);
    }
    return { drafts, lines: lines.length, bytes };
  }

  /** More than a batch where one line alone is longer. */
  async #readLines(): Promise<{ buffer: Buffer; bytes: number }> {
    for (let most = BATCH_BYTES; ; most *= 2) {
      const buffer = Buffer.alloc(Math.min(this.#size - this.#read, most));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#read);
      const bytes = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      if (bytes > 0 || buffer.length === 0) return { buffer, bytes };
      if (buffer.length === this.#size - this.#read)
        throw new Error('the file of audit events that wait was changed by somebody else');
    }
  }

  async #buryLine(line: string): Promise<void> {
    await this.#dead.appendFile(`${JSON.stringify({ reason: 'it cannot be read', line })}\n`);
    await this.#dead.datasync();
    this.deadLetters += 1;
  }

  /** False when something was appended meanwhile. */
  #clear(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#read < this.#size) return false;
      await this.#file.truncate(0);
      await this.#file.datasync();
      this.#size = 0;
      this.#read = 0;
      this.waiting = 0;
      return true;
    });
  }
}

function readDraft(line: string): EventDraft | undefined {
  try {
    return draftShape.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}
