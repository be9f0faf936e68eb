/** One resource beside its list: asked for by itself, said to be gone where it is, and its parts on tabs. */
import type { Label } from '@gatehouse/contract/std/labels';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { Tabs } from '@gatehouse/design/tabs';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureWords, refusalOf } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './resource-panel.module.css';

interface ResourcePanelProps<T> {
  found: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'>;
  label: string;
  title: string;
  /** Said where it is not there any more. */
  gone: string;
  actions: (details: T) => ReactNode;
  onClose: () => void;
  children: (details: T) => ReactNode;
}

export function ResourcePanel<T>({ found, label, title, gone, actions, onClose, children }: ResourcePanelProps<T>) {
  const t = useTranslate();
  const { data, error, isPending } = found;
  const isGone = refusalOf(error)?.code === 'not_found';
  // What was known of it before it went helps nobody any more.
  const details = isGone ? undefined : data;
  return (
    <Panel label={label} title={title} actions={details && actions(details)} onClose={onClose} className={styles.panel}>
      {error && <Notice tone={isGone ? 'warn' : 'bad'}>{isGone ? gone : failureWords(t, error)}</Notice>}
      {isPending && <Spinner />}
      {details && children(details)}
    </Panel>
  );
}

interface PanelTabsProps<Tab extends string> {
  label: string;
  /** The first needs no word in the address. */
  tabs: readonly [Tab, ...Tab[]];
  word: (tab: Tab) => string;
  tab: string | undefined;
  onTab: (tab: string | undefined) => void;
  children: ReactNode;
}

export function PanelTabs<Tab extends string>({ label, tabs, word, tab, onTab, children }: PanelTabsProps<Tab>) {
  const [first] = tabs;
  return (
    <Tabs
      label={label}
      value={tabs.find((each) => each === tab) ?? first}
      onValueChange={(next) => onTab(next === first ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: word(value) }))}
    >
      {children}
    </Tabs>
  );
}

interface PanelLabelsProps {
  heading: string;
  none: string;
  labels: readonly Label[];
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
}

export function PanelLabels({ heading, none, labels, isPicked, onPick }: PanelLabelsProps) {
  return (
    <section>
      <h3 className={styles.heading}>{heading}</h3>
      <div className={styles.labels}>
        {labels.map((label) => (
          <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
        ))}
        {labels.length === 0 && <span className={styles.faint}>{none}</span>}
      </div>
    </section>
  );
}

/** What changes it or takes it away, under everything else. */
export function PanelEnds({ children }: { children: ReactNode }) {
  return <div className={styles.ends}>{children}</div>;
}
