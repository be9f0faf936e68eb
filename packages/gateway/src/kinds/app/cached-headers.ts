/** Who certain headers are of, and what an application hears in their place: read once for as long as a client repeats them. */

import type { Proof } from './app-sessions.ts';
import type { RequestFacts } from './engine/read-request.ts';
import { type RequestRules, writeRequestHeaders } from './engine/request-head.ts';

export class CachedHeaders {
  readonly facts: RequestFacts;
  readonly proof: Proof;
  readonly host: string;
  readonly #raw: readonly string[];
  readonly #cookie: string;
  #rules: RequestRules | undefined;
  #lines = '';
  #written = '';

  /** `cookie`: what is left of the client's own. */
  constructor(raw: readonly string[], facts: RequestFacts, cookie: string, proof: Proof, host: string) {
    this.#raw = raw;
    this.facts = facts;
    this.#cookie = cookie;
    this.proof = proof;
    this.host = host;
  }

  /** Written anew when the session's rules change, and with each identity token. */
  headersFor(rules: RequestRules): string {
    const lines = rules.lines();
    if (rules === this.#rules && lines === this.#lines) return this.#written;
    this.#rules = rules;
    this.#lines = lines;
    const headers = { raw: this.#raw, facts: this.facts, cookie: this.#cookie, body: 'none' as const };
    // One flat text: put together of many, it would be gathered again for every request.
    this.#written = Buffer.from(writeRequestHeaders(headers, rules), 'latin1').toString('latin1');
    return this.#written;
  }
}
