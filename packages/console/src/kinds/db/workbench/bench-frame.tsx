/** Around what a workbench is about: its tabs, the tree, what stands beside it, and the line below. */
import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import type { ReactNode, Ref } from 'react';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { OwnRequests } from './approval/own-requests.tsx';
import type { OpenBench } from './bench/use-bench.ts';
import type { BenchTab } from './bench/workbench.ts';
import { BenchTabs } from './bench-tabs.tsx';
import { SaveDialog } from './dialogs.tsx';
import { BenchBanner } from './session/bench-banner.tsx';
import { BenchFactor } from './session/bench-factor.tsx';
import { StatusLine } from './session/status-line.tsx';
import { PanelToggles, SidePanel } from './side/side-panel.tsx';
import { SchemaTree } from './tree/schema-tree.tsx';
import type { SchemaTree as Tree } from './tree/tree-store.ts';
import type { Panels } from './use-panels.ts';
import styles from './workbench.module.css';

interface BenchFrameProps {
  ref?: Ref<HTMLDivElement>;
  open: OpenBench;
  panels: Panels;
  tree: Tree;
  words: FrameWords;
  onPick: (path: readonly string[], node: TreeNode) => void;
  /** Has changes of rows that nobody wrote yet. */
  isStaged: (tab: BenchTab) => boolean;
  onClose: (tab: BenchTab) => void;
  /** What was picked, on its own side. */
  value: ReactNode;
  children: ReactNode;
}

/** What these are called, where it is not as in a database of tables. */
interface FrameWords {
  tree: WordId;
  value?: WordId;
  readOnlyHint?: WordId;
}

export function BenchFrame(props: BenchFrameProps) {
  const { ref, open, panels, tree, words, onPick, isStaged, onClose, value, children } = props;
  const { about, bench, view, tab, session } = open;
  const { showsTree, setShowsTree, side, setSide, saving, save, saved, onSaved } = panels;
  const t = useTranslate();
  return (
    <div
      ref={ref}
      className={styles.bench}
      data-tree={showsTree || undefined}
      data-side={side !== undefined || undefined}
    >
      <BenchTabs bench={bench} tabs={view.tabs} current={tab.slot} isStaged={isStaged} onClose={onClose}>
        <PanelToggles
          tree={t(words.tree)}
          showsTree={showsTree}
          side={side}
          onTree={() => setShowsTree(!showsTree)}
          onSide={(next) => setSide(side === next ? undefined : next)}
        />
      </BenchTabs>
      <BenchBanner view={view} name={about.database} onAgain={bench.again} />
      <div className={styles.middle}>
        {showsTree && (
          <aside className={styles.tree} aria-label={t(words.tree)}>
            <SchemaTree tree={tree} session={session} label={t(words.tree)} onPick={onPick} />
          </aside>
        )}
        {children}
        {side !== undefined && (
          <SidePanel
            bench={bench}
            side={side}
            version={`${session} ${saved} ${view.tabs.map((each) => each.work?.ended ?? 0).join(' ')}`}
            valueWord={words.value}
            requests={view.ready?.asks && <OwnRequests open={open} />}
            onSide={setSide}
            onClose={() => setSide(undefined)}
          >
            {value}
          </SidePanel>
        )}
      </div>
      <StatusLine view={view} tab={tab} readOnlyHint={words.readOnlyHint} />
      {saving && <SaveDialog bench={bench} {...saving} onClose={() => save(undefined)} onSaved={onSaved} />}
      <BenchFactor open={open} />
    </div>
  );
}
