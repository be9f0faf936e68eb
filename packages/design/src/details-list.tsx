/** Fields and their values, for a panel or a card. */

import { Fragment, type ReactNode } from 'react';
import styles from './details-list.module.css';

export interface Detail {
  name: string;
  value: ReactNode;
  /** For ids, addresses and codes. */
  mono?: boolean;
}

export function DetailsList({ details }: { details: readonly Detail[] }) {
  return (
    <dl className={styles.list}>
      {details.map((detail) => (
        <Fragment key={detail.name}>
          <dt>{detail.name}</dt>
          <dd className={detail.mono ? styles.mono : undefined}>{detail.value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
