/** Recovery codes, shown this once: to copy, print or keep as a file, and only then to go on. */
import { Button } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Notice } from '@gatehouse/design/notice';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import Download from 'lucide-react/icons/download';
import Printer from 'lucide-react/icons/printer';
import { useEffect, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { precapture } from '../../platform/telemetry/usage.ts';
import styles from './recovery-codes.module.css';

interface RecoveryCodesProps {
  codes: readonly string[];
  userName: string;
  /** What the button says that goes on. */
  doneWord: string;
  onDone: () => void;
}

export function RecoveryCodes({ codes, userName, doneWord, onDone }: RecoveryCodesProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const [isSaved, setSaved] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const title = t('credentials.codes-for', { user: userName });
  const text = codes.join('\n');
  const use = (what: 'Copy' | 'Print' | 'Continue', doIt: () => void) => () => {
    precapture({ event: `tp.ui.recoveryCodes${what}.click`, username: userName });
    doIt();
  };
  useAskBeforeLeaving(!isSaved);

  return (
    <div className={styles.codes}>
      <p className={styles.lead}>{t('credentials.codes-lead')}</p>
      <section className={styles.sheet} data-print="" aria-label={title}>
        <h3 className={styles.sheetTitle}>{title}</h3>
        <ol className={styles.list}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </section>
      <div className={styles.ways}>
        <Button icon={state === 'copied' ? Check : Copy} onClick={use('Copy', () => void copy(text))}>
          <span role="status">{t(state === 'copied' ? 'common.copied' : 'credentials.codes-copy')}</span>
        </Button>
        <Button icon={Printer} onClick={use('Print', () => window.print())}>
          {t('credentials.codes-print')}
        </Button>
        <Button icon={Download} onClick={() => download(t('credentials.codes-file'), `${title}\n\n${text}\n`)}>
          {t('credentials.codes-download')}
        </Button>
      </div>
      {state === 'failed' && <Notice tone="bad">{t('common.copy-failed')}</Notice>}
      <div className={styles.confirm}>
        <Checkbox label={t('credentials.codes-saved')} checked={isSaved} onCheckedChange={setSaved} />
        {isAsked && !isSaved && (
          <p role="alert" className={styles.missing}>
            {t('credentials.codes-save-first')}
          </p>
        )}
      </div>
      <Button tone="primary" size="large" wide onClick={isSaved ? use('Continue', onDone) : () => setAsked(true)}>
        {doneWord}
      </Button>
    </div>
  );
}

/** Whoever closes the page now has lost the codes. */
function useAskBeforeLeaving(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isActive]);
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
