/** Input by writer: each byte reaches the shell once, in the order of its writer, however often it is sent. */
import { MAX_WRITERS, UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';

/** How far the input of one writer has come. */
export interface InputProgress {
  /** One beyond the last byte that arrived. */
  received: number;
  /** One beyond the last byte the shell has. */
  taken: number;
}

/** The gateway broke the rules of shell-frames.ts; it has to attach anew. */
export class InputError extends Error {
  override name = 'InputError';
}

/** What of it has not arrived before. Throws an `InputError` for a hole, or when too much is under way. */
export function freshInput({ received, taken }: InputProgress, offset: number, bytes: Uint8Array): Uint8Array {
  if (offset > received) throw new InputError(`input is missing from byte ${received} on`);
  const fresh = bytes.subarray(received - offset);
  if (received + fresh.length - taken > UNTAKEN_BYTES) {
    throw new InputError(`more than ${UNTAKEN_BYTES} bytes of input are under way`);
  }
  return fresh;
}

export interface Taken {
  writer: string;
  offset: number;
}

export class Writers {
  /** The one that has been silent longest first. */
  readonly #writers = new Map<string, InputProgress>();
  #waiting: { writer: string; bytes: Uint8Array }[] = [];

  get taken(): Record<string, number> {
    return Object.fromEntries([...this.#writers].map(([name, { taken }]) => [name, taken]));
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  receive(name: string, offset: number, bytes: Uint8Array): void {
    const writer = this.#writers.get(name) ?? { received: 0, taken: 0 };
    const fresh = freshInput(writer, offset, bytes);
    if (!this.#writers.delete(name) && this.#writers.size >= MAX_WRITERS) this.#forgetSilent();
    this.#writers.set(name, writer);
    if (fresh.length === 0) return;
    writer.received += fresh.length;
    this.#waiting.push({ writer: name, bytes: fresh });
  }

  /** Hands on what `write` takes, and tells how far each writer has come by it. */
  flush(write: (bytes: Uint8Array) => number): Taken[] {
    const moved = new Map<string, number>();
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const count = write(next.bytes);
      const writer = this.#writers.get(next.writer);
      if (writer && count > 0) {
        writer.taken += count;
        moved.set(next.writer, writer.taken);
      }
      if (count < next.bytes.length) {
        next.bytes = next.bytes.subarray(count);
        break;
      }
      this.#waiting.shift();
    }
    return [...moved].map(([writer, offset]) => ({ writer, offset }));
  }

  #forgetSilent(): void {
    for (const [name, { received, taken }] of this.#writers) {
      if (received > taken) continue;
      this.#writers.delete(name);
      return;
    }
    throw new InputError(`more than ${MAX_WRITERS} writers have input under way`);
  }
}
