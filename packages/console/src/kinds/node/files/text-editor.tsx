/** A small text file in a plain editor. What somebody else saved meanwhile is never lost without being asked. */
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { FileCalls, TextFile } from './file-calls.ts';
import styles from './files.module.css';

interface TextEditorProps {
  path: string;
  name: string;
  calls: FileCalls;
  onDownload: () => void;
  /** True when something was saved. */
  onClose: (saved: boolean) => void;
}

export function TextEditor({ path, name, calls, onDownload, onClose }: TextEditorProps) {
  const t = useTranslate();
  const [file, setFile] = useState<TextFile>();
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const shown = shownName(name);
  const isChanged = file !== undefined && text !== file.text;
  const isConflict = refusalOf(error)?.code === 'compare_failed';

  const read = async (keepMine: boolean) => {
    setError(undefined);
    try {
      const now = await calls.readText(path);
      setFile(now);
      if (!keepMine) setText(now.text);
      return now;
    } catch (failure) {
      setError(failure);
      return undefined;
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each file
  useEffect(() => void read(false), [path]);

  const save = async (over: TextFile | undefined = file) => {
    if (!over || isSaving) return;
    setSaving(true);
    setError(undefined);
    try {
      const { version } = await calls.saveText(path, text, over.version);
      setFile({ ...over, text, version });
      setSaved(true);
    } catch (failure) {
      setError(failure);
    }
    setSaving(false);
  };
  const leave = () => (isChanged ? setLeaving(true) : onClose(isSaved));
  const press = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save();
  };

  return (
    <Dialog
      open
      size="large"
      onOpenChange={leave}
      title={<bdi>{shown}</bdi>}
      footer={
        <>
          <span role="status" className={styles.muted}>
            {isSaved && !isChanged && t('files.saved')}
          </span>
          <Button onClick={leave}>{t('files.cancel')}</Button>
          <Button
            tone="primary"
            disabled={!isChanged || !file?.writable}
            loading={isSaving}
            loadingWord={t('files.saving')}
            onClick={() => void save()}
          >
            {t('files.save')}
          </Button>
        </>
      }
    >
      <div className={styles.editorPlace}>
        {isConflict && (
          <Notice
            tone="warn"
            title={t('files.conflict-title')}
            actions={
              <>
                <Button size="small" onClick={() => void read(false)}>
                  {t('files.take-theirs')}
                </Button>
                <Button size="small" onClick={async () => save(await read(true))}>
                  {t('files.keep-mine')}
                </Button>
              </>
            }
          >
            {t('files.conflict-text')}
          </Notice>
        )}
        {error !== undefined && !isConflict && (
          <Notice
            tone="bad"
            actions={
              file === undefined && (
                <Button size="small" onClick={onDownload}>
                  {t('files.download')}
                </Button>
              )
            }
          >
            {failureWords(t, error)}
          </Notice>
        )}
        {file && !file.writable && <Notice tone="info">{t('files.read-only')}</Notice>}
        {file ? (
          <textarea
            className={styles.editor}
            aria-label={t('files.editor', { name: shown })}
            value={text}
            readOnly={!file.writable}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            wrap="off"
            onChange={({ target }) => setText(target.value)}
            onKeyDown={press}
          />
        ) : (
          error === undefined && <Spinner />
        )}
      </div>
      <ConfirmDialog
        open={isLeaving}
        onOpenChange={setLeaving}
        title={t('files.unsaved-title')}
        confirmWord={t('files.leave')}
        cancelWord={t('files.stay')}
        onConfirm={() => onClose(isSaved)}
      >
        {t('files.unsaved-text', { name: shown })}
      </ConfirmDialog>
    </Dialog>
  );
}
