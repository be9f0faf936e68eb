/** Parts of one thing, one at a time. Where each part has its own address, use TabLinks instead. */

import * as RadixTabs from 'radix-ui/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

export interface Tab<V extends string> {
  value: V;
  label: string;
  count?: number;
  disabled?: boolean;
}

export interface TabsProps<V extends string> {
  /** What the tabs are parts of. */
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onValueChange: (value: V) => void;
  /** The panels, each a TabPanel. */
  children?: ReactNode;
}

function TabContent({ label, count }: Pick<Tab<string>, 'label' | 'count'>) {
  return (
    <>
      <span className={styles.word} data-word={label}>
        {label}
      </span>
      {count !== undefined && <span className={styles.count}>{count}</span>}
    </>
  );
}

export function Tabs<V extends string>({ label, tabs, value, onValueChange, children }: TabsProps<V>) {
  const choose = (chosen: string) => {
    const tab = tabs.find((each) => each.value === chosen);
    if (tab) onValueChange(tab.value);
  };
  return (
    <RadixTabs.Root value={value} onValueChange={choose}>
      <RadixTabs.List className={styles.tabs} aria-label={label}>
        {tabs.map((tab) => (
          <RadixTabs.Trigger key={tab.value} value={tab.value} disabled={tab.disabled} className={styles.tab}>
            <TabContent {...tab} />
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
    </RadixTabs.Root>
  );
}

export function TabPanel({ value, className, children }: { value: string; className?: string; children: ReactNode }) {
  return (
    <RadixTabs.Content value={value} className={className}>
      {children}
    </RadixTabs.Content>
  );
}
