/** How the line to the database is, where it is not as it should be: what happened, and what can be done. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { asSentence, withStop } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { TestIt } from '../../../../shared/connection-steps/test-it.tsx';
import { NO_FACTOR } from '../../../../shared/line/numbered-line.ts';
import { CopyValue } from '../../../../shared/resource-panel/copy-value.tsx';
import type { BenchView } from '../bench/workbench.ts';
import styles from './session.module.css';

interface LineBannerProps {
  view: Pick<BenchView, 'line' | 'ready' | 'flow'>;
  name: string;
  onAgain: () => void;
}

export function LineBanner({ view: { line, ready, flow }, name, onAgain }: LineBannerProps) {
  const t = useTranslate();
  const test = (
    <TestIt page="databases" name={name} size="small">
      {t('workbench.test')}
    </TestIt>
  );
  const again = (
    <Button size="small" tone="primary" onClick={onAgain}>
      {t('workbench.open-again')}
    </Button>
  );
  if (line.is === 'connecting' || (line.is === 'lost' && line.retryAt === undefined)) {
    const waits = flow && flow.flow !== 'live' && flow.needs.length > 0;
    return (
      <div className={styles.connecting} role="status">
        <SpinnerRing size="small" />
        {waits
          ? t('workbench.waiting-for', {
              count: Math.max(...flow.needs.map(({ missing }) => missing)),
              names: flow.could.join(', ') || '–',
            })
          : t('workbench.connecting', { name })}
      </div>
    );
  }
  if (line.is === 'lost')
    return (
      <Notice
        tone="warn"
        className={styles.banner}
        title={t('workbench.lost')}
        actions={
          <Button size="small" onClick={onAgain}>
            {t('workbench.try-now')}
          </Button>
        }
      >
        {t(ready ? 'workbench.lost-text' : 'workbench.lost-opening')}
      </Notice>
    );
  if (line.is === 'ended') {
    const { cause, message } = line.ended;
    return (
      <Notice tone="bad" className={styles.banner} title={t('workbench.ended')} actions={again}>
        {/* It begins with the name of a user, who is not written otherwise here. */}
        {cause === 'ended_by' ? withStop(message) : asSentence(message)} {t('workbench.ended-text')}
      </Notice>
    );
  }
  if (line.is === 'refused') {
    const { message, next, requestId } = line.refused;
    return (
      <Notice
        tone="bad"
        className={styles.banner}
        title={t('workbench.refused', { name })}
        actions={
          <>
            {test}
            {again}
          </>
        }
      >
        {message === NO_FACTOR ? t('workbench.no-factor') : asSentence(message)} {next && asSentence(next)}
        {requestId && (
          <p className={styles.quote}>
            {t('workbench.request-id')} <CopyValue value={requestId} name={t('workbench.request-id')} />
          </p>
        )}
      </Notice>
    );
  }
  if (flow)
    return (
      <Notice tone="warn" className={styles.banner}>
        {t('workbench.frozen')} {flow.could.length > 0 && t('workbench.could-come', { names: flow.could.join(', ') })}
      </Notice>
    );
  return null;
}
