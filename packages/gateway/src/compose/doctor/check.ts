/** One thing that `gatehouse doctor` looks at: whether it stands, in words, and what to do where it does not. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { toldError } from '../../platform/std/told-error.ts';

export interface CheckResult {
  name: string;
  ok: boolean;
  message: string;
  /** What to do about it. */
  next?: string;
}

export type Finding = Omit<CheckResult, 'name'>;

/** The signal ends it when its time is over. */
export type Look = (signal: AbortSignal) => Promise<Finding>;

export const LOOK_MS = 10_000;

export const stands = (message: string): Finding => ({ ok: true, message });
export const fails = (message: string, next?: string): Finding => ({
  ok: false,
  message,
  ...(next === undefined ? {} : { next }),
});

/** All at once: one that hangs costs the others nothing, and nobody waits longer than for the slowest. */
export async function lookAtAll(looks: Record<string, Look>, limitMs = LOOK_MS): Promise<CheckResult[]> {
  return await Promise.all(
    Object.entries(looks).map(async ([name, look]) => ({ name, ...(await lookWithin(look, limitMs)) })),
  );
}

export async function lookWithin(look: Look, limitMs = LOOK_MS): Promise<Finding> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  const tooLate = new Promise<Finding>((resolve) => {
    whenAborted(late.signal, () => resolve(fails(`no answer within ${limitMs / 1000} s`)));
  });
  try {
    // The race holds even for what ignores its signal.
    return await Promise.race([look(late.signal), tooLate]);
  } catch (error) {
    return fails(toldError(error));
  } finally {
    clearTimeout(timer);
    // What is still under way has nobody left to tell.
    late.abort();
  }
}
