/** The frame of every list: header, tools, the table filling what is left, and the details of a row beside it. */
import { PageHeader, type PageHeaderProps } from '@gatehouse/design/page-header';
import type { ReactNode } from 'react';
import styles from './list-frame.module.css';

interface ListFrameProps extends PageHeaderProps {
  /** Between the header and the tools. */
  tabs?: ReactNode;
  tools?: ReactNode;
  /** There is nothing to filter: the tools are out of reach, and keep their room, so that nothing moves when this comes to be known. */
  isEmpty?: boolean;
  /** The table and what stands under it. */
  children: ReactNode;
  panel?: ReactNode;
}

/** Holds the line of what is not known yet, so that nothing below it moves when it is. */
const NOTHING_YET = '\u00a0';

export function ListFrame({ tabs, tools, isEmpty = false, children, panel, meta, ...header }: ListFrameProps) {
  return (
    <div className={styles.frame}>
      <PageHeader {...header} meta={meta || NOTHING_YET} />
      {tabs && <TabLine>{tabs}</TabLine>}
      {tools && <ToolLine isAway={isEmpty}>{tools}</ToolLine>}
      <div className={styles.split}>
        <div className={styles.list}>{children}</div>
        {panel}
      </div>
    </div>
  );
}

/** Of pages that are no list as well. */
export function TabLine({ children }: { children: ReactNode }) {
  return <div className={styles.tabs}>{children}</div>;
}

export function ToolLine({ isAway = false, children }: { isAway?: boolean; children: ReactNode }) {
  return (
    <div className={styles.tools} data-away={isAway || undefined} inert={isAway} aria-hidden={isAway || undefined}>
      {children}
    </div>
  );
}
