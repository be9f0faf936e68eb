/** What came of a test as a whole, where its steps do not say it already. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './connection-steps.module.css';

export function Verdict({ said }: { said: ConnectionDiagnostic }) {
  const t = useTranslate();
  // Said by the steps already, unless it failed before the first of them.
  const isTold = said.traces?.some(({ status }) => status === 'FAILED');
  if (said.success) return <p className={styles.allWorked}>{t('connection-steps.test-worked')}</p>;
  return isTold ? null : <Notice tone="bad">{asSentence(said.message)}</Notice>;
}
