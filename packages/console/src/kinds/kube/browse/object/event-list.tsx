/** What the cluster says has happened to an object, the newest first. */
import { Icon } from '@gatehouse/design/icon';
import { Spinner } from '@gatehouse/design/spinner';
import CircleDot from 'lucide-react/icons/circle-dot';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useMemo } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from '../browse.module.css';
import { EVENTS } from '../kinds.ts';
import { ListProblems } from '../lists/list-problems.tsx';
import { cellNamed } from '../lists/row-facts.ts';
import type { KubeFacts } from '../read-object.ts';
import { useRows } from '../use-rows.ts';

export function EventList({ facts: { metadata } }: { facts: KubeFacts }) {
  const t = useTranslate();
  const { uid } = metadata;
  // Of what belongs to no namespace they are kept in this one.
  const namespace = metadata.namespace || 'default';
  const list = useRows(uid === '' ? [] : [{ kind: EVENTS, namespace, fieldSelector: `involvedObject.uid=${uid}` }]);
  const events = useMemo(
    () =>
      [...list.rows.values()]
        .filter(({ mark }) => mark !== 'gone')
        .sort((a, b) => (a.created < b.created ? 1 : -1))
        .map((row) => {
          const cell = (name: string) => String(cellNamed(list.columns, row, name) ?? '');
          return {
            ...{ uid: row.uid, isWarning: cell('Type') === 'Warning', reason: cell('Reason') },
            ...{ message: cell('Message'), seen: cell('Last Seen') },
          };
        }),
    [list],
  );
  return (
    <>
      <ListProblems list={list} />
      {!list.isListed && list.failures.length === 0 && <Spinner />}
      {list.isListed && events.length === 0 && list.failures.length === 0 && (
        <p className={styles.muted}>{t('kube-browse.no-events')}</p>
      )}
      <ul className={styles.events}>
        {events.map(({ uid: key, isWarning, reason, message, seen }) => (
          <li key={key} className={styles.event}>
            <Icon of={isWarning ? TriangleAlert : CircleDot} className={isWarning ? styles.warn : styles.faint} />
            <div className={styles.eventText}>
              <p className={styles.eventHead}>
                <b>{reason}</b> <span className={styles.faint}>{seen}</span>
              </p>
              <p className={styles.words}>{message}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
