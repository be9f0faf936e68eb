/** How the line to the cluster is, where it is not as it should be: what happened, and what can be done. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { TestIt } from '../../../shared/connection-steps/test-it.tsx';
import { NO_FACTOR } from '../../../shared/line/numbered-line.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import styles from './browse.module.css';
import type { BrowseView } from './browse.ts';

interface LineBannerProps {
  view: BrowseView;
  name: string;
  onAgain: () => void;
}

export function LineBanner({ view: { line }, name, onAgain }: LineBannerProps) {
  const t = useTranslate();
  const test = (
    <TestIt page="kubernetes" name={name} size="small">
      {t('kube-browse.test')}
    </TestIt>
  );
  const again = (
    <Button size="small" tone="primary" onClick={onAgain}>
      {t('kube-browse.open-again')}
    </Button>
  );
  if (line.is === 'connecting')
    return (
      <div className={styles.connecting} role="status">
        <SpinnerRing size="small" />
        {t('kube-browse.connecting', { name })}
      </div>
    );
  if (line.is === 'lost')
    return (
      <Notice
        tone="warn"
        className={styles.banner}
        title={t('kube-browse.lost')}
        actions={
          // What is lost stays said while it is tried again: it would come and go with each try.
          <Button size="small" loading={line.retryAt === undefined} onClick={onAgain}>
            {t('kube-browse.try-now')}
          </Button>
        }
      >
        {t('kube-browse.lost-text')}
      </Notice>
    );
  if (line.is === 'ended')
    return (
      <Notice tone="bad" className={styles.banner} title={t('kube-browse.ended')} actions={again}>
        {asSentence(line.ended.message)}
      </Notice>
    );
  if (line.is !== 'refused') return null;
  const { message, next, requestId } = line.refused;
  return (
    <Notice
      tone="bad"
      className={styles.banner}
      title={t('kube-browse.refused', { name })}
      actions={
        <>
          {test}
          {again}
        </>
      }
    >
      {message === NO_FACTOR ? t('kube-browse.no-factor') : asSentence(message)} {next && asSentence(next)}
      {requestId && (
        <p>
          {t('kube-browse.request-id')} <CopyValue value={requestId} name={t('kube-browse.request-id')} />
        </p>
      )}
    </Notice>
  );
}
