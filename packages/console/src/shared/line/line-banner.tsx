/** How the line to a thing is, where it is not as it should be: what happened, and what can be done. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import type { ReactNode } from 'react';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { TestIt } from '../connection-steps/test-it.tsx';
import { CopyValue } from '../resource-panel/copy-value.tsx';
import styles from './line-banner.module.css';
import { type LineEnd, type LineState, NO_FACTOR } from './numbered-line.ts';

interface LineBannerProps {
  line: LineState<unknown>;
  name: string;
  /** Where the thing is tested. */
  page: Parameters<typeof TestIt>[0]['page'];
  onAgain: () => void;
  /** In the place of the name of what is connected to. */
  opening?: ReactNode;
  lost: { title: string; text: string };
  ended: { title: string; text: (end: LineEnd) => ReactNode };
  /** Shown while the line is as it should be. */
  children?: ReactNode;
}

export function LineBanner({ line, name, page, onAgain, opening, lost, ended, children }: LineBannerProps) {
  const t = useTranslate();
  const again = (
    <Button size="small" tone="primary" onClick={onAgain}>
      {t('line.open-again')}
    </Button>
  );
  switch (line.is) {
    case 'connecting':
      return (
        <div className={styles.connecting} role="status">
          <SpinnerRing size="small" />
          {opening ?? t('line.connecting', { name })}
        </div>
      );
    case 'lost':
      return (
        <LineNotice
          tone="warn"
          title={lost.title}
          actions={
            // What is lost stays said while it is tried again: it would come and go with each try.
            <Button size="small" loading={line.retryAt === undefined} onClick={onAgain}>
              {t('line.try-now')}
            </Button>
          }
        >
          {lost.text}
        </LineNotice>
      );
    case 'ended':
      return (
        <LineNotice tone="bad" title={ended.title} actions={again}>
          {ended.text(line.ended)}
        </LineNotice>
      );
    case 'refused': {
      const { message, next, requestId } = line.refused;
      return (
        <LineNotice
          tone="bad"
          title={t('line.refused', { name })}
          actions={
            <>
              <TestIt page={page} name={name} size="small">
                {t('line.test')}
              </TestIt>
              {again}
            </>
          }
        >
          {message === NO_FACTOR ? t('line.no-factor') : asSentence(message)} {next && asSentence(next)}
          {requestId && (
            <p className={styles.quote}>
              {t('line.request-id')} <CopyValue value={requestId} name={t('line.request-id')} />
            </p>
          )}
        </LineNotice>
      );
    }
    case 'ready':
      return children;
  }
}

/** A notice that keeps its height in a page that fills the window. */
export function LineNotice(props: Parameters<typeof Notice>[0]) {
  return <Notice {...props} className={styles.banner} />;
}
