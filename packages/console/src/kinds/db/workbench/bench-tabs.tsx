/** The tabs of a workbench: each is a connection of its own at the database. */
import { EDITOR_TABS } from '@gatehouse/contract/kinds/db/editor';
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
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
  const strip = useRef<HTMLUListElement>(null);
  const [renaming, setRenaming] = useState<number>();
  const nameOf = ({ name, slot }: BenchTab) => name || t('workbench.tab', { number: slot + 1 });
  const onKeyDown = (event: KeyboardEvent, tab: BenchTab) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) {
      const next = tabs[tabs.indexOf(tab) + step];
      if (next) strip.current?.querySelector<HTMLElement>(`[data-slot="${next.slot}"]`)?.focus();
    } else if (event.key === 'F2') setRenaming(tab.slot);
    else if (event.key === 'Delete') onClose(tab);
    else return;
    event.preventDefault();
  };
  return (
    <nav className={styles.strip} aria-label={t('workbench.tabs')}>
      <ul ref={strip} className={styles.tabs}>
        {tabs.map((tab) => {
          const name = nameOf(tab);
          const isCurrent = tab.slot === current;
          return (
            <li key={tab.slot} className={classNames(styles.tab, isCurrent && styles.current)}>
              {renaming === tab.slot ? (
                <input
                  // biome-ignore lint/a11y/noAutofocus: somebody has just asked to type here
                  autoFocus
                  className={styles.rename}
                  aria-label={t('workbench.tab-rename')}
                  defaultValue={name}
                  maxLength={60}
                  onFocus={({ target }) => target.select()}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter') bench.renameTab(tab.slot, event.currentTarget.value);
                    if (event.key === 'Enter' || event.key === 'Escape') setRenaming(undefined);
                  }}
                  onBlur={() => setRenaming(undefined)}
                />
              ) : (
                <button
                  type="button"
                  data-slot={tab.slot}
                  className={styles.tabName}
                  aria-current={isCurrent}
                  tabIndex={isCurrent ? 0 : -1}
                  title={t('workbench.tab-hint', { name })}
                  onClick={() => bench.showTab(tab.slot)}
                  onDoubleClick={() => setRenaming(tab.slot)}
                  onKeyDown={(event) => onKeyDown(event, tab)}
                >
                  {isRunning(tab.work) && !isUnsettled(tab.work) && (
                    <>
                      <SpinnerRing size="small" />
                      <VisuallyHidden>{t('workbench.line-busy')}</VisuallyHidden>
                    </>
                  )}
                  <span className={styles.tabWord}>{name}</span>
                  {(isStaged(tab) || isUnsettled(tab.work) || tab.transaction !== 'none') && (
                    <span className={styles.dot} role="img" aria-label={t('workbench.tab-open-ends')} />
                  )}
                </button>
              )}
              <IconButton
                icon={X}
                size="small"
                tipSide="bottom"
                className={styles.tabClose}
                label={t('workbench.tab-close', { name })}
                tabIndex={isCurrent ? 0 : -1}
                onClick={() => onClose(tab)}
              />
            </li>
          );
        })}
      </ul>
      <IconButton
        icon={Plus}
        size="small"
        tipSide="bottom"
        label={t('workbench.tab-new')}
        disabled={tabs.length >= EDITOR_TABS}
        disabledReason={t('workbench.tabs-all', { count: EDITOR_TABS })}
        onClick={() => bench.addTab()}
      />
      <span className={styles.grow} />
      {children}
    </nav>
  );
}
