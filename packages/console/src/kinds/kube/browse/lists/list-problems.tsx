/** What of a list could not be had, and what can be done about it. */
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from '../browse.module.css';
import type { Failed } from '../line/browse-line.ts';
import type { RowList } from '../rows/row-store.ts';

/** More say the same. */
const MAX_SHOWN = 3;

export function ListProblems({ list: { failures } }: { list: RowList }) {
  const t = useTranslate();
  if (failures.length === 0) return null;
  return (
    <div className={styles.problems}>
      {failures.slice(0, MAX_SHOWN).map(({ namespace, kind, failure }) => (
        <Notice
          key={`${namespace} ${kind.resource}`}
          tone={failure.status === 403 ? 'warn' : 'bad'}
          title={t(failure.status === 403 ? 'kube-browse.may-not-list' : 'kube-browse.cannot-list', {
            kind: kind.resource,
          })}
        >
          <FailureWords failure={failure} />
          {failure.status === 403 && namespace === '' && kind.isNamespaced && ` ${t('kube-browse.choose-namespace')}`}
        </Notice>
      ))}
    </div>
  );
}

/** In the words of whoever said no, with what to quote. */
export function FailureWords({ failure }: { failure: Failed }) {
  const t = useTranslate();
  return (
    <>
      <span className={styles.words}>{asSentence(failure.message)}</span>
      {failure.requestId && (
        <span className={styles.faint}> {t('kube-browse.request', { id: failure.requestId })}</span>
      )}
    </>
  );
}
