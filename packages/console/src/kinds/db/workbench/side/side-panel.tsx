/** Beside the editor: what ran, what was saved, and the value of a cell. */
import { IconButton } from '@gatehouse/design/icon-button';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import History from 'lucide-react/icons/history';
import PanelLeft from 'lucide-react/icons/panel-left';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { useTranslate, type WordId } from '../../../../platform/i18n/words.ts';
import type { Workbench } from '../bench/workbench.ts';
import styles from '../workbench.module.css';
import { StatementList } from './statement-list.tsx';

export type SideTab = 'history' | 'saved' | 'value' | 'requests';

interface SidePanelProps {
  bench: Workbench;
  side: SideTab;
  version: string;
  /** What the value is called, where it is none of a cell. */
  valueWord?: WordId | undefined;
  /** What was asked for, where that can be. */
  requests?: ReactNode;
  /** The value. */
  children: ReactNode;
  onSide: (side: SideTab) => void;
  onClose: () => void;
}

export function SidePanel({ bench, side, version, valueWord, requests, children, onSide, onClose }: SidePanelProps) {
  const t = useTranslate();
  const words = {
    history: 'workbench.side-history',
    saved: 'workbench.side-saved',
    requests: 'db-approvals.own',
  } as const;
  const parts = ['history', 'saved', ...(requests ? (['requests'] as const) : []), 'value'] as const;
  const shown = side === 'requests' && !requests ? 'history' : side;
  return (
    <aside className={styles.side} aria-label={t('workbench.side')}>
      <div className={styles.sideHead}>
        <SegmentedControl
          size="small"
          label={t('workbench.side')}
          segments={parts.map((each) => ({
            value: each,
            label: t(each === 'value' ? (valueWord ?? 'workbench.side-value') : words[each]),
          }))}
          value={shown}
          onValueChange={onSide}
        />
        <span className={styles.grow} />
        <IconButton icon={X} size="small" label={t('workbench.side-close')} onClick={onClose} />
      </div>
      {shown === 'value' && children}
      {shown === 'requests' && requests}
      {(shown === 'history' || shown === 'saved') && (
        <StatementList key={shown} bench={bench} what={shown} version={version} />
      )}
    </aside>
  );
}

interface PanelTogglesProps {
  /** What the tree is called. */
  tree: string;
  showsTree: boolean;
  side: SideTab | undefined;
  onTree: () => void;
  onSide: (side: SideTab) => void;
}

export function PanelToggles({ tree, showsTree, side, onTree, onSide }: PanelTogglesProps) {
  const t = useTranslate();
  return (
    <>
      <IconButton icon={PanelLeft} size="small" tipSide="bottom" pressed={showsTree} label={tree} onClick={onTree} />
      <IconButton
        icon={History}
        size="small"
        tipSide="bottom"
        pressed={side !== undefined}
        label={t('workbench.side')}
        onClick={() => onSide(side ?? 'history')}
      />
    </>
  );
}
