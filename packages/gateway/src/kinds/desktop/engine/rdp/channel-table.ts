/** Which channels a session has: those of the page that it may have, and those that the gateway speaks itself. Others exist for the page alone. */
import { malformed } from '../desktop-link.ts';
import type { HostChannels } from './gcc.ts';

export const CHANNEL = { clipboard: 'cliprdr', dynamic: 'drdynvc', drives: 'rdpdr', sound: 'rdpsnd' } as const;

/** Told to the page for a channel that it may not have: no host uses such numbers. */
const FIRST_FALSE_ID = 0xf000;

export class ChannelTable {
  /** In the page's order. */
  #ofPage: readonly string[] = [];
  /** As the host is asked for them. */
  #ofHost: readonly string[] = [];
  /** A page that asks for one of these has it in name alone. */
  #own: readonly string[] = [];
  readonly #ids = new Map<string, number>();
  #io: number | undefined;

  get io(): number | undefined {
    return this.#io;
  }

  /** Gives the names that the host is asked for. `own`: those the gateway speaks itself. */
  ask(ofPage: readonly string[], allowed: readonly string[], own: readonly string[]): readonly string[] {
    this.#ofPage = ofPage;
    this.#own = own;
    this.#ofHost = [...new Set([...ofPage.filter((name) => allowed.includes(name) && !own.includes(name)), ...own])];
    return this.#ofHost;
  }

  learn({ io, ids }: HostChannels): void {
    const all = [io, ...ids];
    if (ids.length !== this.#ofHost.length) throw malformed('the host names other channels than it was asked for');
    if (new Set(all).size !== all.length || all.some((id) => id >= FIRST_FALSE_ID || id === 0))
      throw malformed('the host gives two channels the same number');
    this.#io = io;
    for (const [at, name] of this.#ofHost.entries()) this.#ids.set(name, ids[at]!);
  }

  /** As the page is told them. */
  forPage(): HostChannels {
    if (this.#io === undefined) throw malformed('the host has named no channels');
    return { io: this.#io, ids: this.#ofPage.map((name, at) => this.#pageId(name, at)) };
  }

  #pageId(name: string, at: number): number {
    const id = this.#ids.get(name);
    // One that is named twice is there once.
    const isFalse = id === undefined || this.#own.includes(name) || this.#ofPage.indexOf(name) !== at;
    return isFalse ? FIRST_FALSE_ID + at : id;
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name);
  }

  /** The page knows it, and the host does not. */
  isFalse(id: number): boolean {
    return id >= FIRST_FALSE_ID && id < FIRST_FALSE_ID + this.#ofPage.length;
  }

  /** Of those the page has in truth. */
  nameOf(id: number): string | undefined {
    const found = this.#named(id);
    return found !== undefined && !this.#own.includes(found) ? found : undefined;
  }

  /** Spoken by the gateway itself. */
  ownIds(): number[] {
    return this.#own.map((name) => this.#ids.get(name)).filter((id) => id !== undefined);
  }

  /** Of those the gateway speaks itself. */
  ownNameOf(id: number): string | undefined {
    const found = this.#named(id);
    return found !== undefined && this.#own.includes(found) ? found : undefined;
  }

  #named(id: number): string | undefined {
    return [...this.#ids].find(([, each]) => each === id)?.[0];
  }
}
