/** Input that an agent has not said it has given to the shell: sent once more when the way to the agent was lost in between. */
import { MAX_WRITERS } from '@gatehouse/contract/reach/agents/shell-frames';
import { freshInput, type InputProgress } from '@gatehouse/tunnel/shells/writers';

interface Writer extends InputProgress {
  /** From `taken` on. */
  waiting: Uint8Array[];
}

export interface InputChunk {
  writer: string;
  offset: number;
  bytes: Uint8Array;
}

export class UnackedInput {
  /** The one that has been silent longest first. */
  readonly #writers = new Map<string, Writer>();

  takenBy(name: string): number {
    return this.#writers.get(name)?.taken ?? 0;
  }

  /** What of it is new; undefined when nothing is. Throws as `freshInput` does. */
  receive(name: string, offset: number, bytes: Uint8Array): InputChunk | undefined {
    const writer = this.#writers.get(name) ?? { received: 0, taken: 0, waiting: [] };
    // A copy: what was given is a part of a larger buffer, which would be kept with it.
    const fresh = Uint8Array.from(freshInput(writer, offset, bytes));
    this.#keep(name, writer);
    if (fresh.length === 0) return undefined;
    const piece = { writer: name, offset: writer.received, bytes: fresh };
    writer.received += fresh.length;
    writer.waiting.push(fresh);
    return piece;
  }

  /** Whether that was news of something that was typed here. */
  taken(name: string, offset: number): boolean {
    const writer = this.#writers.get(name) ?? { received: offset, taken: offset, waiting: [] };
    this.#keep(name, writer);
    writer.received = Math.max(writer.received, offset);
    let drop = offset - writer.taken;
    if (drop <= 0) return false;
    const isAwaited = writer.waiting.length > 0;
    writer.taken = offset;
    for (let first = writer.waiting[0]; first && drop > 0; first = writer.waiting[0]) {
      if (first.length > drop) writer.waiting[0] = first.subarray(drop);
      else writer.waiting.shift();
      drop -= first.length;
    }
    return isAwaited;
  }

  /** Everything that may have been lost, in order. */
  all(): InputChunk[] {
    return [...this.#writers].flatMap(([writer, { taken, waiting }]) => {
      let offset = taken;
      return waiting.map((bytes) => {
        const piece = { writer, offset, bytes };
        offset += bytes.length;
        return piece;
      });
    });
  }

  #keep(name: string, writer: Writer): void {
    this.#writers.delete(name);
    this.#writers.set(name, writer);
    if (this.#writers.size <= MAX_WRITERS) return;
    const silent = [...this.#writers].find(([, { waiting }]) => waiting.length === 0);
    if (silent) this.#writers.delete(silent[0]);
  }
}
