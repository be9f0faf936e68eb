/** The time, read again every so often, for what says how long something still works. */
import { useEffect, useState } from 'react';
import { useBrowser } from './browser-services.tsx';

export function useTime(everyMs: number): number {
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), everyMs);
    return () => clearInterval(timer);
  }, [now, everyMs]);
  return time;
}
