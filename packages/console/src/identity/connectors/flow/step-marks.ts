/** How each step of a connector stands: being gone through, done, or with something to mend. */
import type { Problem } from '../../../shared/document-editor/read-document.ts';
import { STEPS, type Step } from '../connector-paths.ts';

export type StepMark = 'now' | 'done' | 'faulty' | 'open';

interface Standing {
  step: Step;
  /** The furthest step anybody has been to: those before it are gone through. */
  furthest: number;
  isNew: boolean;
  problems: readonly Problem[];
  test: 'passed' | 'failed' | 'waiting' | undefined;
}

/** Nobody has done a step whose fields are wrong, nor a test that did not pass. */
export function markOf(of: Step, { step, furthest, isNew, problems, test }: Standing): StepMark {
  if (of === step) return 'now';
  const at = STEPS.indexOf(of);
  if (at >= furthest) return 'open';
  if (of === 'test' ? test === 'failed' : problems.some((problem) => stepOf(problem, isNew) === of)) return 'faulty';
  if (of === 'test' && test !== 'passed') return 'open';
  return at < STEPS.indexOf(step) ? 'done' : 'open';
}

/** Where it can be mended: the name of a new one stands in the first step, everything else in the settings. */
function stepOf({ path = '' }: Problem, isNew: boolean): Step {
  return isNew && path === NAME_PATH ? 'there' : 'settings';
}

export const NAME_PATH = 'metadata.name';
