/** How far somebody has come through the steps, and where the keyboard goes on after each. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { STEPS, type Step } from '../connector-paths.ts';

export interface StepsGone {
  /** The furthest step anybody has been to. */
  furthest: number;
  /** Of what holds the step. */
  place: RefObject<HTMLDivElement | null>;
  /** Leads the keyboard to where the step begins. */
  goToStart: () => void;
}

export function useSteps(step: Step): StepsGone {
  const at = STEPS.indexOf(step);
  const [furthest, setFurthest] = useState(at);
  if (at > furthest) setFurthest(at);
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    // The button that led here is another one now, or gone.
    startOf(place.current)?.focus();
  }, [step]);
  return { furthest: Math.max(furthest, at), place, goToStart: () => startOf(place.current)?.focus() };
}

/** What a step names as its beginning; of a group of fields, the first that can be filled in. */
function startOf(place: HTMLElement | null): HTMLElement | null | undefined {
  const start = place?.querySelector<HTMLElement>('[data-step-start]');
  return start?.querySelector<HTMLElement>('input:not(:disabled), textarea:not(:disabled)') ?? start;
}
