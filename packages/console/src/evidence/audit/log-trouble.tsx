/** Tells when the log itself has trouble: a log that is not signed any more, events that wait, events the store refused, sinks that do not answer. */
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './audit.module.css';
import { useLogState } from './audit-queries.ts';

export function LogTrouble({ clusterId }: { clusterId: string }) {
  const t = useTranslate();
  const state = useLogState(clusterId);
  if (!state) return null;
  const failing = state.sinks.filter(({ error }) => error !== '');
  const { signing = '', memoryLost = '' } = state;
  const isSigned = signing === '' && memoryLost === '';
  if (isSigned && state.queued === 0 && state.deadLetters === 0 && failing.length === 0) return null;
  return (
    <div className={styles.trouble}>
      {signing !== '' && (
        <Notice tone="bad" title={t('audit.not-signed')}>
          {t('audit.not-signed-text')} <bdi>{asSentence(signing)}</bdi>
        </Notice>
      )}
      {memoryLost !== '' && (
        <Notice tone="warn" title={t('audit.memory-lost')}>
          {t('audit.memory-lost-text')} <bdi>{asSentence(memoryLost)}</bdi>
        </Notice>
      )}
      {state.queued > 0 && (
        <Notice tone="warn" title={t('audit.queued', { count: state.queued })}>
          {t('audit.queued-text')}
        </Notice>
      )}
      {state.deadLetters > 0 && (
        <Notice tone="bad" title={t('audit.dead', { count: state.deadLetters })}>
          {t('audit.dead-text')}
        </Notice>
      )}
      {failing.map(({ name, behind, error }) => (
        <Notice key={name} tone="warn" title={t('audit.sink', { name, count: behind })}>
          <bdi>{error}</bdi>
        </Notice>
      ))}
    </div>
  );
}
