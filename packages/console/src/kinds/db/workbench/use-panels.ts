/** What stands beside the editor: the tree on one side; what ran, what was saved and a value on the other. */
import { useState } from 'react';
import type { SideTab } from './side/side-panel.tsx';

/** Below this there is room for one thing at a time. */
const NARROW = '(max-width: 1100px)';

export type Panels = ReturnType<typeof usePanels>;

export function usePanels(first: SideTab) {
  const [isNarrow] = useState(() => window.matchMedia?.(NARROW).matches === true);
  const [showsTree, setShowsTree] = useState(!isNarrow);
  const [side, setSide] = useState<SideTab | undefined>(isNarrow ? undefined : first);
  const [saving, save] = useState<{ sql: string; name: string }>();
  /** Counts what was saved: the list of it is asked for again. */
  const [saved, setSaved] = useState(0);
  const onSaved = () => {
    save(undefined);
    setSaved((before) => before + 1);
    setSide('saved');
  };
  return { isNarrow, showsTree, setShowsTree, side, setSide, saving, save, saved, onSaved };
}
