/** What came of a test as a whole, where its steps do not say it already; and what failed, for whoever can do something about it. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useCopy } from '@gatehouse/design/use-copy';
import Copy from 'lucide-react/icons/copy';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './connection-steps.module.css';

export function Verdict({ said }: { said: ConnectionDiagnostic }) {
  const t = useTranslate();
  // Said by the steps already, unless it failed before the first of them.
  const failed = said.traces?.find(({ status }) => status === 'FAILED');
  if (said.success) return <p className={styles.allWorked}>{t('connection-steps.test-worked')}</p>;
  if (!failed) return <Notice tone="bad">{asSentence(said.message)}</Notice>;
  const next = failed.gatehouse?.next;
  const what = asSentence(said.message);
  return <ForColleague text={next === undefined ? what : `${what}\n${t('connection-steps.next')} ${next}`} />;
}

/** Whoever runs the target is often somebody else. */
function ForColleague({ text }: { text: string }) {
  const t = useTranslate();
  const { copy, state } = useCopy();
  return (
    <div className={styles.colleague}>
      <Button size="small" icon={Copy} onClick={() => void copy(text)}>
        {t('connection-steps.for-colleague')}
      </Button>{' '}
      <span>{state === 'copied' ? t('connection-steps.copied') : ''}</span>
    </div>
  );
}
