/** The containers of a pod: how each is, and how its last run ended. */

import { formatDateTime } from '@gatehouse/contract/std/dates';
import { StatusDot } from '@gatehouse/design/status-dot';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import styles from '../browse.module.css';
import { dotOf } from '../lists/row-facts.ts';
import type { KubeFacts } from '../read-object.ts';

interface ContainersProps {
  facts: KubeFacts;
  /** Where a shell is opened in one of them; absent where none can be. */
  shellPath: ((container: string) => string) | undefined;
}

export function Containers({ facts: { spec, status }, shellPath }: ContainersProps) {
  const t = useTranslate();
  if (spec.containers.length === 0) return null;
  const statuses = [...status.containerStatuses, ...status.ephemeralContainerStatuses];
  return (
    <section aria-label={t('kube-browse.containers')} className={styles.section}>
      <h3 className={styles.heading}>{t('kube-browse.containers')}</h3>
      <ul className={styles.containers}>
        {[...spec.containers, ...spec.ephemeralContainers].map(({ name, image }) => {
          const now = statuses.find((each) => each.name === name);
          const { waiting, running, terminated } = now?.state ?? {};
          const word = running ? 'Running' : (waiting?.reason ?? terminated?.reason ?? 'Unknown');
          const last = now?.lastState.terminated;
          return (
            <li key={name} className={styles.container}>
              <p className={styles.containerHead}>
                <b>{name}</b> <StatusDot state={dotOf(word)}>{word}</StatusDot>
                {now !== undefined && now.restartCount > 0 && (
                  <span className={styles.faint}>{t('kube-browse.restarts', { count: now.restartCount })}</span>
                )}
                {running && shellPath && (
                  <PathLink
                    path={shellPath(name)}
                    className={styles.link}
                    aria-label={t('kube-browse.open-shell-in', { name })}
                  >
                    {t('kube-browse.open-shell')}
                  </PathLink>
                )}
              </p>
              <code className={styles.image}>{image}</code>
              {waiting !== undefined && waiting.message !== '' && <p className={styles.muted}>{waiting.message}</p>}
              {last && (
                <p className={styles.muted}>
                  {t('kube-browse.last-end', {
                    reason: last.reason,
                    code: last.exitCode,
                    time: last.finishedAt === '' ? '–' : formatDateTime(last.finishedAt),
                  })}
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
