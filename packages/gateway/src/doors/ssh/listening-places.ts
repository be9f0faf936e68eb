/** Where a server listens for one connection to the door: each place once, and so many of them. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../platform/std/app-error.ts';
import type { CameIn, ForwardTarget, Listening } from '../../sessions/commands/running-command.ts';

/** Of one connection to the door. */
export const MAX_LISTENING = 16;

export interface Listened {
  port: number;
  /** The program was told: whoever came in before waits until then, as it turns away what comes from a port it has not heard of. */
  begin(): void;
}

interface Wanted {
  at: ForwardTarget;
  /** Has the server listen, and rejects with why it does not. */
  start(onCameIn: (came: CameIn) => void): Promise<Listening>;
  /** `at`: as the program knows it. */
  lead(at: ForwardTarget, came: CameIn): void;
}

export class ListeningPlaces {
  readonly #places = new Map<string, Listening | 'asked'>();

  /** Throws in words why not. `at`: by the port it was given, where any would do: so the program knows it, and so it is asked to stop. */
  async listen({ at, start, lead }: Wanted): Promise<Listened & { at: ForwardTarget }> {
    const wanted = nameOf(at);
    // Any port will do: each that is asked for is another one.
    const key = at.type === 'tcp' && at.port === 0 ? randomUUID() : wanted;
    if (this.#places.has(key)) throw new AppError('conflict', `it listens on ${wanted} already`);
    if (this.#places.size >= MAX_LISTENING)
      throw new AppError('too_many', `at most ${MAX_LISTENING} ports are listened on for one connection`);
    this.#places.set(key, 'asked');
    let named = at;
    const told = Promise.withResolvers<void>();
    const given = await start((came) => void told.promise.then(() => lead(named, came))).finally(() =>
      this.#places.delete(key),
    );
    if (at.type === 'tcp') named = { ...at, port: given.port };
    this.#places.set(nameOf(named), given);
    return { at: named, port: given.port, begin: told.resolve };
  }

  /** False: it did not listen there. */
  unlisten(at: ForwardTarget): boolean {
    const known = this.#places.get(nameOf(at));
    if (!known || known === 'asked') return false;
    this.#places.delete(nameOf(at));
    known.close();
    return true;
  }
}

export function nameOf(target: ForwardTarget): string {
  return target.type === 'tcp' ? `${target.host}:${target.port}` : target.path;
}
