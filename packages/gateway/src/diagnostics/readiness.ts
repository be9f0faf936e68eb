/** Decides whether the gateway can serve: every named check in time, and not on its way out. */
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

export function createReadiness({ checks, log, timeoutMs = 2_000 }: ReadinessOptions): Readiness {
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
      return { ok: true, durationMs: took() };
    } catch (error) {
      log.warn({ check: name, error }, 'readiness check failed');
      const told = error instanceof NotReady ? error.message : 'failed';
      return { ok: false, durationMs: took(), reason: signal.aborted ? `no answer within ${timeoutMs} ms` : told };
    }
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
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
