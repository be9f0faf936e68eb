/** A value that changes with every key, once the hand rests. */
import { useEffect, useState } from 'react';

/** The first value at once; a later one after it has stayed the same for `ms`, unless it is not `fit` to be taken. */
export function useDebounced<T>(value: T, ms: number, fit = true): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    if (!fit) return;
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms, fit]);
  return rested;
}
