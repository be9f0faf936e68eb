/** Which channels a session has: those of the page that it may have, and those that the gateway speaks itself. Others exist for the page alone. */
import { malformed } from '../desktop-link.ts';
import type { HostChannels } from './gcc.ts';

export const CHANNEL = { clipboard: 'cliprdr', dynamic: 'drdynvc' } as const;

/** Told to the page for a channel that it may not have: no host uses such numbers. */
const FIRST_FALSE_ID = 0xf000;

export class ChannelTable {
  /** In the page's order. */
  #ofPage: readonly string[] = [];
  /** As the host is asked for them. */
  #ofHost: readonly string[] = [];
  readonly #ids = new Map<string, number>();
  #io: number | undefined;

  get io(): number | undefined {
    return this.#io;
  }

  /** Gives the names that the host is asked for. `own`: those the gateway speaks itself. */
  ask(ofPage: readonly string[], allowed: readonly string[], own: readonly string[]): readonly string[] {
    this.#ofPage = ofPage;
    this.#ofHost = [...new Set([...ofPage.filter((name) => allowed.includes(name)), ...own])];
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
    return id === undefined || this.#ofPage.indexOf(name) !== at ? FIRST_FALSE_ID + at : id;
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
    const found = [...this.#ids].find(([, each]) => each === id)?.[0];
    return found !== undefined && this.#ofPage.includes(found) ? found : undefined;
  }

  /** Spoken by the gateway itself. */
  ownIds(): number[] {
    return [...this.#ids].filter(([name]) => !this.#ofPage.includes(name)).map(([, id]) => id);
  }
}
