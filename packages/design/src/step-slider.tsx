/** The steps of a flow: slides to the next or previous one in 500 ms and can switch to another flow. */

import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './step-slider.module.css';
import { useWords } from './words.tsx';

export interface StepControls {
  next: () => void;
  previous: () => void;
  /** Goes to the first step of another flow. */
  switchFlow: (flow: string) => void;
  index: number;
  count: number;
}

export interface Step {
  id: string;
  /** The step's accessible name; "Step 1 of 3" without one. */
  label?: string;
  view: (controls: StepControls) => ReactNode;
}

export interface StepSliderProps {
  flows: Readonly<Record<string, readonly Step[]>>;
  initialFlow: string;
  durationMs?: number;
  onStepChange?: (flow: string, stepId: string) => void;
}

interface SliderStep {
  flow: string;
  index: number;
}

interface State {
  at: SliderStep;
  /** Steps stay as they were left, so that going back loses nothing; those never reached are not made. */
  visited: readonly SliderStep[];
  slide?: { from: SliderStep; direction: 'next' | 'previous' };
}

const same = (a: SliderStep, b: SliderStep) => a.flow === b.flow && a.index === b.index;

function prefersLessMotion(): boolean {
  return window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;
}

export function StepSlider({ flows, initialFlow, durationMs = 500, onStepChange }: StepSliderProps) {
  const words = useWords();
  const slider = useRef<HTMLDivElement>(null);
  const start = { flow: initialFlow, index: 0 };
  const [state, setState] = useState<State>({ at: start, visited: [start] });
  const { at, visited, slide } = state;
  const slideMs = prefersLessMotion() ? 0 : durationMs;

  useEffect(() => {
    if (!slide) return;
    // The keyboard and the screen reader go with the eyes; at once, not when the slide has ended.
    const active = slider.current?.querySelector<HTMLElement>('[data-active]');
    const first = active?.querySelector<HTMLElement>('[data-autofocus], input:not([type=hidden]), select, textarea');
    (first ?? active)?.focus({ preventScroll: true });
    const timer = setTimeout(() => setState((before) => ({ ...before, slide: undefined })), slideMs);
    return () => clearTimeout(timer);
  }, [slide, slideMs]);

  const go = (to: SliderStep, direction: 'next' | 'previous') => {
    const step = flows[to.flow]?.[to.index];
    if (!step || same(to, at)) return;
    setState({
      at: to,
      visited: visited.some((place) => same(place, to)) ? visited : [...visited, to],
      slide: { from: at, direction },
    });
    onStepChange?.(to.flow, step.id);
  };
  const placeOf = (place: SliderStep) => {
    if (same(place, at)) return slide ? `entering-${slide.direction}` : 'active';
    return slide && same(place, slide.from) ? `leaving-${slide.direction}` : 'away';
  };

  const slideTime: CSSProperties & Record<'--slide', string> = { '--slide': `${slideMs}ms` };
  return (
    <div ref={slider} className={styles.slider} data-sliding={slide ? '' : undefined} style={slideTime}>
      {visited.map((place) => {
        const steps = flows[place.flow] ?? [];
        const step = steps[place.index];
        if (!step) return null;
        const active = same(place, at);
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
          <div
            key={`${place.flow} ${step.id}`}
            role="group"
            aria-label={step.label ?? words.step(place.index + 1, steps.length)}
            tabIndex={-1}
            inert={!active}
            data-active={active ? '' : undefined}
            data-place={placeOf(place)}
            className={styles.step}
          >
            {step.view({
              next: () => go({ flow: place.flow, index: place.index + 1 }, 'next'),
              previous: () => go({ flow: place.flow, index: place.index - 1 }, 'previous'),
              switchFlow: (flow) => go({ flow, index: 0 }, 'next'),
              index: place.index,
              count: steps.length,
            })}
          </div>
        );
      })}
    </div>
  );
}
