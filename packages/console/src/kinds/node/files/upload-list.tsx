/** What is being uploaded: how far each has come, and how to pause, go on, try again or give up. */
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import RotateCw from 'lucide-react/icons/rotate-cw';
import X from 'lucide-react/icons/x';
import { useStore } from '../../../platform/browser/store.ts';
import { asSentence, formatBytes } from '../../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import styles from './files.module.css';
import type { Upload, UploadQueue } from './upload-queue.ts';

const ENDED = new Set<Upload['state']>(['done', 'failed', 'exists']);

export function UploadList({ uploads }: { uploads: UploadQueue }) {
  const t = useTranslate();
  const items = useStore(uploads.items);
  if (items.length === 0) return null;
  const left = items.filter(({ state }) => !ENDED.has(state)).length;
  const isDone = items.some(({ state }) => state === 'done');
  return (
    <section className={styles.uploads} aria-label={t('files.uploads')}>
      <header className={styles.uploadsHead}>
        <strong>{t('files.uploads')}</strong>
        <span role="status" className={styles.muted}>
          {left > 0
            ? t('files.uploads-running', { count: left })
            : items.every(({ state }) => state === 'done')
              ? t('files.uploads-done')
              : ''}
        </span>
        <span className={styles.grow} />
        {isDone && (
          <Button size="small" tone="ghost" onClick={() => uploads.clearDone()}>
            {t('files.clear-done')}
          </Button>
        )}
      </header>
      <ul className={styles.uploadItems}>
        {items.map((upload) => (
          <UploadRow key={upload.id} upload={upload} uploads={uploads} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: UploadQueue }) {
  const t = useTranslate();
  const { id, size, sent, state } = upload;
  const name = shownName(upload.name);
  return (
    <li className={styles.upload} data-state={state}>
      <div className={styles.uploadName}>
        <bdi>{name}</bdi>
        <span className={styles.muted}>{stateWords(t, upload)}</span>
      </div>
      <progress
        className={styles.bar}
        aria-label={name}
        max={Math.max(1, size)}
        value={state === 'done' ? Math.max(1, size) : sent}
      />
      <div className={styles.uploadActions}>
        {(state === 'running' || state === 'waiting') && (
          <IconButton icon={Pause} size="small" label={t('files.pause', { name })} onClick={() => uploads.pause(id)} />
        )}
        {state === 'paused' && (
          <IconButton icon={Play} size="small" label={t('files.resume', { name })} onClick={() => uploads.resume(id)} />
        )}
        {(state === 'failed' || state === 'lost') && (
          <IconButton
            icon={RotateCw}
            size="small"
            label={t('files.retry', { name })}
            onClick={() => uploads.resume(id)}
          />
        )}
        {state === 'exists' && (
          <Button size="small" onClick={() => uploads.resume(id, { replace: true })}>
            {t('files.replace')}
          </Button>
        )}
        <IconButton
          icon={X}
          size="small"
          label={t(ENDED.has(state) ? 'files.dismiss' : 'files.cancel-upload', { name })}
          onClick={() => uploads.cancel(id)}
        />
      </div>
    </li>
  );
}

function stateWords(t: Translate, { state, sent, size, error }: Upload): string {
  switch (state) {
    case 'waiting':
      return t('files.upload-waiting');
    case 'running':
      return t('files.upload-progress', { sent: formatBytes(sent), size: formatBytes(size) });
    case 'paused':
      return t('files.upload-paused', { sent: formatBytes(sent) });
    case 'lost':
      return t('files.upload-lost');
    case 'exists':
      return t('files.upload-exists');
    case 'failed':
      return asSentence(error ?? '');
    case 'done':
      return t('files.upload-done');
    default:
      return state satisfies never;
  }
}
