/** What a command asks for, with the code to compare, and the two answers. */

import { PAGES } from '@gatehouse/contract/console/pages';
import type { HeadlessRequest } from '@gatehouse/contract/identity/headless';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { KeyCap } from '@gatehouse/design/key-cap';
import { Notice } from '@gatehouse/design/notice';
import { TextButton, TextLink } from '@gatehouse/design/text-link';
import { useKey } from '@gatehouse/design/use-key';
import KeyRound from 'lucide-react/icons/key-round';
import ShieldCheck from 'lucide-react/icons/shield-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTime } from '../../platform/browser/use-time.ts';
import { formatRelative, formatTimeOfDay } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './headless-screen.module.css';
import { useHeadlessAnswer } from './use-headless-answer.ts';

interface QuestionProps {
  requestId: string;
  address: string;
  asked: NonNullable<HeadlessRequest['gatehouse']>;
}

export function HeadlessQuestion({ requestId, address, asked }: QuestionProps) {
  const t = useTranslate();
  const now = useTime(1_000);
  const { attempt, chosen, needsKey, accept, refuse, signOutEverywhere } = useHeadlessAnswer(requestId);
  useKey(['Escape', 'Enter'], (key) => (key === 'Enter' ? accept() : refuse()), !attempt.isBusy);
  const { server, login, command, client, code, elsewhere, browserAddress } = asked;
  const [from, until] = [Date.parse(asked.created), Date.parse(asked.expires)];
  const leftMs = Math.max(0, until - now);
  return (
    <article className={styles.card}>
      <progress className={styles.bar} aria-label={t('headless.time-left')} max={until - from} value={leftMs} />
      <div className={styles.body}>
        <h1>{t('headless.title')}</h1>
        <p className={styles.lead}>{t('headless.lead')}</p>
        <div className={styles.codes}>
          <div className={styles.code} role="img" aria-label={t('headless.code', { code: [...code].join(' ') })}>
            {[...code].map((letter, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: letters have no other name than their place
              <span key={at} data-dash={letter === '-' ? '' : undefined}>
                {letter}
              </span>
            ))}
          </div>
          <p>{t('headless.same')}</p>
        </div>
        <dl className={styles.facts}>
          <dt>{t('headless.server')}</dt>
          <dd>
            <b>{t('headless.as', { server, login })}</b>
          </dd>
          <dt>{t('headless.command')}</dt>
          <dd>{command === '' ? t('headless.shell') : <code className={styles.command}>{command}</code>}</dd>
          <dt>{t('headless.from')}</dt>
          <dd>
            <span className={styles.row}>
              <span className={styles.mono}>{address}</span>
              {elsewhere && (
                <Badge tone="warn" icon={TriangleAlert}>
                  {t('headless.not-this')}
                </Badge>
              )}
            </span>
            <span className={styles.under}>
              {client} {elsewhere && t('headless.you-are-at', { address: browserAddress })}
            </span>
          </dd>
          <dt>{t('headless.asked')}</dt>
          <dd title={formatDateTime(asked.created)}>
            {formatRelative(from, now)}{' '}
            <span className={styles.faint}>
              {t('headless.asked-at', { time: formatTimeOfDay(from), left: clockTime(leftMs) })}
            </span>
          </dd>
        </dl>
        {elsewhere && (
          <Notice tone="warn" announce="none" title={t('headless.elsewhere-title')}>
            {t('headless.elsewhere')}
          </Notice>
        )}
        {needsKey && (
          <Notice tone="bad">
            {t('headless.no-key')} <TextLink href={PAGES.accountTwoFactor.path}>{t('headless.add-key')}</TextLink>
          </Notice>
        )}
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      </div>
      <p className={styles.gives}>
        <Icon of={ShieldCheck} />
        <span>{t('headless.gives', { server, login })}</span>
      </p>
      <div className={styles.answers}>
        <div className={styles.two}>
          <Button
            tone="danger"
            size="large"
            loading={attempt.isBusy && chosen === 'refuse'}
            disabled={attempt.isBusy && chosen !== 'refuse'}
            onClick={refuse}
          >
            {t('headless.refuse')}
            <KeyCap>Esc</KeyCap>
          </Button>
          <Button
            tone="primary"
            size="large"
            icon={KeyRound}
            loading={attempt.isBusy && chosen === 'accept'}
            loadingWord={t('headless.touch')}
            disabled={attempt.isBusy && chosen !== 'accept'}
            onClick={accept}
          >
            {t('headless.accept')}
            <KeyCap>↵</KeyCap>
          </Button>
        </div>
        <p className={styles.small}>
          {t('headless.no-code')} <TextButton onClick={signOutEverywhere}>{t('headless.not-me')}</TextButton>
        </p>
      </div>
    </article>
  );
}

/** Minutes and seconds, as a clock counts down. */
function clockTime(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
