/** Holds back a change of screen while something is not saved, until the user says what should happen to it. */
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import type { SearchTexts } from './routing.tsx';

export interface LeaveGuard {
  /** Somebody wants to go: ask them. */
  asks: boolean;
  stay: () => void;
  leave: () => void;
  /** The next change of address is ours, and nothing is lost by it. */
  letGo: () => void;
}

/** Names in the address that only say how a screen is looked at. */
const LOOKS = ['tab', 'search', 'sort'];

export function useLeaveGuard(isUnsaved: boolean): LeaveGuard {
  const isFree = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      if (!isUnsaved || isFree.current) {
        isFree.current = false;
        return false;
      }
      return current.pathname !== next.pathname || whatOf(current.search) !== whatOf(next.search);
    },
    enableBeforeUnload: false,
    withResolver: true,
  });
  const letGo = useCallback(() => {
    isFree.current = true;
  }, []);
  return {
    asks: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
    letGo,
  };
}

function whatOf(search: SearchTexts): string {
  return JSON.stringify(
    Object.entries(search)
      .filter(([name]) => !LOOKS.includes(name))
      .sort(),
  );
}
