/** One open workbench for as long as its page stands, and how it is now. */
import { useEffect, useState } from 'react';
import { useBrowser } from '../../../../platform/browser/browser-services.tsx';
import { useStore } from '../../../../platform/browser/store.ts';
import { type BenchAbout, type BenchTab, createWorkbench } from './workbench.ts';

export type OpenBench = ReturnType<typeof useBench>;

export function useBench(about: BenchAbout) {
  const browser = useBrowser();
  const [bench] = useState(() => createWorkbench(browser, window.sessionStorage, about));
  useEffect(() => {
    bench.start();
    return () => bench.stop();
  }, [bench]);
  const view = useStore(bench.view);
  return {
    ...{ about, bench, view },
    /** The one that is shown. */
    tab: view.tabs.find(({ slot }) => slot === view.current) ?? (view.tabs[0] as BenchTab),
    session: view.line.is === 'ready' ? view.line.ready.sid : undefined,
    /** Nobody holds or freezes it. */
    isReady: view.line.is === 'ready' && view.flow === undefined,
  };
}
