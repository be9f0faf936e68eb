/** What is asked before a desktop is opened: a password that is stored nowhere, or what to do about somebody who is on it. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { MAX_DESKTOP_PASSWORD } from '@gatehouse/contract/sessions/desktop-frames';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { Button, buttonClass } from '@gatehouse/design/button';
import { Card } from '@gatehouse/design/card';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { asSentence, formatTimeOfDay } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './before-desktop.module.css';
import page from './desktop.module.css';

interface PasswordFormProps {
  clusterId: string;
  name: string;
  login: string;
  /** Why the one before was not taken. */
  message: string;
  onPassword: (password: string) => void;
}

export function PasswordForm({ clusterId, name, login, message, onPassword }: PasswordFormProps) {
  const t = useTranslate();
  const [password, setPassword] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (password !== '') onPassword(password);
  };
  return (
    <main className={styles.before}>
      <Card className={styles.beforeCard}>
        <form className={styles.form} onSubmit={submit}>
          <h1>{t('desktop.password-title', { login, name })}</h1>
          {message !== '' && <Notice tone="warn">{asSentence(message)}</Notice>}
          <p className={page.faint}>{t('desktop.password-text')}</p>
          <TextField
            label={t('desktop.password')}
            type="password"
            size="large"
            autoFocus
            // Nothing of a browser's own is offered here: it belongs to another machine.
            autoComplete="off"
            maxLength={MAX_DESKTOP_PASSWORD}
            value={password}
            onValueChange={setPassword}
          />
          <div className={styles.formActions}>
            <a className={buttonClass({ size: 'large' })} href={pagePath('desktops', { clusterId })}>
              {t('desktop.to-list')}
            </a>
            <Button type="submit" tone="primary" size="large" disabled={password === ''}>
              {t('desktop.connect')}
            </Button>
          </div>
        </form>
      </Card>
    </main>
  );
}

interface SomebodyThereProps {
  clusterId: string;
  name: string;
  login: string;
  userName: string;
  sessions: readonly ActiveSession[];
  onJoin: (sid: string, mode: ParticipantMode | undefined) => void;
  onNew: () => void;
}

const WAYS = ['peer', 'moderator', 'observer'] as const;

export function SomebodyThere({ clusterId, name, login, userName, sessions, onJoin, onNew }: SomebodyThereProps) {
  const t = useTranslate();
  return (
    <main className={styles.before}>
      <Card className={styles.beforeCard}>
        <div className={styles.form}>
          <h1>{t('desktop.busy-title', { name })}</h1>
          <ul className={styles.there}>
            {sessions.map(({ id, owner, login: as, created, participantModes }) => {
              const isOwn = owner === userName;
              const time = formatTimeOfDay(Date.parse(created));
              return (
                <li key={id}>
                  <p>{t(isOwn ? 'desktop.busy-own' : 'desktop.busy-text', { owner, login: as, time })}</p>
                  <div className={styles.ways}>
                    {isOwn && (
                      <Button tone="primary" onClick={() => onJoin(id, undefined)}>
                        {t('desktop.busy-back')}
                      </Button>
                    )}
                    {!isOwn &&
                      WAYS.filter((mode) => participantModes.includes(mode)).map((mode) => (
                        <Button key={mode} onClick={() => onJoin(id, mode)}>
                          {t(`desktop.busy-join-${mode}`)}
                        </Button>
                      ))}
                  </div>
                </li>
              );
            })}
          </ul>
          <p className={page.faint}>{t('desktop.busy-new-hint')}</p>
          <div className={styles.formActions}>
            <a className={buttonClass({})} href={pagePath('desktops', { clusterId })}>
              {t('desktop.to-list')}
            </a>
            <Button onClick={onNew}>{t('desktop.busy-new', { login })}</Button>
          </div>
        </div>
      </Card>
    </main>
  );
}
