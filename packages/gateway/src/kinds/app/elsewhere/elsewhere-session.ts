/** A session with an application of another cluster: that cluster has it, and this one its browser. */
import type { Duplex } from 'node:stream';
import { createUpstreamPool, type UpstreamPool } from '../../../reach/http/upstream-pool.ts';
import type { StoredAppSession } from '../app-session-store.ts';
import type { RequestRules } from '../engine/request-head.ts';
import type { ResponseRules } from '../engine/response-rules.ts';
import type { ElsewhereName } from './elsewhere-host.ts';

/** How the row of its cookies says that it is one. */
const MARK = 'elsewhere';

export interface ElsewhereRef extends ElsewhereName {
  /** By which the other cluster knows it. */
  ref: string;
}

export function writeRef({ ref, cluster, name }: ElsewhereRef): string {
  return [MARK, ref, cluster, name].join(' ');
}

export function readRef(text: string): ElsewhereRef | undefined {
  const [mark, ref, cluster, name] = text.split(' ');
  return mark === MARK && ref && cluster && name ? { ref, cluster, name } : undefined;
}

export class ElsewhereSession {
  readonly stored: StoredAppSession;
  readonly at: ElsewhereRef;
  readonly host: string;
  readonly rules: RequestRules & ResponseRules;
  readonly pool: UpstreamPool;
  readonly #cuts = new Set<() => void>();
  #isOver = false;

  constructor(options: Pick<ElsewhereSession, 'stored' | 'at' | 'host' | 'rules'> & { dial(): Promise<Duplex> }) {
    this.stored = options.stored;
    this.at = options.at;
    this.host = options.host;
    this.rules = options.rules;
    this.pool = createUpstreamPool(options.dial);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Cut when it ends; at once if it has. */
  add(cut: () => void): void {
    if (this.#isOver) cut();
    else this.#cuts.add(cut);
  }

  /** It is over by itself. */
  remove(cut: () => void): void {
    this.#cuts.delete(cut);
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const cut of [...this.#cuts]) cut();
    this.#cuts.clear();
    this.pool.close();
  }
}
