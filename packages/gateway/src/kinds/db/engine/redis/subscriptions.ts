/** What a connection listens to, as the server tells it: from then on, messages come that nobody asked for. */
import type { Reply } from './reply-reader.ts';

/** A server of protocol 2 sends them in the place of answers. */
const MESSAGES: ReadonlySet<string> = new Set(['message', 'pmessage', 'smessage']);
const CHANGES: ReadonlySet<string> = new Set([
  'subscribe',
  'psubscribe',
  'ssubscribe',
  'unsubscribe',
  'punsubscribe',
  'sunsubscribe',
]);

export function isSubscribing(name: string): boolean {
  return CHANGES.has(name.toLowerCase());
}

export class Subscriptions {
  /** Of channels and patterns together, and of sharded channels: the server counts no other way. */
  #total = 0;
  #patterns = 0;
  #sharded = 0;

  get isListening(): boolean {
    return this.#total > 0 || this.#sharded > 0;
  }

  isMessage({ type, first }: Reply): boolean {
    return type === 'list' && this.isListening && (MESSAGES.has(first) || CHANGES.has(first));
  }

  /** How often the server will confirm it. `named`: how many channels stand in the command. */
  confirmations(name: string, named: number): number {
    if (named > 0 || !name.includes('UNSUBSCRIBE')) return named;
    const open = { UNSUBSCRIBE: this.#total - this.#patterns, PUNSUBSCRIBE: this.#patterns }[name] ?? this.#sharded;
    // Where there is none to leave, it says so once.
    return Math.max(1, open);
  }

  hear({ first, number }: Reply): void {
    if (!CHANGES.has(first)) return;
    const now = Math.max(0, number);
    if (first.startsWith('s') && first !== 'subscribe') {
      this.#sharded = now;
      return;
    }
    if (first.startsWith('p')) this.#patterns = Math.max(0, this.#patterns + now - this.#total);
    this.#total = now;
  }
}
