/** Beside the picture: the folder that the gateway keeps for the session, with what goes into it and what comes out. */
import { TRANSFER_BYTES, TRANSFER_NAME } from '@gatehouse/contract/kinds/desktop/transfer';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import Download from 'lucide-react/icons/download';
import FolderSync from 'lucide-react/icons/folder-sync';
import FolderX from 'lucide-react/icons/folder-x';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Upload from 'lucide-react/icons/upload';
import X from 'lucide-react/icons/x';
import { type ReactNode, useId, useRef, useState } from 'react';
import { asSentence, formatBytes } from '../../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { filesOf } from '../../../shared/files/dropped-files.ts';
import type { UploadView } from '../folders/transfer-files.ts';
import { type DesktopView, isOwnSession, type LiveDesktop } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import styles from './session-panel.module.css';

interface TransferSectionProps {
  live: LiveDesktop;
  view: DesktopView;
}

export function TransferSection({ live, view }: TransferSectionProps) {
  const t = useTranslate();
  const { transfer } = view;
  const { is } = transfer;
  // The section of folders says why.
  if (!view.session || whyNoTransfer(view)) return null;
  return (
    <section className={styles.section}>
      <h2>{t('desktop.transfer')}</h2>
      {is === 'on' && <OpenTransfer live={live} view={view} />}
      {is !== 'on' && (
        <>
          <p className={page.faint} role="status">
            {is === 'asking'
              ? t('desktop.transfer-asking')
              : t('desktop.transfer-text', { name: TRANSFER_NAME, size: formatBytes(TRANSFER_BYTES) })}
          </p>
          <div className={styles.clipRow}>
            <Button size="small" icon={FolderSync} disabled={is === 'asking'} onClick={() => live.transfer.open()}>
              {t('desktop.transfer-open')}
            </Button>
          </div>
        </>
      )}
      {transfer.why !== undefined && (
        <Notice tone="warn">{t('desktop.transfer-refused', { why: transfer.why })}</Notice>
      )}
      <Uploads live={live} uploads={transfer.uploads} />
    </section>
  );
}

function OpenTransfer({ live, view: { transfer } }: TransferSectionProps) {
  const t = useTranslate();
  const chooser = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string>();
  const download = async (path: string) => {
    setRefused(undefined);
    const why = await live.transfer.download(path);
    if (why !== undefined) setRefused(why === '' ? t('desktop.transfer-lost') : asSentence(why));
  };
  const { files, more, freeBytes } = transfer;
  return (
    <>
      <p role="status">{t('desktop.transfer-on', { name: TRANSFER_NAME, free: formatBytes(freeBytes) })}</p>
      <div className={styles.clipRow}>
        <Button size="small" icon={Upload} onClick={() => chooser.current?.click()}>
          {t('desktop.transfer-upload')}
        </Button>
        <Button size="small" icon={FolderX} onClick={() => live.transfer.close()}>
          {t('desktop.transfer-close')}
        </Button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          data-choose="transfer"
          onChange={({ target }) => {
            if (target.files) live.transfer.put(filesOf(target.files));
            target.value = '';
          }}
        />
      </div>
      {files.length === 0 && <p className={page.faint}>{t('desktop.transfer-none')}</p>}
      {files.length > 0 && (
        <FileList label={t('desktop.transfer-downloads')}>
          {files.map(({ path, size }) => (
            <li key={path}>
              <bdi>{path}</bdi>
              <span className={page.faint}>{formatBytes(size)}</span>
              <IconButton
                icon={Download}
                size="small"
                label={t('desktop.transfer-download', { name: path })}
                onClick={() => void download(path)}
              />
            </li>
          ))}
        </FileList>
      )}
      {more > 0 && <p className={page.faint}>{t('desktop.transfer-more', { count: more })}</p>}
      {refused !== undefined && <Notice tone="warn">{refused}</Notice>}
    </>
  );
}

function Uploads({ live, uploads }: { live: LiveDesktop; uploads: readonly UploadView[] }) {
  const t = useTranslate();
  if (uploads.length === 0) return null;
  return (
    <FileList label={t('desktop.transfer-uploads')}>
      {uploads.map(({ id, name, size, sent, state, why }) => (
        <li key={id} data-state={state}>
          <bdi>{name}</bdi>
          <span className={page.faint}>{uploadWords(t, { size, sent, state })}</span>
          {state === 'failed' && (
            <IconButton
              icon={RotateCw}
              size="small"
              label={t('desktop.transfer-again', { name })}
              onClick={() => live.transfer.again(id)}
            />
          )}
          <IconButton
            icon={X}
            size="small"
            label={t(
              state === 'running' || state === 'waiting' ? 'desktop.transfer-stop' : 'desktop.transfer-dismiss',
              {
                name,
              },
            )}
            onClick={() => live.transfer.drop(id)}
          />
          {state === 'running' && <progress aria-label={name} max={Math.max(1, size)} value={sent} />}
          {state === 'failed' && (
            <p className={styles.failed}>{why === undefined ? t('desktop.transfer-lost') : asSentence(why)}</p>
          )}
        </li>
      ))}
    </FileList>
  );
}

function FileList({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <h3 id={id} className={page.faint}>
        {label}
      </h3>
      <ul className={styles.files} aria-labelledby={id}>
        {children}
      </ul>
    </>
  );
}

function uploadWords(t: Translate, { size, sent, state }: Pick<UploadView, 'size' | 'sent' | 'state'>): string {
  if (state === 'running') return t('desktop.transfer-sent', { sent: formatBytes(sent), size: formatBytes(size) });
  if (state === 'done') return t('desktop.transfer-done');
  return formatBytes(size);
}

/** Undefined: it can be had. */
export function whyNoTransfer(view: DesktopView) {
  if (!isOwnSession(view)) return 'desktop.folder-watch' as const;
  return view.session?.directories ? undefined : ('desktop.folder-off' as const);
}
