/** The tabs of a workbench: each is a connection of its own at the database. */
import { EDITOR_TABS } from '@gatehouse/contract/kinds/db/editor';
import { IconButton } from '@gatehouse/design/icon-button';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Plus from 'lucide-react/icons/plus';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { StripTab, TabList } from '../../../shared/tab-strip/strip-tab.tsx';
import strip from '../../../shared/tab-strip/tab-strip.module.css';
import { isRunning, isUnsettled } from './bench/work.ts';
import type { BenchTab, Workbench } from './bench/workbench.ts';
import styles from './workbench.module.css';

interface BenchTabsProps {
  bench: Workbench;
  tabs: readonly BenchTab[];
  current: number;
  /** Has changes of rows that nobody wrote yet. */
  isStaged: (tab: BenchTab) => boolean;
  onClose: (tab: BenchTab) => void;
  children: ReactNode;
}

export function BenchTabs({ bench, tabs, current, isStaged, onClose, children }: BenchTabsProps) {
  const t = useTranslate();
  const [renaming, setRenaming] = useState<number>();
  const nameOf = ({ name, slot }: BenchTab) => name || t('workbench.tab', { number: slot + 1 });
  return (
    <div className={strip.strip}>
      <TabList label={t('workbench.tabs')}>
        {tabs.map((tab) => {
          const name = nameOf(tab);
          const isCurrent = tab.slot === current;
          return (
            <StripTab
              key={tab.slot}
              {...{ name, isCurrent }}
              isStop={isCurrent}
              isRenaming={renaming === tab.slot}
              words={{
                hint: t('workbench.tab-hint', { name }),
                rename: t('workbench.tab-rename'),
                close: t('workbench.tab-close', { name }),
              }}
              onShow={() => bench.showTab(tab.slot)}
              onClose={() => onClose(tab)}
              onRenaming={(is) => setRenaming(is ? tab.slot : undefined)}
              onName={(typed) => bench.renameTab(tab.slot, typed)}
            >
              {isRunning(tab.work) && !isUnsettled(tab.work) && (
                <>
                  <SpinnerRing size="small" />
                  <VisuallyHidden>{t('workbench.line-busy')}</VisuallyHidden>
                </>
              )}
              <span className={strip.tabWord}>{name}</span>
              {(isStaged(tab) || isUnsettled(tab.work) || tab.transaction !== 'none') && (
                <span className={styles.dot} role="img" aria-label={t('workbench.tab-open-ends')} />
              )}
            </StripTab>
          );
        })}
      </TabList>
      <IconButton
        icon={Plus}
        size="small"
        tipSide="bottom"
        label={t('workbench.tab-new')}
        disabled={tabs.length >= EDITOR_TABS}
        disabledReason={t('workbench.tabs-all', { count: EDITOR_TABS })}
        onClick={() => bench.addTab()}
      />
      <span className={strip.grow} />
      {children}
    </div>
  );
}
