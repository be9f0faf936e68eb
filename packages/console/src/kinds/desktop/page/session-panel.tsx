/** Beside the picture: who is there, the text that goes between the two clipboards, and the folders that the desktop has as drives. */
import { Avatar } from '@gatehouse/design/avatar';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { TextArea } from '@gatehouse/design/text-area';
import Copy from 'lucide-react/icons/copy';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatBytes, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isTooLarge, readAsking, writeCopied } from '../clipboard/browser-clipboard.ts';
import type { DesktopView, LiveDesktop } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import { FolderSection } from './folder-section.tsx';
import styles from './session-panel.module.css';
import { SoundSection } from './sound-section.tsx';
import { TransferSection } from './transfer-section.tsx';

interface SessionPanelProps {
  live: LiveDesktop;
  view: DesktopView;
  name: string;
  onClose: () => void;
}

export function SessionPanel({ live, view, name, onClose }: SessionPanelProps) {
  const t = useTranslate();
  const { size } = view;
  return (
    <aside className={styles.side} aria-label={t('desktop.panel-title')}>
      <header className={styles.sideHead}>
        <b>{t('desktop.panel-title')}</b>
        {size && (
          <span className={page.faint}>
            {size.width} × {size.height}
          </span>
        )}
        <span className={page.grow} />
        <IconButton icon={X} size="small" label={t('desktop.close')} onClick={onClose} />
      </header>
      <div className={styles.sideBody}>
        <PeopleSection view={view} />
        <ClipboardSection live={live} view={view} name={name} />
        <TransferSection live={live} view={view} />
        <FolderSection live={live} view={view} />
        <SoundSection live={live} view={view} />
        <p className={styles.sideFoot}>{t('desktop.clipboard-audit')}</p>
      </div>
    </aside>
  );
}

function PeopleSection({ view: { parties, session } }: { view: DesktopView }) {
  const t = useTranslate();
  if (parties.length === 0 || !session) return null;
  return (
    <section className={styles.section}>
      <h2>{t('desktop.people')}</h2>
      <ul className={styles.peopleList}>
        {parties.map(({ id, user, self, mode }) => (
          <li key={id}>
            <Avatar name={user} self={self} />
            <span>{user}</span>
            <span className={page.faint}>
              {self && `${t('desktop.person-self')}, `}
              {t(`desktop.party-${mode}`)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ClipboardSection({ live, view, name }: Omit<SessionPanelProps, 'onClose'>) {
  const t = useTranslate();
  const { now } = useBrowser();
  const [text, setText] = useState('');
  const [said, setSaid] = useState<'sent' | 'copied' | 'large'>();
  const { session, copied, passed } = view;
  if (!session) return null;
  const why = !session.clipboard
    ? 'desktop.clipboard-off'
    : session.mode !== 'peer'
      ? 'desktop.clipboard-watch'
      : undefined;
  const send = () => {
    const isLarge = isTooLarge({ text });
    if (!isLarge) live.copy({ text });
    setSaid(isLarge ? 'large' : 'sent');
  };
  const take = async () => setText((await readAsking()) ?? text);
  const copyHere = async () => copied && (await writeCopied(copied.copied)) && setSaid('copied');
  return (
    <section className={styles.section}>
      <h2>
        {t('desktop.clipboard')}
        {!why && <span className={page.faint}>{t('desktop.clipboard-both')}</span>}
      </h2>
      {why ? (
        <p className={page.faint}>{t(why)}</p>
      ) : (
        <>
          {copied && (
            <>
              {copied.copied.text !== undefined && <pre className={styles.copied}>{copied.copied.text}</pre>}
              {copied.copied.text === undefined && copied.copied.png && (
                <p>{t('desktop.clipboard-picture', { size: formatBytes(copied.copied.png.length) })}</p>
              )}
              <div className={styles.clipRow}>
                <span className={page.faint}>
                  {t('desktop.clipboard-from', { name, time: formatRelative(copied.at, now()) })}
                </span>
                <Button size="small" icon={Copy} onClick={() => void copyHere()}>
                  {t(said === 'copied' ? 'desktop.clipboard-copied' : 'desktop.clipboard-copy')}
                </Button>
              </div>
            </>
          )}
          <TextArea
            label={t('desktop.clipboard-text')}
            rows={4}
            mono
            value={text}
            onValueChange={(value) => {
              setText(value);
              setSaid(undefined);
            }}
          />
          <div className={styles.clipRow}>
            <Button size="small" onClick={() => void take()}>
              {t('desktop.clipboard-read')}
            </Button>
            <Button size="small" tone="primary" disabled={text === ''} onClick={send}>
              {t('desktop.clipboard-send')}
            </Button>
          </div>
          {said === 'sent' && <p className={page.faint}>{t('desktop.clipboard-sent')}</p>}
          {said === 'large' && <Notice tone="warn">{t('desktop.clipboard-large')}</Notice>}
          {passed?.refused !== undefined && (
            <Notice tone="warn">
              {t('desktop.clipboard-refused', { size: formatBytes(passed.length), why: passed.refused })}
            </Notice>
          )}
        </>
      )}
    </section>
  );
}
