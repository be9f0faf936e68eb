/** The roles and traits of somebody who comes through a provider: seen here, and given there. */

import { TRAITS } from '@gatehouse/contract/identity/users/traits';
import type { UserRecord } from '@gatehouse/contract/identity/users/user-records';
import { DetailsList } from '@gatehouse/design/details-list';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useIdentitiesOf } from '../../shared/access-questions/access-queries.ts';
import type { UserRow } from './user-facts.ts';
import styles from './users.module.css';

export function ProvidedRights({ row, record }: { row: UserRow; record: UserRecord }) {
  const t = useTranslate();
  const connectors = useIdentitiesOf(row.name).data?.map(({ connector }) => `'${connector}'`) ?? [];
  const traits = TRAITS.flatMap((trait) => {
    const values = record.traits[trait] ?? [];
    return values.length === 0 ? [] : [{ name: t(`users.trait-${trait}`), value: values.join(', '), mono: true }];
  });
  return (
    <div className={styles.stack}>
      <Notice announce="none">
        {connectors.length > 0 ? t('users.given-by', { connector: connectors.join(', ') }) : t('users.given')}
      </Notice>
      <section className={styles.stack} aria-label={t('users.roles')}>
        <h3 className={styles.sectionTitle}>{t('users.roles')}</h3>
        <span className={styles.chips}>
          {record.roles.map((role) => (
            <LabelChip key={role} value={role} />
          ))}
        </span>
      </section>
      {traits.length > 0 ? <DetailsList details={traits} /> : <p className={styles.lead}>{t('users.no-traits')}</p>}
    </div>
  );
}
