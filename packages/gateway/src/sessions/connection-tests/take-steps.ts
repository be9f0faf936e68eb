/** Runs the steps of a test one after the other, and keeps what each of them said. */
import type { KindTestStep } from '@gatehouse/contract/kinds/kinds';
import type { Trace } from '@gatehouse/contract/sessions/diagnostics';
import { AppError } from '../../platform/std/app-error.ts';

export interface Step<T> {
  step: KindTestStep;
  /** What the wire reference calls it. */
  type: NonNullable<Trace['traceType']>;
  /** What to do when it fails and the failure itself does not say. */
  next?: string;
  /** Where a failure says by itself what it is; otherwise it is of the step's type. */
  failedAs?(error: AppError): NonNullable<Trace['traceType']>;
  run(): Promise<T> | T;
  /** In words, when it went well. */
  tell(result: T): string;
  /** Somebody should look at it, though it went well. */
  advise?(result: T): string | undefined;
  /** What it showed and nobody has accepted yet. */
  shown?(result: T): string | undefined;
}

/** A step failed: the test is over, and that is its answer. */
export class StepFailed extends Error {}

export interface Steps {
  traces: Trace[];
  /** Throws `StepFailed`; what is no `AppError` is our own mistake and thrown as it is. */
  take<T>(step: Step<T>): Promise<T>;
}

export function createSteps(): Steps {
  const traces: Trace[] = [];
  return {
    traces,
    async take({ step, type, next, failedAs, run, tell, advise, shown: shownBy }) {
      const begun = performance.now();
      const facts = () => ({ step, durationMs: Math.round(performance.now() - begun) });
      try {
        const result = await run();
        const look = advise?.(result);
        const shown = shownBy?.(result);
        const gatehouse = { ...facts(), ...(look ? { next: look } : {}), ...(shown ? { shown } : {}) };
        traces.push({ traceType: type, status: 'SUCCESS', details: tell(result), gatehouse });
        return result;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const advice = nextOf(error) ?? next;
        traces.push({
          traceType: failedAs?.(error) ?? type,
          status: 'FAILED',
          details: advice ?? '',
          error: error.message,
          gatehouse: { ...facts(), ...(advice ? { next: advice } : {}) },
        });
        throw new StepFailed(error.message, { cause: error });
      }
    },
  };
}

function nextOf({ fields }: AppError): string | undefined {
  return typeof fields?.next === 'string' && fields.next !== '' ? fields.next : undefined;
}
