/** All collections of a cluster, by the group of the API that has them: custom ones first, as they are nowhere else. */
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import styles from './browse.module.css';
import { kindSlug } from './kinds.ts';
import { FailureWords } from './lists/list-problems.tsx';
import type { AskedKinds } from './use-kinds.ts';

/** Groups of the project itself. Others are what somebody has added. */
function isOwnGroup(group: string): boolean {
  return group === '' || !group.includes('.') || group.endsWith('.k8s.io');
}

export function KindChooser({ kinds, listPath }: { kinds: AskedKinds; listPath: (slug: string) => string }) {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const groups = useMemo(() => {
    const wanted = typed.trim().toLowerCase();
    const found = kinds.found.filter((kind) => `${kind.kind} ${kindSlug(kind)}`.toLowerCase().includes(wanted));
    const byGroup = Map.groupBy(found, ({ apiGroup }) => apiGroup);
    return [...byGroup].sort(([a], [b]) => Number(isOwnGroup(a)) - Number(isOwnGroup(b)) || (a < b ? -1 : 1));
  }, [kinds.found, typed]);
  return (
    <div className={styles.content}>
      <TextField
        type="search"
        label={t('kube-browse.find-kind')}
        labelHidden
        placeholder={t('kube-browse.find-kind')}
        focusKey="/"
        value={typed}
        onValueChange={setTyped}
        onClear={() => setTyped('')}
      />
      {kinds.failure && (
        <Notice tone="bad">
          <FailureWords failure={kinds.failure} />
        </Notice>
      )}
      {kinds.isCut && <Notice tone="warn">{t('kube-browse.kinds-cut')}</Notice>}
      {!kinds.isAsked && <Spinner />}
      {groups.map(([group, members]) => (
        <section key={group} className={styles.section}>
          <h2 className={styles.heading}>{group === '' ? t('kube-browse.core') : group}</h2>
          <ul className={styles.kinds}>
            {members.map((kind) => (
              <li key={kind.resource}>
                <PathLink path={listPath(kindSlug(kind))} className={styles.kind}>
                  {kind.kind}
                </PathLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
