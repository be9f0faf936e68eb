/** Decides whether the gateway can serve: every named check in time, and not on its way out. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Log } from '../std/log.ts';

/** Throws or rejects when the thing is not well. The signal ends it when its time is over. */
export type Check = (signal: AbortSignal) => Promise<void>;

/** Why a check failed, in words that anybody may read. */
export class NotReady extends Error {
  override name = 'NotReady';
}

export interface CheckResult {
  ok: boolean;
  durationMs: number;
  /** Why not, without details: these answers are read without sign-in. The log has the rest. */
  reason?: string;
}

export interface ReadinessReport {
  ready: boolean;
  checks: Record<string, CheckResult>;
}

export interface Readiness {
  report(): Promise<ReadinessReport>;
  /** From now on not ready, so that balancers send people elsewhere while open calls finish. */
  beginDrain(): void;
}

export interface ReadinessOptions {
  checks: Record<string, Check>;
  log: Log;
  timeoutMs?: number;
}

const AGAIN_MS = 60_000;

export function createReadiness({ checks, log, timeoutMs = 2_000 }: ReadinessOptions): Readiness {
  const failing = new Map<string, { toldAt: number; times: number }>();
  let draining = false;
  let underway: Promise<ReadinessReport> | undefined;

  async function runAll(): Promise<ReadinessReport> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const),
    );
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  }

  async function run(name: string, check: Check): Promise<CheckResult> {
    const started = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    const took = () => Math.round(performance.now() - started);
    try {
      // The race holds even for a check that ignores its signal: a hung store must not hang the answer.
      await Promise.race([check(signal), rejected(signal)]);
      tellPassed(name);
      return { ok: true, durationMs: took() };
    } catch (error) {
      tellFailed(name, error);
      const told = error instanceof NotReady ? error.message : 'failed';
      return { ok: false, durationMs: took(), reason: signal.aborted ? `no answer within ${timeoutMs} ms` : told };
    }
  }

  /** Probes come every few seconds: that it began is told, that it lasts once a minute, and that it is over. */
  function tellFailed(check: string, error: unknown): void {
    const before = failing.get(check);
    const known = before ?? { toldAt: Number.NEGATIVE_INFINITY, times: 0 };
    failing.set(check, known);
    known.times += 1;
    if (performance.now() - known.toldAt < AGAIN_MS) return;
    known.toldAt = performance.now();
    const why = error instanceof NotReady ? { reason: error.message } : { error };
    log.warn({ check, ...why, ...(before ? { times: known.times } : {}) }, 'readiness check failed');
  }

  function tellPassed(check: string): void {
    const before = failing.get(check);
    failing.delete(check);
    if (before) log.info({ check, times: before.times }, 'readiness check passes again');
  }

  return {
    async report() {
      // Callers that come together share one run: probes must not become a load of their own.
      underway ??= runAll().finally(() => {
        underway = undefined;
      });
      const { ready, checks: results } = await underway;
      return draining
        ? { ready: false, checks: { ...results, drain: { ok: false, durationMs: 0, reason: 'shutting down' } } }
        : { ready, checks: results };
    },
    beginDrain() {
      draining = true;
    },
  };
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => void whenAborted(signal, () => reject(signal.reason)));
}
