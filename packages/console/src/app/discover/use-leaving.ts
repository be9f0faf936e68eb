/** Asks once before a flow that something was typed into is left; moving between its steps is not leaving. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { SearchTexts } from '../../platform/routing/routing.tsx';
import type { FlowPlace } from '../../shared/enrolment/flow-place.tsx';
import { tellStep } from './discover-events.ts';

/** What a card alone says is nothing that could be lost. */
const CHOSEN = new Set(['way', 'several', 'count', 'address']);

export function useLeaving({ card, kept, step, run }: FlowPlace) {
  const isAsked = useRef(false);
  const hasTyped = Object.keys(kept).some((name) => !CHOSEN.has(name) && !(name in (card.first ?? {})));
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const stays = current.pathname === next.pathname && (next.search as SearchTexts).flow === card.id;
      return !stays && hasTyped && step !== 'done' && !isAsked.current;
    },
    enableBeforeUnload: false,
    withResolver: true,
  });
  useEffect(() => {
    if (blocker.status === 'blocked') isAsked.current = true;
  }, [blocker.status]);
  return {
    asks: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => {
      tellStep(step, run, 'DISCOVER_STATUS_ABORTED');
      blocker.proceed?.();
    },
  };
}
